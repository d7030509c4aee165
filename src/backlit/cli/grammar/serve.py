"""The grammar of `backlit serve`."""

import argparse
from collections.abc import Sequence
from functools import partial

from backlit.cli.late_parser import LateParser
from backlit.cli.option_values import count, number, port, size
from backlit.cli.server_config import config_in, words_of_config
from backlit.config.sample import DEMO_ITEMS, DEMO_SEED


def add_config(command: LateParser, words: str) -> None:
    """Add `--config FILE`, a file of options of `backlit serve`; another command reads those that it has."""
    command.add_argument("--config", metavar="FILE", help=words)
    command.more_words = partial(_words_of_config, command)


def _words_of_config(command: LateParser, words: Sequence[str]) -> Sequence[str]:
    path = config_in(words)
    if not path:
        return ()
    serve = LateParser()
    fill_serve(serve)
    return words_of_config(path, command.options, serve.options)


def fill_serve(serve: LateParser) -> None:
    add_config(serve, "read options from this TOML file, such as port = 8484; those of the command line win")
    serve.add_argument("--host", default="127.0.0.1", help="address to listen on (%(default)s)")
    serve.add_argument("--port", type=port, default=8484, help="port to listen on (%(default)s)")
    serve.add_argument("--database", metavar="URL", help="database, as sqlite:///path or postgresql://user@host/name")
    serve.add_argument("--files", metavar="PLACE", help="attachments: a directory, or s3://bucket/prefix")
    serve.add_argument(
        "--max-upload",
        type=size,
        default="100M",
        metavar="SIZE",
        help="largest file that can be attached (%(default)s)",
    )
    serve.add_argument("--service-name", metavar="NAME", default="backlit", help="name of the service (%(default)s)")
    serve.add_argument("--sample", action="store_true", help="serve a sample workspace with publicly known passwords")
    serve.add_argument("--yes-really", action="store_true", help="allow other machines to reach the sample")
    add_sample(serve)
    _add_operation(serve)


def _add_operation(serve: argparse.ArgumentParser) -> None:
    group = serve.add_argument_group("operation")
    group.add_argument("--tls-cert", metavar="FILE", help="serve https with this certificate (PEM, with its chain)")
    group.add_argument("--tls-key", metavar="FILE", help="the certificate's key (PEM)")
    group.add_argument(
        "--trusted-proxy",
        metavar="ADDRESS",
        action="append",
        default=[],
        help="trust X-Forwarded-For, -Proto and -Host from this address or network; repeatable",
    )
    group.add_argument(
        "--workers",
        type=number,
        default=1,
        metavar="N",
        help="number of worker processes; needs PostgreSQL (%(default)s)",
    )
    group.add_argument(
        "--max-requests", type=number, default=256, metavar="N", help="maximum concurrent requests (%(default)s)"
    )
    group.add_argument(
        "--max-followers",
        type=number,
        default=2000,
        metavar="N",
        help="maximum programs that follow the changes, for each process; further ones poll (%(default)s)",
    )
    group.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        help="log level; JSON lines on standard error (info; warning with --sample)",
    )
    group.add_argument(
        "--presence", choices=("on", "off"), default="on", help="tell people who edits which item (%(default)s)"
    )
    group.add_argument("--legacy-clients", action="store_true", help="compatibility mode for older API clients")


def add_sample(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--items", type=count, default=DEMO_ITEMS, metavar="N", help="number of sample items (%(default)s)"
    )
    command.add_argument(
        "--seed", type=count, default=DEMO_SEED, metavar="S", help="random seed of the sample (%(default)s)"
    )
