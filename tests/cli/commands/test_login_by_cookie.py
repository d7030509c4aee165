"""`backlit login --cookie`: the session of a browser, from the input, shown and written nowhere else."""

import re

import httpx
from tests.cli.home import Home, Server

from backlit.client.auth import COOKIE_ENDED
from backlit.client.tokens import LOGIN_COOKIE
from backlit.model.wrap import LOGIN_PATH


def files_with(home: Home, secret: str) -> list[str]:
    every = [path for path in home.path.rglob("*") if path.is_file()]
    return [path.name for path in every if secret.encode() in path.read_bytes()]


def test_a_browsers_session_is_used_until_it_ends(home: Home, server: Server) -> None:
    address = server.address
    with httpx.Client(base_url=address) as browser:
        (token,) = re.findall(r'name="form_token"[^>]*value="([^"]+)"', browser.get(LOGIN_PATH).text)
        browser.post(LOGIN_PATH, data={"form_token": token, "username": "maya", "password": "lantern"})
        secret = browser.cookies[LOGIN_COOKIE]
        login = home.run("login", address, "--cookie", given=f"{secret}\n")
        kept_in = files_with(home, secret)
        browser.post("/Authentication/Logout")
    after = home.run("whoami")

    assert login.stdout.startswith(f"Signed in to {address} as maya"), login.stderr
    assert login.stdout.endswith("\nNext, open it: backlit\n")
    assert kept_in == ["tokens.json"]
    how = f"Use: backlit login {address} --user maya"
    assert (after.returncode, after.stderr) == (3, f"backlit: {COOKIE_ENDED} {how}\n")
    assert secret not in login.stdout + login.stderr + after.stdout
    assert files_with(home, secret) == []
