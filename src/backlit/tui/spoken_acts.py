"""The command line of the program: one for all screens, each of which adds the words that act on it."""

from collections.abc import Callable, Sequence

from backlit.model.errors import BacklitError, BadRequest
from backlit.model.query import Candidate
from backlit.tui.acting import CannotAct
from backlit.tui.board_acts import BoardActs
from backlit.tui.commands import Command
from backlit.tui.spoken import Spoken, beginning, item_number
from backlit.tui.widgets.query_line import COMMAND


class SpokenActs(BoardActs, inherit_bindings=False):
    """An application whose commands can be typed; a line that cannot be done comes back with the reason under it."""

    def do_app_command_line(self, _count: int | None) -> None:
        """Type a command."""
        self._ask_for_line()

    def do_app_saved(self, _count: int | None) -> None:
        """Say whether all is saved: it is, but perhaps not sent yet."""
        waiting = self.store.outbox.pending
        changes = "one change waits" if waiting == 1 else f"{waiting:,} changes wait"
        self.say(f"All is on the disk; {changes} to be sent." if waiting else "All is saved and sent.")

    def told_app_theme(self, name: str) -> None:
        """Wear a theme by its name."""
        names = [each.name for each in self._offered_themes]
        if name not in names:
            raise BadRequest(f"There is no theme “{name}”; there are {', '.join(names)}.")
        self.theme = name

    def may_follow(self, command: Command, text: str, cursor: int) -> Sequence[Candidate]:
        """The names of themes."""
        names = [each.name for each in self._offered_themes] if command.id == "app.theme" else []
        return beginning(names, text, cursor)

    def _ask_for_line(self, text: str = "", fault: str = "") -> None:
        from backlit.tui.dialogs.command_line import CommandLine

        def typed(line: str | None) -> None:
            if line is not None:
                self.call_later(self._say_line, line)

        self.push_screen(CommandLine(self.store, Spoken(self.focused or self.screen), text, fault), typed)

    def _say_line(self, line: str) -> None:
        try:
            self._act_of(line)()
        except (CannotAct, BacklitError) as reason:
            self._ask_for_line(line, str(reason))
        else:
            self.store.typed.remember(COMMAND, line)

    def _act_of(self, line: str) -> Callable[[], None]:
        number = item_number(line)
        if number is None:
            return Spoken(self.focused or self.screen).act_of(line)
        if self.store.item(number) is None:
            raise BadRequest(f"There is no item #{number} in this project, or it is not loaded yet.")
        return lambda: self.go_to(number)
