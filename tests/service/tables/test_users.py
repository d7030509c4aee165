"""Rows of users and their sign-ins: accounts, grants, tokens, codes, sessions and attempts, without a service."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, select

from backlit.model.errors import TooManyRequests
from backlit.model.resources import User
from backlit.service.storage import schema
from backlit.service.storage.access import Caller, Role
from backlit.service.storage.schema import refresh_families
from backlit.service.tables import sign_ins, users
from backlit.service.tables.changes import Stamp

NOW = datetime(2030, 1, 1, 12)
LATER = NOW + timedelta(hours=1)


# Users


def test_a_user_is_found_by_name_in_any_case_and_first_as_it_is_spelled(connection: Connection) -> None:
    for number, name in ((108, "JON"), (109, "Éva")):
        email = f"{number}@x.example"
        user = User(id=number, name=name, first_name="", last_name="", display_name=name, email=email)
        users.add(connection, user, Stamp(None, "backlit", NOW), "hash", is_licensed=number == 109)

    found = {name: users.account(connection, name) for name in ("jon", "JON", "Maya", "éVA", "nobody")}

    assert {name: account and account.id for name, account in found.items()} == {
        "jon": 2,
        "JON": 108,
        "Maya": 1,
        "éVA": 109,
        "nobody": None,
    }
    eva = users.Account(109, "Éva", "109@x.example", "hash", is_licensed=True)
    assert (users.account_by_id(connection, 109), users.account_by_id(connection, 999)) == (eva, None)
    assert [users.has_licensed(connection, number) for number in (108, 109, 999)] == [False, True, False]
    assert [bool(users.read(connection, number)) for number in (108, 109, 999)] == [False, True, False]
    assert [each.id for each in users.licensed(connection)][-1] == 109


def caller(connection: Connection, user_id: int, family_id: int) -> Caller | None:
    newest_key: int = connection.execute(select(sign_ins.NEWEST_KEY)).scalar_one()
    return users.caller(connection, user_id, family_id, newest_key)


def test_a_caller_has_the_grants_of_a_sign_in_that_is_its_own(connection: Connection) -> None:
    mine, others = sign_ins.add_family(connection, 2), sign_ins.add_family(connection, 1)
    jon = caller(connection, 2, mine)
    assert jon is not None
    assert (jon.id, jon.name, set(jon.roles.values())) == (2, "jon", {Role.CONTRIBUTOR})
    stored = connection.execute(select(schema.projects.c.id, schema.projects.c.settings_revision)).all()
    assert jon.revisions == {number: revision for number, revision in stored if number in jon.roles}

    connection.execute(delete(schema.grants).where(schema.grants.c.user_id == 1))
    alone = caller(connection, 1, others)
    assert (alone and alone.name, alone and alone.roles) == ("maya", {})
    sign_ins.revoke_family(connection, mine)

    assert [caller(connection, 2, family) for family in (mine, others, 999)] == [None] * 3
    assert caller(connection, 1, others) is not None
    users.set_password(connection, 1, "new", Stamp(2, "jon", LATER))
    changed = connection.execute(select(schema.users).where(schema.users.c.id == 1)).one()
    assert caller(connection, 1, others) is None
    assert (changed.password_hash, changed.last_modified_by, changed.last_modified_at) == ("new", "jon", LATER)


def test_a_session_takes_twelve_hours_unless_it_is_ended(connection: Connection) -> None:
    end, moment = NOW + sign_ins.SESSION_LIFETIME, timedelta(milliseconds=1)
    one, other = [sign_ins.add_session(connection, 2, NOW) for _ in range(2)]

    def named(secret: str, now: datetime) -> str:
        caller = users.caller_of_session(connection, secret, now)
        return caller.name if caller else ""

    assert [named(one, NOW), named(one, end - moment), named(one, end), named("x", NOW)] == ["jon", "jon", "", ""]
    sign_ins.end_session(connection, one)
    assert [named(one, NOW), named(other, NOW)] == ["", "jon"]
    sign_ins.add_session(connection, 1, end - moment)
    assert named(other, NOW) == "jon"
    sign_ins.add_session(connection, 1, end)
    assert named(other, NOW) == ""


# Sign-ins


def test_revoking_all_sign_ins_ends_tokens_sessions_and_codes(connection: Connection) -> None:
    family = sign_ins.add_family(connection, 1)
    token, code = sign_ins.add_refresh_token(connection, family, NOW), sign_ins.add_code(connection, 1, "uri:x", NOW)
    others = sign_ins.add_code(connection, 2, "uri:x", NOW)

    sign_ins.revoke_all(connection, 1)

    assert sign_ins.use_refresh_token(connection, token, NOW) is None
    assert sign_ins.use_code(connection, code, "uri:x", NOW) is None
    assert sign_ins.use_code(connection, others, "uri:x", NOW) == 2


def test_a_refresh_token_ends_after_thirty_days_and_one_used_before_after_a_minute(connection: Connection) -> None:
    family = sign_ins.add_family(connection, 1)
    used, unused = [sign_ins.add_refresh_token(connection, family, NOW) for _ in range(2)]
    end, grace, moment = NOW + sign_ins.REFRESH_LIFETIME, NOW + sign_ins.REFRESH_GRACE, timedelta(milliseconds=1)

    def use(secret: str, now: datetime, *, is_reusable: bool = False) -> bool:
        return sign_ins.use_refresh_token(connection, secret, now, is_reusable=is_reusable) == (1, family)

    assert [use(used, NOW), use(used, grace), use(used, grace + moment, is_reusable=True)] == [True, True, True]
    assert [use(unused, end), use(unused, end - moment)] == [False, True]
    assert [use(used, grace + moment), use(unused, end - moment)] == [False, False]


def test_a_code_is_for_one_client_and_ten_minutes(connection: Connection) -> None:
    codes = [sign_ins.add_code(connection, 1, "uri:x", NOW) for _ in range(3)]
    end = NOW + sign_ins.CODE_LIFETIME

    assert sign_ins.use_code(connection, codes[0], "uri:y", NOW) is None
    assert sign_ins.use_code(connection, codes[0], "uri:x", end - timedelta(milliseconds=1)) == 1
    assert sign_ins.use_code(connection, codes[1], "uri:x", end) is None
    assert sign_ins.use_code(connection, codes[1], "uri:x", NOW) is None
    sign_ins.add_code(connection, 2, "uri:x", end)
    assert sign_ins.use_code(connection, codes[2], "uri:x", NOW) == 1


def test_failures_count_for_a_minute_under_each_name(connection: Connection) -> None:
    window, moment = sign_ins.ATTEMPT_WINDOW, timedelta(milliseconds=1)
    sign_ins.add_failures(connection, ["maya", "address"], NOW)
    sign_ins.add_failures(connection, ["jon", "address"], NOW + timedelta(seconds=20))

    def wait(names: Sequence[str], most: int, now: datetime) -> float:
        try:
            sign_ins.must_have_few_failures(connection, dict.fromkeys(names, most), now)
        except TooManyRequests as error:
            return error.retry_after or 0.0
        return 0.0

    soon = NOW + timedelta(seconds=30)
    assert [wait(["maya"], 1, soon), wait(["maya"], 2, soon), wait(["rex"], 1, soon)] == [30.0, 0.0, 0.0]
    assert [wait(["rex", "address"], 2, soon), wait(["rex", "address"], 3, soon)] == [30.0, 0.0]
    assert wait(["maya"], 1, NOW + window - moment) == 1.0
    assert wait(["maya"], 1, NOW + window) == 0.0
    assert wait(["jon"], 1, NOW + timedelta(seconds=20) + window) == 0.0


def test_a_family_without_tokens_is_deleted_at_the_next_sign_in(connection: Connection) -> None:
    empty, kept = sign_ins.add_family(connection, 2), sign_ins.add_family(connection, 1)
    token = sign_ins.add_refresh_token(connection, kept, NOW)
    sign_ins.add_refresh_token(connection, kept, NOW + sign_ins.REFRESH_LIFETIME)

    sign_ins.add_family(connection, 1)
    families = set(connection.execute(select(refresh_families.c.id)).scalars())
    sign_ins.add_family(connection, 2)
    after = set(connection.execute(select(refresh_families.c.id)).scalars())

    assert {empty, kept} <= families
    assert empty not in after
    assert sign_ins.family_of(connection, token) == kept
    sign_ins.add_refresh_token(connection, kept, NOW + sign_ins.REFRESH_LIFETIME + timedelta(seconds=1))
    assert sign_ins.family_of(connection, token) is None
