"""Commands on the project: switch project or profile, show project info."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from typing import Any, Protocol

from msgspec.structs import replace
from rich.cells import cell_len
from textual import events, on
from textual.app import ComposeResult
from textual.geometry import Size
from textual.widgets import Static
from textual.worker import WorkType

from backlit.model.amounts import counted
from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.model.query import Candidate
from backlit.model.statuses import status_word
from backlit.store.records.people import TreeKind, current, leaves
from backlit.store.store import Store
from backlit.tui.app.screen_navigator import ScreenNavigator
from backlit.tui.app.sign_in import ProfileSignInFactory, ask_to_join
from backlit.tui.commands.command import CannotAct, CommandContext, candidates_beginning
from backlit.tui.commands.table import with_keys
from backlit.tui.dialogs.pick import Choice, PickDialog
from backlit.tui.dialogs.reading import ReadingDialog
from backlit.tui.drawing.text import fit, fit_right, literal, safe, wrapped
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.status_text import project_name
from backlit.tui.shell.target import StoreCommandTarget
from backlit.tui.shell.workers import work

LABEL_CELLS = 14
"""Cells for the label of a line."""
MAX_FACTS_CELLS = 84
DIALOG_FRAME_CELLS = 6
"""Cells that a dialog takes around its text."""
NAMES_HEAD, HEADS = "Project", ("Your role", "Current sprint", "Open items", "Your items")
"""The headings; in a narrow terminal columns are left out from the last one on."""
FIGURES = frozenset({"Open items", "Your items"})
"""The columns of numbers."""
NOT_LOADED = "loads when opened"
COLUMN_GAP, CELLS_AROUND, LEAST_CELLS = "  ", 11, 48
"""Blanks between columns; cells of the dialog beside names and columns, and those that it has at least."""
NO_ROW = ("",) * len(HEADS)
NO_CELLS: Mapping[object, Sequence[str]] = {}
_ABOUT_JOINING = "This workspace stays as it is; [app.project] goes back to it."


class ProjectCommandTarget(StoreCommandTarget, Protocol):
    """An application on one profile of several."""

    navigator: ScreenNavigator
    profiles: Sequence[str]
    """The names of the profiles, the current one first."""
    wanted_profile: str | None
    """The profile to open after this application."""
    join: ProfileSignInFactory | None
    """The sign-in to other servers; None where this run cannot open them."""

    @property
    def size(self) -> Size:
        """Return the size of the terminal in cells."""

    def run_worker(self, work: WorkType[Any], *, group: str = "", exclusive: bool = False) -> object: ...

    def exit(self) -> None: ...


async def choose_project(target: ProjectCommandTarget, call: CommandContext) -> None:
    """Switch to the project of the typed name, else ask for a project or a profile.

    Raises BadRequest for an unknown name.
    """
    projects = target.store.lookups.projects()
    if call.text:
        found = [each for each in projects if each.name.casefold().startswith(call.text.casefold())]
        if not found:
            names = ", ".join(each.name for each in projects)
            raise BadRequest(f"Unknown project “{call.text}”. Projects: {names}.")
        target.store.choose_project(found[0].id)
        return
    here = f" on {target.profiles[0]}" if target.profiles else ""
    dialog = ProjectsDialog(f"Projects{here}", _choices(target), target.store.project_id, _cells(target))
    target.run_worker(work(_load_totals, target, dialog), exclusive=True, group="projects")
    choice = await target.ask(dialog)
    if choice is not None and isinstance(choice.value, int):
        target.store.choose_project(choice.value)
    elif choice is not None:
        await open_profile(target, str(choice.value))


def complete_project(target: ProjectCommandTarget, text: str, cursor: int) -> Sequence[Candidate]:
    return candidates_beginning([each.name for each in target.store.lookups.projects()], text, cursor)


async def choose_profile(target: ProjectCommandTarget, call: CommandContext) -> None:
    """Open the profile of the typed name or its beginning, else ask for one among the projects.

    Raises BadRequest for an unknown name.
    """
    if not call.text and len(target.profiles) < 2:
        raise CannotAct("No other profile. Create one with backlit login.")
    if not call.text:
        await choose_project(target, call)
        return
    found = [each for each in target.profiles if each.startswith(call.text)]
    if call.text not in target.profiles and len(found) != 1:
        raise BadRequest(f"Unknown profile “{call.text}”. Profiles: {', '.join(target.profiles)}.")
    await open_profile(target, call.text if call.text in target.profiles else found[0])


def complete_profile(target: ProjectCommandTarget, text: str, cursor: int) -> Sequence[Candidate]:
    return candidates_beginning(target.profiles, text, cursor)


async def connect(target: ProjectCommandTarget, call: CommandContext) -> None:
    """Sign in to the server at the typed address, else ask for one, and open its profile.

    Raises BadRequest for text that is no address.
    """
    if target.join is None:
        raise CannotAct("Cannot connect from here. Run backlit login URL in a shell.")
    profile = await ask_to_join(
        target.ask, target.join, call.text, with_keys(_ABOUT_JOINING), StoredLines(target.store, "server")
    )
    if profile:
        await open_profile(target, profile)


async def choose_other_profile(target: ProjectCommandTarget) -> None:
    """Ask for another profile or a server, and name nothing of the current profile."""
    others = [Choice(name, name, "profile") for name in target.profiles[1:]]
    server = [Choice("", "another server", "sign in to it")] if target.join is not None else []
    if not others and not server:
        raise CannotAct("No other profile. Create one with backlit login.")
    choice = await target.ask(PickDialog("Another profile", [*others, *server], None))
    if choice is None:
        return
    profile = str(choice.value)
    if not profile and target.join is not None:
        profile = await ask_to_join(
            target.ask, target.join, "", with_keys(_ABOUT_JOINING), StoredLines(target.store, "server")
        )
    if profile:
        await open_profile(target, profile)


async def show_facts(target: ProjectCommandTarget, _call: CommandContext) -> None:
    store = target.store
    name = project_name(store)
    if not name:
        raise CannotAct("The project is not loaded yet.")
    await target.ask(ReadingDialog(name, [literal(line) for line in project_lines(store, target.size.width)]))


async def open_profile(target: ProjectCommandTarget, name: str) -> None:
    """Exit, for the caller to open another profile; unsent changes are kept. Raises CannotAct for the current one."""
    if target.profiles and name == target.profiles[0]:
        raise CannotAct("This profile is already open.")
    if await target.navigator.switch_to(target.navigator.here.mode):
        target.wanted_profile = name
        target.exit()


class ProjectsDialog(PickDialog):
    """Projects with figures in columns, as wide as these need."""

    LINES_AROUND = 5

    def __init__(
        self,
        title: str,
        choices: Sequence[Choice],
        current_id: object,
        cells: Mapping[object, Sequence[str]] = NO_CELLS,
    ) -> None:
        super().__init__(title, choices, current_id)
        self._heads = Static(classes="heads")
        self._cells = cells

    def content(self) -> ComposeResult:
        found, choices = super().content()
        yield from (found, self._heads, choices)

    def show_cells(self, cells: Mapping[object, Sequence[str]]) -> None:
        """Show the columns of each choice, by its value."""
        self._cells = cells
        self._fit_columns()

    @on(events.Resize)
    def _fit_columns(self) -> None:
        rows = [HEADS, *self._cells.values()]
        names = max(cell_len(safe(each)) for each in (NAMES_HEAD, *(choice.label for choice in self._choices)))
        widths = [max(cell_len(safe(row[at])) for row in rows) for at in range(len(HEADS))]
        room = self.app.size.width - CELLS_AROUND - names + len(COLUMN_GAP)
        ends = accumulate(width + len(COLUMN_GAP) for width in widths)
        shown = widths[: max(1, sum(end <= room for end in ends))]

        def line(row: Sequence[str]) -> str:
            aligned = (fit_right if head in FIGURES else fit for head in HEADS)
            return COLUMN_GAP.join(put(text, width) for put, text, width in zip(aligned, row, shown, strict=False))

        heads = line(HEADS)
        names = max(names, LEAST_CELLS - CELLS_AROUND - cell_len(heads))
        self._heads.update(literal(f"{NAMES_HEAD:<{names}}{COLUMN_GAP}{heads}"))
        self.frame.styles.width = CELLS_AROUND + names + cell_len(heads)
        self.replace_choices([replace(each, hint=line(self._cells.get(each.value, NO_ROW))) for each in self._choices])


async def _load_totals(target: ProjectCommandTarget, dialog: ProjectsDialog) -> None:
    store = target.store
    totals, own = await store.project_facts.totals(), await store.project_facts.own_counts()
    if dialog.is_attached:
        figures = {
            each: (_sprint(store, each), f"{found.count:,}", f"{own.get(each, 0):,}") for each, found in totals.items()
        }
        dialog.show_cells(_cells(target, figures))


def _sprint(store: Store, project_id: int) -> str:
    """Return the name of the current sprint of a project, and in how many days it ends."""
    iterations, today = leaves(store.lookups.of_project(project_id).iterations().values()), store.today()
    sprint = next(iter(current(iterations, today)), None)
    if sprint is None or sprint.end is None:
        return ""
    days = (sprint.end - today).days
    return f"{sprint.name}, ends in {counted(days, 'day')}" if days else f"{sprint.name}, ends today"


def _choices(target: ProjectCommandTarget) -> list[Choice]:
    """Return the projects and the other profiles."""
    projects = [Choice(each.id, each.name) for each in target.store.lookups.projects()]
    return [*projects, *(Choice(name, name) for name in target.profiles[1:])]


def _cells(
    target: ProjectCommandTarget, figures: Mapping[int, Sequence[str]] | None = None
) -> Mapping[object, Sequence[str]]:
    """Return the user's role and what is open by project, and what the other choices are.

    A project without figures was never loaded here, which choosing it does; None leaves their columns empty.
    """
    missing = ("" if figures is None else NOT_LOADED, *NO_ROW[2:])
    roles, projects = target.store.lookups.roles(), target.store.lookups.projects()
    found: dict[object, Sequence[str]] = {
        each.id: (roles.get(each.id, ""), *(figures or {}).get(each.id, missing)) for each in projects
    }
    return found | dict.fromkeys(target.profiles[1:], ("profile", *NO_ROW[1:]))


def project_lines(store: Store, room: int) -> list[str]:
    """Return project info, one or more lines each, for a screen of `room` cells."""
    width = min(MAX_FACTS_CELLS, room - DIALOG_FRAME_CELLS) - LABEL_CELLS
    return [line for label, text in _facts(store) if text for line in _lines(label, text, width)]


def _lines(label: str, text: str, width: int) -> Iterator[str]:
    lines = [part for line in text.splitlines() for part in wrapped(line, width)]
    for number, line in enumerate(lines):
        yield f"{label if number == 0 else '':<{LABEL_CELLS}}{line}"


def _facts(store: Store) -> Iterator[tuple[str, str]]:
    document = store.project_facts.document()
    yield "Id", str(document.get("id") or store.project_id or "")
    yield "Description", str(document.get("description") or "")
    yield "Template", str(document.get("template") or "")
    days = [str(document.get(key) or "")[:10] for key in ("startDate", "endDate")]
    yield "Dates", " to ".join(each for each in days if each)
    length = document.get("defaultIterationLength")
    each = f"{counted(length, 'day')} each" if isinstance(length, int) else ""
    yield "Iterations", ", ".join(part for part in (_iteration_counts(store), each) if part)
    yield "Areas", f"{max(0, len(list(store.lookups.tree(TreeKind.AREAS).walk())) - 1):,}"
    yield "Estimates", "story points; tasks in hours"
    yield "Your role", store.lookups.role()
    names = sorted(each.display_name for each in store.lookups.people().values())
    yield "Members", f"{len(names):,}: {', '.join(names[:12])}{' …' if len(names) > 12 else ''}" if names else ""
    yield "Teams", ", ".join(store.lookups.teams().values())
    yield "Statuses", "\n".join(_statuses(store))
    yield "Custom fields", ", ".join(each.label for each in store.lookups.custom_fields())
    yield "Time types", ", ".join(store.lookups.time_entry_types())


def _iteration_counts(store: Store) -> str:
    entries = [each for each in store.lookups.iterations().values() if "\\" in each.path]
    releases = sum(each.is_release for each in entries)
    words = f"{len(entries) - releases:,}"
    return f"{words} in {counted(releases, 'release')}" if releases else words


def _statuses(store: Store) -> Iterator[str]:
    types: dict[tuple[str, ...], list[str]] = {}
    for item_type in ItemType:
        statuses = store.lookups.statuses(item_type)
        if statuses:
            types.setdefault(statuses, []).append(item_type.value)
    for statuses, names in types.items():
        yield f"{', '.join(names)}: {', '.join(map(status_word, statuses))}"
