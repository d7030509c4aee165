"""The table `[notify]` of config.toml."""

import pytest
from tests.config.settings_text import settings_in

from backlit.config.notify import NO_NOTICES, NoticeKind, NotifySettings


def test_nothing_is_notified_unless_it_is_wanted() -> None:
    assert settings_in("").notify == NO_NOTICES
    assert not NO_NOTICES.is_on


def test_notices_of_a_profile_replace_those_of_all() -> None:
    settings = settings_in('[notify]\nbell = true\n[profile."local".notify]\ndesktop = true\nwhen = ["conflict"]')

    assert settings.problems == ()
    assert settings.notify == NotifySettings(bell=True)
    assert settings.of_profile("local").notify == NotifySettings(desktop=True, when=(NoticeKind.CONFLICT,))


@pytest.mark.parametrize("written", ['["typing"]', "true", "[1]"])
def test_another_kind_of_notice_is_said_with_those_that_there_are(written: str) -> None:
    settings = settings_in(f"[notify]\nbell = true\nwhen = {written}")

    assert settings.notify == NotifySettings(bell=True)
    assert 'some of "mention", "assigned", "refused", "conflict"' in settings.problems[0]
