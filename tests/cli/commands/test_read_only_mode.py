"""Read-only mode on the command line: the variable, the setting, and that of one profile."""

import pytest
from tests.cli.home import DEMO, Home

ADDED = ("items", "new", "Never", "--type", "Bug")


def write_config(home: Home, text: str) -> None:
    (home.path / "config").mkdir(parents=True, exist_ok=True)
    (home.path / "config" / "config.toml").write_text(text)


@pytest.mark.slow
def test_nothing_is_changed_with_the_variable_or_the_setting_of_the_profile(
    home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.run(*DEMO, "items", "list", "--limit", "1")
    monkeypatch.setenv("BACKLIT_READ_ONLY", "1")
    by_variable = home.run(*DEMO, *ADDED)
    read = home.run(*DEMO, "items", "list", "--limit", "1", "--fresh")
    monkeypatch.delenv("BACKLIT_READ_ONLY")
    write_config(home, f'[profile."{DEMO[1]}"]\nread_only = true\n')
    by_setting = home.run(*DEMO, *ADDED)
    monkeypatch.setenv("BACKLIT_READ_ONLY", "0")
    write_config(home, 'read_only = true\n[profile."other"]\nread_only = false\n')
    lifted = home.run(*DEMO, *ADDED)

    assert (by_variable.returncode, by_setting.returncode, read.returncode, lifted.returncode) == (6, 6, 0, 0)
    assert "by BACKLIT_READ_ONLY. Unset it to make changes." in by_variable.stderr
    assert "by read_only of config.toml" in by_setting.stderr
