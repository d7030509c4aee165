"""The tabs of an item: keys and clicks between them, what each shows, and the draft below."""

import re
from collections.abc import Sequence
from datetime import timedelta

import pytest
from msgspec.structs import replace
from tests.store.world import World, sent, until
from tests.tui.bare_app import BareApp, line_with, lines_of, missing, text_of
from tests.tui.editor_steps import Edit, burst, go_to, item_of, save, screen_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from textual.app import ComposeResult

from backlit.store import Store
from backlit.tui.attachments.screen import AttachmentsScreen
from backlit.tui.comments.screen import CommentsScreen
from backlit.tui.criteria.screen import CriteriaScreen
from backlit.tui.drawing.text import Line
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.history.screen import HistoryScreen
from backlit.tui.items.item_head import ItemSidePane
from backlit.tui.items.preview import item_context
from backlit.tui.links.screen import LinksScreen
from backlit.tui.tasks.screen import TasksScreen


class CountingAside(ItemSidePane):
    count = 0

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        self.count += 1
        return super().lines_for(width, theme)


class AsideStage(BareApp):
    def compose(self) -> ComposeResult:
        yield CountingAside()


async def test_the_item_beside_its_tab_is_laid_out_again_only_when_it_changes(world: World, store: Store) -> None:
    item = store.item(await item_of(world, "Story"))
    assert item is not None
    around = item_context(store, item)
    async with AsideStage().run_test() as pilot:
        aside = pilot.app.query_one(CountingAside)
        aside.show(item, around)
        before = aside.count
        aside.show(item, replace(around, now=around.now + timedelta(minutes=1)))
        unchanged = aside.count
        aside.show(replace(item, type="Bug"), around)

        assert unchanged == before
        assert aside.count > unchanged


@pytest.mark.slow
async def test_brackets_go_round_the_tabs_and_keep_the_draft(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        await pilot.press("e", *"!", "escape")
        found = [type(pilot.app.screen)]
        for _ in range(7):
            await pilot.press("]")
            await pilot.pause()
            found.append(type(pilot.app.screen))
        await pilot.press("[")
        await pilot.pause()

        rows = [TasksScreen, LinksScreen, CriteriaScreen, CommentsScreen, AttachmentsScreen, HistoryScreen]
        assert found == [ItemEditorScreen, *rows, ItemEditorScreen]
        assert isinstance(pilot.app.screen, HistoryScreen)
        await pilot.press("q")
        await pilot.pause()
        assert missing(pilot.app, ["[Det", "1 change "]) == []


@pytest.mark.slow
async def test_keys_of_the_tabs_lead_from_one_to_another_and_back_to_the_details(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        depth = len(pilot.app.screen_stack)
        for keys in ("gl", "gt", "gc"):
            await pilot.press(*keys)
            await pilot.pause()
        above = len(pilot.app.screen_stack)
        await pilot.press("q")
        await pilot.pause()

        assert above == depth + 1
        assert isinstance(pilot.app.screen, ItemEditorScreen)


@pytest.mark.slow
async def test_a_click_on_a_tab_shows_it(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        column = lines_of(pilot.app)[1].index("His")
        await pilot.click(pilot.app.screen, offset=(column, 1))
        await pilot.pause()

        assert isinstance(pilot.app.screen, HistoryScreen)
        assert missing(pilot.app, ["[His", "created"]) == []


async def test_the_tabs_count_comments(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    before = len(store.comments.of_item(item_id))

    async with edit(item_id) as pilot:
        await store.items.comment(item_id, "One more.")

        await until(lambda: f"Com {before + 1}" in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_every_tab_counts_comments_that_arrive_while_it_is_open(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    before = len(store.comments.of_item(item_id))

    async with edit(item_id) as pilot:
        for number, tab in enumerate("tlc", before + 1):
            await pilot.press("g", tab)
            await store.items.comment(item_id, f"Comment {number}.")

            words = f"Com(ments)? {number}"
            await until(lambda words=words: re.search(words, text_of(pilot.app)), lambda: text_of(pilot.app))  # type: ignore[misc] # one each


@pytest.mark.slow
async def test_the_history_writes_out_the_comment_under_the_cursor(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    await store.items.comment(item_id, "First line.\n\n- a point")

    async with edit(item_id) as pilot:
        await pilot.press("g", "l")

        await until(lambda: "• a point" in text_of(pilot.app), lambda: text_of(pilot.app))
        assert missing(pilot.app, ["Time", "Who", "What", "Change"]) == []


@pytest.mark.slow
async def test_the_history_has_only_the_event_under_the_cursor_below_its_rows(
    world: World, store: Store, edit: Edit
) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Description": "All about **quokkas**"})
    await store.refresh()
    await store.items.comment(item_id, "Said once")

    async with edit(item_id) as pilot:
        await pilot.press("g", "l")
        await until(lambda: "Said once" in text_of(pilot.app), lambda: text_of(pilot.app))
        await until(lambda: "maya commented" in text_of(pilot.app))
        lines = lines_of(pilot.app)
        at = next(number for number, line in enumerate(lines) if "maya commented" in line)

        assert "Said once" in lines[at + 1]
        assert not any(line.strip("│ ") for line in lines[at + 2 : -2])


@pytest.mark.slow
async def test_an_edit_by_others_says_why_its_values_are_missing(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    world.faults.lacks = frozenset({"/capabilities"})
    await world.rival.work_items.update(item_id, {"Description": "All about **quokkas**"})
    await store.refresh()

    async with edit(item_id, (80, 24)) as pilot:
        await pilot.press("g", "l")
        await until(lambda: "edited" in line_with(pilot.app, "▌"), lambda: text_of(pilot.app))

        assert line_with(pilot.app, "▌").split()[-3:] == ["edited", "not", "known"]
        told = ["The server does not say what was changed", "this machine's records", "This server keeps no history."]
        assert missing(pilot.app, told) == []


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 40), (80, 24)])
async def test_keys_scroll_a_long_text_of_the_history(
    world: World, store: Store, edit: Edit, size: tuple[int, int]
) -> None:
    item_id = await item_of(world, "Story")
    await store.items.comment(item_id, "\n\n".join(f"Line {number}." for number in range(1, 60)))
    async with edit(item_id, size) as pilot:
        await pilot.press("g", "l")
        await until(lambda: "Line 1." in text_of(pilot.app), lambda: text_of(pilot.app))
        above = text_of(pilot.app)
        await pilot.press("9", "0", "ctrl+e")
        await pilot.pause()
        below = text_of(pilot.app)
        await pilot.press("9", "0", "ctrl+y")
        await pilot.pause()

        assert "Line 59." not in above
        assert "Line 59." in below
        assert "Line 59." not in text_of(pilot.app)


@pytest.mark.slow
async def test_the_history_shows_the_values_of_a_change(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")

    async with edit(item_id) as pilot:
        await pilot.press("j", "j", "enter", "ctrl+u", *"21", "enter")
        await save(pilot)
        await sent(store)
        await pilot.press("g", "l")
        await until(lambda: "→ 21" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert "maya" in line_with(pilot.app, "▌")
        assert "Estimate" in line_with(pilot.app, "▌")


@pytest.mark.slow
async def test_the_history_marks_an_unsent_change(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    world.faults.is_down = True
    await store.items.edit([item_id], {"Estimate": "34"}, {"Estimate": None})

    async with edit(item_id) as pilot:
        await pilot.press("g", "l")
        await pilot.pause()

        assert "↑ waiting to be sent" in line_with(pilot.app, "▌")


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
@pytest.mark.long_but("size0", "size2")
async def test_an_item_shows_its_text_beside_or_above_its_fields(
    world: World, store: Store, edit: Edit, size: tuple[int, int]
) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Description": "All about **quokkas**", "AssignedToID": None})
    await store.refresh()

    async with edit(item_id, size) as pilot:
        assert missing(pilot.app, ["All about quokkas", "Owner", "unassigned"]) == []
        assert not [line for line in lines_of(pilot.app) if line.rstrip("│ ").endswith("  –")]


@pytest.mark.slow
async def test_a_high_terminal_shows_every_field(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        assert missing(pilot.app, ["Certainty", "Value class", "Computed by the server", "Backlog priority"]) == []
        assert "more (" not in text_of(pilot.app)


@pytest.mark.slow
async def test_the_fold_names_the_fields_without_room_and_opens(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story"), (60, 20)) as pilot:
        closed = missing(pilot.app, ["Owner", "▸ 13 more (", " …)"])
        await pilot.press("G", "enter", *"jjj")
        await pilot.pause()

        assert closed == []
        assert missing(pilot.app, ["Area", "Tags"]) == []
        await pilot.press("G")
        assert missing(pilot.app, ["▌ ▾ fewer fields"]) == []
        await pilot.press("enter")
        await pilot.pause()
        assert line_with(pilot.app, "more (").startswith("▌ ▸ 13 more (")


async def test_the_key_on_the_fold_opens_and_closes_it_from_any_field(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story"), (60, 20)) as pilot:
        await pilot.press("z", "a", "G")
        await pilot.pause()
        opened = missing(pilot.app, ["Calculated estimate"])
        await pilot.press("z", "a")
        await pilot.pause()

        assert opened == []
        assert line_with(pilot.app, "more (").startswith("▌ ▸ 13 more (")


async def test_the_fold_opens_for_a_field_that_is_gone_to(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story"), (60, 20)) as pilot:
        await go_to(pilot, "Maturity")

        assert missing(pilot.app, ["▌ Maturity"]) == []


async def test_the_frame_of_the_fields_names_the_values_of_the_current_one(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        await go_to(pilot, "Maturity")
        assert "╰─ Undefined · Not mature · " in line_with(pilot.app, "Not mature · ")


async def test_the_values_of_a_field_end_after_a_whole_one_and_the_number_of_others(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story"), (60, 20)) as pilot:
        await go_to(pilot, "Status")
        assert lines_of(pilot.app)[-2].rstrip().endswith(" · ● Done · 2 more")


@pytest.mark.parametrize(("size", "head"), [((99, 40), " ◆ Story · "), ((60, 20), " ◆ ")])
async def test_a_long_name_takes_the_room_of_the_other_words(
    world: World, store: Store, edit: Edit, size: tuple[int, int], head: str
) -> None:
    item_id = await item_of(world, "Story")
    name = "Learn synonyms from searches without a click for Wales"
    await world.rival.work_items.update(item_id, {"Name": name})
    await store.refresh()

    async with edit(item_id, size) as pilot:
        assert lines_of(pilot.app)[1].startswith(head + name)
        assert ("edited" in lines_of(pilot.app)[1]) == (size[0] > 60)


@pytest.mark.slow
async def test_space_reads_on_in_a_long_description(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Description": "\n\n".join(f"Part {n}." for n in range(60))})
    await store.refresh()

    async with edit(item_id, (80, 24)) as pilot:
        first = missing(pilot.app, ["Part 0.", "space", "more lines"])
        await pilot.press("space")
        await pilot.pause()

        assert first == []
        assert "Part 0." not in text_of(pilot.app)
        assert missing(pilot.app, ["Part 10."]) == []


@pytest.mark.slow
async def test_the_footer_follows_the_draft_and_the_open_text(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        clean = lines_of(pilot.app)[-1]
        await pilot.press("c", "d")
        await pilot.pause()
        in_text = lines_of(pilot.app)[-1]
        await pilot.press("x", "escape")
        await pilot.pause()

        assert "]  next tab" in clean
        assert "ctrl+e  in $EDITOR" in in_text
        assert "ctrl+s  save" in lines_of(pilot.app)[-1]


@pytest.mark.slow
async def test_a_typed_text_is_read_as_markdown_when_it_is_left(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        await pilot.press("c", "d", "enter", *"- quokka", "enter")
        await pilot.press("ctrl+t")
        await pilot.pause()

        assert missing(pilot.app, ["• quokka"]) == []


@pytest.mark.slow
async def test_ctrl_t_edits_the_description_from_any_field(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        await pilot.press("j", "ctrl+t", *"quokka")

        assert screen_of(pilot).form.open_key == "Description"
        assert str(screen_of(pilot).draft.changes["Description"]).endswith("quokka")


# enter opens, e edits


@pytest.mark.slow
@pytest.mark.parametrize("place", [(), ("g", "k"), ("g", "p")], ids=["backlog", "board", "plan"])
async def test_e_opens_an_item_with_its_name_in_the_input(store: Store, opened: Open, place: tuple[str, ...]) -> None:
    async with opened(store) as pilot:
        await press(pilot, *place)
        depth = len(pilot.app.screen_stack)
        await press(pilot, "e")
        form = screen_of(pilot).form
        name = str(form.draft.base["Name"])
        began = (form.open_key, form.grid.input.value, form.grid.input.cursor_position)
        await press(pilot, "escape")
        left = (form.is_editing, screen_of(pilot).form is form, list(form.draft.touched))
        await press(pilot, "escape")

        assert began == ("Name", name, len(name))
        assert left == (False, True, [])
        assert len(pilot.app.screen_stack) == depth


@pytest.mark.slow
async def test_keys_typed_behind_e_go_into_the_name(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        burst(pilot, "e", "!", "q", "x")

        await until(lambda: "!qx" in text_of(pilot.app), lambda: text_of(pilot.app))
        form = screen_of(pilot).form
        assert form.grid.input.value == f"{form.draft.base['Name']}!qx"


async def test_enter_opens_an_item_without_its_input(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "enter")
        was_editing = screen_of(pilot).form.is_editing
        await press(pilot, "e")

        assert (was_editing, screen_of(pilot).form.open_key) == (False, "Name")


async def test_e_on_another_tab_goes_back_to_the_details_and_edits_the_name(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        screen = screen_of(pilot)
        await press(pilot, "j", "j", "g", "t", "e")

        assert screen_of(pilot) is screen
        assert screen.form.open_key == "Name"


@pytest.mark.slow
async def test_an_item_without_comments_has_a_line_to_write_in_that_a_click_opens(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await item_of(world, "Story")
    async with opened(store, (120, 40)) as pilot:
        pilot.app.push_screen(ItemEditorScreen(store, item_id))
        await until(lambda: not missing(pilot.app, ["Add a comment"]), lambda: text_of(pilot.app))
        at = next(y for y, line in enumerate(lines_of(pilot.app)) if "Add a comment" in line)
        await pilot.click(offset=(20, at))
        await pilot.press(*"half")

        await until(lambda: "half" in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_the_item_stands_beside_its_comments_or_below_them(world: World, store: Store, opened: Open) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Description": "All about **quokkas**"})
    await store.refresh()

    async with opened(store) as pilot:
        pilot.app.push_screen(CommentsScreen(store, item_id))
        await pilot.pause()
        wide = missing(pilot.app, ["│ All about quokkas"])
        await pilot.resize_terminal(80, 24)
        await pilot.pause()

        assert wide == []
        assert any(line.startswith(" All about quokkas") for line in lines_of(pilot.app))


async def test_the_history_copies_an_event_and_leads_to_its_tab(world: World, store: Store, opened: Open) -> None:
    item_id = await item_of(world, "Story")
    await store.items.comment(item_id, "Said **once**")

    async with opened(store, (80, 24)) as pilot:
        pilot.app.push_screen(HistoryScreen(store, item_id))
        await pilot.pause()
        await pilot.press("y", "y", "enter")
        await pilot.pause()

        assert pilot.app.clipboard == "Said **once**"
        assert isinstance(pilot.app.screen, CommentsScreen)


@pytest.mark.parametrize(("size", "is_whole"), [((120, 40), True), ((80, 24), False), ((60, 20), True)])
@pytest.mark.long_but("size0", "size2")
async def test_the_status_is_a_way_of_steps_below_the_title(
    world: World, store: Store, edit: Edit, size: tuple[int, int], *, is_whole: bool
) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Status": "In Progress"})
    await store.refresh()

    async with edit(item_id, size) as pilot:
        panes = [re.split("││?", line.removeprefix("│"))[0] for line in lines_of(pilot.app)]
        steps = next(pane for pane in panes if " ◐ In progress  " in pane)

        assert (" ○ Not done ───  ◐ In progress  ─── ◑ Testing ─── ● Done" in steps) is is_whole
        assert ("2/4" in steps) is not is_whole


@pytest.mark.slow
async def test_a_click_on_a_step_changes_the_status_until_it_is_saved(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Status": "In Progress"})
    await store.refresh()

    async with edit(item_id, (120, 40)) as pilot:
        y = next(number for number, line in enumerate(lines_of(pilot.app)) if "◑ Testing" in line)
        await pilot.click(pilot.app.screen, offset=(lines_of(pilot.app)[y].index("Testing"), y))
        await until(
            lambda: re.search(r"1 change +ctrl\+s +─╯", text_of(pilot.app)) is not None, lambda: text_of(pilot.app)
        )

        assert " ◑ Testing  ─── ● Done" in lines_of(pilot.app)[y]


@pytest.mark.slow
async def test_empty_fields_are_one_line_that_opens(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Complexity": None, "Maturity": None, "AssignedToID": None})
    await store.refresh()

    async with edit(item_id, (120, 44)) as pilot:
        closed = missing(pilot.app, ["▸ ", " empty fields", "Owner  ", "Complexity  ", "Maturity  "])
        await pilot.press("z", "a")
        await pilot.pause()

        assert closed == ["Complexity  ", "Maturity  "]
        assert missing(pilot.app, ["▾ hide ", "Complexity  ", "Maturity  "]) == []
