"""Profiles, settings and file locations of this machine's user."""

import json
import os
import re
import zlib
from collections.abc import Mapping
from datetime import date
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import asdict, replace

from backlit.config.atomic_files import locked, write_private
from backlit.config.checked_files import CheckedConfigFile, CheckingProcess
from backlit.config.connection import USUAL_CONNECTION, ConnectionSettings, load_connection
from backlit.config.folders import (
    JOURNAL,
    KINDS,
    MIRROR,
    PROFILES_FILE,
    TOKENS,
    folders,
    signed_in_name,
)
from backlit.config.kept_checks import CHECKED_FOLDER, RECENT_SECONDS, SETTINGS_CHECK, settings_path
from backlit.config.notify import NO_NOTICES, NotifySettings
from backlit.config.sample import DEMO_ITEMS, DEMO_SEED
from backlit.config.sign_in_secrets import USUAL_SECRETS, SecretSettings
from backlit.model.dates import DateFormat
from backlit.model.errors import NameNotFound, SignInNeeded, StorageError
from backlit.model.fields import Kind
from backlit.model.nearest import did_you_mean
from backlit.model.ready_check import STALE_DAYS, USUAL_RULES, ReadyRules
from backlit.model.settings.key_sequences import KeyChange, KeyPreset
from backlit.model.settings.own_commands import OwnCommand
from backlit.model.settings.shared_settings import USUAL_WORKING_DAYS, WEEKDAY_KEYS
from backlit.model.settings.user_settings import BoardSettings, OwnCapacities, OwnNames, Template, json_in
from backlit.model.statuses import StatusGroup
from backlit.model.user_names import is_same_user
from backlit.model.working_days import WorkingDays

DEFAULT_THEME = "backlit"
ESTIMATE_SCALE = (0.0, 1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0)
"""The estimates that `+` and `-` step through."""
DEMO_USER = "maya"
WAIT_SECONDS = 10.0

READ_ONLY = "BACKLIT_READ_ONLY"
"""Environment variable that turns the read-only mode on with 1, and off with 0 whatever the settings say."""

_NOT_FOR_FILES = re.compile(r"[^\w.@:-]+|^\.+", re.ASCII)
_DEMO_NAME = re.compile(r"demo(?:-([0-9]{1,9})-([0-9]{1,9}))?")
_LONGEST_NAME, _LONGEST_FILE_NAME = 80, 100

NO_WORKSPACE = (
    "No workspace yet. Sign in: backlit login URL. On this machine: backlit --profile local. To try: backlit demo."
)


class ProfileKind(StrEnum):
    """Location of a profile's service: local workspace, local sample, or remote."""

    LOCAL = "local"
    DEMO = "demo"
    REMOTE = "remote"


class Profile(Struct, frozen=True):
    """A named connection to one workspace; its name is also that of its files. `items` and `seed` describe a demo."""

    name: str
    kind: ProfileKind
    url: str | None = None
    user: str | None = None
    items: int = 0
    seed: int = 0


IMAGE_WAYS = ("kitty", "blocks")


class Motion(StrEnum):
    """Whether changed values flash: AUTO leaves that to the connection and the environment."""

    AUTO = "auto"
    FULL = "full"
    REDUCED = "reduced"


class PartialSettings(Struct, frozen=True, omit_defaults=True):
    """Settings in place of those of config.toml: of `[profile."NAME"]`, or of a repository; None leaves them."""

    theme: str | None = None
    read_only: bool | None = None
    motion: Motion | None = None
    presence: bool | None = None
    notify: NotifySettings | None = None
    project_id: int | None = None
    teams: Mapping[int, str] | None = None
    kinds: Mapping[str, Kind] | None = None
    due: str | None = None
    capacities: OwnCapacities | None = None
    statuses: Mapping[str, StatusGroup] | None = None
    connection: ConnectionSettings | None = None
    estimate_scale: tuple[float, ...] | None = None
    board: BoardSettings | None = None
    lint: ReadyRules | None = None
    stale_days: int | None = None
    groom_fields: tuple[str, ...] | None = None
    templates: tuple[Template, ...] | None = None
    secrets: SecretSettings | None = None
    low_bandwidth: bool | None = None
    working_days: tuple[str, ...] | None = None
    days_off: tuple[date, ...] | None = None
    fresh: float | None = None
    wait: float | None = None


class Settings(Struct, frozen=True):
    """The contents of `config.toml` in the configuration directory."""

    theme: str = DEFAULT_THEME
    estimate_scale: tuple[float, ...] = ESTIMATE_SCALE
    images: str = "auto"
    """Display of pictures: off, auto, or one of IMAGE_WAYS."""
    mouse: bool = True
    ascii: bool | None = None
    """Whether signs are written in ASCII; None: as the terminal and the locale need it."""
    motion: Motion = Motion.AUTO
    low_bandwidth: bool | None = None
    """Whether little is drawn from the start; None: not until the user wants it."""
    date_format: DateFormat = DateFormat.WORDS
    week_start: str = WEEKDAY_KEYS[0]
    """The weekday that a week begins with, by its key."""
    working_days: tuple[str, ...] = USUAL_WORKING_DAYS
    """The weekdays on which the team works, by their keys, for a project whose service states none."""
    days_off: tuple[date, ...] = ()
    fresh: float = RECENT_SECONDS
    """Age in seconds up to which commands show the local copy without a sync."""
    wait: float = WAIT_SECONDS
    """Seconds that commands wait for the server's answer to a change."""
    pager: str = ""
    editor: str = ""
    opener: str = ""
    """Command lines of the user's programs; empty: those of the environment."""
    linear: bool = False
    """Whether `backlit` alone works line by line, without the screens."""
    read_only: bool = False
    """Whether nothing is changed: no edit is journalled, and nothing is sent."""
    connection: ConnectionSettings = USUAL_CONNECTION
    secrets: SecretSettings = USUAL_SECRETS
    preset: KeyPreset = KeyPreset.VIM
    keys: Mapping[str, KeyChange] = field(default_factory=dict)
    """Own keys by the id of a command."""
    presence: bool = True
    """Whether others see what is edited here."""
    notify: NotifySettings = NO_NOTICES
    board: BoardSettings | None = None
    """Settings of the board; None if the file has none."""
    capacities: OwnCapacities = field(default_factory=OwnCapacities)
    lint: ReadyRules = USUAL_RULES
    stale_days: int = STALE_DAYS
    groom_fields: tuple[str, ...] = ()
    """Fields that grooming asks for in addition to the readiness check's findings."""
    templates: tuple[Template, ...] = ()
    """Templates for new items."""
    names: OwnNames = field(default_factory=OwnNames)
    statuses: Mapping[str, StatusGroup] = field(default_factory=dict)
    """Groups of statuses that the service does not explain."""
    profiles: Mapping[str, PartialSettings] = field(default_factory=dict)
    """Settings of single profiles by name; `of_profile` puts them in place."""
    aliases: Mapping[str, str] = field(default_factory=dict)
    """Beginnings of command lines by their names."""
    commands: tuple[OwnCommand, ...] = ()
    """Programs that are run on what is selected."""
    problems: tuple[str, ...] = ()
    """A sentence for each fault of the file, with its line."""

    def of_profile(self, name: str) -> "Settings":
        """Return the settings that hold in a profile."""
        return self.replaced_by(self.profiles.get(name, _NO_CHANGES))

    def replaced_by(self, own: PartialSettings) -> "Settings":
        """Return the settings with others in their place."""
        values = {key: getattr(own, key) for key in _REPLACED if getattr(own, key) is not None}
        names = {
            key: getattr(own, key) for key in ("project_id", "teams", "kinds", "due") if getattr(own, key) is not None
        }
        return replace(self, names=replace(self.names, **names), **values)

    @property
    def work(self) -> WorkingDays:
        return WorkingDays(frozenset(map(WEEKDAY_KEYS.index, self.working_days)), frozenset(self.days_off))

    def refusal(self, environment: Mapping[str, str] = os.environ) -> str:
        """Return why nothing is changed, as a sentence; empty where changes are made."""
        told = environment.get(READ_ONLY, "")
        if told not in {"", "0"}:
            return f"Nothing is changed: backlit is in read-only mode, by {READ_ONLY}. Unset it to make changes."
        if self.read_only and not told:
            return (
                "Nothing is changed: backlit is in read-only mode, by read_only of config.toml."
                f" To make changes once, start it with {READ_ONLY}=0."
            )
        return ""


_NO_CHANGES = PartialSettings()
_REPLACED = (
    *("theme", "read_only", "motion", "presence", "notify", "capacities", "statuses", "secrets"),
    *("estimate_scale", "board", "lint", "stale_days", "groom_fields", "templates"),
    *("low_bandwidth", "working_days", "days_off", "fresh", "wait"),
)
"""Settings that are replaced as they are."""


class Locations(Struct, frozen=True):
    """Directories of this user: configuration, data, state and cache."""

    config: Path
    data: Path
    state: Path
    cache: Path

    @property
    def themes(self) -> Path:
        """Directory of the user's own colour themes."""
        return self.config / "themes"

    @property
    def log(self) -> Path:
        """Log file for internal errors."""
        return self.state / "backlit.log"

    @property
    def checked(self) -> Path:
        """Directory of the checked content of files that a person writes; it is made again where it is missing."""
        return self.cache / CHECKED_FOLDER

    def mirror(self, profile: Profile) -> Path:
        """Local copy of the service's data; it can be deleted and loaded again."""
        return self.cache / profile.name / MIRROR

    def journal(self, profile: Profile) -> Path:
        """Journal of unsent edits; it cannot be recreated."""
        return self.state / profile.name / JOURNAL

    def tokens(self, profile: Profile) -> Path:
        """File of the stored sign-ins."""
        return self.state / profile.name / TOKENS

    def authority(self, profile: Profile) -> Path | None:
        """File of the authority that the profile's sign-in named; None without one."""
        path = self.tokens(profile).with_name("authority.pem")
        return path if path.exists() else None

    def connection(self, profile: Profile) -> Path:
        """File of what the profile's sign-in named of certificates and proxies."""
        return self.tokens(profile).with_name("connection.json")

    def workspace(self, profile: Profile) -> Path:
        """Directory of the service of a local profile."""
        return self.data / "workspaces" / profile.name


def find_locations(environment: Mapping[str, str] = os.environ) -> Locations:
    """Return the directories below BACKLIT_HOME if it is set, or the system's."""
    found = folders(environment)
    if found is not None:
        return Locations(*(Path(found[kind]) for kind in KINDS))
    from platformdirs import PlatformDirs

    places = PlatformDirs("backlit", appauthor=False)
    return Locations(places.user_config_path, places.user_data_path, places.user_state_path, places.user_cache_path)


def settings_file(locations: Locations) -> CheckedConfigFile[Settings]:
    """Return `config.toml`, or the file that BACKLIT_CONFIG names, with its check."""
    path = Path(settings_path(str(locations.config)))
    return CheckedConfigFile(path, Settings, SETTINGS_CHECK, locations.checked)


def read_settings(locations: Locations, checking: CheckingProcess | None = None) -> Settings:
    """Read `config.toml`; a missing file means the defaults, a faulty setting its default.

    A changed file is checked by the given process, else in this one. The result's `problems` name each fault with its
    line and column. Raises StorageError for a file that cannot be opened.
    """
    file = settings_file(locations)
    try:
        return (file.read() if checking is None else checking.read(file)) or Settings()
    except OSError as error:
        raise StorageError(f"Could not read the settings: {error.strerror} ({file.path}).") from error


def is_profile_name(name: str) -> bool:
    """Report whether a profile of a server can have a name: it is that of a directory, and no other kind's."""
    is_other = name == "local" or _DEMO_NAME.fullmatch(name) is not None
    return bool(name) and len(name) <= _LONGEST_FILE_NAME and not is_other and _NOT_FOR_FILES.search(name) is None


def local_profile() -> Profile:
    return Profile("local", ProfileKind.LOCAL)


def demo_profile(items: int = DEMO_ITEMS, seed: int = DEMO_SEED) -> Profile:
    """Return the profile of a sample workspace of a size and seed; its changes are kept."""
    return Profile(f"demo-{items}-{seed}", ProfileKind.DEMO, user=DEMO_USER, items=items, seed=seed)


def remote_profile(url: str, user: str) -> Profile:
    place = url.partition("://")[2].strip("/")
    plain = f"{user}@{place}"
    name = _NOT_FOR_FILES.sub("-", plain)[:_LONGEST_NAME]
    if name != plain:
        name = f"{name}-{zlib.crc32(plain.encode()):08x}"
    return Profile(name, ProfileKind.REMOTE, url=url, user=user)


def read_connection(profile: Profile, locations: Locations) -> ConnectionSettings:
    """Return how a profile's server is reached: `[connection]`, then its last sign-in, then its own table.

    Raises StorageError.
    """
    settings = read_settings(locations)
    stored = load_connection(locations.connection(profile))
    authority = locations.authority(profile)
    if authority is not None and not stored.ca:
        stored = replace(stored, ca=str(authority))
    own = settings.profiles.get(profile.name, _NO_CHANGES).connection
    return settings.connection.under(stored).under(own)


class Profiles:
    """The profiles this user has used, in one file: the one the screens had last, and the one of commands."""

    def __init__(self, locations: Locations) -> None:
        self._locations = locations
        self._path = locations.state / PROFILES_FILE

    def last(self) -> Profile | None:
        """Return the profile that the screens had last; a sample counts only where it is asked for by name."""
        profiles, last, _ = self._read()
        found = profiles.get(last)
        return profiles.get("local") if found is None or found.kind is ProfileKind.DEMO else found

    def signed_in(self) -> Profile:
        """Return the profile of the last sign-in, else the local workspace if it was begun.

        The screens do not change it. Raises SignInNeeded where nothing was begun: an empty list would look like an
        empty backlog.
        """
        profiles, last, signed_in = self._read()
        name = signed_in_name({each.name: each.kind for each in profiles.values()}, last, signed_in)
        found = profiles[name] if name is not None else None
        if found is None and self._locations.workspace(local_profile()).exists():
            found = local_profile()
        if found is None:
            raise SignInNeeded(NO_WORKSPACE)
        return found

    def named(self, name: str) -> Profile:
        """Return the profile of a name, also of any demo; BadRequest lists the known names."""
        if demo := _DEMO_NAME.fullmatch(name):
            return demo_profile(int(demo[1] or DEMO_ITEMS), int(demo[2] or DEMO_SEED))
        known = self._known()
        if name not in known:
            raise NameNotFound(
                f"There is no profile {name!r}. There are: {', '.join(known)}.{did_you_mean(name, known)}"
            )
        return known[name]

    def of_user(self, url: str, user: str) -> Profile:
        """Return the profile of a user at an address: a known one, however its name is spelled, or a new one."""
        same = [each for each in self._read()[0].values() if each.url == url and is_same_user(each.user or "", user)]
        return same[0] if same else remote_profile(url, user)

    def names(self) -> list[str]:
        """Return the names of all profiles, with the local one and the default demo."""
        return list(self._known())

    def _known(self) -> dict[str, Profile]:
        return {each.name: each for each in (local_profile(), demo_profile())} | self._read()[0]

    def choose(self, profile: Profile) -> None:
        """Make a profile the one of commands, until the next sign-in or choice."""
        with locked(self._path.with_suffix(".lock"), "Could not save the profile"):
            known, last, _ = self._read()
            self._write(known | {profile.name: profile}, last, profile.name)

    def rename(self, profile: Profile, name: str) -> None:
        """Give a profile of a server another name, under which its files are looked for; the caller moves them."""
        with locked(self._path.with_suffix(".lock"), "Could not save the profile"):
            known, last, signed_in = self._read()
            renamed = {
                new.name: new
                for new in (replace(each, name=name) if each.name == profile.name else each for each in known.values())
            }
            self._write(renamed, *(name if each == profile.name else each for each in (last, signed_in)))

    def remember(self, profile: Profile, *, is_sign_in: bool = False) -> None:
        """Keep a profile and make it the last one used, except a sample; nothing is written when it is that already."""
        profiles, last, signed_in = self._read()
        is_last = last == profile.name or profile.kind is ProfileKind.DEMO
        if is_last and profiles.get(profile.name) == profile and (not is_sign_in or signed_in == profile.name):
            return
        with locked(self._path.with_suffix(".lock"), "Could not save the profile"):
            known, last, signed_in = self._read()
            self._write(
                known | {profile.name: profile},
                last if profile.kind is ProfileKind.DEMO else profile.name,
                profile.name if is_sign_in else signed_in,
            )

    def forget(self, profile: Profile) -> None:
        """Take a profile out of the list; its files are the caller's."""
        with locked(self._path.with_suffix(".lock"), "Could not save the profile"):
            known, last, signed_in = self._read()
            known.pop(profile.name, None)
            self._write(known, *("" if each == profile.name else each for each in (last, signed_in)))

    def _write(self, profiles: Mapping[str, Profile], last: str, signed_in: str) -> None:
        content = {"last": last, "signedIn": signed_in, "profiles": [asdict(each) for each in profiles.values()]}
        try:
            write_private(self._path, json.dumps(content, indent=1).encode())
        except OSError as error:
            raise StorageError(f"Could not save the profile: {error.strerror} ({self._path}).") from error

    def _read(self) -> tuple[dict[str, Profile], str, str]:
        """Read the profiles by name, the last one, and that of the last sign-in. Raises StorageError."""
        try:
            content = json_in(self._path.read_bytes())
            profiles = [_profile_in(entry) for entry in content["profiles"]]
            signed_in = str(content.get("signedIn", ""))
            return {profile.name: profile for profile in profiles}, str(content["last"]), signed_in
        except FileNotFoundError:
            return {}, "", ""
        except OSError as error:
            raise StorageError(f"Could not read the profiles: {error.strerror} ({self._path}).") from error
        except KeyError as error:
            raise self._damage(f'"{error.args[0]}" is missing') from error
        except (TypeError, AttributeError) as error:
            raise self._damage("it holds no list of profiles") from error
        except ValueError as error:
            raise self._damage(str(error)) from error

    def _damage(self, fault: str) -> StorageError:
        """Return the error of a damaged file, which is never replaced: the next profile would remove all others."""
        return StorageError(
            f"Could not read the profiles: {fault} ({self._path}). Restore the file from a copy, or move it away and"
            " sign in again; unsent changes are kept in the directories beside it."
        )


def _profile_in(entry: Mapping[str, object]) -> Profile:
    kind = next((each for each in ProfileKind if each == entry["kind"]), None)
    if kind is None:
        raise ValueError(f"it has a profile of an unknown kind, {str(entry['kind'])[:40]!r}")
    url, user = entry.get("url"), entry.get("user")
    if kind is ProfileKind.REMOTE:
        found = remote_profile(_text(url), _text(user))
        name = str(entry.get("name") or found.name)
        return replace(found, name=name) if is_profile_name(name) else found
    if kind is ProfileKind.DEMO:
        return demo_profile(int(str(entry["items"])), int(str(entry["seed"])))
    return local_profile()


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value
