"""Teams, time entry types, readiness."""

from datetime import datetime

import httpx
from sqlalchemy import Connection, insert

from backlit.service.app import Service
from backlit.service.storage.schema import time_entry_types

Client = httpx.AsyncClient


async def test_teams_are_those_of_the_projects_granted(maya: Client, rex: Client) -> None:
    teams = (await rex.get("teams")).json()

    assert [team["name"] for team in teams["results"]] == ["Storefront", "Money", "Foundations"]
    assert list(teams["results"][0])[:3] == ["id", "name", "projectId"]
    assert (await rex.get("projects/1/teams")).json() == teams
    assert (await rex.get("projects/2/teams")).status_code == 404
    assert (await maya.get("teams")).json()["totalResults"] > 3
    assert (await maya.get("teams?$filter=projectId eq 2")).json() == (await maya.get("projects/2/teams")).json()


async def test_time_entry_types_are_names(maya: Client, rex: Client, service: Service) -> None:
    def write(connection: Connection) -> None:
        now = datetime(2026, 3, 1)
        audit = {"created_by": "maya", "created_at": now, "last_modified_by": "maya", "last_modified_at": now}
        rows = [{"project_id": 1, "name": name, **audit} for name in ("Design", "Build")]
        connection.execute(insert(time_entry_types), rows)

    before = (await maya.get("projects/1/timeentrytypes")).json()["totalResults"]
    service.shared.database.write.submit(write).result()

    found = (await rex.get("projects/1/timeentrytypes")).json()
    assert found["results"][-2:] == [{"name": "Design"}, {"name": "Build"}]
    assert found["totalResults"] == before + 2
    one = await rex.get("projects/1/timeentrytypes", params={"$filter": "name eq 'Build'"})
    assert one.json() == {"totalResults": 1, "top": 1, "results": [{"name": "Build"}]}
    assert (await rex.get("projects/1/timeentrytypes?$filter=id eq 1")).status_code == 400
    assert (await rex.get("projects/2/timeentrytypes")).status_code == 404


async def test_a_service_is_ready_while_its_database_answers(visitor: Client, service: Service) -> None:
    ready = await visitor.get("http://backlit.test/readyz")
    await service.stop()
    stopped = await visitor.get("http://backlit.test/readyz")

    assert (ready.status_code, ready.json()) == (200, {"status": "ready"})
    assert stopped.status_code == 503
