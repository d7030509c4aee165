"""The editor: every kind of field, new items, faults, small screens."""

import pytest
from msgspec.structs import replace
from tests.quiet import strips_of
from tests.store.world import Said, World, sent, until
from tests.tui.bare_app import line_with, lines_of, missing, text_of
from tests.tui.editor_steps import Edit, burst, fields_on, go_to, has_changes, item_of, save, screen_of
from textual.strip import Strip

from backlit.model.fields import FIELD_BY_KEY
from backlit.store import Store, TreeKind
from backlit.tui.drawing.themes import KEY, ThemeStyles, use_themes
from backlit.tui.editor.fold import FieldFold, GridLine
from backlit.tui.items.conflict_dialog import ConflictDialog

Case = tuple[str, str, tuple[str, ...], object]
TYPED: list[Case] = [
    ("Bug", "Name", ("ctrl+u", *"Till opens twice", "enter"), "Till opens twice"),
    ("Bug", "Status", ("enter", *"ready", "enter"), "Ready For Test"),
    ("Bug", "Estimate", ("enter", "ctrl+u", *"3,5", "enter"), "3.5"),
    ("Bug", "Priority", ("enter", "ctrl+u", *"7", "tab"), 7),
    ("Bug", "Severity", ("enter", *"crit", "enter"), "1 - Critical"),
    ("Task", "WorkRemaining", ("enter", "ctrl+u", *"2,5", "escape"), 2.5),
    ("Task", "EstimateProbable", ("i", *"4", "down"), 4),
]


@pytest.mark.slow
@pytest.mark.parametrize("case", TYPED, ids=lambda case: case[1])
@pytest.mark.long_but("Name", "Priority", "Status", "WorkRemaining")
async def test_a_field_of_every_kind_is_edited_and_reaches_the_service(
    world: World, store: Store, edit: Edit, case: Case
) -> None:
    item_type, key, keys, expected = case
    item_id = await item_of(world, item_type)

    async with edit(item_id) as pilot:
        await go_to(pilot, key)
        await pilot.press(*(("e", *keys) if key == "Name" else keys))
        await save(pilot)

        assert (await fields_on(world, store, item_id))[key] == expected


@pytest.mark.slow
async def test_users_areas_iterations_and_teams_are_picked_by_name(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    before = await fields_on(world, store, item_id)
    area = next(
        node for node in store.lookups.tree(TreeKind.AREAS).walk() if node.id != before["AreaID"] and node.parent_id > 0
    )
    sprint = next(
        node
        for node in store.lookups.tree(TreeKind.ITERATIONS).walk()
        if node.id != before["IterationID"] and node.parent_id > 0
    )
    team_id, team = next(each for each in store.lookups.teams().items() if each[0] != before["TeamID"])

    async with edit(item_id) as pilot:
        screen = screen_of(pilot)
        for key, words in (
            ("AssignedToID", "maya"),
            ("AreaID", area.name),
            ("IterationID", sprint.name),
            ("TeamID", team),
        ):
            screen_of(pilot).form.grid.go_to(key)
            burst(pilot, "enter", *words, "enter")
            await until(lambda key=key: key in screen.draft.changes and pilot.app.screen is screen)  # type: ignore[misc] # one key each
        await save(pilot)
        fields = await fields_on(world, store, item_id)

        maya = next(person.id for person in store.lookups.people().values() if person.username == "maya")
        assert fields["AssignedToID"] == maya
        assert store.lookups.tree(TreeKind.AREAS)[int(str(fields["AreaID"]))].name == area.name
        assert store.lookups.tree(TreeKind.ITERATIONS)[int(str(fields["IterationID"]))].name == sprint.name
        assert fields["TeamID"] == team_id


@pytest.mark.slow
async def test_tags_are_selected_and_made_up(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Tags": ["api", "old"]})
    await store.refresh()

    async with edit(item_id) as pilot:
        screen = screen_of(pilot)
        screen.form.grid.go_to("Tags")
        burst(pilot, "enter", *"old", "tab", *"never seen", "enter")
        await until(lambda: "Tags" in screen.draft.changes and pilot.app.screen is screen)
        await save(pilot)

        assert (await fields_on(world, store, item_id))["Tags"] == ["api", "never seen"]


@pytest.mark.slow
async def test_a_yes_or_no_turns_over_at_once(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")
    before = (await fields_on(world, store, item_id))["IsBlocking"]

    async with edit(item_id) as pilot:
        await go_to(pilot, "IsBlocking")
        await pilot.press("enter")
        shown = line_with(pilot.app, "▌~Blocking")
        await save(pilot)

        assert ("no" if before else "yes") in shown
        assert (await fields_on(world, store, item_id))["IsBlocking"] is (before is not True)


@pytest.mark.slow
async def test_a_long_text_keeps_what_was_not_touched_byte_for_byte(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    raw = "one\r\ntwo\ttabs\n\u2028odd\x0bsigns  \r\nlast"
    await world.rival.work_items.update(item_id, {"Description": raw})
    await store.refresh()

    async with edit(item_id) as pilot:
        await go_to(pilot, "Description")
        await pilot.press("enter", *"[b]x", "escape")
        await save(pilot)

        assert (await fields_on(world, store, item_id))["Description"] == raw + "[b]x"


@pytest.mark.slow
async def test_a_field_is_emptied(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")

    async with edit(item_id) as pilot:
        await go_to(pilot, "AssignedToID")
        await pilot.press("x")
        await save(pilot)

        assert (await fields_on(world, store, item_id))["AssignedToID"] is None


@pytest.mark.slow
async def test_only_what_changed_is_sent(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")

    async with edit(item_id) as pilot:
        await go_to(pilot, "Estimate")
        await pilot.press("enter", "ctrl+u", *"13", "escape")
        world.faults.is_down = True
        await save(pilot)

        assert [dict(entry.payload) for entry in store.outbox_entries()] == [{"Estimate": "13"}]


@pytest.mark.slow
async def test_a_cap_stands_behind_keys_alone(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        ground = ThemeStyles.of(pilot.app.screen.app).style(KEY).bgcolor
        caps = [
            each.text for strip in strips_of(pilot.app) for each in strip if each.style and each.style.bgcolor == ground
        ]

        assert " cd " in caps
        assert [each for each in caps if not each.strip()] == []


@pytest.mark.slow
async def test_a_new_item_is_made(world: World, store: Store, edit: Edit) -> None:
    async with edit(item_type="Risk") as pilot:
        await pilot.press("enter", *"The depot floods", "enter")
        await go_to(pilot, "Probability")
        await pilot.press("enter", *"3", "enter")
        await save(pilot)
        await sent(store)
        page = await world.rival.work_items.page(filter="Name eq 'The depot floods'")
        await until(lambda: f"#{page.results[0]['id']}" in lines_of(pilot.app)[0], lambda: lines_of(pilot.app)[0])

        assert page.results[0]["type"] == "Risk"
        assert page.results[0]["fields"]["Probability"] == "3 - Somewhat Likely"
        assert page.results[0]["fields"]["Status"] == "Active"


async def test_a_new_item_without_a_name_is_not_made(store: Store, edit: Edit) -> None:
    async with edit(item_type="Story") as pilot:
        await pilot.press("G", "ctrl+s")
        await pilot.pause()

        assert missing(pilot.app, ["! Name is required.", "1 to fix"]) == []
        assert "▌" in line_with(pilot.app, "▌!Name")
        assert store.outbox_entries() == ()


@pytest.mark.slow
async def test_a_text_that_is_no_number_is_explained_and_kept(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await go_to(pilot, "Priority")
        await pilot.press("enter", "ctrl+u", *"high", "enter", "ctrl+s")
        await pilot.pause()
        refused = missing(pilot.app, ["Priority is a whole number, such as 3; “high” is not.", "1 to fix"])
        kept = line_with(pilot.app, "!Priority  ")
        await pilot.press("enter", "ctrl+u", *"2", "enter")

        assert refused == []
        assert kept.rstrip(" │").endswith("high")
        assert missing(pilot.app, ["to fix"]) == ["to fix"]
        assert store.outbox_entries() == ()


@pytest.mark.slow
async def test_what_is_worked_out_cannot_be_edited_and_says_why(world: World, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await go_to(pilot, "BacklogPriority")
        await pilot.press("enter")
        await pilot.pause()

        assert "Backlog priority is worked out by the server." in text_of(pilot.app)
        assert screen_of(pilot).form.is_editing is False


@pytest.mark.slow
@pytest.mark.usefixtures("every_frame")
async def test_moving_the_cursor_draws_two_lines(world: World, edit: Edit, monkeypatch: pytest.MonkeyPatch) -> None:
    async with edit(await item_of(world, "Bug")) as pilot:
        grid = screen_of(pilot).form.grid
        drawn: list[int] = []
        draw = grid.render_row

        def counted(index: int, *, is_cursor: bool) -> Strip:
            drawn.append(index)
            return draw(index, is_cursor=is_cursor)

        monkeypatch.setattr(grid, "render_row", counted)
        await pilot.press("j")

        assert sorted(set(drawn)) == [0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("size", [(60, 20), (80, 24), (120, 40)])
@pytest.mark.long_but("size0")
async def test_every_field_is_reached_on_any_screen(world: World, edit: Edit, size: tuple[int, int]) -> None:
    async with edit(await item_of(world, "Story"), size) as pilot:
        first = missing(pilot.app, ["▌ Owner", "[Det"])
        await pilot.press("G", "enter", "G", "k")
        last = screen_of(pilot).form.field

        assert first == []
        assert missing(pilot.app, [f"▌ {last.label}  "]) == []


@pytest.mark.parametrize("size", [(80, 24), (120, 40)])
@pytest.mark.parametrize("key", ["j", "tab", "ctrl+d", "pagedown"])
@pytest.mark.long_but("j-size0", "pagedown-size1")
async def test_editor_cursor_crosses_the_headings_of_the_open_fold(
    world: World, edit: Edit, key: str, size: tuple[int, int]
) -> None:
    async with edit(await item_of(world, "Bug"), size) as pilot:
        grid = screen_of(pilot).form.grid
        keys = [field.key for field in screen_of(pilot).lines.fields(screen_of(pilot).draft)]
        grid.go_to(keys[-1])
        grid.go_to("AssignedToID")
        await pilot.pause()
        if not grid.is_unfolded:
            await pilot.press("z", "a")
        await pilot.press(*[key] * (len(keys) + 1), "k")  # the fold is last

        assert grid.field is not None
        assert grid.field.key == keys[-1]


@pytest.mark.slow
async def test_hostile_values_are_shown_as_they_are(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Name": "[/x]\x1b]0;own\x07", "Description": "a\x1b[31m\n[red]"})
    await store.refresh()

    async with edit(item_id) as pilot:
        shown = missing(pilot.app, ["[/x]␛]0;own␇", "a␛[31m"])
        await pilot.press("enter", "escape")
        await go_to(pilot, "Description")
        await pilot.press("enter")
        await pilot.pause()

        assert shown == []
        assert "\x1b" not in text_of(pilot.app).replace("\n", "")
        assert not has_changes(pilot)


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["backlit", "paper", "contrast", "ansi"])
@pytest.mark.long_but("backlit", "ansi")
async def test_every_theme_shows_fields_inputs_and_pickers(world: World, edit: Edit, theme: str) -> None:
    async with edit(await item_of(world, "Bug")) as pilot:
        use_themes(pilot.app, theme, None)
        await pilot.press("e", *"!", "tab", "enter")
        await pilot.pause()

        assert missing(pilot.app, ["Status", "Testing", "~Name"]) == []


async def test_a_choice_is_found_by_its_number_and_written_without_it(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Bug")) as pilot:
        await go_to(pilot, "Severity")
        await pilot.press("enter", *"1 - crit", "enter")
        await pilot.pause()

        assert "Critical" in line_with(pilot.app, "~Severity")
        assert "1 - Critical" not in text_of(pilot.app)


async def test_the_mouse_moves_and_a_double_click_edits(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Bug")) as pilot:
        grid = screen_of(pilot).form.grid
        await pilot.click(grid, offset=(30, 1))
        moved = screen_of(pilot).form.field.key
        await pilot.click(grid, offset=(30, 3), times=2)

        assert moved == "AssignedToID"
        assert screen_of(pilot).form.is_editing
        assert screen_of(pilot).form.field.key == "Estimate"


async def test_a_click_on_the_name_edits_it_in_its_row_until_the_cursor_moves_on(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Bug")) as pilot:
        screen = screen_of(pilot)
        name = str(screen.draft.base["Name"])
        before = screen.form.grid.row_count()
        await pilot.click(screen, offset=(lines_of(pilot.app)[3].index(name), 3))
        await until(lambda: screen.form.is_editing)
        opened = (screen.form.open_key, screen.form.grid.input.value, screen.form.grid.row_count())
        await pilot.press("down")

        assert opened == ("Name", name, before + 1)
        assert (screen.form.field.key, screen.form.grid.row_count()) == ("AssignedToID", before)


@pytest.mark.slow
async def test_a_burst_of_keys_acts_in_the_order_it_was_typed(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        burst(pilot, "e", "ctrl+u", *"Tilk", "backspace", "l", "enter", "s", *"ready", "enter", "j", "x")
        await until(lambda: "3 changes" in text_of(pilot.app), lambda: text_of(pilot.app))
        await save(pilot)
        fields = await fields_on(world, store, item_id)

        assert (fields["Name"], fields["Status"], fields["AssignedToID"]) == ("Till", "Ready For Test", None)


@pytest.mark.slow
async def test_save_behind_a_burst_saves_all_of_it(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        burst(pilot, "e", "ctrl+u", *"Till", "escape", *"jx", "ctrl+s")
        await until(lambda: "Saved" in text_of(pilot.app), lambda: text_of(pilot.app))
        fields = await fields_on(world, store, item_id)

        assert (fields["Name"], fields["AssignedToID"]) == ("Till", None)


@pytest.mark.slow
async def test_hostile_texts_are_drawn_as_they_are_and_kept_as_they_are(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    hostile = {
        "Name": "[bold]x[/] \x1b[31mred a\u202eb\x07c",
        "Description": "\x1b]0;owned\x07 [/oops]",
        "Tags": ["[red]t[/]"],
    }
    await world.rival.work_items.update(item_id, hostile)
    await store.refresh()

    async with edit(item_id) as pilot:
        screen = text_of(pilot.app)
        await go_to(pilot, "Estimate")
        await pilot.press("enter", "ctrl+u", *"5", "enter")
        await save(pilot)
        fields = await fields_on(world, store, item_id)

        assert missing(pilot.app, ["[bold]x[/] ␛[31mred a�b␇c", "[red]t[/]", "␛]0;owned␇ [/oops]"]) == []
        assert all(character.isprintable() or character == "\n" for character in screen)
        assert {strip.cell_length for strip in strips_of(pilot.app)} == {120}
        assert {key: fields[key] for key in hostile} == hostile


@pytest.mark.slow
async def test_another_place_asks_about_unsaved_changes_below_the_comments(
    world: World, store: Store, edit: Edit
) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await go_to(pilot, "AssignedToID")
        await pilot.press("x", "g", "c", "g", "k")
        await until(lambda: "Not saved: Owner." in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("s")
        await until(lambda: pilot.app.current_mode == "board", lambda: text_of(pilot.app))
        fields = await fields_on(world, store, item_id)

        assert fields["AssignedToID"] is None


@pytest.mark.slow
async def test_a_save_says_that_it_is_sent(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        await pilot.press("e", *"x", "escape", "ctrl+s")

        await until(lambda: "Saved and sent." in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_a_save_says_that_it_waits_for_the_service(world: World, store: Store, edit: Edit) -> None:
    async with edit(await item_of(world, "Story")) as pilot:
        world.faults.is_down = True
        await pilot.press("e", *"x", "escape", "ctrl+s")
        await until(lambda: "Saved on this machine, not sent yet" in text_of(pilot.app), lambda: text_of(pilot.app))
        world.faults.is_down = False
        await store.refresh()

        await until(lambda: "Saved and sent." in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_a_save_says_why_it_was_rejected_and_the_way_on(world: World, edit: Edit) -> None:
    refusal = Said(400, (), b'{"message": "No such luck.", "errors": {}}')
    world.faults.says = lambda method, _: refusal if method == "PUT" else None
    async with edit(await item_of(world, "Story")) as pilot:
        await pilot.press("e", *"x", "escape", "ctrl+s")
        await until(lambda: "but rejected: No such luck." in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("g", "=")
        await pilot.pause()

        assert isinstance(pilot.app.screen, ConflictDialog)


@pytest.mark.slow
async def test_a_save_over_a_change_nobody_saw_says_who_made_it_and_the_way_on(
    world: World, store: Store, edit: Edit
) -> None:
    item_id = await item_of(world, "Story")
    async with edit(item_id) as pilot:
        await pilot.press("e", *"x", "escape")
        world.faults.is_down = True
        await world.rival.work_items.update(item_id, {"Name": "Theirs"})
        await pilot.press("ctrl+s")
        await until(lambda: "not sent yet" in text_of(pilot.app))
        await pilot.press("j")
        world.faults.is_down = False
        await store.refresh()

        words = "not sent: jon changed Name too. g= to resolve."
        await until(lambda: words in text_of(pilot.app), lambda: text_of(pilot.app))

        await pilot.press("g", "=")
        await until(lambda: "1 field left to resolve" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press("m", "enter")
        await until(lambda: "Saved and sent." in text_of(pilot.app), lambda: text_of(pilot.app))


def test_the_fold_opens_once_for_a_fault_below_it_and_can_be_closed() -> None:
    fields = list(FIELD_BY_KEY.values())[:12]
    lines = [GridLine(field.label, field=field) for field in fields]
    fold = FieldFold()
    fold.show(lines)
    fold.lay_out(40, 8, "")
    before = fold.is_open
    fold.show([*lines[:-1], replace(lines[-1], sign="!")])
    fold.lay_out(40, 8, "")
    opened = fold.is_open
    fold.is_open = False

    assert (before, opened) == (False, True)
    assert fold.lay_out(40, 8, "")[-1].is_fold


@pytest.mark.slow
async def test_comments_have_a_pane_of_their_own_where_there_is_room(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    await store.items.comment(item_id, "The depot floods")

    async with edit(item_id, size=(160, 44)) as pilot:
        await until(lambda: "The depot floods" in text_of(pilot.app), lambda: text_of(pilot.app))
        edges = [line for line in lines_of(pilot.app) if line.startswith("╭─")]
        assert len(edges) == 1
        assert edges[0].count("╭─") == 3
        assert line_with(pilot.app, "The depot floods").index("The depot floods") > edges[0].index("╭─ Comments")

        await pilot.resize_terminal(120, 40)
        await until(lambda: "╭─ Comments" not in lines_of(pilot.app)[1], lambda: text_of(pilot.app))
        assert line_with(pilot.app, "╭─ Comments").count("╭─ Latest changes") == 1

        await pilot.resize_terminal(120, 28)
        await until(lambda: "╭─ Comments" not in text_of(pilot.app), lambda: text_of(pilot.app))
        assert line_with(pilot.app, "The depot floods").index("The depot floods") < 60


async def test_a_new_item_has_no_pane_of_comments(edit: Edit) -> None:
    async with edit(item_type="Story", size=(160, 44)) as pilot:
        assert "─ Comments" not in text_of(pilot.app)
