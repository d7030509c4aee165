"""The grammar of `backlit files`."""

from backlit.cli.common_options import add_formats, add_reading, add_writing
from backlit.cli.late_parser import LateParser
from backlit.cli.option_values import item_word, number

FILE_ID = "number of the file, as files list writes it"


def add_verbs(files: LateParser) -> None:
    verbs = files.add_verbs()

    def verb(name: str, function: str, words: str) -> LateParser:
        command = verbs.add_parser(name, help=words, description=words)
        command.add_argument("id", type=item_word, metavar="ID", help="number of the item")
        command.set_defaults(handler=f"commands.files:{function}")
        return command

    listing = verb("list", "list_files", "list the files of an item")
    add_formats(listing)
    add_reading(listing)
    add = verb("add", "add_files", "attach files to an item, at once: they do not wait in the outbox")
    add.add_argument("paths", nargs="+", metavar="FILE", help="files to attach; - for standard input, with --name")
    add.add_argument("--name", metavar="NAME", default="", help="name of the file of standard input")
    add.add_argument("--description", metavar="TEXT", default="", help="description of the files")
    add.add_argument("--customers-see", action="store_true", help="customers see the files")
    get = verb("get", "get_files", "save files of an item; never overwrites one")
    get.add_argument("files", nargs="*", type=number, metavar="FILE-ID", help=f"{FILE_ID} (default: all)")
    get.rest = "files"
    place = get.add_mutually_exclusive_group()
    place.add_argument("--folder", metavar="DIRECTORY", default=".", help="where to save them (default: here)")
    place.add_argument("--all", metavar="DIRECTORY", help="save all files in this directory, which is made if needed")
    place.add_argument("--output", metavar="PATH", help="save the one file under this name; - for standard output")
    get.add_argument(
        "--no-clobber", action="store_true", help="leave out files whose name is there (default: add a number to it)"
    )
    describe = verb("describe", "describe_file", "change the description of a file")
    describe.add_argument("file", type=number, metavar="FILE-ID", help=FILE_ID)
    describe.add_argument("text", metavar="TEXT", help="the description")
    delete = verb("delete", "delete_file", "delete a file for good")
    delete.add_argument("file", type=number, metavar="FILE-ID", help=FILE_ID)
    for command in (add, get, describe, delete):
        add_writing(command, is_waiting=False, has_yes=command is delete)
