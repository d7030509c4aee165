"""The options of every command, and the values that they refuse, without running one."""

from datetime import date

import pytest

from backlit.cli.arguments import parser
from backlit.config.sample import DEMO_ITEMS, DEMO_SEED
from backlit.model.fields import ItemType

Meaning = dict[str, object]
SAMPLE: Meaning = {"items": DEMO_ITEMS, "seed": DEMO_SEED}
PROJECT: Meaning = {
    "name": None,
    "description": None,
    "template": None,
    "start": None,
    "end": None,
    "sync": None,
    "work_from_time": None,
    "time_zone": None,
    "working_days": None,
    "days_off": None,
    "iteration_length": None,
}
PLACES: Meaning = {"config": None, "database": None, "files": None, "json": False}
ADMIN_LIST: Meaning = {"format": None, "columns": ()}
SERVE: Meaning = SAMPLE | {
    "config": None,
    "host": "127.0.0.1",
    "port": 8484,
    "database": None,
    "files": None,
    "max_upload": 100 * 1024**2,
    "service_name": "backlit",
    "sample": False,
    "yes_really": False,
    "tls_cert": None,
    "tls_key": None,
    "trusted_proxy": [],
    "workers": 1,
    "max_requests": 256,
    "max_followers": 2000,
    "presence": "on",
    "log_level": None,
    "legacy_clients": False,
}
REPORT: Meaning = {
    "offline": False,
    "fresh": False,
    "name": "burnup",
    "iteration": None,
    "days": None,
    "team": None,
    "unit": None,
    "week": None,
    "by": None,
    "output": None,
    "format": "markdown",
}
READING: Meaning = {"offline": False, "fresh": False}
WRITING: Meaning = READING | {"wait": None, "dry_run": False, "yes": False}
FORMATS: Meaning = {"json": False, "format": None}
LISTING: Meaning = READING | FORMATS | {"columns": ()}
ITEMS: Meaning = LISTING | {
    "limit": None,
    "query": None,
    "view": None,
    "sort": None,
    "filter": None,
    "done": None,
    "mine": False,
    "count": False,
    "group": (),
    "parts": (),
}
DRY: Meaning = READING | {"dry_run": False}
IMPORT: Meaning = DRY | {
    "yes": False,
    "format": None,
    "customers_see": False,
    "report": None,
    "keep_estimates": False,
    "source": None,
    "map": None,
    "write_map": None,
    "encoding": None,
    "delimiter": None,
    "overwrite": False,
    "skip_faulty": False,
}
SHOWN: Meaning = READING | FORMATS | {"parts": ()} | dict.fromkeys(("comments", "files", "history", "web"), False)
TRASH: Meaning = LISTING | {"wait": None, "dry_run": False, "restore": False}
SELECTION: Meaning = WRITING | FORMATS | {"columns": (), "query": None, "view": None, "filter": None}
NO_WAY = dict.fromkeys(("ca", "client_cert", "client_key", "proxy", "fingerprint", "store")) | {"name": ""}
"""Options of a sign-in about the way to its server, none of them given."""
MEANT: dict[str, Meaning] = {
    "": {},
    "--profile p --project x": {"profile": "p", "project": "x"},
    "demo": SAMPLE,
    "demo --items 0 --seed 7 --project x": {"items": 0, "seed": 7, "project": "x"},
    "serve": SERVE,
    "serve --host h --port 65535 --database d --files f --max-upload 1k --service-name n --sample --yes-really": SERVE
    | {"host": "h", "port": 65535, "database": "d", "files": "f", "max_upload": 1024, "service_name": "n"}
    | {"sample": True, "yes_really": True},
    "serve --port 0 --items 1 --seed 0 --tls-cert c --tls-key k --trusted-proxy a --trusted-proxy b": SERVE
    | {"port": 0, "items": 1, "seed": 0, "tls_cert": "c", "tls_key": "k", "trusted_proxy": ["a", "b"]},
    "serve --workers 2 --max-requests 1 --max-followers 3 --log-level debug --legacy-clients --presence off": SERVE
    | {
        "workers": 2,
        "max_requests": 1,
        "max_followers": 3,
        "log_level": "debug",
        "legacy_clients": True,
        "presence": "off",
    },
    "login u": {"url": "u", "user": None, "code": False, "cookie": False, "approve": "", **NO_WAY},
    "login u --user m": {"url": "u", "user": "m", "code": False, "cookie": False, "approve": "", **NO_WAY},
    "login u --code --approve o": {"url": "u", "user": None, "code": True, "cookie": False, "approve": "o", **NO_WAY},
    "login u --cookie": {"url": "u", "user": None, "code": False, "cookie": True, "approve": "", **NO_WAY},
    "doctor": {"json": False, "offline": False, "section": None},
    "doctor --json --section s": {"json": True, "offline": False, "section": "s"},
    "trash": TRASH | {"id": None},
    f"trash {2**63 - 1}": TRASH | {"id": 2**63 - 1},
    "items list": ITEMS,
    "--query q --fresh items list --json=id,name --columns a,b": ITEMS
    | {"query": "q", "fresh": True, "json": ("id", "name"), "columns": ("a", "b")},
    "items list --ndjson --done yes --mine --count --view v --offline": ITEMS
    | {"format": "ndjson", "done": "yes", "mine": True, "count": True, "view": "v", "offline": True},
    "--project a items list --limit 0 --query q --sort s --filter f --json": ITEMS
    | {"project": "a"}
    | {"limit": 0, "query": "q", "sort": "s", "filter": "f", "json": True},
    "--project a items list --project b --limit 999999999": ITEMS | {"project": "b", "limit": 999_999_999},
    "items show 1": SHOWN | {"ids": ["1"]},
    "items show --json 1 #2 new-3": SHOWN | {"ids": ["1", "#2", "new-3"], "json": True},
    "items show 1 --json --project x": SHOWN | {"ids": ["1"], "json": True, "project": "x"},
    "items import f": IMPORT | {"file": "f"},
    "items import - --dry-run --from jira --customers-see --yes --report r --keep-estimates --project x": IMPORT
    | {"project": "x"}
    | {"file": "-", "dry_run": True, "format": "jira", "customers_see": True, "yes": True, "report": "r"}
    | {"keep_estimates": True},
    "items import f --map m --write-map w --source s --encoding e --delimiter ; --overwrite --skip-faulty": IMPORT
    | {"file": "f", "map": "m", "write_map": "w", "source": "s", "encoding": "e", "delimiter": ";"}
    | {"overwrite": True, "skip_faulty": True},
    "log 1 2h": DRY
    | {"id": 1, "hours": "2h", "type": "", "note": "", "date": None, "remaining": None, "dry_run": False},
    "items log 1 2h --date -1d": DRY
    | {"id": 1, "hours": "2h", "type": "", "note": "", "date": "-1d", "remaining": None, "dry_run": False},
    "log 1 2h --type t --note n --remaining 3 --dry-run --project x": DRY
    | {"project": "x"}
    | {"id": 1, "hours": "2h", "type": "t", "note": "n", "date": None, "remaining": "3", "dry_run": True},
    "plan export": READING | {"json": False} | {"iteration": [], "backlog": 0},
    "plan export a b --backlog 5 --project x": READING
    | {"json": False}
    | {"iteration": ["a", "b"], "backlog": 5, "project": "x"},
    "plan apply f": DRY | {"json": False} | {"file": "f", "dry_run": False, "mine": False, "keep_estimates": False},
    "plan apply f --dry-run --mine --keep-estimates --project x": DRY
    | {"project": "x", "json": False}
    | {"file": "f", "dry_run": True, "mine": True, "keep_estimates": True},
    "items set 12 est=5 --if status=Done --dry-run 13": SELECTION
    | {"words": ["12", "est=5", "13"], "conditions": ["status=Done"], "dry_run": True},
    "--yes --wait 3 items done --query q": SELECTION | {"words": [], "query": "q", "yes": True, "wait": 3.0},
    "items move 12 next --no-wait": SELECTION
    | {"words": ["12", "next"], "area": None, "to_project": None, "children": None, "wait": 0.0},
    "items delete - --for-good": SELECTION | {"words": ["-"], "for_good": True},
    "12": {"id": 12},
    "--profile p #12": {"profile": "p", "id": 12},
    "--query q": {"query": "q"},
    "open --view v": {"view": "v"},
    "open 12 --comments": {"id": 12, "place": "comments"},
    "open 12 --files": {"id": 12, "place": "attachments"},
    "open 12 --edit": {"id": 12, "place": "name"},
    "groom": READING | {"limit": None},
    "groom --query q --limit 3": READING | {"query": "q", "limit": 3},
    "items list --group iter,owner": ITEMS | {"group": ("iter", "owner")},
    "undo": LISTING | {"wait": None, "dry_run": False, "yes": False, "steps": 1, "list": False, "is_redo": False},
    "redo 3 --list": LISTING
    | {"wait": None, "dry_run": False, "yes": False, "steps": 3, "list": True, "is_redo": True},
    "help exit-codes": {"topic": ["exit-codes"], "man": False},
    "report burnup": REPORT,
    "report burnup --iteration i --items --format csv --project x": {"project": "x"}
    | REPORT
    | {"iteration": "i", "unit": "items", "format": "csv"},
    "report burnup --days 0 --team Red --json": REPORT | {"days": 0, "team": "Red", "format": "json"},
}
ADMIN: dict[str, Meaning] = {
    "users list --database d --files f --json": ADMIN_LIST | {"database": "d", "files": "f", "json": True},
    "users list --csv --columns name": ADMIN_LIST | {"format": "csv", "columns": ("name",)},
    "users add u": {"name": "u", "first_name": None, "last_name": None, "display_name": None, "email": None}
    | {"no_password": False, "unlicensed": False},
    "users add u --first-name a --last-name b --display-name c --email d --no-password --unlicensed": {"name": "u"}
    | {"first_name": "a", "last_name": "b", "display_name": "c", "email": "d", "no_password": True, "unlicensed": True},
    "users password u": {"name": "u"},
    "users license u off": {"name": "u", "state": "off"},
    "users deactivate u": {"name": "u", "dry_run": False},
    "users deactivate u --dry-run": {"name": "u", "dry_run": True},
    "projects create n": PROJECT | {"name": "n", "manager": None},
    "projects create n --manager m --description d --template t --sync on --work-from-time off": PROJECT
    | {"name": "n", "manager": "m", "description": "d", "template": "t", "sync": "on", "work_from_time": "off"},
    "projects change p": PROJECT | {"project": "p", "history_days": None},
    "projects change p --name n --start 2026-03-01 --end 2026-04-01 --iteration-length 7 --sync off": PROJECT
    | {"project": "p", "name": "n", "start": date(2026, 3, 1), "end": date(2026, 4, 1)}
    | {"iteration_length": 7, "sync": "off", "history_days": None},
    "projects change p --time-zone UTC --working-days mon,tue --days-off 2026-12-25 --history-days 365": PROJECT
    | {"project": "p", "time_zone": "UTC", "working_days": ["mon", "tue"], "days_off": ["2026-12-25"]}
    | {"history_days": 365},
    "grants list": ADMIN_LIST | {"user": None, "project": None},
    "grants list --user u --project p": ADMIN_LIST | {"user": "u", "project": "p"},
    "grants set u p manager": {"user": "u", "project": "p", "role": "manager"},
    "grants remove u p --dry-run": {"user": "u", "project": "p", "dry_run": True},
    "teams list --project p": ADMIN_LIST | {"named": "teams", "project": "p"},
    "teams add p n": {"named": "teams", "project": "p", "name": "n"},
    "teams rename p n m": {"named": "teams", "project": "p", "name": "n", "new_name": "m"},
    "teams remove p n --dry-run": {"named": "teams", "project": "p", "name": "n", "dry_run": True},
    "time-entry-types add p n": {"named": "time_entry_types", "project": "p", "name": "n"},
    "fields list --project p": ADMIN_LIST | {"project": "p"},
    "fields add p k": {"project": "p", "key": "k", "kind": "text"}
    | {"types": None, "choices": None, "default": None, "due": None},
    "fields add p k --kind date --due": {"project": "p", "key": "k", "kind": "date", "types": None, "choices": None}
    | {"default": None, "due": True},
    "fields add p k --kind choice --types Story,Bug --choice a --choice b --default a": {"project": "p", "key": "k"}
    | {"kind": "choice", "types": [ItemType.STORY, ItemType.BUG], "choices": ["a", "b"], "default": "a"}
    | {"due": None},
    "fields change p k --rename a=b --rename c=d --dry-run": {"project": "p", "key": "k", "dry_run": True}
    | {"types": None, "choices": None, "default": None, "renames": ["a=b", "c=d"]}
    | {"kind": None, "due": None},
    "fields change p k --kind date --due off": {"project": "p", "key": "k", "dry_run": False, "kind": "date"}
    | {"types": None, "choices": None, "default": None, "renames": [], "due": "off"},
    "fields remove p k --dry-run": {"project": "p", "key": "k", "dry_run": True},
    "values list p": ADMIN_LIST | {"project": "p"},
    "values set p Story Status a b --rename c=a --dry-run": {"project": "p", "type": "Story", "key": "Status"}
    | {"values": ["a", "b"], "renames": ["c=a"], "dry_run": True, "groups": []},
    "values reset p Bug Severity --dry-run": {"project": "p", "type": "Bug", "key": "Severity"}
    | {"renames": [], "dry_run": True},
    "values groups p a=open b=done": {"project": "p", "meanings": ["a=open", "b=done"]},
    "keys rotate": {"forget": False},
    "keys rotate --forget": {"forget": True},
    "export f": {"file": "f", "contents": "lines", "without_secrets": False, "without_history": False},
    "export f --contents folder --without-secrets --without-history": {"file": "f", "contents": "folder"}
    | {"without_secrets": True, "without_history": True},
    "import f": {"file": "f", "accept_problems": False},
    "import f --accept-problems": {"file": "f", "accept_problems": True},
    "backup d": {"directory": "d", "without_files": False},
    "backup d --without-files": {"directory": "d", "without_files": True},
    "restore d": {"directory": "d"},
    "check": {"quick": False},
    "check --quick": {"quick": True},
}


@pytest.mark.parametrize(
    ("words", "meant"),
    [*MEANT.items(), *((f"admin {words}", PLACES | meant) for words, meant in ADMIN.items())],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_command_has_these_options_and_defaults(words: str, meant: Meaning) -> None:
    read = vars(parser().parse_args(words.split()))

    del read["handler"], read["version"]
    defaults: Meaning = dict.fromkeys(("profile", "project", "query", "view", "id", "place"))
    display: Meaning = dict.fromkeys(("quiet", "ascii", "no_color", "no_pager", "debug"), False)
    assert read == defaults | display | meant


@pytest.mark.parametrize(
    ("words", "name", "value"),
    [
        ("comments add 12", "text", None),
        ("comments add 12 --customers-see", "text", None),
        ("comments add 12 --customers-see Text", "text", "Text"),
        ("comments add 12 Text --customers-see", "text", "Text"),
        ("links add 12 --dry-run https://a.example Name", "text", "Name"),
        ("links add 12 https://a.example --dry-run Name", "text", "Name"),
        ("criteria add 12 --no-wait One Two", "texts", ["One", "Two"]),
        ("criteria check 12 --fail 1 2", "places", [1, 2]),
        ("criteria check 12 1 --fail 2", "places", [1, 2]),
        ("files get 12 --folder here 3", "files", [3]),
    ],
)
def test_words_may_stand_behind_options(words: str, name: str, value: object) -> None:
    assert getattr(parser().parse_args(words.split()), name) == value


@pytest.mark.parametrize(
    "words",
    [
        *("comments add 12 --customers-see Two texts", "criteria check 12 --fail 1 x", "files get 12 --all here x"),
        *("items show 0", "items show ٣", f"items show {2**63}", f"items show {10**20}", "items list --limit -1"),
        *("items list --limit 1000000000", "items list --limit ٣", "items import f --from xml", "items import"),
        *("serve --port 65536", "serve --workers 0", "serve --max-requests 0", "serve --max-upload K"),
        *(
            "serve --max-upload 5T",
            "serve --log-level loud",
            "login",
            "login u --user m --code",
            "login u --code --cookie",
        ),
        *("report nonsense", "report burnup --iteration i --days 3", "report burnup --format pdf", "log 1"),
        *("plan", "plan apply", "admin", "admin users", "admin users license u maybe", "admin users list --dry-run"),
        *(
            "admin grants set u p owner",
            "admin projects change p --start tomorrow",
            "admin projects create n --sync yes",
        ),
        *(
            "admin fields add p k --kind colour",
            "admin fields add p k --types Story,Nonsense",
            "admin values set p Story k",
        ),
        *("admin values set p Nonsense Status a", "admin values groups p", "admin export f --contents all"),
        *("admin check --dry-run", "admin fields add p k --dry-run", "admin values groups p a=b --dry-run"),
    ],
)
def test_a_wrong_option_is_refused(words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parser().parse_args(words.split())

    assert ended.value.code == 2
    assert "usage: backlit" in capsys.readouterr().err
