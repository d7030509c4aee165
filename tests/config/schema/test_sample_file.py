"""The sample of `config.toml`: it has every setting, and what it says is right."""

import re
from pathlib import Path

from tests.config.settings_text import problems_in

from backlit.config.schema.sample_file import sample
from backlit.config.schema.settings import ConfigFile, check_settings
from backlit.config.settings import Settings


def test_the_sample_as_it_is_changes_nothing() -> None:
    assert check_settings(Path("config.toml"), sample().encode()) == Settings()


def test_every_setting_of_the_sample_can_be_set_as_it_stands_there() -> None:
    text = re.sub(r"(?m)^#shell = .*\n", "", sample())  # stands in place of run
    assert problems_in(re.sub(r"(?m)^#(?! )", "", text)) == ()


def test_the_sample_has_every_setting() -> None:
    text = sample()

    missing = [
        name
        for name in ConfigFile.model_fields
        if name not in ConfigFile.misplaced and not re.search(rf"(?m)^#(\[*){name}\b", text)
    ]
    assert missing == []
