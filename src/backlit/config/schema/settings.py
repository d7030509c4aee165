"""The model of `config.toml`, and the settings that a checked one holds."""

import json
from collections.abc import Collection, Mapping
from datetime import date
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    create_model,
)

from backlit.config.kept_checks import RECENT_SECONDS
from backlit.config.schema.aliases import AliasName, AliasWords
from backlit.config.schema.calendar import read_date_format, read_days, read_weekday, read_weekdays
from backlit.config.schema.connections import ConnectionTable, ProfileConnectionTable
from backlit.config.schema.documents import Listed, Table, check_document, fault, must, said
from backlit.config.schema.due import DueTable
from backlit.config.schema.notify import NotifyTable
from backlit.config.schema.own_commands import CommandTable, check_ids
from backlit.config.schema.own_keys import read_key_change, read_preset
from backlit.config.schema.programs import read_program, read_seconds
from backlit.config.schema.secrets_table import SecretsTable
from backlit.config.schema.templates import LARGEST, TemplateTable, is_number
from backlit.config.settings import (
    DEFAULT_THEME,
    ESTIMATE_SCALE,
    IMAGE_WAYS,
    WAIT_SECONDS,
    Motion,
    PartialSettings,
    Settings,
)
from backlit.model.dates import DateFormat
from backlit.model.fields import FIELD_BY_KEY, SYNC_KEYS, ItemType, Kind, Settable
from backlit.model.person_load import PersonLoad
from backlit.model.query.keys import field_named
from backlit.model.ready_check import RULE_BY_ID, STALE_DAYS, askable_field_key, check_rule, ready_rules_of
from backlit.model.settings.key_sequences import KeyChange, KeyPreset
from backlit.model.settings.shared_settings import USUAL_WORKING_DAYS
from backlit.model.settings.user_settings import (
    COLUMN_WORDS,
    KINDS,
    LANE_WORDS,
    STATUS,
    BoardSettings,
    ColumnSettings,
    OwnCapacities,
    OwnNames,
    Template,
    column_key,
    lane_key,
    toml_in,
)
from backlit.model.statuses import CONFIGURABLE, StatusGroup

MAX_STALE_DAYS = 36_500
LOAD_EXAMPLE = "maya = 8, or jon = {points = 8, hours = 60}"
_GROUPS = {group.replace(" ", "_"): group for group in CONFIGURABLE}


def _askable_words(word: str) -> Collection[str]:
    """Return the fields that grooming can ask for; none for a field that it cannot ask for."""
    if field_named(word) is not None:
        return ()
    return [key for key, field in FIELD_BY_KEY.items() if field.settable is Settable.ALWAYS and key not in SYNC_KEYS]


def _read_scale(value: object) -> tuple[float, ...]:
    steps = value if isinstance(value, list) else []
    are_amounts = all(is_number(step) and step >= 0 for step in steps)
    if not (steps and are_amounts and all(one < other for one, other in pairwise(steps))):
        must("must be a list of rising numbers, such as [1, 2, 3, 5]")
    return tuple(float(step) for step in steps)


def _read_images(value: object) -> str:
    if isinstance(value, bool):
        return "auto" if value else "off"
    if value not in IMAGE_WAYS:
        ways = ", ".join(f'"{way}"' for way in IMAGE_WAYS)
        must(f"must be true, false, or one of {ways}")
    return str(value)


def _read_ascii(value: object) -> bool | None:
    if value != "auto" and not isinstance(value, bool):
        must('must be true, false or "auto"')
    return value if isinstance(value, bool) else None


def _read_low_bandwidth(value: object) -> bool | None:
    if value != "auto" and not isinstance(value, bool):
        must('must be true, false or "auto"')
    return value if isinstance(value, bool) else None


def _read_presence(value: object) -> bool:
    if value not in {"on", "off"}:
        must('must be "on" or "off"')
    return value == "on"


def _read_motion(value: object) -> Motion:
    if value not in set(Motion):
        ways = ", ".join(f'"{way}"' for way in Motion)
        must(f"must be one of {ways}")
    return Motion(str(value))


def _read_load(value: object) -> PersonLoad:
    amounts: dict[str, Any] = value if isinstance(value, dict) else {"points": value}
    if amounts.keys() - {"points", "hours"} or not all(is_number(each) and each >= 0 for each in amounts.values()):
        must(f"must give points by user name, such as {LOAD_EXAMPLE}")
    return PersonLoad(float(amounts.get("points", 0)), float(amounts.get("hours", 0)))


def _check_project(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LARGEST:
        must("must be the number of a project")
    return value


def _check_team(key: str) -> str:
    if not key.isdecimal() or int(key) > LARGEST:
        must('must be the number of a team, such as 3 = "Payments"')
    return key


def _check_custom_key(key: str) -> str:
    if not key.endswith("_cf"):
        must(f"must be a field of a project, whose key ends in _cf, such as Ticket_cf = {json.dumps(KINDS[0])}")
    return key


def _read_kind(value: object) -> Kind:
    if value not in KINDS:
        raise fault(f"A field cannot have the kind {value!r}. Choose from: {', '.join(KINDS)}.", value, KINDS)
    return Kind(str(value))


def _refuse_views(_value: object) -> None:
    raise fault("Move the views to views.toml beside this file.", effect="They are ignored.", is_about_key=True)


def _rules_of(item_type: ItemType) -> Any:
    def check(rule_id: str) -> None:
        check_rule(item_type, rule_id)

    rules = list[Annotated[str, said(check, lambda _: RULE_BY_ID)]]
    fitting = next(name for name, rule in RULE_BY_ID.items() if item_type in rule.types)
    words = f"The rules for items of the type {item_type}."
    return (rules | None, Field(default=None, examples=[f'{item_type} = ["{fitting}"]'], description=words))


if TYPE_CHECKING:

    class LintTable(Table):
        """The table `[lint]`: rules by type of item, and the days after which an item is stale."""

    class StatusesTable(Table):
        """The table `[statuses]`: statuses by group."""

else:
    LintTable = create_model(
        "LintTable",
        __base__=Table,
        stale_days=(
            int,
            Field(
                default=STALE_DAYS,
                ge=1,
                le=MAX_STALE_DAYS,
                examples=["stale_days = 90"],
                description="The days without a change after which an item is stale.",
            ),
        ),
        **{item_type.value: _rules_of(item_type) for item_type in ItemType},
    )
    StatusesTable = create_model(
        "StatusesTable",
        __base__=Table,
        **{
            name: (
                list[str],
                Field(default=[], examples=[f'{name} = ["Review"]'], description=f"Statuses that mean “{group}”."),
            )
            for name, group in _GROUPS.items()
        },
    )


class GroomTable(Table):
    """The table `[groom]`."""

    fields: list[Annotated[str, said(askable_field_key, _askable_words)]] = Field(
        [], examples=['fields = ["PriorityClass"]']
    )
    """Fields that grooming asks for beside those of the readiness check."""


class ColumnTable(Table):
    """A table `[[board.column]]`."""

    values: Annotated[list[str], Listed] = Field(min_length=1, examples=['values = ["In Progress"]'])
    """The values whose items stand in the column."""
    of: Annotated[str, said(column_key, lambda _: COLUMN_WORDS)] | None = None
    """The field of the values; that of `columns` where it is not said."""
    name: str = ""
    """The heading; the values where it is not said."""
    limit: int | None = Field(default=None, ge=1, le=LARGEST)
    """The most items in the column before its heading warns."""
    collapsed: bool | None = None
    """Whether the column is folded at first."""


class BoardTable(Table):
    """The table `[board]`."""

    columns: Annotated[str, said(column_key, lambda _: COLUMN_WORDS)] = STATUS
    """The field whose values are the columns."""
    lanes: Annotated[str, said(lane_key, lambda _: LANE_WORDS)] = ""
    """The field whose values are the lanes; none without it."""
    column: list[ColumnTable] = Field(default=[], examples=['[[board.column]] with values = ["Done"]'])
    """One column, with the values of its items."""


_Load = Annotated[PersonLoad, PlainValidator(_read_load)]


class ProfileTable(Table):
    """A table `[profile."NAME"]`."""

    theme: str | None = None
    read_only: bool | None = None
    motion: Annotated[Motion | None, PlainValidator(_read_motion)] = None
    presence: Annotated[bool | None, PlainValidator(_read_presence)] = None
    project: Annotated[int | None, PlainValidator(_check_project)] = None
    capacity: dict[str, _Load] | None = None
    capacity_in: dict[str, dict[str, _Load]] | None = None
    teams: dict[Annotated[str, AfterValidator(_check_team)], str] | None = None
    fields: (
        dict[Annotated[str, AfterValidator(_check_custom_key)], Annotated[Kind, PlainValidator(_read_kind)]] | None
    ) = None
    statuses: StatusesTable | None = None
    connection: ProfileConnectionTable | None = None
    notify: NotifyTable | None = None
    secrets: SecretsTable | None = None
    low_bandwidth: Annotated[bool | None, PlainValidator(_read_low_bandwidth)] = None
    fresh: Annotated[float | None, PlainValidator(read_seconds)] = None
    wait: Annotated[float | None, PlainValidator(read_seconds)] = None

    def settings(self) -> PartialSettings:
        has_capacity = self.capacity is not None or self.capacity_in is not None
        return PartialSettings(
            theme=self.theme,
            read_only=self.read_only,
            motion=self.motion,
            presence=self.presence,
            notify=None if self.notify is None else self.notify.settings(),
            project_id=self.project,
            teams=None if self.teams is None else {int(key): name for key, name in self.teams.items()},
            kinds=self.fields,
            capacities=OwnCapacities(self.capacity or {}, self.capacity_in or {}) if has_capacity else None,
            statuses=None if self.statuses is None else _groups_of(self.statuses),
            connection=None if self.connection is None else self.connection.settings(),
            secrets=None if self.secrets is None else self.secrets.settings(),
            low_bandwidth=self.low_bandwidth,
            fresh=self.fresh,
            wait=self.wait,
        )


def _groups_of(table: StatusesTable) -> dict[str, StatusGroup]:
    statuses_by_group: dict[str, list[str]] = table.model_dump()
    return {status: _GROUPS[name] for name, statuses in statuses_by_group.items() for status in statuses}


class CommonSettings(Table):
    """What a file of settings may say, the user's own or a repository's."""

    theme: str = Field(default=DEFAULT_THEME, examples=['theme = "paper"'])
    """The colours: a theme that is shipped, or a file of yours in `themes`. See [appearance](appearance.md)."""
    estimate_scale: Annotated[tuple[float, ...], PlainValidator(_read_scale)] = ESTIMATE_SCALE
    """The points that are offered for an estimate, where the project states none."""
    board: BoardTable | None = Field(default=None, examples=['[board] with lanes = "area"'])
    """The columns and lanes of the board. See [board](board.md)."""
    lint: LintTable | None = Field(default=None, examples=['[lint] with Story = ["estimate"]'])
    """The rules of the readiness check by type of item, where the project states none. See [grooming](grooming.md)."""
    groom: GroomTable | None = Field(default=None, examples=['[groom] with fields = ["PriorityClass"]'])
    """What grooming asks for. See [grooming](grooming.md)."""
    template: list[TemplateTable] = Field(default=[], examples=['[[template]] with name = "Incident" and type = "Bug"'])
    """A template for new items. See [backlog](backlog.md)."""
    teams: dict[Annotated[str, AfterValidator(_check_team)], str] = Field(
        default={}, examples=['[teams] with 3 = "Payments"']
    )
    """Names of teams by their numbers, for a server that has none."""
    fields: dict[Annotated[str, AfterValidator(_check_custom_key)], Annotated[Kind, PlainValidator(_read_kind)]] = (
        Field(default={}, examples=['[fields] with Ticket_cf = "text"'])
    )
    """Kinds of a project's own fields by their keys, for a server that states none."""
    due: DueTable | None = Field(default=None, examples=['[due] with field = "DueDate_cf"'])
    """Which field has the due dates of items, for a server that names none."""
    statuses: StatusesTable = Field(
        default_factory=StatusesTable, examples=['[statuses] with in_progress = ["Review"]']
    )
    """Meanings of statuses, for a server that states none. See [files](files.md#your-own-names)."""
    working_days: Annotated[tuple[str, ...], PlainValidator(read_weekdays)] = Field(
        default=USUAL_WORKING_DAYS, examples=['working_days = ["mon", "tue", "wed", "thu"]']
    )
    """The days on which the team works, where the project states none: what reports and capacities count."""
    days_off: Annotated[tuple[date, ...], PlainValidator(read_days)] = Field(
        default=(), examples=["days_off = [2026-12-25, 2026-12-26]"]
    )
    """Further days on which nobody works, where the project states none."""

    def shared_changes(self, values: Mapping[str, object]) -> PartialSettings:
        """Return what is set of these, given the file as it was written."""
        has = self.model_fields_set
        lint: dict[str, Any] = self.lint.model_dump(exclude_unset=True) if self.lint is not None else {}
        stale_days = lint.pop("stale_days", None)
        groom = self.groom.fields if self.groom is not None else None
        return PartialSettings(
            theme=self.theme if "theme" in has else None,
            estimate_scale=self.estimate_scale if "estimate_scale" in has else None,
            board=_board_of(self.board, values["board"]) if self.board is not None else None,
            lint=ready_rules_of({ItemType(name): rules for name, rules in lint.items()}) if lint else None,
            stale_days=stale_days,
            groom_fields=None if groom is None else tuple(dict.fromkeys(map(askable_field_key, groom))),
            templates=tuple(
                Template(each.name.strip(), each.type, each.fields, tuple(task.strip() for task in each.tasks))
                for each in self.template
            )
            if "template" in has
            else None,
            teams={int(key): name for key, name in self.teams.items()} if "teams" in has else None,
            kinds=self.fields if "fields" in has else None,
            due=None if self.due is None else self.due.field,
            statuses=_groups_of(self.statuses) if "statuses" in has else None,
            working_days=self.working_days if "working_days" in has else None,
            days_off=self.days_off if "days_off" in has else None,
        )


class ConfigFile(CommonSettings):
    """The file `config.toml`."""

    misplaced = frozenset({"view"})

    images: Annotated[str, PlainValidator(_read_images)] = Field(default="auto", examples=['images = "blocks"'])
    """How pictures are shown: `"auto"`, `"kitty"`, `"blocks"`, or `false` for not at all."""
    mouse: bool = True
    """Whether clicks count. Without, the terminal selects text by itself."""
    ascii: Annotated[bool | None, PlainValidator(_read_ascii)] = Field(default=None, examples=['ascii = "auto"'])
    """Whether signs and lines are written in ASCII: `true`, `false`, or `"auto"`, as terminal and locale need it."""
    motion: Annotated[Motion, PlainValidator(_read_motion)] = Motion.AUTO
    """Whether changed values flash: `"auto"`, `"full"` or `"reduced"`."""
    low_bandwidth: Annotated[bool | None, PlainValidator(_read_low_bandwidth)] = Field(
        default=None, examples=["low_bandwidth = true"]
    )
    """Whether little is drawn from the start, as `tl` turns on and off: `true`, `false`, or `"auto"`: only by `tl`."""
    date_format: Annotated[DateFormat, PlainValidator(read_date_format)] = Field(
        default=DateFormat.WORDS, examples=['date_format = "dmy"']
    )
    """How the screens write days: `"words"` (3 Mar), `"iso"` (03-03), `"dmy"` (03/03) or `"mdy"`, each with the year
    where that is another one. Files and pipes have ISO dates.
    """
    week_start: Annotated[str, PlainValidator(read_weekday)] = Field(default="mon", examples=['week_start = "sun"'])
    """The day that a week begins with on timelines and charts, and in `due:week`: `"mon"`, `"tue"`, `"wed"`, `"thu"`,
    `"fri"`, `"sat"` or `"sun"`."""
    fresh: Annotated[float, PlainValidator(read_seconds)] = Field(default=RECENT_SECONDS, examples=["fresh = 300"])
    """The age in seconds up to which commands list the local copy without asking the server."""
    wait: Annotated[float, PlainValidator(read_seconds)] = Field(default=WAIT_SECONDS, examples=["wait = 30"])
    """The seconds that commands wait for the server's answer to a change, without `--wait`."""
    pager: Annotated[str, PlainValidator(read_program)] = Field(default="", examples=['pager = "less -R"'])
    """The program for long pages, before `PAGER`; `BACKLIT_PAGER` comes first."""
    editor: Annotated[str, PlainValidator(read_program)] = Field(default="", examples=['editor = "code --wait"'])
    """The editor of texts and items, before `VISUAL` and `EDITOR`."""
    opener: Annotated[str, PlainValidator(read_program)] = Field(default="", examples=['opener = "xdg-open"'])
    """The program that opens files of items, before `OPENER`."""
    linear: bool = False
    """Whether `backlit` alone works line by line instead of showing screens. See [accessibility](accessibility.md)."""
    preset: Annotated[KeyPreset, PlainValidator(read_preset)] = KeyPreset.VIM
    """The keys to begin with: `"vim"` or `"arrows"`. `backlit keys` lists them."""
    keys: dict[str, Annotated[KeyChange, PlainValidator(read_key_change)]] = Field(
        default={}, examples=['[keys] with "item.status" = ["s", "c s"]']
    )
    """Keys of your own, by the ids of commands as `backlit keys` lists them: a sequence, a list of them, or false."""
    read_only: bool = False
    """Change nothing, and send nothing."""
    presence: Annotated[bool, PlainValidator(_read_presence)] = Field(default=True, examples=['presence = "off"'])
    """Whether others are told which item you edit: `"on"` or `"off"`."""
    capacity: dict[str, _Load] = Field(default={}, examples=["[capacity] with maya = 8"])
    """What people can do in a sprint, in points or hours, where the server keeps no capacities."""
    capacity_in: dict[str, dict[str, _Load]] = Field(default={}, examples=['[capacity_in."Sprint 14"] with maya = 8'])
    """The same for one iteration, by its name."""
    project: Annotated[int | None, PlainValidator(_check_project)] = Field(default=None, examples=["project = 2"])
    """The number of the project that is opened first."""
    connection: ConnectionTable = Field(
        default_factory=ConnectionTable, examples=['[connection] with proxy = "http://proxy.example:3128"']
    )
    """How servers are reached. See [signing in](authentication.md)."""
    secrets: SecretsTable = Field(default_factory=SecretsTable, examples=['[secrets] with store = "file"'])
    """Where sign-ins are kept, and where a password comes from. See [signing in](authentication.md)."""
    notify: NotifyTable = Field(default_factory=NotifyTable, examples=["[notify] with bell = true"])
    """What the terminal is told when something concerns you in person, at most every five seconds."""
    profile: dict[str, ProfileTable] = Field(default={}, examples=['[profile."local"] with read_only = true'])
    """Settings for one profile alone, by its name: `theme`, `read_only`, `motion`, `low_bandwidth`, `presence`,
    `project`, `fresh`, `wait`, and the tables `capacity`, `capacity_in`, `teams`, `fields`, `statuses`, `notify`,
    `secrets` and `connection`, which then also takes `insecure = true`.
    """
    alias: dict[AliasName, AliasWords] = Field(
        default={}, examples=["[alias] with mine = \"items list --query '@me'\""]
    )
    """Names for the beginnings of command lines: `backlit mine --limit 5` lists five of yours. A command of backlit
    comes before an alias of its name.
    """
    command: Annotated[list[CommandTable], AfterValidator(check_ids)] = Field(
        default=[], examples=['[[command]] with id = "branch" and run = ["git", "switch", "-c", "{id}-{slug}"]']
    )
    """A program that is run on what is selected, by its key, by `:ID` or `backlit run ID`.
    See [own commands](own-commands.md).
    """
    view: Annotated[None, PlainValidator(_refuse_views)] = None


def check_settings(path: Path, content: bytes) -> Settings:
    """Return the settings of a file's content; what is faulty has its default, and a sentence in `problems`."""
    try:
        values = toml_in(content, path)
    except ValueError as error:
        return Settings(problems=(f"Could not read {error}. Correct it; until then the defaults are used.",))
    document, problems, _ = check_document(ConfigFile, values, content.decode("utf-8-sig"), path)
    return _settings_of(document, values, problems)


def _settings_of(file: ConfigFile, values: Mapping[str, object], problems: tuple[str, ...]) -> Settings:
    usual = Settings(
        images=file.images,
        mouse=file.mouse,
        ascii=file.ascii,
        motion=file.motion,
        linear=file.linear,
        low_bandwidth=file.low_bandwidth,
        date_format=file.date_format,
        week_start=file.week_start,
        fresh=file.fresh,
        wait=file.wait,
        pager=file.pager,
        editor=file.editor,
        opener=file.opener,
        preset=file.preset,
        keys=file.keys,
        presence=file.presence,
        notify=file.notify.settings(),
        capacities=OwnCapacities(file.capacity, file.capacity_in),
        names=OwnNames(project_id=file.project),
        read_only=file.read_only,
        connection=file.connection.settings(),
        secrets=file.secrets.settings(),
        profiles={name: table.settings() for name, table in file.profile.items()},
        aliases=file.alias,
        commands=tuple(each.command() for each in file.command),
        problems=problems,
    )
    return usual.replaced_by(file.shared_changes(values))


def _board_of(board: BoardTable, written: object) -> BoardSettings:
    columns = column_key(board.columns)
    return BoardSettings(
        columns,
        lane_key(board.lanes),
        tuple(
            ColumnSettings(
                column_key(each.of) if each.of is not None else columns,
                tuple(each.values),
                each.name.strip(),
                each.limit,
                each.collapsed,
            )
            for each in board.column
        ),
        json.dumps(written, sort_keys=True, default=str),
    )
