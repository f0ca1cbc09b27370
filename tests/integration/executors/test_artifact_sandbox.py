"""Archives in a sandbox: a run has its own, and cannot change it; those of others are not there."""

from pathlib import Path

import pytest

from horae.executors.artifact import ArtifactExecutor
from horae.executors.artifacts.fetcher import Fetcher
from horae.executors.commands import CommandRunner
from horae.executors.sandbox import Hidden
from tests.integration.executors.archives import Shelf, zipped
from tests.integration.executors.scripts import ENVIRONMENT
from tests.integration.executors.test_script_sandbox import works

pytestmark = works

LOOKS = """
import os, pathlib
def look(cache):
    own = pathlib.Path(__file__)
    try:
        own.chmod(0o644)
        own.write_text("changed")
        return "changed"
    except OSError as error:
        others = [p.name for p in pathlib.Path(cache).rglob("*.py") if p != own]
        return [error.strerror, others]
"""


@pytest.fixture
async def boxed(tmp_path: Path):
    shelf = Shelf(tmp_path / "shelf")
    runner = CommandRunner(
        ENVIRONMENT, scratch=tmp_path / "scratch", sandbox="require", hidden=Hidden(folders=[shelf.cache])
    )
    await shelf.executor.close()
    shelf.executor = ArtifactExecutor(Fetcher(shelf.store), runner)
    yield shelf
    await shelf.executor.close()


async def test_a_run_has_its_own_archive_alone(boxed: Shelf) -> None:
    theirs = boxed.put(zipped({"theirs.py": "def f(): return 'theirs'"}), "theirs")
    outcome, _ = await boxed.run(theirs, "theirs:f")
    assert outcome.result == '"theirs"'
    ours = boxed.put(zipped({"ours.py": LOOKS}), "ours")
    outcome, log = await boxed.run(ours, "ours:look", arguments={"cache": str(boxed.cache)})
    assert outcome.result == '["Read-only file system", []]', (outcome, log.entries)


async def test_a_command_of_an_archive(boxed: Shelf) -> None:
    target = boxed.put(zipped({"tool.sh": "echo hello; ls"}), "tool")
    outcome, log = await boxed.run(target, ["sh", "tool.sh"])
    assert (outcome.exit_code, log.text()) == (0, "hello\ntool.sh\n")
