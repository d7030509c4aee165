"""Import of work items from the file of another tracker, or of backlit's own."""

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from backlit.cli.output import announce
from backlit.cli.questions import agrees, confirm_estimates
from backlit.cli.synced import POLL_SECONDS, counting_changes, read_bytes, synced_store, wait_while
from backlit.cli.terminal_input import PIPE, can_ask
from backlit.config.settings import find_locations
from backlit.imports.faults import Remark, grouped, listed
from backlit.imports.mapping import read_mapping
from backlit.imports.plan import ImportPlan
from backlit.imports.run import ImportOptions, PreparedImport, mapping_of, prepare, write
from backlit.imports.summary import summary
from backlit.model.amounts import counted
from backlit.model.errors import AnswerNeeded, BacklitError, BadRequest, PartlyDone, StorageError
from backlit.model.import_mappings import ImportMapping
from backlit.model.plain import plain
from backlit.store.records.entry import EntryState
from backlit.store.records.item import is_seen_by_customers
from backlit.store.store import Store

PROGRESS_SECONDS = 10.0
"""Seconds between two lines of progress where no terminal shows a bar."""


def import_items(arguments: argparse.Namespace) -> None:
    content = read_bytes(arguments.file, "items")
    name = "standard input" if arguments.file == PIPE else arguments.file
    mapping = read_mapping(arguments.map) if arguments.map else ImportMapping()
    with synced_store(arguments, is_writing=True) as store:
        prepared = _prepared(arguments, store, content, name, mapping)
        plan = prepared.plan
        if arguments.write_map:
            _write_file(arguments.write_map, mapping_of(prepared), "mapping")
            print(f"The mapping is in {arguments.write_map}. Import with it: --map {arguments.write_map}")
            return
        if plan.faults:
            _refuse(arguments, name, plan)
        about = [*summary(store, prepared.source, plan, prepared.drafts)]
        announce(about)
        left_out = _left_out(arguments, name, prepared.skipped)
        announce(left_out)
        if arguments.report and not left_out:
            _write_file(arguments.report, [*about, *listed(plan.warnings)], "report")
        announce(_unsent(prepared))
        if not (arguments.dry_run or plan.is_empty):
            _confirm(arguments, store, prepared)
        if not arguments.dry_run and (store.outbox.pending or not plan.is_empty):
            asyncio.run(write_import(store, plan, is_quiet=arguments.quiet))
    if left_out:
        raise PartlyDone(left_out[0])


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


def _unsent(prepared: PreparedImport) -> Iterator[str]:
    """Say how far an interrupted import of the file came. Its items are in the journal, and are not planned again."""
    ids = [item_id for item_id in prepared.plan.existing if item_id < 0]
    if ids:
        count = len(prepared.plan.existing)
        yield f"{count - len(ids):,} of {counted(count, 'item')} are there from before; the others are sent now."


def _left_out(arguments: argparse.Namespace, name: str, skipped: Sequence[Remark]) -> list[str]:
    """Return what is said of rows that are left out for their faults; all of them are in a file."""
    if not skipped:
        return []
    rows = counted(len({fault.line for fault in skipped}), "row")
    file = _written_faults(arguments, name, skipped)
    return [f"{rows} with a fault left out. All faults are in {file}.", *grouped(skipped)]


def _written_faults(arguments: argparse.Namespace, name: str, faults: Iterable[Remark]) -> str:
    """Write all faults to a file, in the state directory unless the command names one; return its name."""
    path = Path(arguments.report or find_locations().state / f"import-{Path(name).stem or 'input'}.faults.tsv")
    if not arguments.report:
        path.parent.mkdir(parents=True, exist_ok=True)
    _write_file(str(path), listed(faults), "report")
    return str(path)


def _write_file(file: str, lines: Iterable[str], noun: str) -> None:
    try:
        Path(file).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise StorageError(f"Could not write the {noun} {file}: {error.strerror}. No changes were made.") from error


def _confirm(arguments: argparse.Namespace, store: Store, prepared: PreparedImport) -> None:
    """Ask before anything is written. Raises BadRequest for a no, AnswerNeeded where it cannot ask."""
    plan = prepared.plan
    can_answer = arguments.file != PIPE and can_ask()
    if prepared.drafts is None and not arguments.keep_estimates:
        confirm_estimates((each.get("Estimate") for each in _written_values(plan)), can_answer=can_answer)
    if _is_for_customers(plan) and not arguments.customers_see:
        raise AnswerNeeded("Customers can see some of these changes. To allow that, add --customers-see.")
    if arguments.yes:
        return
    project = {each.id: each.name for each in store.lookups.projects()}.get(store.project_id or 0, "the project")
    what = f"Import {plan.new:,} new and change {counted(len(plan.changes), 'item')} in {plain(project)}?"
    if not can_answer:
        raise AnswerNeeded(f"{what} To do so without a question, add --yes. No changes were made.")
    if not agrees(what):
        raise BadRequest("Import cancelled: no changes were made.")


def _written_values(plan: ImportPlan) -> Iterator[Mapping[str, object]]:
    for item in plan.items:
        yield item.fields
        yield from (task.fields for task in item.tasks)
    yield from (change.fields for change in plan.changes)


def _is_for_customers(plan: ImportPlan) -> bool:
    return any(is_seen_by_customers(key) and value for each in _written_values(plan) for key, value in each.items())


async def write_import(store: Store, plan: ImportPlan, *, is_quiet: bool = True) -> None:
    """Write an import as one step, and print what became of it."""
    with counting_changes(store) as changes:
        await write(store, plan)
        total = store.outbox.pending
        with _progress(total, is_quiet=is_quiet) as show:

            def is_waiting() -> bool:
                show(total - store.outbox.pending)
                return bool(store.outbox.pending)

            await wait_while(store, is_waiting)
    if store.outbox.pending:
        print(changes.words())
        return
    refused = [each for each in changes.all() if each.state in {EntryState.REFUSED, EntryState.CONFLICT}]
    if refused:
        raise BacklitError(
            f"The server rejected {counted(len(refused), 'change')}. Press go in backlit for the reasons."
        )
    if plan.is_empty:
        print("All changes are sent. Undo: backlit undo, or u in backlit.")
        return
    print(f"Imported {plan.new:,} · changed {len(plan.changes):,}. Undo: backlit undo, or u in backlit.")


class _Progress:
    """Tells how many changes are sent: a bar on a terminal, else a line now and then."""

    def __init__(self, total: int) -> None:
        self._total = total
        self._is_terminal = sys.stderr.isatty()
        self._began = self._told = time.monotonic()
        self._is_shown = False

    def show(self, done: int) -> None:
        now = time.monotonic()
        pause = POLL_SECONDS if self._is_terminal else PROGRESS_SECONDS
        if now - self._told < pause or not done:
            return
        self._told = now
        rate = done / (now - self._began)
        rest = f"{(self._total - done) / rate:.0f} s left"
        text = f"{done:,} of {self._total:,} changes · {rate:.0f} a second · {rest}"
        if self._is_terminal:
            filled = round(20 * done / max(self._total, 1))
            print(f"\r\x1b[K{'█' * filled}{'░' * (20 - filled)} {text}", end="", file=sys.stderr, flush=True)
            self._is_shown = True
        else:
            print(f"backlit: {text}", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._is_shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


@contextmanager
def _progress(total: int, *, is_quiet: bool) -> Iterator[Callable[[int], None]]:
    progress = _Progress(total)
    try:
        yield (lambda _: None) if is_quiet else progress.show
    finally:
        progress.end()
