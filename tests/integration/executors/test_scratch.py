"""Scratch folders: a worker removes those of killed workers, and never those of live ones."""

import os
import shutil
import sys
import tempfile
from asyncio import create_subprocess_exec, subprocess
from pathlib import Path
from subprocess import run as subprocess_run

import pytest

from horae.executors.scratch import Scratch
from horae.executors.script import ScriptExecutor
from tests.integration.executors.scripts import run
from tests.lacking import lacking
from tests.waiting import until


def age(folder: Path) -> None:
    """By its lock: the folder itself changes with each attempt."""
    if (folder / "lock").exists():
        os.utime(folder / "lock", (0, 0))


async def test_folders_of_the_dead_are_removed(tmp_path: Path, script: ScriptExecutor) -> None:
    worker = await create_subprocess_exec(
        sys.executable,
        Path(__file__).with_name("dying.py"),
        tmp_path,
        "600",
        "echo $$; exec sleep 600",
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    assert worker.stdout is not None
    await worker.stdout.readline()
    (left,) = tmp_path.glob("horae-scripts-*")
    age(left)

    living = Scratch(tmp_path)
    living.make()
    assert left.exists(), "its worker lives"
    living.close()

    worker.kill()
    await worker.wait()
    await run(script, "true")
    assert not left.exists()


def test_recent_folders_are_not_removed(tmp_path: Path) -> None:
    """It may be about to be locked."""
    young = tmp_path / "horae-scripts-young"
    young.mkdir()
    (young / "lock").touch()
    old = shutil.copytree(young, tmp_path / "horae-scripts-old")
    age(old)
    Scratch(tmp_path).make()
    assert young.exists()
    assert not old.exists()


def test_folders_of_other_programs_are_left_alone(tmp_path: Path) -> None:
    for name in ("horae-scripts-without", "horae-data"):
        (tmp_path / name).mkdir()
        age(tmp_path / name)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "lock").touch()
    (tmp_path / "horae-scripts-link").symlink_to(elsewhere)
    age(elsewhere)
    Scratch(tmp_path).make()
    assert (tmp_path / "horae-scripts-without").exists()
    assert (tmp_path / "horae-data").exists()
    assert (elsewhere / "lock").exists()


def test_a_removed_scratch_folder_is_recreated(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    shutil.rmtree(scratch.make().parent)
    folder = scratch.make()
    assert folder.stat().st_mode & 0o777 == 0o700
    scratch.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tree", ["deep", "closed", "linked"])
async def test_everything_a_script_leaves_is_removed(tree: str, tmp_path: Path, script: ScriptExecutor) -> None:
    source = {
        # Deeper than Python's stack, and far longer than a path may be.
        "deep": "for _ in range(3_000): os.mkdir('folder'); os.chdir('folder')",
        "closed": "os.makedirs('a/b'); open('a/b/file', 'w').close(); os.chmod('a/b', 0); os.chmod('a', 0)",
        "linked": f"os.symlink({str(tmp_path)!r}, 'up'); os.mkdir('a'); os.symlink({str(tmp_path)!r}, 'a/up')",
    }[tree]
    (tmp_path / "kept").touch()
    begin = "import os; os.chdir(os.path.dirname(os.environ['HORAE_RESULT']))\n"
    outcome, _ = await run(script, begin + source, interpreter="python")
    assert outcome.exit_code == 0
    (home,) = tmp_path.glob("horae-scripts-*")
    await until(lambda: [path.name for path in home.iterdir()] == ["lock"])
    assert (tmp_path / "kept").exists()


def test_unreadable_folders_are_removed_without_root(tmp_path: Path) -> None:
    """As a user that is not root."""
    source = f"""if True:
        import os
        from pathlib import Path
        from horae.executors import clearing
        os.setgid(65534); os.setuid(65534)
        clearing._ROOT = False
        folder = Path({str(tmp_path)!r}) / "given"
        (folder / "a" / "b").mkdir(parents=True)
        (folder / "a" / "b" / "file").touch()
        for path in (folder / "a" / "b", folder / "a", folder):
            path.chmod(0)
        clearing.clear(folder)
        print(folder.exists())
    """
    if os.geteuid() != 0:
        lacking("needs root, to become nobody")
    with tempfile.TemporaryDirectory() as elsewhere:  # pytest's own is closed to others
        Path(elsewhere).chmod(0o777)
        done = subprocess_run(
            [sys.executable, "-c", source.replace(str(tmp_path), elsewhere)], capture_output=True, text=True, check=True
        )
    assert done.stdout == "False\n"
