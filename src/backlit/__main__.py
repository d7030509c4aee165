"""Entry point of `python -m backlit` and the command `backlit`."""

import sys


def main() -> None:
    """Run the command line and exit with its status."""
    from backlit.cli.main import run

    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
