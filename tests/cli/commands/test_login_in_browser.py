"""The login page in a real browser: headless Chromium against `backlit serve`."""

import os
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, async_playwright, expect
from tests.cli.home import Home

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.wrap import LOGIN_PATH

pytestmark = pytest.mark.slow

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--no-first-run",
)
TITLE = "Authentication Delegation, code="
EVIL = "http://evil.example/"
ATTACK = """<form method="post" action="{base}/api/v1/comments" enctype="text/plain">
<input name='{{"projectId":1,"workItemId":1,"description":"' value='attack"}}'></form>
<script>document.forms[0].submit()</script>"""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a service that all visitors share."""
    home = Home(tmp_path_factory.mktemp("browser"))
    process = home.start("serve", "--sample", "--items", "20", "--port", "0")
    assert process.stdout is not None
    yield process.stdout.readline().split()[-1]
    process.terminate()
    process.communicate(timeout=90)


def chromium() -> str:
    found = next((path for name in NAMES if (path := shutil.which(name))), None)
    if found is None:
        if os.environ.get("BACKLIT_CHECKS"):
            pytest.fail("The checks need Chromium: apt-get install chromium")
        pytest.skip("there is no Chromium here")
    return found


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    path = chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        await browser.close()


class Visit:
    """One visitor's page, what its console said, and where pictures of it go."""

    def __init__(self, page: Page, base: str, pictures: Path, name: str) -> None:
        self.page = page
        self.base = base
        self.complaints: list[str] = []
        self._pictures = pictures
        self._name = name
        page.on("console", self._hear)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("requestfailed", lambda request: self.complaints.append(request.url))

    def _hear(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.complaints.append(message.text)

    async def open(self) -> None:
        await self.page.goto(f"{self.base}{LOGIN_PATH}")

    async def sign_in(self, username: str, password: str) -> None:
        await self.page.get_by_label("User name").fill(username)
        await self.page.get_by_label("Password").fill(password)
        await self.page.get_by_role("button", name="Sign in").click()

    async def code(self) -> str:
        await expect(self.page.get_by_role("heading", name="Your code")).to_be_visible()
        return (await self.page.title()).removeprefix(TITLE)

    async def picture(self, name: str) -> None:
        await self.page.screenshot(path=self._pictures / f"{self._name}-{name}.png")

    async def is_too_wide(self) -> bool:
        return bool(await self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))

    async def colour(self, of: str, what: str) -> str:
        return str(await self.page.evaluate(f"getComputedStyle(document.querySelector('{of}')).{what}"))


@pytest.fixture
async def context(browser: Browser) -> AsyncIterator[BrowserContext]:
    context = await browser.new_context(viewport={"width": 1000, "height": 700})
    yield context
    await context.close()


@pytest.fixture
async def visit(context: BrowserContext, base: str, tmp_path: Path) -> Visit:
    visit = Visit(await context.new_page(), base, tmp_path, "wide")
    await visit.open()
    return visit


async def test_a_person_signs_in_and_copies_the_code_into_the_program(
    visit: Visit, context: BrowserContext, tmp_path: Path
) -> None:
    await visit.sign_in("maya", "wrong")
    await expect(visit.page.get_by_role("alert")).to_have_text("Wrong user name or password.")
    await expect(visit.page.get_by_label("User name")).to_have_value("maya")
    await expect(visit.page.get_by_label("Password")).to_be_focused()
    await visit.sign_in("maya", "lantern")
    code = await visit.code()
    await visit.page.locator("#code").click()
    marked = await visit.page.evaluate("getSelection().toString()")
    mine = await context.request.get(f"{visit.base}/api/v1/users/me")
    async with Client.at(visit.base, TokenCache(tmp_path / "tokens.json", visit.base)) as client:
        await client.auth.sign_in_with_code(f" {marked}\n")
        me = await client.users.me()

    assert code == marked
    assert (await mine.json())["name"] == me["name"] == "maya"
    assert visit.complaints == []


async def test_the_page_is_used_with_the_keyboard_alone(visit: Visit) -> None:
    keyboard = visit.page.keyboard
    await expect(visit.page.get_by_label("User name")).to_be_focused()
    await keyboard.type("maya")
    await keyboard.press("Tab")
    await keyboard.type("lantern")
    await keyboard.press("Enter")
    first = await visit.code()
    await keyboard.press("Tab")
    await keyboard.press("Tab")
    await keyboard.press("Enter")
    await expect(visit.page).not_to_have_title(f"{TITLE}{first}")
    await keyboard.press("Tab")
    await keyboard.press("Enter")

    await expect(visit.page.get_by_role("status")).to_have_text("You are signed out.")
    await visit.open()
    await expect(visit.page.get_by_role("heading", name="Sign in")).to_be_visible()
    assert visit.complaints == []


@pytest.mark.long
async def test_a_form_that_was_tampered_with_is_refused(visit: Visit, context: BrowserContext) -> None:
    await visit.page.evaluate("document.querySelector('[name=form_token]').value = '0'.repeat(64)")
    await visit.sign_in("maya", "lantern")

    await expect(visit.page.get_by_role("alert")).to_contain_text("expired")
    assert [cookie["name"] for cookie in await context.cookies()] == ["backlit-form"]


async def test_a_page_of_another_site_cannot_act_for_who_is_signed_in(visit: Visit, context: BrowserContext) -> None:
    await visit.sign_in("maya", "lantern")
    await visit.code()
    before = await (await context.request.get(f"{visit.base}/api/v1/workitems/1/comments")).json()
    attack = ATTACK.format(base=visit.base)
    await context.route(EVIL, lambda route: route.fulfill(body=attack, content_type="text/html"))
    evil = await context.new_page()
    async with evil.expect_response("**/api/v1/comments") as answer:
        await evil.goto(EVIL)
    after = await (await context.request.get(f"{visit.base}/api/v1/workitems/1/comments")).json()

    assert (await answer.value).status in {401, 403}
    assert after == before


@pytest.mark.parametrize("scheme", ["dark", "light"])
@pytest.mark.long
async def test_a_small_screen_by_day_and_night(browser: Browser, base: str, tmp_path: Path, scheme: str) -> None:
    pictures = Path(os.environ.get("BACKLIT_PICTURES", tmp_path))
    colours: Literal["dark", "light"] = "dark" if scheme == "dark" else "light"
    context = await browser.new_context(viewport={"width": 320, "height": 640}, color_scheme=colours)
    visit = Visit(await context.new_page(), base, pictures, scheme)
    await visit.open()
    await visit.picture("login")
    widths = [await visit.is_too_wide()]
    ground, ink = await visit.colour("body", "backgroundColor"), await visit.colour("body", "color")
    await visit.sign_in("x" * 300, "wrong")
    await expect(visit.page.get_by_role("alert")).to_be_visible()
    await visit.picture("refused")
    widths.append(await visit.is_too_wide())
    await visit.sign_in("maya", "lantern")
    await visit.code()
    await visit.picture("code")
    widths.append(await visit.is_too_wide())
    code_lines = await visit.page.locator("#code").evaluate("node => node.getClientRects().length")
    await context.close()

    assert widths == [False, False, False]
    assert code_lines == 1
    assert (brightness(ground) < brightness(ink)) == (scheme == "dark")
    assert contrast(ground, ink) >= 7
    assert visit.complaints == []


def parts(colour: str) -> list[float]:
    return [int(part) / 255 for part in colour.removeprefix("rgb(").removesuffix(")").split(",")]


def brightness(colour: str) -> float:
    """Relative luminance, as WCAG has it."""
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((brightness(one), brightness(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)
