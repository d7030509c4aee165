"""Entry point of `python -m backlit` and the command `backlit`: a command's module is imported when it runs."""

import gc
import os
import sys
from collections.abc import Sequence

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    import argparse

    from backlit.model.errors import BacklitError

FAILED = 1
INTERRUPTED = 130
READER_GONE = 141
"""128 and the number of SIGPIPE, as the shell says it."""
ASKING = {
    *("commands.session:log_in", "commands.session:log_out", "commands.items_import:import_items"),
    *("commands.own_command:run_command", "commands.plan:apply_plan"),
    *("admin:add_user", "admin:change_password"),
}
"""Handlers that ask on the terminal, for a password or an answer."""

WITHOUT_MSGSPEC = {"commands.items_list:list_items", "commands.completion:print_candidates"}
"""Handlers that often need no msgspec, and load it where they do."""


STAYING = ("commands.app:", "commands.linear:", "commands.mcp:", "commands.serve:")
"""Beginnings of the handlers that run until they are ended."""
USUAL_COLLECTIONS = gc.get_threshold()
# An eighth of a listing's instructions were collections: during its imports, and one over everything at the end.
FEW_COLLECTIONS = 50_000
"""New objects before a collection in the other commands."""


def _chosen(arguments: Sequence[str]) -> "argparse.Namespace":
    """Read the arguments; help and version, which end the process, are written first."""
    from backlit.cli.arguments import parser

    try:
        for argument in arguments:
            if not (_is_text(argument) or os.path.exists(argument)):  # noqa: PTH110 - pathlib takes 5 ms
                shown = argument.encode("utf-8", "replace").decode()
                parser().error(f"{shown} is not text in this locale's encoding. Try another locale: LC_ALL=C.UTF-8")
        return parser().parse_args(arguments)
    finally:
        sys.stdout.flush()


def _is_text(argument: str) -> bool:
    """Return False for an argument with bytes outside the locale's encoding, which the name of a file may have."""
    return argument.isascii() or not any("\ud800" <= character <= "\udfff" for character in argument)


def _restrict_output(chosen: "argparse.Namespace") -> None:
    if chosen.no_color:
        os.environ["NO_COLOR"] = "1"
    if chosen.ascii or os.environ.get("BACKLIT_ASCII", "0") not in {"", "0"}:
        from backlit.cli.ascii_output import replace_signs

        replace_signs(is_ascii=True)


def _run(arguments: Sequence[str]) -> int:
    """Run a command; keys typed before they are read stay unseen, those for the screens and secrets."""
    if [*arguments] == ["--version"]:  # scripts ask for it often, and it needs no grammar
        from backlit.model.version import VERSION

        print(f"backlit {VERSION}")
        return 0
    from contextlib import ExitStack
    from importlib import import_module

    from backlit.cli.last_frame import saved_frame
    from backlit.cli.machine import check_machine
    from backlit.cli.terminal_input import PIPE, RawTerminal, can_ask, has_screen

    check_machine()
    with ExitStack() as end:
        terminal = None
        frame = saved_frame(arguments) if has_screen() else None
        if frame is not None:
            terminal = end.enter_context(RawTerminal())
            terminal.enter(frame[1])
        chosen = _chosen(arguments)
        if chosen.ascii or chosen.no_color or "BACKLIT_ASCII" in os.environ:
            _restrict_output(chosen)
        if getattr(chosen, "debug", False) or "BACKLIT_OFFLINE" in os.environ:
            from backlit.cli.variables import take_variables

            take_variables(chosen)
        if chosen.handler == "commands.app:open_app":
            from backlit.cli.linear_setting import is_linear_wanted

            if is_linear_wanted(chosen):
                chosen.handler = "commands.linear:run_lines"
        is_screen = chosen.handler.startswith("commands.app:") and has_screen()
        # A file that is typed on the terminal needs its lines and its ctrl+d, which the modes for questions switch off.
        is_asking = chosen.handler in ASKING and getattr(chosen, "file", "") != PIPE
        if is_screen or (is_asking and can_ask()):
            terminal = terminal or end.enter_context(RawTerminal())
        chosen.terminal, chosen.frame = terminal, frame
        if chosen.handler not in WITHOUT_MSGSPEC:
            from backlit.cli.lean_msgspec import load_msgspec

            load_msgspec()
        if chosen.handler.startswith(STAYING):
            gc.set_threshold(*USUAL_COLLECTIONS)
        module, _, function = chosen.handler.partition(":")
        status: int = getattr(import_module(f"backlit.cli.{module}"), function)(chosen) or 0
    return status


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status; write an error as one sentence to standard error."""
    try:
        status = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return READER_GONE
    except OSError as error:
        from backlit.cli.machine import refusal_of

        refusal = refusal_of(error)
        if refusal is None:
            return _crash(error, arguments)
        _say(refusal, arguments, FAILED)
        return FAILED
    except _failures() as error:
        from backlit.model.errors import exit_code_of

        _say(error, arguments, exit_code_of(error))
        return exit_code_of(error)
    except Exception as error:  # noqa: BLE001 - the last to see a fault of the program, whose end it is
        return _crash(error, arguments)
    return status


def _is_debugging(arguments: Sequence[str]) -> bool:
    return "--debug" in arguments or os.environ.get("BACKLIT_DEBUG", "0") not in {"", "0"}


def _crash(error: Exception, arguments: Sequence[str]) -> int:
    """Say in a sentence that the program has a fault, report it, and return the exit status."""
    from backlit.cli.crash import report
    from backlit.cli.failures import wants_json, write_failure

    sentence = report(error)
    if wants_json(arguments):
        write_failure("Fault", FAILED, sentence)
    else:
        print(f"backlit: {sentence}", file=sys.stderr)
    return FAILED


def _failures() -> "type[BacklitError]":
    """Return the errors that are sentences; asked for when one is raised, as the import delays the first rows."""
    from backlit.model.errors import BacklitError

    return BacklitError


def _say(error: "BacklitError", arguments: Sequence[str], exit_code: int) -> None:
    from backlit.cli.failures import wants_json, write_failure
    from backlit.model.plain import plain

    if _is_debugging(arguments):
        from backlit.cli.debugging import write_trace

        write_trace(error)
    if wants_json(arguments):
        write_failure(type(error).__name__, exit_code, error.message, error.errors)
        return
    print("backlit: " + "\n".join(map(plain, error.message.split("\n"))), file=sys.stderr)
    for field, text in error.errors.items():
        if text != error.message:
            print(f"  {plain(field)}: {plain(text)}", file=sys.stderr)


def main() -> None:
    """Run the command line and exit with its status."""
    gc.set_threshold(FEW_COLLECTIONS)
    if sys.stdout is None or not sys.stdout.isatty():
        from backlit.cli.guarded_output import guard_output

        guard_output()
    if any(stream is not None and stream.encoding.lower() != "utf-8" for stream in (sys.stdout, sys.stderr)):
        from backlit.cli.ascii_output import replace_signs

        replace_signs()
    status = run(sys.argv[1:])
    gc.freeze()  # what is left is freed without a search for cycles
    sys.exit(status)


if __name__ == "__main__":
    main()
