"""Dialogs that find items while their text is typed."""

from collections.abc import Sequence

from tests.store.world import until
from tests.tui.bare_app import BareApp, words_of_dialog
from tests.tui.target import FakeTarget
from textual import events

from backlit.store import Store, ViewSpec
from backlit.tui.app.navigation import GoToDialog
from backlit.tui.dialogs.finder import Offer
from backlit.tui.dialogs.palette import ItemSearch, item_search

RECENT, WANTED = Offer(64, "#64", "Story 3"), Offer(65, "#65", "Story 4")


async def test_enter_goes_to_the_item_that_is_found_and_not_to_a_recent_one_that_was_first_before() -> None:
    async def find(query: str) -> Sequence[Offer]:
        return [WANTED] if query == "Story 4" else [RECENT, WANTED]

    async with BareApp().run_test() as pilot:
        answers: list[int | None] = []
        pilot.app.push_screen(GoToDialog([RECENT], ItemSearch(find, lambda _: None)), answers.append)
        await pilot.pause()
        await pilot.press(*"Story", "space", "4")
        await pilot.pause()
        await pilot.press("enter")

    assert answers == [65]


async def test_a_number_without_an_item_is_named_and_kept_and_esc_typed_at_once_leaves() -> None:
    async def find(_query: str) -> Sequence[Offer]:
        return []

    async with BareApp().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, BareApp)
        app.push_screen(GoToDialog([], ItemSearch(find, lambda _: None)), app.answers.append)
        await pilot.pause()
        await pilot.press(*"9999", "enter")
        await pilot.pause()
        refused = words_of_dialog(app)
        for key in ("enter", "x", "escape"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(lambda: app.answers)

    assert "9999 ! No item has number 9999." in refused
    assert app.answers == [None]


async def test_a_typed_number_lists_its_item_first(store: Store) -> None:
    view = store.view(ViewSpec())
    await view.load()
    other, wanted = view.rows(0, 2)
    async with BareApp().run_test() as pilot:

        async def find(_query: str) -> Sequence[Offer]:
            return [Offer(other.id, f"#{other.id}", f"Mail {wanted.id}")]

        search = item_search(FakeTarget(store))
        dialog = GoToDialog([Offer(other.id, f"#{other.id}", other.name)], ItemSearch(find, search.offer))
        pilot.app.push_screen(dialog)
        await pilot.press(*str(wanted.id))
        await pilot.pause()

        assert [offer.value for offer in dialog.list.lines] == [wanted.id, other.id]
