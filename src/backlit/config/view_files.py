"""Files of saved views: the user's own, and the repository's."""

from pathlib import Path

from msgspec import Struct

from backlit.config.settings import Locations, shared_files
from backlit.model.settings.user_settings import toml_in


class ViewTables(Struct, frozen=True):
    """The tables of saved views with their files, and a sentence for each fault of a file."""

    tables: list[tuple[Path, object]]
    problems: list[str]


def read_views(locations: Locations, directory: Path) -> ViewTables:
    """Read the tables of saved views: those of the user's `views.toml`, then the repository's.

    The repository's file is the nearest one in the directory or above it. A fault in one file leaves the other, and
    an unknown key the views beside it.
    """
    tables: list[tuple[Path, object]] = []
    problems = []
    own = locations.config / "views.toml"
    for path in [own, *shared_files(directory)]:
        try:
            values = toml_in(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            continue
        except (OSError, ValueError) as error:
            problems.append(f"Could not read the views: {error} ({path}). Its views are left out.")
            continue
        unknown = sorted(values.keys() - ({"view"} if path == own else {"view", "profile", "project"}))
        if unknown:
            names = ", ".join(map(repr, unknown))
            problems.append(f"Unknown in a file of views: {names}. Write each view as a [[view]] ({path}).")
        found = values.get("view", [])
        tables.extend((path, table) for table in (found if isinstance(found, list) else [found]))
    return ViewTables(tables, problems)
