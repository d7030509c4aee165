"""The documents and lists of the interface beside the data of its extensions: the same bytes, but for the stamps."""

import re

import httpx
import pytest
from sqlalchemy import Connection, update
from tests.service.routes.objects import body_of, task_of
from tests.service.routes.reported import item

from backlit.service.app import Service
from backlit.service.storage.schema import projects

Client = httpx.AsyncClient
STAMPS = re.compile(rb'"(lastModifiedAt|lastModifiedBy)":"[^"]*"')
LISTS = (
    *("workitems", "workitems?$top=3&$skip=2", "workitems?$orderby=BacklogPriority desc,id"),
    *(
        "workitems?$filter=type eq 'Story' and projectId eq 1&$orderby=Name",
        "workitems?$select=id,Name,Status,Estimate",
    ),
    *("comments", "attachments", "projects", "projects/1", "projects/1/teams", "projects/1/timeentrytypes"),
    *("users", "users/me", "areas", "iterations", "teams"),
)


@pytest.mark.postgresql
async def test_documents_and_lists_are_the_same_bytes_beside_relations_links_criteria_and_hours(
    service: Service, maya: Client
) -> None:
    service.shared.database.write.submit(_leave_work_alone).result()
    feature, story, bug = await item(maya, "Feature"), await item(maya, Estimate="5"), await item(maya, "Bug")
    task = await task_of(maya, WorkRemaining=4, WorkCompleted=1, Name="Écrire “tout”")
    await maya.post(f"workitems/{story}/comments", json={"text": "Seen", "commentType": "Service"})
    addresses = [*LISTS, *(f"workitems/{each}" for each in (feature, story, bug, task))]
    addresses += [f"workitems/{story}/{noun}" for noun in ("tasks", "comments", "attachments")]
    before = [await bytes_of(maya, address) for address in addresses]

    bodies = [("relations", {"workItemId": story, "type": kind, "targetId": feature}) for kind in ("Parent", "Related")]
    bodies += [("relations", {"workItemId": bug, "type": kind, "targetId": story}) for kind in ("Blocks", "Duplicates")]
    bodies += [(noun, body_of(noun, story)) for noun in ("links", "acceptancecriteria")]
    bodies += [("timeentries", body_of("timeentries", task))]
    for noun, body in bodies:
        answer = await maya.post(noun, json=body)
        assert answer.status_code == 201, answer.text
    after = [await bytes_of(maya, address) for address in addresses]

    assert dict(zip(addresses, after, strict=True)) == dict(zip(addresses, before, strict=True))


async def bytes_of(client: Client, address: str) -> bytes:
    answer = await client.get(address)
    assert answer.status_code == 200, (address, answer.text)
    return STAMPS.sub(rb'"\1":"-"', answer.content)


def _leave_work_alone(connection: Connection) -> None:
    revision = projects.c.settings_revision + 1
    connection.execute(update(projects).values(work_from_time=False, settings_revision=revision))
