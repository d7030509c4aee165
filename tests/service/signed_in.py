"""The address of the service under test, and how people sign in to it."""

from collections.abc import Awaitable, Callable

import httpx

BASE = "http://backlit.test"


CLIENT_ID = "uri:backlit"


SignIn = Callable[[str], Awaitable[httpx.AsyncClient]]
