"""Entry point of `python -m backlit` and the command `backlit`."""

import sys


def main() -> None:
    """Run the command line and exit with its status."""
    from backlit.cli.main import run

    if sys.stdout is None or not sys.stdout.isatty():
        from backlit.cli.output import guard_output

        guard_output()
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
