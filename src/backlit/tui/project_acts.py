"""Switching the project or the profile, and what is known of the project."""

from collections.abc import Mapping, Sequence

from backlit.model.boards import BoardSettings
from backlit.model.errors import BadRequest
from backlit.model.query import Candidate
from backlit.model.trees import Totals
from backlit.store.store import Store
from backlit.tui.acting import CannotAct
from backlit.tui.commands import Command
from backlit.tui.dialogs.choice_list import Choice
from backlit.tui.field_text import number_text
from backlit.tui.spoken import beginning
from backlit.tui.spoken_acts import SpokenActs
from backlit.tui.text import literal
from backlit.tui.work import work


class ProjectActs(SpokenActs, inherit_bindings=False):
    """An application on one profile of several; another one is opened by whoever runs it, once this one has ended."""

    def __init__(self, store: Store, board: BoardSettings, profiles: Sequence[str] = ()) -> None:
        super().__init__(store, board)
        self.profiles = profiles
        """The names of the profiles there are, that of this one first."""
        self.wanted_profile: str | None = None

    def do_app_project(self, _count: int | None) -> None:
        """Pick another project, or another profile."""
        from backlit.tui.dialogs.pick import PickDialog

        def chosen(choice: Choice | None) -> None:
            if choice is not None and isinstance(choice.value, int):
                self.store.choose_project(choice.value)
            elif choice is not None:
                self.call_later(self._try, lambda: self._open_profile(str(choice.value)))

        dialog = PickDialog("Project", self._choices({}), self.store.project_id)
        self.push_screen(dialog, chosen)

        async def count() -> None:
            totals = await self.store.project_facts.totals()
            if dialog.is_attached:
                dialog.replace_choices(self._choices(totals))

        self.run_worker(work(count), exclusive=True, group="projects")

    def told_app_project(self, name: str) -> None:
        """Switch to a project by its name or the beginning of it."""
        wanted = name.casefold()
        found = [each for each in self.store.projects() if each.name.casefold().startswith(wanted)]
        if not found:
            names = ", ".join(each.name for each in self.store.projects())
            raise BadRequest(f"There is no project “{name}”; there are {names}.")
        self.store.choose_project(found[0].id)

    def do_app_profile(self, count: int | None) -> None:
        """Pick another profile; it is among the projects."""
        if len(self.profiles) < 2:
            raise CannotAct("There is no other profile; backlit login makes one.")
        self.do_app_project(count)

    def told_app_profile(self, name: str) -> None:
        """Go to another profile by its name or the beginning of it."""
        found = [each for each in self.profiles if each.startswith(name)]
        if name not in self.profiles and len(found) != 1:
            raise BadRequest(f"There is no profile “{name}”; there are {', '.join(self.profiles)}.")
        self._open_profile(name if name in self.profiles else found[0])

    def may_follow(self, command: Command, text: str, cursor: int) -> Sequence[Candidate]:
        """The names of projects and profiles too."""
        match command.id:
            case "app.project":
                return beginning([each.name for each in self.store.projects()], text, cursor)
            case "app.profile":
                return beginning(self.profiles, text, cursor)
        return super().may_follow(command, text, cursor)

    def do_app_facts(self, _count: int | None) -> None:
        """Show what is known of the project."""
        from backlit.tui.dialogs.reading import ReadingDialog
        from backlit.tui.project_words import project_lines

        name = next((each.name for each in self.store.projects() if each.id == self.store.project_id), "")
        if not name:
            raise CannotAct("The project is not known yet.")
        self.push_screen(ReadingDialog(name, [literal(line) for line in project_lines(self.store, self.size.width)]))

    def _open_profile(self, name: str) -> None:
        """End here, for the other profile to be opened; what is unsent is kept and sent when one comes back."""
        if self.profiles and name == self.profiles[0]:
            raise CannotAct("This is that profile.")
        self.switch_to(self.current_mode)
        self.wanted_profile = name
        self.exit()

    def _choices(self, totals: Mapping[int, Totals]) -> list[Choice]:
        projects = [Choice(each.id, each.name, _words(totals.get(each.id))) for each in self.store.projects()]
        return [*projects, *(Choice(name, name, "profile") for name in self.profiles[1:])]


def _words(totals: Totals | None) -> str:
    """How much is open in a project; nothing for one that was never opened here."""
    return "" if totals is None else f"{totals.count:,} open, {number_text(totals.points)} pts"
