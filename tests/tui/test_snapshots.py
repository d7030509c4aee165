"""The screens are what the pictures in screenshots/ show; `python -m tests.screenshots` writes those anew."""

from pathlib import Path
from typing import Any

import pytest
from pytest_textual_snapshot import SVGImageExtension  # type: ignore[import-untyped] # the plugin has no types
from syrupy.assertion import SnapshotAssertion
from tests.recording import RECORDING
from tests.scenes import IN_README, SCENES, STILL
from tests.screenshots import FOLDER, pictures, write_workspace


class Pictures(SVGImageExtension):  # type: ignore[misc] # for the same reason
    """Snapshots that lie in screenshots/ under the name of their scene."""

    @classmethod
    def dirname(cls, **_: Any) -> str:
        return str(FOLDER)

    @classmethod
    def get_snapshot_name(cls, *, index: Any, **_: Any) -> str:
        return str(index)


@pytest.fixture(scope="session")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_workspace(tmp_path_factory.mktemp("workspace"))


@pytest.mark.slow
@pytest.mark.parametrize("name", SCENES)
@pytest.mark.long_but(
    "plan", "board", "reports", "backlog-grouped", "backlog-offline", "editor", "item", "conflict", "iterations", "keys"
)
async def test_the_screen_is_as_on_its_pictures(
    name: str, workspace: Path, tmp_path: Path, snapshot: SnapshotAssertion
) -> None:
    shown = await pictures(name, workspace, tmp_path)

    for picture, svg in shown.items():
        assert svg == snapshot(name=picture, extension_class=Pictures)


def test_every_picture_is_of_a_scene() -> None:
    named = {f"{name}-{width}x{height}" for name, scene in SCENES.items() for width, height in scene.sizes}
    named |= {f"{name}-{STILL[0]}x{STILL[1]}{ground}" for name in IN_README for ground in ("", "-light")}

    assert {path.stem for path in FOLDER.iterdir()} == {*named, RECORDING.stem}
