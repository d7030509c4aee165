"""The grammar of `backlit config`."""

from backlit.cli.common_options import add_display, add_formats, add_target
from backlit.cli.late_parser import LateParser

KEY = "name of a setting, such as theme or lint.stale_days"


def add_verbs(config: LateParser) -> None:
    verbs = config.add_verbs()

    def verb(name: str, function: str, words: str) -> LateParser:
        command = verbs.add_parser(name, help=words, description=words)
        add_display(command)
        command.set_defaults(handler=f"commands.config:{function}")
        return command

    verb("path", "print_path", "print the path of config.toml")
    show = verb("show", "show_settings", "print config.toml, or the settings that hold and where each is from")
    show.add_argument("--origin", action="store_true", help="list each setting with its value and where that is from")
    add_formats(show)
    add_target(show)
    verb("check", "check_file", "list the faults of config.toml and of the files of views, each with its place")
    verb("schema", "print_schema", "print the JSON Schema of config.toml")
    verb("sample", "print_sample", "print a config.toml with every setting as a comment")
    verb("edit", "edit_file", "open config.toml in your editor (VISUAL, EDITOR), then check it")
    verb("get", "get_setting", "print a setting of config.toml as JSON").add_argument("key", metavar="KEY", help=KEY)
    setting = verb("set", "set_setting", "write a setting into config.toml; what is wrong is not written")
    setting.add_argument("key", metavar="KEY", help=KEY)
    setting.add_argument("value", metavar="VALUE", help="value as TOML; other words are a text")
    verb("unset", "unset_setting", "remove a setting from config.toml").add_argument("key", metavar="KEY", help=KEY)
