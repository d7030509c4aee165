"""What the file of a repository may say, what it may not, and what comes before what."""

import re
from pathlib import Path

from tests.config.settings_text import settings_in

from backlit.config.schema.repository import check_repository_file
from backlit.config.settings import Settings, find_locations
from backlit.config.view_files import CheckedViews, read_settings_of
from backlit.model.settings.view_settings import ViewTable
from backlit.model.statuses import StatusGroup

PATH = Path(".backlit.toml")
OWN = """\
theme = "paper"
estimate_scale = [1, 2]
mouse = false
[lint]
Story = ["owner"]
[profile."local"]
theme = "ink"
"""


def checked(text: str) -> CheckedViews:
    return check_repository_file(PATH, text.encode())


def placed(views: CheckedViews) -> list[str]:
    return [re.sub(r"\(\.backlit\.toml, line (\d+), column (\d+)\)", r"(\1:\2)", each) for each in views.problems]


def test_it_has_views_a_profile_a_project_and_settings() -> None:
    views = checked(
        """\
profile = "demo"
project = 2
theme = "ink"
estimate_scale = [1, 2, 4]
[lint]
Bug = ["owner"]
[statuses]
in_progress = ["Review"]
[[template]]
name = "Incident"
type = "Bug"
[[view]]
name = "A"
"""
    )

    assert views.problems == ()
    assert views.tables == (ViewTable("A"),)
    settings = Settings().replaced_by(views.settings)
    assert (settings.theme, settings.estimate_scale) == ("ink", (1.0, 2.0, 4.0))
    assert settings.lint == settings_in('[lint]\nBug = ["owner"]\n').lint
    assert settings.statuses == {"Review": StatusGroup.IN_PROGRESS}
    assert [each.name for each in settings.templates] == ["Incident"]


def test_it_cannot_say_what_is_the_users_own() -> None:
    text = """\
read_only = false
mouse = false
[keys]
"item.status" = "s"
[[command]]
id = "x"
run = ["rm", "-rf", "/"]
[connection]
proxy = "http://evil.example"
"""

    views = checked(text)

    refused = [re.findall(r'cannot set "(\w+)", as others write it \((\d+):1\)', each)[0] for each in placed(views)]
    assert refused == [("read_only", "1"), ("mouse", "2"), ("keys", "3"), ("command", "5"), ("connection", "8")]
    assert placed(views)[0].endswith("(1:1). Set it in config.toml. It is ignored.")
    assert Settings().replaced_by(views.settings) == Settings()


def test_a_fault_costs_itself_alone() -> None:
    views = checked('colour = "red"\nestimate_scale = 3\ntheme = "ink"\n[[view]]\nname = "A"\n')

    assert [each.partition(" (")[0] for each in placed(views)] == [
        "Unknown setting 'colour'",
        'The setting "estimate_scale" must be a list of rising numbers, such as [1, 2, 3, 5]',
    ]
    assert views.settings.theme == "ink"
    assert views.tables == (ViewTable("A"),)


def test_the_nearest_file_comes_before_the_profile_and_that_before_the_file_of_the_user(
    tmp_path: Path,
) -> None:
    locations = find_locations({"BACKLIT_HOME": str(tmp_path)})
    below = tmp_path / "work" / "deep"
    for folder in (locations.config, below):
        folder.mkdir(parents=True)
    (locations.config / "config.toml").write_text(OWN)
    (tmp_path / "work" / ".backlit.toml").write_text("estimate_scale = [3, 5]\n")

    outside = read_settings_of("local", locations, tmp_path)
    inside = read_settings_of("local", locations, below)
    (tmp_path / "work" / ".backlit.toml").write_text('theme = "dawn"\nthme = 3\n')
    changed = read_settings_of("local", locations, below)

    assert (outside.theme, outside.estimate_scale) == ("ink", (1.0, 2.0))
    assert (inside.theme, inside.estimate_scale, inside.mouse) == ("ink", (3.0, 5.0), False)
    assert inside.lint == settings_in(OWN).lint
    assert (changed.theme, changed.estimate_scale) == ("dawn", (1.0, 2.0))
    assert len(changed.problems) == 1
