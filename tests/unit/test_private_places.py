"""Folders that containers may mount, and that hold files of Horae's own."""

from pathlib import Path

import pytest

from horae import config
from horae.wiring.isolation import _holds_private


@pytest.mark.parametrize(
    ("mount", "holds"),
    [("srv", True), ("srv/data", True), ("srv/data/below", True), ("srv/other", False), ("link", True), ("keys", True)],
)
def test_a_mount_that_holds_the_data_directory_or_a_key(mount: str, holds: bool, tmp_path: Path):
    for folder in ("srv/data/below", "srv/other", "keys"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "srv")
    (tmp_path / "keys" / "url").write_text("postgresql://u:p@db/horae")
    environ = {
        "HORAE_DATA_DIR": str(tmp_path / "srv" / "data"),
        "HORAE_DATABASE_URL_FILE": str(tmp_path / "keys" / "url"),
    }
    assert _holds_private(str(tmp_path / mount), config.load(environ)) is holds
