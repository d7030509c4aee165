"""What `config.toml` says, and what is said of its faults."""

# ruff: noqa: E501 - a sentence stands on one line

import pytest
from tests.config.settings_text import problems_in, settings_in

from backlit.config.settings import ESTIMATE_SCALE, Motion, Settings
from backlit.model.fields import ItemType, Kind
from backlit.model.person_load import PersonLoad
from backlit.model.ready_check import USUAL_RULES
from backlit.model.settings.user_settings import RELEASE, BoardSettings, ColumnSettings, OwnNames, Template
from backlit.model.statuses import StatusGroup

FAULTY_FILES = {
    "keys": (
        """\
preset = "emacs"
[keys]
"item.status" = ["s", "c s"]
"item.done" = 3
"app.board" = "entre"
item.log = "l"
""",
        (
            'The setting "preset" must be one of "vim", "arrows" (1:10). The default is used.',
            'The setting "item.done" of [keys] must be a sequence such as "c s", a list of them, or false (4:15). It is left out.',
            "There is no key “entre” (5:15). Did you mean “enter”? It is left out.",
            'Write the id of a command in quotes, such as "item.status" = "s" (6:1). It is left out.',
        ),
    ),
    "misspelled-keys": (
        """\
thme = "paper"
mouse = true

[groom]
feilds = ["PriorityClass"]

[lint]
Storie = ["estimate"]
stale_dys = 30
""",
        (
            "Unknown setting 'thme' (1:1). Did you mean 'theme'? It is ignored.",
            "Unknown setting 'feilds' of [groom] (5:1). Did you mean 'fields'? It is ignored.",
            "Unknown setting 'Storie' of [lint] (8:1). Did you mean 'Story'? It is ignored.",
            "Unknown setting 'stale_dys' of [lint] (9:1). Did you mean 'stale_days'? It is ignored.",
        ),
    ),
    "values-of-other-types": (
        """\
theme = 3
mouse = "yes"
images = "ascii"
estimate_scale = [1, "two", 3]
project = "Aurora"
""",
        (
            'The setting "theme" must be a text, such as theme = "paper" (1:9). The default is used.',
            'The setting "mouse" must be true or false (2:9). The default is used.',
            'The setting "images" must be true, false, or one of "kitty", "blocks" (3:10). The default is used.',
            'The setting "estimate_scale" must be a list of rising numbers, such as [1, 2, 3, 5] (4:18). The default is used.',
            'The setting "project" must be the number of a project (5:11). The default is used.',
        ),
    ),
    "rules-of-the-check": (
        """\
[lint]
Story = ["estimate", "hat", "maturty"]
Bug = "triage"
Task = ["estimate"]
stale_days = 0
""",
        (
            "Unknown rule 'hat' (2:22). Choose from: estimate, owner, area, triage, blocking, maturity, stale, feature, criteria, blocked, overdue. It is left out.",
            "Unknown rule 'maturty' (2:29). Choose from: estimate, owner, area, triage, blocking, maturity, stale, feature, criteria, blocked, overdue. Did you mean 'maturity'? It is left out.",
            'The setting "Bug" of [lint] must be a list, such as Bug = ["estimate"] (3:7). The default is used.',
            'The rule \'estimate\' does not apply to Task (4:9). Use ["owner", "stale", "blocked", "overdue"]. It is left out.',
            'The setting "stale_days" of [lint] must be 1 or more, such as stale_days = 90 (5:14). The default is used.',
        ),
    ),
    "fields-of-templates": (
        """\
[[template]]
name = "Incident"
type = "bug"
Severity = "2 - High"

[[template]]
name = "Broken"
type = "Bugg"
tasks = ["Look", " "]

[[template]]
name = "Odd"
type = "Bug"
severty = "2 - High"
points = 3
Priority = [1]
""",
        (
            "A template cannot have the type 'Bugg' (8:8). Choose from: Feature, Story, Bug, Issue, Risk, Feedback. Did you mean 'Bug'? The template is left out.",
            'In the setting "tasks" of template 2, entry 2 must not be empty (9:18). The template is left out.',
            "In the template 'Odd', the field 'severty' is unknown (14:1). Did you mean 'severity'? It is left out.",
            "In the template 'Odd', a bug has no writable field 'points' (15:1). It is left out.",
            "In the template 'Odd', Priority must be a text, a number, true or false, or a list of texts (16:12). It is left out.",
        ),
    ),
    "templates-without-a-name": (
        """\
[[template]]
type = "Bug"

[[template]]
nmae = "Incident"
type = "Bug"

[[template]]
name = "Good"
type = "Bug"
""",
        (
            'The setting "name" of template 1 is missing (1:1). Add, for example: name = "Incident". The template is left out.',
            "In a template without a name, the field 'nmae' is unknown (5:1). Did you mean 'name'? The template is left out.",
        ),
    ),
    "board": (
        """\
[board]
columns = "statis"
lanes = "name"
colour = 1

[[board.column]]
values = ["Open"]
limit = 0

[[board.column]]
name = "Doing"

[[board.column]]
values = ["Done"]
wip = 3
collapsed = "no"
""",
        (
            "A board cannot have columns by 'statis' (2:11). Choose from: status, iter, release, owner, team, severity. Did you mean 'status'? The default is used.",
            "A board cannot have swimlanes by 'name' (3:9). Choose from: area, iter, owner, team, tags, feature, parent, type, severity. The default is used.",
            "Unknown setting 'colour' of [board] (4:1). Did you mean 'column'? It is ignored.",
            'The setting "limit" of column 1 must be 1 or more (8:9). The default is used.',
            'The setting "values" of column 2 is missing (10:1). Add, for example: values = ["In Progress"]. The column is left out.',
            "Unknown setting 'wip' of column 3 (15:1). Choose from: values, of, name, limit, collapsed. It is ignored.",
            'The setting "collapsed" of column 3 must be true or false (16:13). The default is used.',
        ),
    ),
    "capacities": (
        """\
capacity = {maya = "much", jon = {points = 8, days = 3}, ada = 6}

[capacity_in."Sprint 15"]
maya = -1
rex = 5

[capacity_in]
"Sprint 16" = 3
""",
        (
            'The setting "maya" of [capacity] must give points by user name, such as maya = 8, or jon = {points = 8, hours = 60} (1:20). It is left out.',
            'The setting "jon" of [capacity] must give points by user name, such as maya = 8, or jon = {points = 8, hours = 60} (1:34). It is left out.',
            'The setting "maya" of [capacity_in.Sprint 15] must give points by user name, such as maya = 8, or jon = {points = 8, hours = 60} (4:8). It is left out.',
            'The setting "Sprint 16" of [capacity_in] must be a table (8:15). It is left out.',
        ),
    ),
    "own-names": (
        """\
[teams]
Payments = 3
4 = "Search"
5 = 6

[fields]
Ticket = "text"
Due_cf = "dates"
Size_cf = "number"

[statuses]
in_progres = ["Review"]
done = "Archived"
not_started = ["Later", 3]
""",
        (
            'The key "Payments" of [teams] must be the number of a team, such as 3 = "Payments" (2:1). It is left out.',
            'The setting "5" of [teams] must be a text (4:5). It is left out.',
            'The key "Ticket" of [fields] must be a field of a project, whose key ends in _cf, such as Ticket_cf = "text" (7:1). It is left out.',
            "A field cannot have the kind 'dates' (8:10). Choose from: text, long text, integer, number, boolean, date, tags. Did you mean 'date'? It is left out.",
            "Unknown setting 'in_progres' of [statuses] (12:1). Did you mean 'in_progress'? It is ignored.",
            'The setting "done" of [statuses] must be a list, such as done = ["Review"] (13:8). The default is used.',
            'In the setting "not_started" of [statuses], entry 2 must be a text (14:25). It is left out.',
        ),
    ),
    "fields-to-ask-for-and-views": (
        """\
[groom]
fields = ["PriorityClas", "id", "Channel_cf", 3]

[[view]]
name = "Bugs"
""",
        (
            "Unknown field 'PriorityClas' (2:11). Did you mean 'PriorityClass'? It is left out.",
            "id is read-only (2:27). It is left out.",
            'In the setting "fields" of [groom], entry 4 must be a text (2:47). It is left out.',
            "Move the views to views.toml beside this file (4:1). They are ignored.",
        ),
    ),
    "no-tables": (
        """\
lint = 3
groom = ["PriorityClass"]
teams = ["Payments"]
template = "Bug"
board = "status"
statuses = 1
fields = 2
""",
        (
            'The setting "lint" must be a table, such as [lint] with Story = ["estimate"] (1:8). The default is used.',
            'The setting "groom" must be a table, such as [groom] with fields = ["PriorityClass"] (2:9). The default is used.',
            'The setting "teams" must be a table, such as [teams] with 3 = "Payments" (3:9). The default is used.',
            'The setting "template" must be a list, such as [[template]] with name = "Incident" and type = "Bug" (4:12). The default is used.',
            'The setting "board" must be a table, such as [board] with lanes = "area" (5:9). The default is used.',
            'The setting "statuses" must be a table, such as [statuses] with in_progress = ["Review"] (6:12). The default is used.',
            'The setting "fields" must be a table, such as [fields] with Ticket_cf = "text" (7:10). The default is used.',
        ),
    ),
}
"""Ten faulty files with what is said of each, its place as line:column."""


@pytest.mark.parametrize(("text", "problems"), FAULTY_FILES.values(), ids=FAULTY_FILES)
def test_every_fault_is_told_with_its_place_and_the_word_that_is_meant(text: str, problems: tuple[str, ...]) -> None:
    assert problems_in(text) == problems


def test_a_fault_leaves_the_settings_beside_it() -> None:
    rules = settings_in(FAULTY_FILES["rules-of-the-check"][0])
    templates = settings_in(FAULTY_FILES["fields-of-templates"][0]).templates
    board = settings_in(FAULTY_FILES["board"][0]).board
    capacities = settings_in(FAULTY_FILES["capacities"][0]).capacities
    names = settings_in(FAULTY_FILES["own-names"][0])

    assert rules.lint.types_by_rule["estimate"] == USUAL_RULES.types_by_rule["estimate"]
    assert ItemType.STORY not in rules.lint.types_by_rule["maturity"]
    assert [template.name for template in templates] == ["Incident", "Odd"]
    assert board is not None
    assert [column.values for column in board.column] == [("Open",), ("Done",)]
    assert capacities.usual == {"ada": PersonLoad(6.0)}
    assert capacities.special == {"Sprint 15": {"rex": PersonLoad(5.0)}}
    assert names.names == OwnNames({4: "Search"}, None, {"Size_cf": Kind.NUMBER})
    assert names.statuses == {"Later": StatusGroup.NOT_STARTED}


def test_a_file_without_faults_says_nothing() -> None:
    assert settings_in("") == Settings()


@pytest.mark.parametrize("content", ["theme = ", "\x00", "a = " + "[" * 100_000, "a = " + "9" * 5000])
def test_a_file_that_is_no_toml_has_one_problem(content: str) -> None:
    [problem] = settings_in(content).problems

    assert problem.startswith("Could not read config.toml")
    assert problem.endswith(". Correct it; until then the defaults are used.")


def test_a_scale_of_estimates_is_read() -> None:
    assert settings_in("estimate_scale = [0.5, 1, 2]").estimate_scale == (0.5, 1, 2)


@pytest.mark.parametrize("scale", ["[]", "3", "[1, 'two']", "[2, 1]", "[1, 1]", "[-1, 1]", "[true, 2]", "[1, inf]"])
def test_a_scale_that_does_not_rise_is_said(scale: str) -> None:
    settings = settings_in(f"estimate_scale = {scale}")

    [problem] = settings.problems
    assert '"estimate_scale" must be a list of rising numbers' in problem
    assert settings.estimate_scale == ESTIMATE_SCALE


def test_capacities_of_people_are_read() -> None:
    own = settings_in(
        "[capacity]\nmaya = 10\njon = {points = 8, hours = 60}\nada = {hours = 6.5}\nrex = 0\n"
        '[capacity_in."Sprint 15"]\nmaya = 5\nrex = {}\n'
    ).capacities

    assert own.of("maya", "Sprint 14") == PersonLoad(10.0)
    assert own.of("maya", "Sprint 15") == PersonLoad(5.0)
    assert own.of("jon", "Sprint 15") == PersonLoad(8.0, 60.0)
    assert own.of("lena", "Sprint 15") is None
    assert [own.of(user, "Sprint 14") for user in ("ada", "rex")] == [PersonLoad(0.0, 6.5), PersonLoad()]
    assert own.of("rex", "Sprint 15") == PersonLoad()


@pytest.mark.parametrize("value", ["'much'", "-1", "true", "{days = 3}", "[3]", "nan"])
def test_a_capacity_that_makes_no_sense_is_said(value: str) -> None:
    [problem] = settings_in(f"[capacity]\nmaya = {value}\njon = 3").problems

    assert problem.startswith('The setting "maya" of [capacity] must give points by user name, such as maya = 8, or')


@pytest.mark.parametrize(("written", "images"), [("true", "auto"), ("false", "off"), ('"kitty"', "kitty")])
def test_the_way_in_which_pictures_are_shown_can_be_named(written: str, images: str) -> None:
    assert settings_in(f"images = {written}").images == images


@pytest.mark.parametrize(("written", "presence"), [("", True), ('presence = "on"', True), ('presence = "off"', False)])
def test_presence_is_told_unless_it_is_off(written: str, presence: bool) -> None:
    settings = settings_in(written)

    assert settings.presence is presence
    assert settings.problems == ()


def test_another_presence_is_said_with_those_that_there_are() -> None:
    settings = settings_in("presence = false")

    assert settings.presence
    assert 'must be "on" or "off"' in settings.problems[0]


@pytest.mark.parametrize("motion", Motion)
def test_motion_can_be_named(motion: Motion) -> None:
    assert settings_in(f'motion = "{motion}"').motion is motion


@pytest.mark.parametrize("written", ["true", '"none"', "0"])
def test_another_motion_is_said_with_those_that_there_are(written: str) -> None:
    settings = settings_in(f"motion = {written}")

    assert settings.motion is Motion.AUTO
    [problem] = settings.problems
    assert problem.startswith('The setting "motion" must be one of "auto", "full", "reduced"')


def test_the_rules_of_the_ready_check_and_the_fields_to_ask_for_are_read() -> None:
    settings = settings_in(
        '[lint]\nStory = ["estimate"]\nstale_days = 30\n'
        '[groom]\nfields = ["priorityclass", "Channel_cf", "ITERATIONID", "PriorityClass"]\n'
    )

    assert [rule for rule, types in settings.lint.types_by_rule.items() if "Story" in types] == ["estimate"]
    assert settings.stale_days == 30
    assert settings.groom_fields == ("PriorityClass", "Channel_cf", "IterationID")


def test_teams_fields_project_and_statuses_are_read() -> None:
    settings = settings_in(
        'project = 2\n[teams]\n3 = "Payments"\n[fields]\nTicket_cf = "long text"\n'
        '[statuses]\nin_progress = ["Review", "Merge"]\ndone = ["Archived"]\n'
    )

    assert settings.names == OwnNames({3: "Payments"}, 2, {"Ticket_cf": Kind.LONG_TEXT})
    assert settings.statuses == {
        "Review": StatusGroup.IN_PROGRESS,
        "Merge": StatusGroup.IN_PROGRESS,
        "Archived": StatusGroup.DONE,
    }


@pytest.mark.parametrize("project", ['"Aurora"', "true", "1.0", "99999999999999999999"])
def test_a_project_that_is_no_number_is_said(project: str) -> None:
    [problem] = settings_in(f"project = {project}").problems

    assert problem.startswith('The setting "project" must be the number of a project')


def test_a_template_names_fields_by_their_short_keys_too() -> None:
    text = """
[[template]]
name = " Incident "
type = "bug"
est = 3
tags = ["support"]
Name = "Incident: "
Priority = 0.5
IsTriaged = true
Colour_CF_cf = true
tasks = [" Look "]
"""
    fields = {"Estimate": 3, "Tags": ["support"], "Name": "Incident: ", "Priority": 0.5, "IsTriaged": True}

    assert settings_in(text).templates == (
        Template("Incident", ItemType.BUG, {**fields, "Colour_CF_cf": True}, ("Look",)),
    )


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ('type = "Bug"', 'The setting "name" of template 1 is missing (1:1). Add, for example: name = "Incident". The template is left out.'),
        ('name = "A"', 'The setting "type" of template 1 is missing (1:1). Add, for example: type = "Bug". The template is left out.'),
        ('name = "A"\ntype = "Task"', "A template cannot have the type 'Task' (3:8). Choose from: Feature, Story, Bug, Issue, Risk, Feedback. The template is left out."),
        ('name = " "\ntype = "Bug"', 'The setting "name" of template 1 must not be empty (2:8). The template is left out.'),
        ('name = 3\ntype = "Bug"', 'The setting "name" of template 1 must be a text, such as name = "Incident" (2:8). The template is left out.'),
        ('name = "A"\ntype = "Bug"\ntags = [3]', "In the template 'A', tags must be a text, a number, true or false, or a list of texts (4:8). It is left out."),
        ('name = "A"\ntype = "Bug"\nPriority = inf', "In the template 'A', Priority must be a text, a number, true or false, or a list of texts (4:12). It is left out."),
        ('name = "A"\ntype = "Bug"\ntasks = "Look"', 'The setting "tasks" of template 1 must be a list, such as tasks = ["Find the cause"] (4:9). The default is used.'),
        ('name = "A"\ntype = "Feedback"\nest = 3', "In the template 'A', a feedback has no writable field 'est' (4:1). It is left out."),
        ('name = "A"\ntype = "Bug"\nBacklogPriority = 3', "In the template 'A', a bug has no writable field 'BacklogPriority' (4:1). It is left out."),
        ('name = "A"\ntype = "Bug"\nSyncID = "x"', "In the template 'A', a bug has no writable field 'SyncID' (4:1). It is left out."),
    ],
)  # fmt: skip
def test_a_faulty_template_is_told_with_its_name(table: str, problem: str) -> None:
    assert problems_in(f"[[template]]\n{table}\n") == (problem,)


def board_in(text: str) -> BoardSettings | None:
    """The settings of a board, without the text of them."""
    board = settings_in(text).board
    return board and BoardSettings(board.columns, board.lanes, board.column)


def test_a_board_has_columns_lanes_and_limits_by_the_names_of_queries() -> None:
    text = """
[board]
columns = "owner"
lanes = "area"
[[board.column]]
values = ["In Progress", "Active"]
name = "Doing"
limit = 5
collapsed = true
[[board.column]]
of = "status"
values = "Done"
limit = 1
"""
    doing = ColumnSettings("AssignedToID", ("In Progress", "Active"), "Doing", 5, is_collapsed=True)

    assert board_in("[board]") == BoardSettings("Status", "")
    assert board_in(text) == BoardSettings(
        "AssignedToID", "AreaID", (doing, ColumnSettings("Status", ("Done",), "", 1))
    )


@pytest.mark.parametrize(
    ("lanes", "key"),
    [("", ""), ("type", "type"), ("tags", "Tags"), ("parent", "ParentID"), ("priority", "Priority"), ("O_cf", "O_cf")],
)
def test_a_board_has_lanes_by_many_kinds_of_fields(lanes: str, key: str) -> None:
    assert board_in(f'[board]\nlanes = "{lanes}"') == BoardSettings(lanes=key)


@pytest.mark.parametrize(("columns", "key"), [("Release", RELEASE), ("Channel_cf", "Channel_cf")])
def test_columns_can_be_releases_and_own_fields(columns: str, key: str) -> None:
    assert board_in(f'[board]\ncolumns = "{columns}"') == BoardSettings(columns=key)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("board = 5", "must be a table"),
        ('[board]\ncolumns = "Description"', "cannot have columns by"),
        ("[board]\ncolumns = 3", "must be a text"),
        ('[board]\nlanes = "name"', "cannot have swimlanes by"),
        ('[board]\ncolumns = ""', "cannot have columns by"),
        ('[board]\ncolums = "status"', "Did you mean 'columns'?"),
        ('[board]\ncolumn = "Done"', "[[board.column]]"),
        ("[[board.column]]\nvalues = [3]", "entry 1 must be a text"),
        ("[[board.column]]\nvalues = []", '"values" of column 1 must not be empty'),
        ("[[board.column]]", '"values" of column 1 is missing'),
        ('[[board.column]]\nvalues = ["Done"]\nlimit = 1.5', '"limit" of column 1 must be a whole number'),
        ('[[board.column]]\nvalues = ["Done"]\nlimit = true', '"limit" of column 1 must be a whole number'),
        ('[[board.column]]\nvalues = ["Done"]\nlimit = 0', '"limit" of column 1 must be 1 or more'),
        ('[[board.column]]\nvalues = ["Done"]\nname = 3', '"name" of column 1 must be a text'),
        ('[[board.column]]\nvalues = ["Done"]\nwip = 1', "Unknown setting 'wip' of column 1"),
    ],
)
def test_board_faults_name_the_setting(text: str, words: str) -> None:
    [problem] = settings_in(text).problems

    assert words in problem
