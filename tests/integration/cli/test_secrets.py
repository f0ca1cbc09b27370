"""`horae secrets` against a running Horae: the value comes from a prompt, a pipe or a file, and is never printed."""

import io
import json
import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from horae.cli.connection import connect
from tests.waiting import until

from .conftest import Horae

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

VALUE = "s3cr3t wörd"
ECHO = {"kind": "script", "source": "echo $TOKEN | tr a-z A-Z; echo $TOKEN", "env": {"TOKEN": "{{ secrets.PIPED }}"}}


def names(horae: Horae) -> list[str]:
    return [secret["name"] for secret in horae("secrets", "list", "--json").json["items"]]


@pytest.fixture(autouse=True)
def none_left(horae: Horae) -> Iterator[None]:
    """They share one Horae."""
    yield
    for name in names(horae):
        assert horae("secrets", "delete", name, "--force", "--yes").code == 0


def piped(monkeypatch: pytest.MonkeyPatch, raw: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw)))


def test_from_a_pipe_to_a_script_and_away(horae: Horae, monkeypatch: pytest.MonkeyPatch):
    piped(monkeypatch, f"{VALUE}\n".encode())
    made = horae("secrets", "set", "PIPED", "-")
    assert (made.code, made.out) == (0, "")
    assert "{{ secrets.PIPED }}" in made.err
    listed = horae("secrets", "list", "--json").json["items"]
    assert [(secret["name"], secret["updated_by"]) for secret in listed] == [("PIPED", "key:local")]
    table = horae("secrets", "list")
    assert "PIPED" in table.out
    assert "s3cr3t" not in table.out + json.dumps(listed) + made.err

    assert horae("jobs", "create", "uses", "--script", "true").code == 0
    refused = horae("secrets", "delete", "NONE", "--yes")
    assert (refused.code, "there is no secret 'NONE'" in refused.err) == (3, True)
    with connect() as client:
        client.jobs.edit("uses", target=ECHO)
    ran = horae("jobs", "run", "uses", "--wait")
    assert (ran.code, ran.out) == (0, f"{VALUE.upper().replace('Ö', 'ö')}\n[secret PIPED]\n")
    assert horae("jobs", "show", "uses", "--json").json["target"]["env"] == ECHO["env"]

    kept = horae("secrets", "delete", "PIPED", "--yes")
    assert (kept.code, "jobs use this secret: uses" in kept.err) == (1, True)
    assert horae("secrets", "delete", "PIPED", "--force", "--yes").code == 0
    failed = horae("jobs", "run", "uses", "--wait", "--json")
    assert failed.json["error"] == "no secret named PIPED in this project; create it with `horae secrets set PIPED`"


def test_from_a_file_as_it_is(horae: Horae, tmp_path: Path):
    file = tmp_path / "value"
    file.write_bytes(b"two\nlines\n")
    assert horae("secrets", "set", "FILED", "--from-file", str(file), "--json").json["name"] == "FILED"
    file.write_bytes(b"\xff\xfe")
    refused = horae("secrets", "set", "FILED", "--from-file", str(file))
    assert (refused.code, "UTF-8" in refused.err) == (2, True)
    missing = horae("secrets", "set", "FILED", "--from-file", str(tmp_path / "none"))
    assert (missing.code, "--from-file: cannot be read" in missing.err) == (2, True)
    assert horae("secrets", "delete", "FILED", "--yes", "--json").json == {"name": "FILED", "deleted": True}


@pytest.mark.parametrize(
    ("arguments", "raw", "said"),
    [
        (["A", VALUE], b"", "do not pass the value as an argument"),
        (["A-B", "-"], b"x", "name: must be at most 100 letters"),
        (["A", "-"], b"", "value: must have 1 to 65,536 bytes"),
        (["A", "-"], b"a\x00s3cr3t", "value: must not contain the NUL character"),
        (["A", "-"], b"s3cr3t" * 20_000, "value: must have 1 to 65,536 bytes"),
        (["A", "-", "--from-file", "x"], b"", "--from-file: cannot be combined with -"),
        (["A"], b"s3cr3t", "use - to read it from standard input"),
    ],
)
def test_bad_values_are_refused_and_not_repeated(
    horae: Horae, monkeypatch: pytest.MonkeyPatch, arguments: list[str], raw: bytes, said: str
):
    piped(monkeypatch, raw)
    refused = horae("secrets", "set", *arguments)
    assert refused.code == 2
    assert said in refused.err
    assert "s3cr3t" not in refused.err
    assert names(horae) == []


def asking() -> tuple[subprocess.Popen[bytes], int]:
    """The command on its own terminal, and our end of that."""
    master, terminal = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", _ASK], stdin=terminal, stdout=terminal, stderr=terminal, start_new_session=True
    )
    os.close(terminal)
    os.set_blocking(master, False)
    return process, master


async def test_a_terminal_is_asked_without_showing(horae: Horae):
    process, master = asking()
    shown = b""

    def said(words: bytes) -> bool:
        nonlocal shown
        with suppress(OSError):  # nothing new, or the end
            shown += os.read(master, 65_536)
        return words in shown

    try:
        await until(lambda: said(b"Value of ASKED:"), timeout=30)
        os.write(master, b"s3cr3t\n")
        await until(lambda: said(b"confirm") or said(b"Repeat"), timeout=30)
        os.write(master, b"s3cr3t\n")
        await until(lambda: process.poll() is not None, timeout=30)
        said(b"")
        assert process.returncode == 0, shown
    finally:
        process.kill()
        process.wait()
        os.close(master)
    assert b"s3cr3t" not in shown
    assert names(horae) == ["ASKED"]


# The process has its own terminal, as in a shell: passwords are prompted for there, whatever standard input is.
_ASK = """
import fcntl, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from horae.cli.app import run
sys.exit(run(["secrets", "set", "ASKED"]))
"""


def test_rotation_says_how_many(running: Path, monkeypatch: pytest.MonkeyPatch, horae: Horae):
    piped(monkeypatch, b"value")
    assert horae("secrets", "set", "TURNED", "-").code == 0
    key = (running / "secret.key").read_text().strip()
    monkeypatch.setenv("HORAE_SECRET_KEY", "f" * 16 + key)
    lost = horae("secrets", "rotate")
    assert lost.code == 1
    assert "Re-encrypted 0 secrets" in lost.err
    assert "neither key opens it: TURNED (project default)" in lost.err
    monkeypatch.setenv("HORAE_SECRET_KEY_PREVIOUS", key)
    assert horae("secrets", "rotate", "--json").json == {"sealed": 1, "cannot_open": []}
    monkeypatch.setenv("HORAE_SECRET_KEY", key)
    monkeypatch.setenv("HORAE_SECRET_KEY_PREVIOUS", "f" * 16 + key)
    back = horae("secrets", "rotate")
    assert (back.code, "Re-encrypted 1 secret with the current key." in back.err) == (0, True)
    monkeypatch.delenv("HORAE_SECRET_KEY")
    unknown = horae("secrets", "rotate")
    assert (unknown.code, "HORAE_SECRET_KEY is not set" in unknown.err) == (2, True)
