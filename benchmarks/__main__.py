"""Lists the benchmarks, a line for each."""

import ast
from pathlib import Path

SHARED = {"__init__", "__main__", "driver", "screen", "table", "targets", "minimal_app"}


def main() -> None:
    """Print the name and the first sentence of every benchmark."""
    print("Benchmarks; each has --help:\n")
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem not in SHARED:
            first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n", 1)[0]
            print(f"  python -m benchmarks.{path.stem:<9} {first}")


if __name__ == "__main__":
    main()
