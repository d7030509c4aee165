"""Lists the benchmarks, a line for each."""

import ast
from pathlib import Path

BENCHMARKS = ("start", "keys", "wire", "board", "service", "slow_clients", "store", "chaos", "mutants", "soak")


def main() -> None:
    """Print the name and the first sentence of every benchmark."""
    print("Benchmarks; each has --help:\n")
    for name in BENCHMARKS:
        path = Path(__file__).with_name(f"{name}.py")
        first = (ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or "").split("\n", 1)[0]
        print(f"  python -m benchmarks.{name:<12} {first}")


if __name__ == "__main__":
    main()
