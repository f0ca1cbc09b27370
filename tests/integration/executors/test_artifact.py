"""Functions and commands of archives, on the worker's machine."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from horae.domain.runs.states import AttemptOutcome, StopReason
from horae.executors.artifacts.cache import Cache
from tests.integration.executors.archives import PLACE, Shelf, digest, tarred, zipped
from tests.integration.executors.attempts import make_attempt, running
from tests.integration.executors.scripts import is_alive, pid_in
from tests.waiting import until

MODULE = """
import os, sys
import sub.other

def add(a, b=1):
    print("adding", flush=True)
    return {"sum": a + b, "other": sub.other.NAME}

async def later(): return [1]
def nothing(): return None
def fails(): raise ValueError("no luck")
def leaves(): sys.exit(3)
def strange(): return {1, 2}
def long(): return "x" * 70_000
def where(): return [os.getcwd(), sorted(name for name in os.environ if name.startswith(("HORAE", "AWS", "MINE")))]
def permanent():
    from horae import PermanentError
    raise PermanentError("never")
not_callable = 1
"""
FILES = {"main.py": MODULE, "sub/__init__.py": "", "sub/other.py": "NAME = 'other'", "data.txt": "data\n"}


@pytest.fixture
async def shelf(tmp_path: Path) -> AsyncIterator[Shelf]:
    it = Shelf(tmp_path)
    yield it
    await it.executor.close()


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
async def filled(tmp_path: Path, cache: Path) -> AsyncIterator[Shelf]:
    """With a cache that has what the test before has fetched."""
    it = Shelf(tmp_path, cache=cache)
    yield it
    await it.executor.close()


# ---- what runs


@pytest.mark.parametrize(
    "archive",
    [zipped(FILES), tarred(FILES, "w"), tarred(FILES), tarred(FILES, "w:bz2"), tarred(FILES, "w:xz")],
    ids=["zip", "tar", "gz", "bz2", "xz"],
)
async def test_a_function_of_any_kind_of_archive(shelf, archive):
    outcome, log = await shelf.run(shelf.put(archive), "main:add", arguments={"a": 1}, input='{"b": 41}')
    assert outcome.error is None
    assert json.loads(outcome.result or "") == {"sum": 42, "other": "other"}
    assert log.text() == "adding\n"


@pytest.mark.parametrize(("function", "result"), [("later", "[1]"), ("nothing", None)])
async def test_other_functions(filled, function, result):
    outcome, _ = await filled.run(filled.put(zipped(FILES)), f"main:{function}")
    assert (outcome.kind, outcome.result) == (AttemptOutcome.SUCCEEDED, result)


async def test_it_has_a_clean_environment_and_starts_in_the_archive(filled):
    outcome, _ = await filled.run(filled.put(zipped(FILES)), "main:where", env={"MINE": "{{ run.id }}"})
    folder, names = json.loads(outcome.result or "")
    assert (Path(folder) / "data.txt").read_text() == "data\n"
    told = ["ATTEMPT", "JOB_NAME", "RESULT", "RUN_ID", "SCHEDULED_FOR", "TRIGGER"]
    assert names == [*(f"HORAE_{name}" for name in told), "MINE"]


@pytest.mark.parametrize("command", [["bin/tool", "x"], ["sh", "bin/tool", "x"]])
async def test_a_command_of_the_archive(shelf, command):
    files = {"bin/tool": '#!/bin/sh\ncat data.txt -; echo "$1"; echo 1 > $HORAE_RESULT', "data.txt": "data\n"}
    outcome, log = await shelf.run(shelf.put(tarred(files)), command, input="[2]")
    assert (outcome.error, outcome.result) == (None, "1")
    assert log.text() == "data\n[2]x\n"


async def test_python_of_the_worker(shelf):
    code = "import sys; print(sys.executable)"
    outcome, log = await shelf.run(shelf.put(zipped({"tool.py": code})), ["python", "tool.py"])
    assert (outcome.error, log.text()) == (None, f"{sys.executable}\n")


async def test_limits_are_those_of_scripts(shelf):
    outcome, _ = await shelf.run(
        shelf.put(zipped({"m.py": "def f(): x = bytearray(500_000_000)"})), "m:f", limits={"memory": "100MiB"}
    )
    assert (outcome.error or "").startswith(("out of memory", "MemoryError"))


# ---- how functions fail


async def test_an_exception_is_reported_with_its_traceback(filled):
    outcome, log = await filled.run(filled.put(zipped(FILES)), "main:fails")
    assert (outcome.kind, outcome.error, outcome.permanent) == (AttemptOutcome.FAILED, "ValueError: no luck", False)
    assert "in fails" in (outcome.traceback or "")
    assert "in fails" in log.text("stderr")
    assert outcome.result is None


async def test_an_exit_code_stays_what_it_is(filled):
    outcome, _ = await filled.run(filled.put(zipped(FILES)), "main:leaves")
    assert (outcome.error, outcome.exit_code) == ("exit code 3", 3)


@pytest.mark.parametrize(
    ("entrypoint", "more", "complaint"),
    [
        ("absent:f", {}, "the archive has no module absent"),
        ("sub.absent:f", {}, "the archive has no module sub.absent"),
        ("main:absent", {}, "the module main has no function absent"),
        ("main:not_callable", {}, "the module main has no function not_callable"),
        ("main:add", {}, "main:add does not take these arguments: missing a required argument: 'a'"),
        ("main:add", {"arguments": {"c": 1}}, "main:add does not take these arguments"),
        ("main:add", {"input": "[1]"}, "the input of a function must be a JSON object"),
        ("main:strange", {}, "the result cannot be written as JSON"),
        ("main:long", {}, "the result is longer than 64 KiB of JSON"),
        ("main:permanent", {}, "PermanentError: never"),
        (["bin/absent"], {}, "the archive has no file bin/absent"),
        (["no-such-program"], {}, "neither the archive nor this worker has the program no-such-program"),
    ],
)
async def test_failures_that_a_retry_cannot_fix_are_permanent(filled, entrypoint, more, complaint):
    outcome, _ = await filled.run(filled.put(zipped(FILES)), entrypoint, **more)
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, True)
    assert (outcome.error or "").startswith(complaint)


# ---- fetching


async def test_the_second_run_fetches_nothing(shelf):
    target = shelf.put(zipped(FILES))
    _, log = await shelf.run(target, "main:nothing")
    assert log.text("system") == f"fetching {target['uri']}\n"
    (shelf.folder / "archive").unlink()
    outcome, log = await shelf.run(target, "main:nothing")
    assert (outcome.error, log.text("system")) == (None, "")


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"digest": digest(b"other")}, "has the digest sha256:"),
        (
            {"uri": "file:///nowhere/archive"},
            "this worker does not read archives from /nowhere/archive (HORAE_ARTIFACT_FO",
        ),
        ({"uri": "file:///etc/passwd"}, "this worker does not read archives from /etc/passwd (HORAE_ARTIFACT_FOLDERS)"),
        ({"uri": "file:///"}, "this worker does not read archives from /"),
        ({"uri": "http://127.0.0.1/x"}, "this worker does not download archives from http://"),
        ({"install": True}, "this worker does not install requirements"),
        ({"image": "x"}, "this worker does not run containers"),
    ],
)
async def test_what_cannot_be_fetched_is_refused_and_nothing_is_kept(shelf, change, complaint):
    outcome, _ = await shelf.run({**shelf.put(zipped({})), **change}, "main:f")
    assert (outcome.kind, outcome.permanent) == (AttemptOutcome.FAILED, True)
    assert complaint in (outcome.error or "")
    assert "\n" not in (outcome.error or "")
    if "image" not in change:
        assert list(shelf.cache.glob("*/files")) == []


async def test_an_archive_that_is_too_large_is_refused(tmp_path):
    shelf = Shelf(tmp_path, limit=100)
    outcome, _ = await shelf.run(shelf.put(b"x" * 101), "main:f")
    assert outcome.permanent
    assert "larger than 100 bytes" in (outcome.error or "")


async def test_an_escape_is_refused_and_nothing_is_kept(shelf):
    outcome, _ = await shelf.run(shelf.put(zipped({"../escape": "x"})), "main:f")
    assert (outcome.permanent, outcome.error) == (True, "the archive has a path that leads out of it: ../escape")
    assert list(shelf.cache.glob("*/*")) == []
    assert not (shelf.cache / "escape").exists()


async def test_many_runs_of_one_archive_fetch_it_once(shelf):
    target = shelf.put(zipped(FILES))
    outcomes = await asyncio.gather(*(shelf.run(target, "main:add", arguments={"a": n}) for n in range(4)))
    assert [json.loads(outcome.result or "")["sum"] for outcome, _ in outcomes] == [1, 2, 3, 4]


async def test_the_cache_is_bounded_and_what_is_in_use_stays(tmp_path):
    shelf = Shelf(tmp_path, cache_limit=1)
    target = shelf.put(zipped({"m.py": "import time\ndef f():\n print('up', flush=True)\n time.sleep(60)"}))
    attempt, log = make_attempt({**target, "entrypoint": "m:f"})
    async with running(shelf.executor, attempt) as it:
        await until(lambda: "up" in log.text())
        others = [shelf.put(zipped({"m.py": f"def f(): return {n}"}), f"{n}") for n in range(2)]
        for other in others:
            assert (await shelf.run(other, "m:f"))[0].error is None
        cache = Cache(shelf.cache)
        kept = [cache.has(one["digest"].partition(":")[2]) for one in (target, *others)]
        assert kept == [True, False, True]
        it.stop(StopReason.LEASE_LOST)
        assert await it.is_stopped()
    await shelf.executor.close()


# ---- stopping


async def test_a_stopped_function_is_ended(shelf):
    code = "import os, time\ndef f():\n print(os.getpid(), flush=True)\n time.sleep(60)"
    attempt, log = make_attempt({**shelf.put(zipped({"m.py": code})), "entrypoint": "m:f"})
    async with running(shelf.executor, attempt) as it:
        pid = await pid_in(log)
        it.stop(StopReason.CANCEL)
        assert await it.is_stopped()
    assert not is_alive(pid)


async def test_fetching_can_be_stopped_and_restarted(shelf):
    content = zipped(FILES)
    target = shelf.put(content)
    path = shelf.folder / "archive"
    path.unlink()
    os.mkfifo(path)  # a reader of it waits
    attempt, _ = make_attempt({**target, "entrypoint": "main:nothing"})
    async with running(shelf.executor, attempt) as it:
        await until(lambda: list(shelf.cache.glob("*.lock")))
        it.stop(StopReason.TIMEOUT)
        assert await it.is_stopped()
    path.unlink()
    shelf.put(content)
    outcome, _ = await shelf.run(target, "main:nothing")
    assert outcome.error is None


async def test_a_wheel_is_an_archive(shelf):
    wheel = {
        "thing/__init__.py": "",
        "thing/main.py": "from importlib.metadata import version\ndef run(n): return [version('thing'), n]",
        "thing-1.2.dist-info/METADATA": "Metadata-Version: 2.1\nName: thing\nVersion: 1.2\n",
        "thing-1.2.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        "thing-1.2.dist-info/RECORD": "",
    }
    target = shelf.put(zipped(wheel), "thing-1.2-py3-none-any.whl")
    outcome, _ = await shelf.run(target, "thing.main:run", arguments={"n": 1})
    assert (outcome.error, outcome.result) == (None, '["1.2", 1]')


# ---- installing


@pytest.mark.slow
async def test_requirements_are_installed_once_into_a_separate_environment(tmp_path):
    shelf = Shelf(
        tmp_path, may_install=True, environment={**PLACE, "PIP_NO_INDEX": "1", "PYTHONPATH": PLACE["PYTHONPATH"]}
    )
    wheel = zipped(
        {
            "thing.py": "NAME = 'installed'",
            "thing-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: thing\nVersion: 1\n",
            "thing-1.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
            "thing-1.dist-info/RECORD": "",
        }
    )
    (tmp_path / "thing-1-py3-none-any.whl").write_bytes(wheel)
    files = {
        "requirements.txt": f"thing @ file://{tmp_path}/thing-1-py3-none-any.whl --hash={digest(wheel)}\n",
        "m.py": "import sys, thing\ndef f(): return [thing.NAME, sys.prefix != sys.base_prefix]",
    }
    target = {**shelf.put(zipped(files)), "install": True}
    outcome, _ = await shelf.run(target, "m:f")
    assert (outcome.error, outcome.result) == (None, '["installed", true]')
    outcome, log = await shelf.run(target, ["python", "-c", "import thing; print(thing.NAME)"])
    assert (log.text(), log.text("system")) == ("installed\n", "")
    await shelf.executor.close()


@pytest.mark.parametrize(
    ("files", "complaint"),
    [
        ({"m.py": ""}, "the archive has no requirements.txtto install from"),
        pytest.param(
            {"requirements.txt": "no-such-thing==1"}, "requirements.txt cannot be installed: ", marks=pytest.mark.slow
        ),
    ],
)
async def test_what_cannot_be_installed(tmp_path, files, complaint):
    shelf = Shelf(tmp_path, may_install=True, environment={**PLACE, "PIP_NO_INDEX": "1"})
    outcome, _ = await shelf.run({**shelf.put(zipped(files)), "install": True}, "m:f")
    assert (outcome.permanent, (outcome.error or "")[: len(complaint)]) == (True, complaint)
    await shelf.executor.close()
