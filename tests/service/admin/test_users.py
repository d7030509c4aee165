"""Rows of users and grants that `backlit admin` reads and writes, without a command."""

import pytest
from sqlalchemy import Connection
from tests.service.admin.rows import is_taken, refusal, rows_of

from backlit.model.errors import Conflict, NotFound
from backlit.service.admin import users
from backlit.service.admin.users import LONGEST_PASSWORD, SHORTEST_PASSWORD
from backlit.service.admin.workspace import user_id_of
from backlit.service.storage import schema
from backlit.service.storage.access import Role
from backlit.service.storage.clock import clock_of
from backlit.service.tables import sign_ins


@pytest.mark.parametrize(
    ("user", "project", "found"),
    [
        ("rex", None, [("rex", 1, "reader")]),
        ("Ada", None, [("ada", 1, "contributor"), ("ada", 2, "contributor"), ("ada", 3, "contributor")]),
        ("ada", "Beacon", [("ada", 2, "contributor")]),
        ("rex", "2", []),
    ],
)
def test_grants_are_those_of_the_user_and_of_the_project(
    connection: Connection, user: str, project: str | None, found: list[tuple[str, int, str]]
) -> None:
    def listed(*chosen: str | None) -> list[tuple[str, int, str]]:
        return [(each["user"], each["projectId"], each["role"]) for each in users.list_grants(connection, *chosen)]

    assert listed(user, project) == found
    assert [name for name, _, _ in listed(None, "Harbour")] == ["maya", "jon", "ada", "tomas", "kofi"]
    assert listed() == sorted(listed(), key=lambda each: each[1])


@pytest.mark.parametrize("name", ["maya", "MAYA", " maya "])
def test_a_name_is_one_users_in_any_case_and_without_blanks(connection: Connection, name: str) -> None:
    before = rows_of(connection, schema.users)

    assert "There is a user" in refusal(lambda: users.add(connection, name, None, texts={}), Conflict)
    assert rows_of(connection, schema.users) == before


def test_a_grant_is_one_users_in_one_project(connection: Connection) -> None:
    before = rows_of(connection, schema.grants)
    ada = {"user_id": 3, "project_id": 2}

    changed = users.set_grant(connection, "ada", "Beacon", Role.READER)
    added = users.set_grant(connection, "rex", "Beacon", Role.MANAGER)
    now = rows_of(connection, schema.grants)
    users.remove_grant(connection, "rex", "Beacon")
    users.remove_grant(connection, "ada", "Beacon")

    assert (changed["before"], added["before"]) == ("contributor", None)
    assert [each for each in now if each not in before] == [
        ada | {"role": "reader"},
        {"user_id": 4, "project_id": 2, "role": "manager"},
    ]
    left = [each for each in before if not ada.items() <= each.items()]
    assert rows_of(connection, schema.grants) == left
    assert "--project Beacon" in refusal(lambda: users.remove_grant(connection, "ada", "Beacon"), NotFound)


@pytest.mark.parametrize(
    ("texts", "shown"),
    [
        ({}, "zoe"),
        ({"first_name": " Zoe "}, "Zoe"),
        ({"first_name": "Zoe", "last_name": "Lind"}, "Zoe Lind"),
        ({"last_name": "Lind", "display_name": " ", "email": "zoe@example.org"}, "Lind"),
        ({"first_name": "Zoe", "display_name": " Z. L. "}, "Z. L."),
    ],
)
def test_a_new_user_is_shown_by_the_best_name_given(connection: Connection, texts: dict[str, str], shown: str) -> None:
    added = users.add(connection, " zoe ", None, texts=texts, is_licensed=False)

    row = rows_of(connection, schema.users, id=added["id"])[0]
    assert (row["name"], row["display_name"], row["email"]) == ("zoe", shown, texts.get("email", ""))
    assert (row["is_licensed"], row["password_hash"]) == (False, None)
    assert added == {"id": row["id"], "name": "zoe", "isLicensed": False}
    assert users.listed(connection)[-1] | {"id": 0, "email": ""} == {
        "id": 0, "name": "zoe", "displayName": shown, "email": "", "isLicensed": False, "hasPassword": False,
        "projects": 0,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("length", "is_right"),
    [
        *((SHORTEST_PASSWORD - 1, False), (SHORTEST_PASSWORD, True)),
        *((LONGEST_PASSWORD, True), (LONGEST_PASSWORD + 1, False)),
    ],
)
def test_a_password_has_eight_to_1024_characters(length: int, is_right: bool) -> None:
    assert is_taken(lambda: users.checked_password("x" * length)) is is_right


def test_only_a_user_without_a_licence_loses_its_sign_ins(connection: Connection) -> None:
    now = clock_of(connection).now()
    codes = {name: sign_ins.add_code(connection, user_id_of(connection, name), "uri:x", now) for name in ("jon", "ada")}
    before = rows_of(connection, schema.users)

    users.license_(connection, "jon", is_licensed=True)
    users.license_(connection, "ada", is_licensed=False)

    assert [sign_ins.use_code(connection, codes[name], "uri:x", now) for name in ("jon", "ada")] == [2, None]
    for old, new in zip(before, rows_of(connection, schema.users), strict=True):
        is_changed = old["name"] == "ada"
        assert (new["last_modified_at"] > old["last_modified_at"]) is is_changed
        assert (new["last_modified_by"] == "backlit") >= is_changed
        assert new["is_licensed"] == (old["is_licensed"] and old["name"] != "ada")


def test_a_deactivated_user_keeps_nothing_to_sign_in_with_and_no_project(connection: Connection) -> None:
    now = clock_of(connection).now()
    code = sign_ins.add_code(connection, user_id_of(connection, "ada"), "uri:x", now)
    before = {each["name"]: each for each in users.listed(connection)}

    done = users.deactivate(connection, "ada")

    after = {each["name"]: each for each in users.listed(connection)}
    assert before["ada"]["hasPassword"]
    assert after == before | {"ada": before["ada"] | {"isLicensed": False, "hasPassword": False, "projects": 0}}
    assert done == {"id": before["ada"]["id"], "grantsRemoved": before["ada"]["projects"]}
    assert sign_ins.use_code(connection, code, "uri:x", now) is None


def test_a_new_key_keeps_the_previous_one_unless_it_is_to_be_forgotten(connection: Connection) -> None:
    def keys() -> list[bytes]:
        return [key.secret for key in sign_ins.keys(connection)]

    users.rotate_key(connection)
    first = keys()[0]
    users.rotate_key(connection)
    second = keys()[0]

    assert first in keys()[1:]
    users.rotate_key(connection, forget=True)
    left = {row["secret"] for row in rows_of(connection, schema.signing_keys)}
    assert set(keys()) == left
    assert not {first, second} & left
