"""Archives that run in containers, by a real Podman."""

import json
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from horae.domain.runs.states import AttemptOutcome, StopReason
from tests.integration.executors.archives import Shelf, tarred, zipped
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.containers import make_runner
from tests.integration.executors.podman import IMAGE, Podman
from tests.waiting import until

PYTHON = "localhost/horae-python:1"


@pytest.fixture
async def shelf(podman: Podman, tmp_path: Path) -> AsyncIterator[Shelf]:
    it = Shelf(tmp_path, containers=make_runner(podman.socket))
    yield it
    await it.executor.close()
    assert podman.containers() == []


@pytest.fixture(scope="module")
def python(podman: Podman, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An image with the Python of this test: its program, its modules, and the libraries that they need."""
    context = tmp_path_factory.mktemp("image")
    program, modules = Path(sys._base_executable).resolve(), Path(sysconfig.get_path("stdlib"))  # type: ignore[attr-defined]
    omitted = shutil.ignore_patterns(
        "test", "site-packages", "dist-packages", "__pycache__", "config-*", "lib2to3", "ensurepip", "idlelib"
    )
    _copy(program, context)
    shutil.copytree(modules, context / "root" / modules.relative_to("/"), ignore=omitted)
    for needed in {library for file in (program, *modules.glob("lib-dynload/*.so")) for library in _libraries(file)}:
        _copy(needed, context)
    (context / "root" / "bin").mkdir(exist_ok=True)
    (context / "root" / "bin" / "python3").symlink_to(program)
    (context / "Containerfile").write_text("FROM scratch\nCOPY root /\nENV PATH=/bin\n")
    podman.run("build", "--isolation=chroot", "-t", PYTHON, str(context))
    return PYTHON


def _libraries(file: Path) -> set[Path]:
    told = subprocess.run(["ldd", str(file)], capture_output=True, text=True, check=False).stdout
    return {Path(word) for line in told.splitlines() for word in line.split() if word.startswith("/")}


def _copy(file: Path, context: Path) -> None:
    place = context / "root" / file.relative_to("/")
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(file, place)


async def test_a_command_runs_in_the_archive_s_folder(shelf):
    files = {"bin/tool": "#!/bin/sh\npwd; cat data -; touch x; echo 1 > $HORAE_RESULT", "data": "data\n"}
    outcome, log = await shelf.run(shelf.put(tarred(files)), ["bin/tool"], image=IMAGE, input="[2]", env={"A": "b"})
    assert (outcome.error, outcome.result) == (None, "1")
    assert log.text() == "/artifact\ndata\n[2]"
    assert "Read-only" in log.text("stderr")


async def test_a_function_runs_by_the_image_s_python(shelf, python):
    code = "import os\ndef f(a, b): return [a + b, os.getcwd()]\ndef g(): raise KeyError('no')"
    target = {**shelf.put(zipped({"m.py": code})), "image": python}
    outcome, _ = await shelf.run(target, "m:f", arguments={"a": 1}, input='{"b": 2}')
    assert outcome.error is None
    assert json.loads(outcome.result or "") == [3, "/artifact"]
    outcome, _ = await shelf.run(target, "m:g")
    assert (outcome.error, outcome.permanent) == ("KeyError: 'no'", False)
    assert "in g" in (outcome.traceback or "")
    outcome, _ = await shelf.run(target, "m:h")
    assert (outcome.error, outcome.permanent) == ("the module m has no function h", True)


async def test_limits_are_the_container_s(shelf):
    files = {"bin/tool": "#!/bin/sh\nexec tail /dev/zero"}
    outcome, _ = await shelf.run(shelf.put(tarred(files)), ["bin/tool"], image=IMAGE, limits={"memory": "32MiB"})
    assert "out of memory" in (outcome.error or "")


async def test_an_image_without_python_is_reported(shelf):
    outcome, _ = await shelf.run(shelf.put(zipped({"m.py": ""})), "m:f", image=IMAGE)
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, True)
    assert "python3" in (outcome.error or "")


async def test_a_stopped_one_is_ended(shelf):
    target = shelf.put(tarred({"bin/tool": "#!/bin/sh\necho up; sleep 60"}))
    attempt, log = make_attempt({**target, "entrypoint": ["bin/tool"], "image": IMAGE}, grace=0.1)
    async with running(shelf.executor, attempt) as it:
        await until(lambda: "up" in log.text())
        it.stop(StopReason.CANCEL)
        assert await it.is_stopped()
