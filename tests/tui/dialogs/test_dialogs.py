"""The dialogs, on a bare stage."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from rich.text import Text
from tests.quiet import strips_of
from tests.store.world import World, until
from tests.tui.bare_app import BareApp, line_with, messages_of, missing, text_of
from textual import events
from textual.pilot import Pilot
from textual.strip import Strip
from textual.widgets import Static

from backlit.tui.dialogs.compose import ComposeDialog, WrittenText
from backlit.tui.dialogs.dialog import AnswerKey, ConfirmDialog, Dialog
from backlit.tui.dialogs.line import LineDialog, PathDialog
from backlit.tui.dialogs.pick import Choice, PickDialog, PickManyDialog, PickTagsDialog, TagChange
from backlit.tui.dialogs.ranking import ranked, searchable
from backlit.tui.dialogs.reading import ReadingDialog, changed_lines
from backlit.tui.drawing.text import literal
from backlit.tui.shell.drafts import StoredDraft
from backlit.tui.shell.input_queue import PAUSE
from backlit.tui.widgets.footer_line import FooterLine

STATUSES = ("Not Done", "In Progress", "Ready For Test", "Done")


def choices(words: Sequence[str] = STATUSES) -> list[Choice]:
    return [Choice(word, word) for word in words]


def line_of(shown: str, part: str) -> int:
    return next(index for index, line in enumerate(shown.splitlines()) if part in line)


async def show(pilot: Pilot[None], dialog: Dialog[Any]) -> BareApp:
    app = pilot.app
    assert isinstance(app, BareApp)
    app.push_screen(dialog, app.answers.append)
    await pilot.pause()
    return app


async def test_the_cursor_starts_on_another_choice_than_the_current_one_where_a_start_is_given() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickDialog("Status", choices(), "Ready For Test", start="Done"))

        assert line_with(app, "▌").split("│")[1].strip() == "▌   4 Done"
        assert missing(app, ["✓ 3 Ready For Test"]) == []


async def test_the_cursor_starts_on_the_current_choice() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickDialog("Status", choices(), "Ready For Test"))

        assert line_with(app, "▌").split("│")[1].strip() == "▌ ✓ 3 Ready For Test"


async def test_typing_narrows_down_and_enter_answers() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickDialog("Status", choices(), "Not Done"))
        await pilot.press(*"prog", "enter")

        assert app.answers == [Choice("In Progress", "In Progress")]


async def test_keys_typed_while_a_dialog_opens_are_not_lost() -> None:
    async with BareApp().run_test() as pilot:
        app = pilot.app
        assert isinstance(app, BareApp)
        app.push_screen(PickDialog("Status", choices()), app.answers.append)
        await pilot.press(*"test", "enter")

        assert app.answers == [Choice("Ready For Test", "Ready For Test")]


@pytest.mark.parametrize("down", ["down", "ctrl+n"])
async def test_arrows_and_readline_keys_move_and_wrap_around(down: str) -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickDialog("Status", choices(), "Done"))
        await pilot.press(down, down, "enter")

        assert app.answers == [Choice("In Progress", "In Progress")]


@pytest.mark.parametrize(
    ("words", "keys", "answer"),
    [(STATUSES, "3", "Ready For Test"), (("Phase 1", "Phase 2"), ("2", "enter"), "Phase 2"), (STATUSES, "9", None)],
)
async def test_a_digit_takes_a_choice_at_once_where_none_has_a_digit(
    words: Sequence[str], keys: Sequence[str], answer: str | None
) -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickDialog("Status", choices(words)))
        await pilot.press(*keys)

        assert [each.value for each in app.answers if isinstance(each, Choice)] == [answer] * bool(answer)


async def test_escape_answers_nothing() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickDialog("Status", choices()))
        await pilot.press("escape")

        assert app.answers == [None]


async def test_enter_does_nothing_where_nothing_fits() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickDialog("Status", choices()))
        await pilot.press(*"zzz", "enter")

        assert app.answers == []
        assert missing(app, ["No matches"]) == []


async def test_a_free_picker_takes_what_is_typed() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickDialog("Status", choices(), free=True))
        await pilot.press(*"Blocked", "enter")

        assert app.answers == [Choice("Blocked", "Blocked", "new")]


async def test_a_new_word_comes_before_words_that_only_resemble_it() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickTagsDialog("Tags", ["quick-win", "build"], {}, 1))
        await pilot.press(*"ui", "enter")

        assert app.answers == [TagChange(("ui",))]


@pytest.mark.parametrize("typed", ["UI", "ui"])
async def test_a_known_word_comes_before_a_new_one_that_differs_in_case(typed: str) -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickManyDialog("Tags", ["ui-kit", "ui"], [], free=True))
        await pilot.press(*typed, "enter")

        assert app.answers == [("ui",)]


async def test_tab_completes_visibly_and_enter_takes_what_is_typed() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickTagsDialog("Tags", ["quick-win", "search"], {}, 1))
        await pilot.press(*"sea", "tab")
        shown = text_of(app)
        await pilot.press("tab", *"qui", "enter")

        assert "search" in shown.splitlines()[line_of(shown, "Tags") + 2]
        assert app.answers == [TagChange(("search", "qui"))]


@pytest.mark.usefixtures("every_frame")
async def test_of_five_thousand_choices_only_the_rows_in_sight_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[int] = []
    picker = PickDialog("Owner", [Choice(n, f"Person {n}") for n in range(5000)], 4000)
    draw = picker.list.render_row

    def counted(index: int, *, is_cursor: bool) -> Strip:
        drawn.append(index)
        return draw(index, is_cursor=is_cursor)

    monkeypatch.setattr(picker.list, "render_row", counted)
    async with BareApp().run_test() as pilot:
        app = await show(pilot, picker)
        await pilot.press(*"77")

        assert max(drawn[:14]) - min(drawn[:14]) < 14
        assert len(drawn) < 100
        assert missing(app, ["Person 77"]) == []


async def test_names_that_look_like_markup_or_escapes_are_shown_as_they_are() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickDialog("[/b]\x1b[31m", choices(["[/oops]", "a\x1b]0;x\x07b", "日本語" * 40])))

        assert missing(app, ["[/oops]", "a␛]0;x␇b", "日本語", "[/b]␛[31m"]) == []


@pytest.mark.parametrize("size", [(60, 20), (40, 12), (120, 40)])
async def test_a_long_picker_fits_small_screens(size: tuple[int, int]) -> None:
    async with BareApp().run_test(size=size) as pilot:
        app = await show(pilot, PickDialog("Iteration", choices([f"Sprint {n}" for n in range(60)]), "Sprint 59"))
        shown = text_of(app)

        assert "Sprint 59" in shown
        assert "╭" in shown
        assert "╯" in shown


async def test_tab_selects_words_and_enter_accepts_them_with_what_is_typed() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickManyDialog("Tags", ["api", "ui", "search"], ["ui"], free=True))
        await pilot.press(*"search", "tab", *"ui", "tab", *"brand new", "enter")

        assert app.answers == [("search", "brand new")]


async def test_selected_words_carry_a_sign() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PickManyDialog("Tags", ["api", "ui"], ["ui"]))
        await pilot.press("down", "tab")

        assert "✓ ui" in line_with(app, " ui ")
        assert "✓ api" in line_with(app, " api ")


async def test_a_line_starts_with_its_text_and_answers_what_was_made_of_it() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, LineDialog("Name", "Basket"))
        await pilot.press("ctrl+a", *"The ", "ctrl+e", "ctrl+w", *"till", "enter")

        assert app.answers == ["The till"]


async def test_a_line_that_is_to_be_replaced_goes_with_the_first_letter() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, LineDialog("Estimate", "13", is_replaced=True))
        await pilot.press("5", "enter")

        assert app.answers == ["5"]


async def test_several_lines_pasted_into_one_are_all_kept() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, LineDialog("Name", "Basket: "))
        app.post_message(events.Paste("first\r\n\n  second\nthird\n"))
        await until(lambda: messages_of(app))
        said = messages_of(app)
        await pilot.press("enter")

        assert app.answers == ["Basket: first second third"]
        assert said == {"3 pasted lines became one; a description keeps them apart."}


async def test_one_pasted_line_keeps_its_blanks_and_is_not_remarked_on() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, LineDialog("Name", "Basket:"))
        app.post_message(events.Paste(" first  line \n"))
        await pilot.pause()
        await pilot.press("!", "enter")

        assert app.answers == ["Basket: first  line !"]
        assert messages_of(app) == set()


async def test_a_line_that_is_refused_says_why_and_stays() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, LineDialog("Name", "x", lambda text: None if text else "A name is needed."))
        await pilot.press("ctrl+u", "enter")
        complaint = missing(app, ["A name is needed."])
        await asyncio.sleep(PAUSE)
        await pilot.press("y")

        assert complaint == []
        assert missing(app, ["A name is needed."]) == ["A name is needed."]
        assert app.answers == []


async def test_what_was_said_of_a_line_goes_with_the_line(tmp_path: Path) -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, PathDialog("Attach", f"{tmp_path}/no", lambda text: f"There is no {Path(text).name}."))
        await pilot.press("enter")
        complaint = missing(app, ["There is no no."])
        await asyncio.sleep(PAUSE)
        await pilot.press("t")

        assert complaint == []
        assert missing(app, ["There is no no."]) == ["There is no no."]


async def test_enter_never_confirms() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, ConfirmDialog("Unsaved", "Two fields changed.", [AnswerKey("d", "discard them")]))
        await pilot.press("x", "enter")

        assert app.answers == [None]


@pytest.mark.parametrize(
    ("width", "shown"),
    [(80, "m mine  t theirs  e edit  tab next  esc later"), (40, "m mine  t theirs  esc later")],
)
async def test_a_narrow_dialog_names_the_most_important_keys_and_the_way_out(width: int, shown: str) -> None:
    dialog = PickDialog("Side", choices())
    async with BareApp().run_test(size=(width, 20)) as pilot:
        app = await show(pilot, dialog)
        dialog.name_keys(("m", "mine"), ("t", "theirs"), ("e", "edit"), ("tab", "next"), ("esc", "later"))
        await pilot.pause()

        assert f" {shown} ─" in text_of(app)


@pytest.mark.parametrize(("key", "answers"), [("q", [None]), ("n", [None]), ("enter", [None]), ("x", [])])
async def test_q_n_and_enter_leave_a_question_and_other_letters_do_nothing(key: str, answers: list[None]) -> None:
    async with BareApp().run_test() as pilot:
        app = await show(pilot, ConfirmDialog("Grooming", "You paused grooming.", [AnswerKey("r", "resume")]))
        await pilot.press(key)

        assert app.answers == answers


async def test_the_key_of_an_answer_gives_it() -> None:
    async with BareApp().run_test() as pilot:
        app = await show(
            pilot,
            ConfirmDialog("Unsaved", "Two fields changed.", [AnswerKey("s", "save"), AnswerKey("d", "discard them")]),
        )
        shown = missing(app, ["Two fields changed.", "s save", "d discard them", "esc stay"])
        await pilot.press("d")

        assert app.answers == ["d"]
        assert [part for part in shown if part != "s save"] == []


def test_whole_beginnings_come_before_words_and_words_before_scattered_letters() -> None:
    texts = [searchable(text) for text in ("Old search", "Research", "Search", "Searchlight", "S e a r c h er")]

    assert [texts[index][0] for index in ranked("search", texts)] == [
        "search",
        "searchlight",
        "old search",
        "research",
        "s e a r c h er",
    ]


def test_what_stands_beside_a_text_and_is_typed_as_a_whole_comes_first() -> None:
    texts = [searchable("PERT estimate"), searchable("Points", "est")]

    assert ranked("est", texts) == [1, 0]


def test_many_equal_letters_do_not_blow_up() -> None:
    texts = [searchable("a" * 500) for _ in range(100)]

    assert ranked("a" * 30 + "b", texts) == []


async def test_a_written_text_is_answered_and_its_draft_stays_for_the_caller_to_discard(world: World) -> None:
    store = world.store()

    async with BareApp().run_test() as pilot:
        app = await show(pilot, ComposeDialog("Comment", "", StoredDraft(store, "comment:7"), act="send"))
        await pilot.press(*"two", "enter", *"lines", "ctrl+s")
        await until(lambda: store.drafts.find("comment:7"))

        assert app.answers == [WrittenText("two\nlines", "")]
        assert store.drafts.find("comment:7") == {"text": "two\nlines"}


@pytest.mark.slow
async def test_a_text_that_was_left_is_there_again_and_says_so(world: World) -> None:
    store = world.store()

    async with BareApp().run_test(size=(60, 20)) as pilot:
        app = await show(pilot, ComposeDialog("Comment", "", StoredDraft(store, "comment:7"), act="send"))
        await pilot.press(*"not done", "escape")
        await until(lambda: store.drafts.find("comment:7"))
        app.push_screen(ComposeDialog("Comment", "> quoted", StoredDraft(store, "comment:7"), act="send"))
        await pilot.pause()

        assert app.answers == [None]
        assert missing(app, ["not done", "Restored your draft", "ctrl+s send"]) == []


async def test_what_is_typed_is_kept_while_it_is_typed(world: World) -> None:
    store = world.store()

    async with BareApp().run_test() as pilot:
        await show(pilot, ComposeDialog("Comment", "> quoted\n\n", StoredDraft(store, "comment:7"), act="send"))
        await pilot.press(*"half")
        kept = {"text": "> quoted\n\nhalf", "base": "> quoted\n\n"}

        await until(lambda: store.drafts.find("comment:7") == kept, lambda: store.drafts.find("comment:7"))


def test_a_difference_of_long_texts_names_the_lines_it_goes_on_with() -> None:
    before = [f"line {number}" for number in range(1, 21)]
    after = ["first", *before[1:14], "new", *before[14:]]

    assert list(changed_lines(before, after)) == [
        ("-", "line 1"),
        ("+", "first"),
        (" ", "line 2"),
        ("…", "line 14"),
        (" ", "line 14"),
        ("+", "new"),
        (" ", "line 15"),
    ]


async def test_a_dialog_names_its_keys_in_bold_and_the_footer_below_hides_its_own() -> None:
    async with BareApp().run_test() as pilot:
        footer = FooterLine(id="status")
        await pilot.app.mount(footer)
        footer.show(["app.help"], [("3 of 9", "muted")])
        await pilot.pause()
        before = line_with(pilot.app, "3 of 9")
        app = await show(pilot, PickManyDialog("Tags", STATUSES, ()))
        below = footer.render_line(0).text
        border = next(strip for strip in strips_of(app) if "enter accept" in strip.text)
        await pilot.press("escape")
        await pilot.pause()

        bold = [each.text for each in border if each.style and each.style.bold]
        assert "".join(bold).endswith("entertabesc")
        assert ("keys" in before, "keys" in below) == (True, False)
        assert line_with(app, "3 of 9") == before


async def test_lines_below_those_in_sight_are_counted_beside_the_keys() -> None:
    async with BareApp().run_test(size=(80, 24)) as pilot:
        app = await show(pilot, ReadingDialog("Change", [literal(f"line {number}") for number in range(30)]))
        await until(lambda: "8 more lines ↓" in text_of(app))
        await pilot.press("j")
        await until(lambda: "7 more lines ↓" in text_of(app))
        await pilot.press("G")

        await until(lambda: "more line" not in text_of(app))


@pytest.mark.parametrize("count", [4, 12])
async def test_a_dialog_that_shows_all_of_its_lines_counts_none_below(count: int) -> None:
    lines = [literal(f"line {number}") for number in range(count)]
    async with BareApp().run_test(size=(120, 40)) as pilot:
        app = await show(pilot, ReadingDialog("Change", lines, [literal("All of them.")], [AnswerKey("y", "go on")]))
        await until(lambda: f"line {count - 1}" in text_of(app))
        await pilot.pause()

        assert "more line" not in text_of(app)


async def test_bars_of_a_chart_stay_behind_a_dialog_in_its_one_colour() -> None:
    async with BareApp().run_test() as pilot:
        await pilot.app.mount(Static(Text("▓▓▓▓", "blue on blue"), id="chart"))
        await show(pilot, ConfirmDialog("Delete", "Sure?", [AnswerKey("y", "delete")]))

        assert "▓▓▓▓" in text_of(pilot.app)
