"""The service behind a real server, over a real socket."""

import asyncio
import socket

import httpx
import uvicorn

from backlit.service.app import Service
from backlit.service.storage.settings import ServiceSettings

CLIENT_ID = "uri:backlit"


async def test_a_server_starts_and_stops_the_service(settings: ServiceSettings) -> None:
    service = Service(settings)
    listener = socket.create_server(("127.0.0.1", 0))
    base = f"http://127.0.0.1:{listener.getsockname()[1]}"
    server = uvicorn.Server(uvicorn.Config(service.asgi, log_config=None))
    running = asyncio.create_task(server.serve([listener]))
    while not server.started:  # noqa: ASYNC110 - the server has no event to wait for
        await asyncio.sleep(0.01)

    async with httpx.AsyncClient(base_url=base) as client:
        challenge = (await client.get("/api/v1/users/me")).headers["www-authenticate"]
        form = {"wrap_client_id": CLIENT_ID, "wrap_username": "jon", "wrap_password": "lantern"}
        grant = httpx.QueryParams((await client.post("/Authenticate/WRAPv0.9", data=form)).text)
        client.headers["authorization"] = f"WRAP access_token={grant['wrap_access_token']}"
        created = await client.post("/api/workitems", json={"type": "Bug", "projectId": 1, "fields": {"Name": "x"}})
        listed = await client.get("/api/v1/workitems", params={"$filter": "projectId eq 1", "$top": "1000"})
    server.should_exit = True
    await running

    assert challenge == f'WRAP location="{base}/Authenticate/WRAPv0.9", client_id={CLIENT_ID}'
    assert created.headers["location"].startswith(f"{base}/api/v1/workitems/")
    assert listed.json()["results"][-1] == created.json()
