"""Lists the benchmarks, a line for each, or runs one: `python -m benchmarks NAME [--json FILE] [its options]`."""

import ast
import os
import sys
from importlib import import_module
from pathlib import Path

from benchmarks.table import JSON_FILE

BENCHMARKS = (
    *("start", "keys", "peers", "held_keys", "wire", "board", "service", "slow_clients", "store", "fill", "compare"),
    *("generated_bursts", "chaos", "mutants", "scans", "soak", "reports", "followers", "live", "live_screen"),
    "commands",
)


def main() -> None:
    """Run the benchmark that the first argument names; without one, print the name and first sentence of each."""
    if len(sys.argv) > 1 and sys.argv[1] in BENCHMARKS:
        name = sys.argv.pop(1)
        if "--json" in sys.argv:
            place = sys.argv.index("--json")
            os.environ[JSON_FILE] = str(Path(sys.argv[place + 1]).absolute())
            del sys.argv[place : place + 2]
        import_module(f"benchmarks.{name}").main()
        return
    print("Benchmarks; each has --help, and --json FILE adds its tables to a file:\n")
    for name in BENCHMARKS:
        path = Path(__file__).with_name(f"{name}.py")
        first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n", 1)[0]
        print(f"  python -m benchmarks {name:<12} {first}")


if __name__ == "__main__":
    main()
