"""The acts that are possible on every screen: what to look at, what to run, how it looks."""

from textual.theme import Theme

from backlit.model.errors import BacklitError
from backlit.store.changes import ConnectionState
from backlit.store.store import Store
from backlit.tui.acting import CannotAct, contexts_of
from backlit.tui.commands import Command
from backlit.tui.history_acts import HistoryActs
from backlit.tui.macros import MacroApp
from backlit.tui.work import work


class AppActs(HistoryActs, MacroApp, inherit_bindings=False):
    """An application over a store, with the commands that need no particular screen."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._offered_themes: list[Theme] = []

    def do_app_theme(self, _count: int | None) -> None:
        """Pick another theme for as long as the program runs."""
        from backlit.tui.dialogs.choose_theme import ChooseTheme
        from backlit.tui.dialogs.pick import Choice

        before = self.theme

        def chosen(choice: Choice | None) -> None:
            self.theme = str(choice.value) if choice else before
            if self.theme != before:
                self.say(f'theme = "{self.theme}" in config.toml keeps it.')

        def wear(name: str) -> None:
            self.theme = name

        self.push_screen(ChooseTheme(self._offered_themes, before, wear), chosen)

    def do_app_help(self, _count: int | None) -> None:
        """List the keys that act here."""
        from backlit.tui.dialogs.keys_help import KeysHelp

        self.push_screen(KeysHelp(contexts_of(self.focused or self.screen)), self._run_later)

    def do_app_palette(self, _count: int | None) -> None:
        """Find a command or an item."""
        from backlit.tui.dialogs.palette import Palette

        self.push_screen(Palette(self.store, contexts_of(self.focused or self.screen)), self._run_later)

    def _run_later(self, chosen: Command | int | None) -> None:
        """Run a command, or open the item of an id, once the dialog is gone."""
        if isinstance(chosen, Command):
            self.call_later(self.run_command, chosen)
        elif chosen is not None:
            from backlit.tui.screens.editor import EditorScreen

            self.push_screen(EditorScreen(self.store, chosen))

    def do_app_refresh(self, _count: int | None) -> None:
        """Ask the service for what is new, or first for who is asking."""
        if self.store.connection.state is ConnectionState.SIGNED_OUT:
            from backlit.tui.screens.sign_in import SignInScreen

            self.push_screen(SignInScreen(self.store))
            return
        self.run_worker(work(self._refresh), exclusive=True, group="refresh")

    def do_app_resync(self, _count: int | None) -> None:
        """Read everything again, whatever the mirror holds; the list stays as it is meanwhile."""
        self.run_worker(work(self._refresh, is_anew=True), exclusive=True, group="refresh")

    async def _refresh(self, *, is_anew: bool = False) -> None:
        try:
            await self.store.refresh(is_anew=is_anew)
        except BacklitError as error:
            self.say(str(error), is_bad=True)
        else:
            if is_anew:
                self.say("Everything was read from the service again.")

    def do_app_stop_timer(self, _count: int | None) -> None:
        """Ask what the timer's time was spent on, and log it; esc lets it run on."""
        from backlit.tui.log_verbs import ask_work, drop_timer

        running = self.store.timer.running
        if running is None:
            raise CannotAct("No timer is running; ctrl+t in the dialog of L starts one.")
        task = self.store.item(running.item_id)
        if task is None:
            self.run_worker(work(drop_timer, self, self.store), group="writes")
            raise CannotAct(f"#{running.item_id} is no longer there; the timer is stopped.")
        ask_work(self, self.store, task)

    def do_app_redraw(self, _count: int | None) -> None:
        """Draw everything anew."""
        self.draw_anew()

    def do_app_suspend(self, _count: int | None) -> None:
        """Hand the terminal back to the shell."""
        self.action_suspend_process()
