"""Import of work items from the file of another tracker, or of backlit's own."""

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from backlit.cli.commands.config import open_in_editor
from backlit.cli.output import announce
from backlit.cli.questions import agrees, confirm_estimates
from backlit.cli.synced import POLL_SECONDS, counting_changes, read_bytes, synced_store, wait_while
from backlit.cli.terminal_input import PIPE, can_ask, read_line
from backlit.config.settings import find_locations
from backlit.imports.faults import Remark, faults_file, grouped, listed
from backlit.imports.mapping import read_mapping
from backlit.imports.plan import ImportPlan
from backlit.imports.progress import ImportProgress
from backlit.imports.run import ImportOptions, ImportRun, PreparedImport, mapping_of, prepare
from backlit.imports.summary import from_before, is_for_customers, question, summary, written_values
from backlit.model.amounts import counted
from backlit.model.errors import AnswerNeeded, BacklitError, BadRequest, PartlyDone, StorageError
from backlit.model.import_mappings import ImportMapping
from backlit.model.plain import plain
from backlit.store.records.entry import EntryState
from backlit.store.store import Store

PROGRESS_SECONDS = 10.0
"""Seconds between two lines of progress where no terminal shows a bar."""
WAY_ON = "The same command goes on with the rest. Undo: backlit undo."
EDIT, YES = "e", ("y", "yes")


def import_items(arguments: argparse.Namespace) -> None:
    content = read_bytes(arguments.file, "items")
    name = "standard input" if arguments.file == PIPE else arguments.file
    mapping = read_mapping(arguments.map) if arguments.map else ImportMapping()
    with synced_store(arguments, is_writing=True) as store:
        while True:
            prepared = _prepared(arguments, store, content, name, mapping)
            if arguments.write_map:
                _write_file(arguments.write_map, mapping_of(prepared), "mapping")
                print(f"The mapping is in {arguments.write_map}. Import with it: --map {arguments.write_map}")
                return
            left_out = _checked(arguments, store, name, prepared)
            if arguments.dry_run or prepared.plan.is_empty or _is_confirmed(arguments, store, prepared):
                break
            mapping = _edited(prepared)
        if not arguments.dry_run and (store.outbox.pending or not prepared.plan.is_empty):
            _import(arguments, store, prepared)
    if left_out:
        raise PartlyDone(left_out[0])


def _checked(arguments: argparse.Namespace, store: Store, name: str, prepared: PreparedImport) -> Sequence[str]:
    """Refuse a plan with faults; else say what it does where a question follows or nothing is written.

    Returns what is said of rows that are left out.
    """
    plan = prepared.plan
    if plan.faults:
        _refuse(arguments, name, plan)
    about = [*summary(store, prepared.source, plan, prepared.drafts)]
    if arguments.dry_run or plan.is_empty or not arguments.yes:
        announce(about)
    left_out = _left_out(arguments, name, prepared.skipped)
    announce(left_out)
    if arguments.report and not left_out:
        _write_file(arguments.report, [*about, *listed(plan.warnings)], "report")
    announce(from_before(plan))
    return left_out


def _import(arguments: argparse.Namespace, store: Store, prepared: PreparedImport) -> None:
    plan, has_news = prepared.plan, not prepared.plan.is_empty
    try:
        written, waiting = asyncio.run(write_import(store, plan, is_quiet=arguments.quiet))
    except BacklitError:
        if arguments.yes and has_news:
            announce(summary(store, prepared.source, plan, prepared.drafts))
        raise
    if has_news:
        announce(summary(store, prepared.source, plan, prepared.drafts, written.made()))
    announce([waiting or f"{'' if has_news else 'All changes are sent. '}Undo: backlit undo, or u in backlit."])


def _edited(prepared: PreparedImport) -> ImportMapping:
    """Open the mapping in the user's editor until it has no fault, or the user gives up."""
    with tempfile.TemporaryDirectory(prefix="backlit-") as folder:
        path = Path(folder) / "mapping.toml"
        path.write_text("".join(f"{line}\n" for line in mapping_of(prepared)), encoding="utf-8")
        while True:
            open_in_editor(path)
            try:
                return read_mapping(str(path))
            except BadRequest as error:
                for line in error.message.splitlines():
                    print(plain(line), file=sys.stderr)
                if not agrees("Edit it again?"):
                    raise BadRequest("Import cancelled: no changes were made.") from None


def _prepared(
    arguments: argparse.Namespace, store: Store, content: bytes, name: str, mapping: ImportMapping
) -> PreparedImport:
    options = ImportOptions(
        arguments.format or "",
        arguments.source or "",
        arguments.encoding or "",
        (arguments.delimiter or "").replace("\\t", "\t"),
        overwrite=arguments.overwrite,
        skips_faulty=arguments.skip_faulty,
    )
    try:
        return prepare(store, content, name, mapping, options)
    except BadRequest as error:
        raise BadRequest(
            f"Could not import the items in {plain(name)}.\n{error.message}\nNo changes were made."
        ) from None


def _refuse(arguments: argparse.Namespace, name: str, plan: ImportPlan) -> None:
    faults = sorted(plan.faults, key=lambda fault: fault.line)
    kept = f"All faults are in {_written_faults(arguments, name, faults)}." if len(faults) > 1 else ""
    lines = [f"Could not import the items in {plain(name)}.", *grouped(faults), kept, "No changes were made."]
    raise BadRequest("\n".join(filter(None, lines)))


def _left_out(arguments: argparse.Namespace, name: str, skipped: Sequence[Remark]) -> list[str]:
    """Return what is said of rows that are left out for their faults; all of them are in a file."""
    if not skipped:
        return []
    rows = counted(len({fault.line for fault in skipped}), "row")
    file = _written_faults(arguments, name, skipped)
    return [f"{rows} with a fault left out. All faults are in {file}.", *grouped(skipped)]


def _written_faults(arguments: argparse.Namespace, name: str, faults: Iterable[Remark]) -> str:
    """Write all faults to a file, in the state directory unless the command names one; return its name."""
    path = Path(arguments.report or faults_file(find_locations().state, name))
    if not arguments.report:
        path.parent.mkdir(parents=True, exist_ok=True)
    _write_file(str(path), listed(faults), "report")
    return str(path)


def _write_file(file: str, lines: Iterable[str], noun: str) -> None:
    try:
        Path(file).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise StorageError(f"Could not write the {noun} {file}: {error.strerror}. No changes were made.") from error


def _is_confirmed(arguments: argparse.Namespace, store: Store, prepared: PreparedImport) -> bool:
    """Ask before anything is written; return False for a mapping that is to be edited first.

    Raises BadRequest for a no, AnswerNeeded where it cannot ask.
    """
    plan = prepared.plan
    can_answer = arguments.file != PIPE and can_ask()
    if prepared.drafts is None and not arguments.keep_estimates:
        confirm_estimates((each.get("Estimate") for each in written_values(plan)), can_answer=can_answer)
    if is_for_customers(plan) and not arguments.customers_see:
        raise AnswerNeeded("Customers can see some of these changes. To allow that, add --customers-see.")
    if arguments.yes:
        return True
    what = question(store, plan)
    if not can_answer:
        raise AnswerNeeded(f"{what} To do so without a question, add --yes. No changes were made.")
    can_edit = prepared.drafts is not None
    answer = read_line(f"{what} [y/N{', e edits the mapping' if can_edit else ''}] ").strip().lower()
    if can_edit and answer == EDIT:
        return False
    if answer not in YES:
        raise BadRequest("Import cancelled: no changes were made.")
    return True


async def write_import(store: Store, plan: ImportPlan, *, is_quiet: bool = True) -> tuple[ImportRun, str]:
    """Write an import as one step; return it, and what is said of changes that wait for the server.

    Raises BacklitError where the server rejected some.
    """
    with counting_changes(store, WAY_ON) as changes:
        writing = ImportRun(store, plan)
        with _progress(writing.total, "item", is_quiet=is_quiet) as show:
            async for done in writing.write():
                show(done)
        total = store.outbox.pending
        with _progress(total, "change", is_quiet=is_quiet) as show:

            def is_waiting() -> bool:
                show(total - store.outbox.pending)
                return bool(store.outbox.pending)

            await wait_while(store, is_waiting)
    if store.outbox.pending:
        return writing, f"{changes.words()} {WAY_ON}"
    refused = [each for each in changes.all() if each.state in {EntryState.REFUSED, EntryState.CONFLICT}]
    if refused:
        raise BacklitError(
            f"The server rejected {counted(len(refused), 'change')}. Press go in backlit for the reasons."
        )
    return writing, ""


class _Progress:
    """Tells how far an import is: a bar on a terminal, else a line now and then."""

    def __init__(self, total: int, noun: str) -> None:
        self._progress = ImportProgress(total, noun)
        self._is_terminal = sys.stderr.isatty()
        self._told = time.monotonic()
        self._is_shown = False

    def show(self, done: int) -> None:
        now = time.monotonic()
        pause = POLL_SECONDS if self._is_terminal else PROGRESS_SECONDS
        if now - self._told < pause or not done:
            return
        self._told = now
        text = self._progress.words(done)
        if self._is_terminal:
            print(f"\r\x1b[K{self._progress.bar(done)} {text}", end="", file=sys.stderr, flush=True)
            self._is_shown = True
        else:
            print(f"backlit: {text}", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def _progress(total: int, noun: str, *, is_quiet: bool) -> Iterator[Callable[[int], None]]:
    progress = _Progress(total, noun)
    try:
        yield (lambda _: None) if is_quiet else progress.show
    finally:
        progress.end()
