"""Contents of attachments beside the database, with removal of unused ones."""

import logging
import threading
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path

from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError

from backlit.model.errors import BacklitError, StorageError
from backlit.service.files.interface import ContentStore, IncomingContent, is_digest
from backlit.service.files.local import open_content_store
from backlit.service.storage.database import Database
from backlit.service.tables import attachments

FIRST_SWEEP = 60.0
"""Seconds between the start and the first sweep; short-lived services never sweep."""
SWEEP_EVERY = 6 * 3600.0

_log = logging.getLogger(__name__)


class AttachmentContents:
    """The file store of one service.

    Contents are removed in writing transactions, of which there is one at a time: an upload that finds its contents
    there while it writes its row can rely on them. Such a transaction is shared with no other job, so that it reads
    committed rows only: no rollback brings back an attachment whose contents are gone.
    """

    def __init__(self, place: Path | str, database: Database, probe_every: float) -> None:
        self._place = place
        self._probe_every = probe_every
        self._database = database
        self._stopping = threading.Event()
        self._sweeper = threading.Thread(target=self._sweep_now_and_then, name="backlit-sweep", daemon=True)
        self._probed_at = float("-inf")
        self.store: ContentStore

    def open(self) -> None:
        self.store = open_content_store(self._place)
        self._probe()
        self._database.write.submit(partial(attachments.remember_place, files=self._place)).result()
        self._sweeper.start()

    def are_usable(self) -> bool:
        """Return True if the store took and removed an object just now, or so recently that it counts; blocks."""
        if time.monotonic() - self._probed_at > self._probe_every:
            try:
                self._probe()
            except BacklitError as error:
                _log.warning("%s", error)
                return False
        return True

    def _probe(self) -> None:
        try:
            self.store.probe()
        except OSError as error:
            raise StorageError(f"The files cannot be written: {error.strerror} ({self._place}).") from error
        self._probed_at = time.monotonic()

    def close(self) -> None:
        self._stopping.set()
        self._sweeper.join(5)

    def ensure(self, incoming: IncomingContent) -> None:
        """Store an upload's contents again if they were removed meanwhile; in a writing transaction."""
        if not self.store.has(incoming.digest):
            self.store.keep(incoming)

    def release(self, digests: Iterable[str]) -> int:
        """Remove those of the contents that no attachment has; blocks. Returns how many went.

        The deletions that freed them are committed: where this fails, the next sweep removes the contents.
        """
        removed = 0
        for digest in digests:
            try:
                removed += self._database.write.submit(partial(self._remove_unused, digest), alone=True).result()
            except (OSError, BacklitError, SQLAlchemyError) as error:
                _log.warning("The contents %s of no attachment could not be removed: %s", digest, error)
        return removed

    def sweep(self) -> int:
        """Remove old contents without an attachment, such as those of aborted uploads; blocks. Return the count."""
        removed = 0
        for digest in self.store.old():
            if self._stopping.is_set():
                break
            if not self._database.slow.submit(partial(attachments.uses, digest=digest)).result():
                removed += self.release([digest])
        return removed

    def _remove_unused(self, digest: str, connection: Connection) -> bool:
        if not is_digest(digest) or attachments.uses(connection, digest):
            return False
        self.store.remove(digest)
        return True

    def _sweep_now_and_then(self) -> None:
        wait = FIRST_SWEEP
        while not self._stopping.wait(wait):
            wait = SWEEP_EVERY
            try:
                removed = self.sweep()
            except (OSError, BacklitError, SQLAlchemyError) as error:
                _log.warning("Looking for files without an attachment failed: %s", error)
            else:
                _log.info("Removed %d files without an attachment.", removed)
