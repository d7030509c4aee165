"""Files that a person writes, as their check has left them: from the cache while they are as they were.

A check needs pydantic, 85 to 115 ms of processor time and 9 to 16 MB, which a program that stays does not pay: the
screens have a changed file checked by another process. `python -m backlit.config.checked_files` is that process.
"""

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import msgspec
from msgspec import Struct

from backlit.config.atomic_files import write_private
from backlit.config.kept_checks import check_stamp, kept_name

if TYPE_CHECKING:
    import subprocess

_T = TypeVar("_T")


class _Kept(Struct, frozen=True):
    """A checked file; the stamp is that of the code which checked it."""

    stamp: str
    path: str
    content: bytes
    result: msgspec.Raw


class CheckedConfigFile(Struct, Generic[_T], frozen=True):
    """A file with the function that checks it, `module:function`, and the directory of what is kept of it.

    The function takes the path and the content and returns a struct of `kind`. Its module is imported for a check
    alone, as it loads pydantic.
    """

    path: Path
    kind: type[_T]
    check: str
    folder: Path

    def content(self) -> bytes | None:
        """Return what the file holds; None for a missing file. Raises OSError."""
        try:
            return self.path.read_bytes()
        except FileNotFoundError:
            return None

    def is_known(self) -> bool:
        """Return True if no check is needed: the file is missing, unreadable, or as it was at its last check."""
        try:
            content = self.content()
        except OSError:
            return True
        return content is None or self.kept(content) is not None

    def read(self) -> _T | None:
        """Return the checked content, checked in this process where it changed; None for a missing file.

        Raises OSError for a file that cannot be read.
        """
        content = self.content()
        if content is None:
            return None
        found = self.kept(content)
        return self.check_here(content) if found is None else found

    def kept(self, content: bytes, written: bytes | None = None) -> _T | None:
        """Return what an earlier check made of this content, given or from the cache; None where there is none."""
        try:
            kept = msgspec.json.decode(self._cache.read_bytes() if written is None else written, type=_Kept)
            if (kept.stamp, kept.path, kept.content) != (self._stamp, str(self.path), content):
                return None
            return msgspec.json.decode(kept.result, type=self.kind)
        except (OSError, msgspec.MsgspecError):
            return None

    def check_here(self, content: bytes) -> _T:
        """Check some content in this process, and keep the result."""
        result, written = self._checked(content)
        self._keep(written)
        return result

    def written_check(self, content: bytes) -> bytes:
        """Check some content in this process, keep the result, and return it as it is kept."""
        _, written = self._checked(content)
        self._keep(written)
        return written

    def _keep(self, written: bytes) -> None:
        """Write a result into the cache; where that is not possible, the next start checks again."""
        try:
            write_private(self._cache, written)
        except OSError:
            return

    def _checked(self, content: bytes) -> tuple[_T, bytes]:
        module, _, function = self.check.partition(":")
        result: _T = getattr(import_module(module), function)(self.path, content)
        raw = msgspec.Raw(msgspec.json.encode(result))
        return result, msgspec.json.encode(_Kept(self._stamp, str(self.path), content, raw))

    @property
    def _cache(self) -> Path:
        return self.folder / kept_name(str(self.path))

    @property
    def _stamp(self) -> str:
        return check_stamp(self.check)


class CheckingProcess:
    """A process that checks the files which changed since their last check. It begins at once; reads wait for it."""

    def __init__(self, files: Iterable[CheckedConfigFile[Any]]) -> None:
        self._results: Mapping[str, bytes] = {}
        self._process = self._begin([file for file in files if not file.is_known()])

    def read(self, file: CheckedConfigFile[_T]) -> _T | None:
        """Return the checked content of a file, None for a missing one; waits for the process where it is asked for.

        Where no process can be begun, the file is checked in this one. Raises OSError for a file that cannot be read.
        """
        content = file.content()
        if content is None:
            return None
        found = file.kept(content)
        if found is None:
            found = self._result(file, content)
        return file.check_here(content) if found is None else found

    def refresh(self, files: Iterable[CheckedConfigFile[Any]]) -> None:
        """Have files that this program changed checked for the next start."""
        self.wait()
        self._process = self._begin([file for file in files if not file.is_known()])

    def _result(self, file: CheckedConfigFile[_T], content: bytes) -> _T | None:
        self.wait()
        if str(file.path) not in self._results:
            self._process = self._begin([file])
            self.wait()
        return file.kept(content, self._results.get(str(file.path), b""))

    def wait(self) -> None:
        """Wait until the process has ended; reads of the files as they were when it began take no time after that."""
        if self._process is None:
            return
        output, _ = self._process.communicate()
        self._process = None
        if output:
            self._results = msgspec.json.decode(output, type=dict[str, bytes])

    @staticmethod
    def _begin(files: list[CheckedConfigFile[Any]]) -> "subprocess.Popen[bytes] | None":
        if not files:
            return None
        import subprocess

        named = [text for file in files for text in (str(file.folder), file.check, str(file.path))]
        try:
            # -P: the directory that backlit is started in may hold modules of strangers. A group of its own: ctrl+c and
            # the end of the terminal are for the screens.
            return subprocess.Popen(  # noqa: S603 - this Python and a module of ours
                [sys.executable, "-P", "-m", __name__, *named],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                process_group=0,
            )
        except OSError:
            return None


def main(named: list[str]) -> None:
    """Check files, each given as the directory of the cache, the check and the path, and write their results."""
    results = {}
    for folder, check, path in zip(named[::3], named[1::3], named[2::3], strict=True):
        file = CheckedConfigFile(Path(path), object, check, Path(folder))
        content = file.content()
        if content is not None:
            results[path] = file.written_check(content)
    sys.stdout.buffer.write(msgspec.json.encode(results))


if __name__ == "__main__":
    main(sys.argv[1:])
