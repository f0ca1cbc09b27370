"""A second factor by the command line: on a terminal as people do it, and through pipes as scripts do."""

import json
import os
import pty
import re
import select
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from horae.cli.people.authenticator import drawn
from horae.clock import SystemClock
from horae.domain.people import totp

from .conftest import Say

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

PASSWORD = "nine red kites above"
# A pattern of what is to be read, and what is typed then, by what is on the screen. Passwords are asked for by a blank
# after the colon: what is typed before the terminal stops showing it is lost.
Asked = tuple[str, Callable[[str], str]]
RECOVERY = re.compile(r"^  ((?:[a-z0-9]{4}-){3}[a-z0-9]{4})$", re.MULTILINE)


@pytest.fixture
def ada(say: Say, running: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Signed in as a new user."""
    assert say("users", "create", "ada", "--json", lines=f"{PASSWORD}\n").code == 0
    url = json.loads((running / "client.json").read_text())["url"]
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("HORAE_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("HORAE_URL", url)
    assert say("login", "--username", "ada", lines=f"{PASSWORD}\n").code == 0
    return "ada"


def on_terminal(arguments: Sequence[str], *asked: Asked) -> tuple[int, str]:
    """The exit code and the screen of a command that is answered as it asks."""
    pid, master = pty.fork()
    if pid == 0:
        os.execve(sys.executable, [sys.executable, "-m", "horae", *arguments], {**os.environ, "COLUMNS": "200"})
    screen, seen, left = "", 0, list(asked)
    while select.select([master], [], [], 60)[0]:
        try:
            piece = os.read(master, 65_536)
        except OSError:  # the other end is closed
            break
        screen += piece.decode(errors="replace").replace("\r\n", "\n")
        while left and re.search(left[0][0], screen[seen:]):
            seen = len(screen)
            os.write(master, f"{left.pop(0)[1](screen)}\n".encode())
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(master)
    assert not left, screen
    return code, screen


def secret_in(screen: str) -> bytes:
    found = re.search(r"^  ([A-Z2-7]{32})$", screen, re.MULTILINE)
    assert found is not None, screen
    return totp.read(found[1])


def code_in(screen: str, ahead: int = 0) -> str:
    return totp.code_at(secret_in(screen), totp.step_at(SystemClock().now()) + ahead)


def password(_: str) -> str:
    return PASSWORD


def test_from_enrolment_on_a_terminal_to_a_reset(say: Say, ada: str, running: Path, monkeypatch: pytest.MonkeyPatch):
    assert say("second-factor", "status", "--json").json["enabled"] is False
    assert "horae second-factor enrol" in say("second-factor", "off", lines=f"{PASSWORD}\n").err

    mistyped: Asked = ("First code", lambda _: "12")
    code, screen = on_terminal(["second-factor", "enrol"], ("Password: ", password), mistyped, ("First code", code_in))
    assert code == 0, screen
    assert "This code is wrong" in screen
    assert PASSWORD not in screen
    assert screen.count("\x1b[30;107m") > 15, "the QR code"
    codes = RECOVERY.findall(screen)
    assert len(codes) == 10
    assert say("second-factor", "status", "--json").json["recovery_codes_left"] == 10
    assert "on" in say("second-factor", "status").out

    assert say("logout").code == 0
    alone = say("login", "--username", ada, lines=f"{PASSWORD}\n")
    assert (alone.code, "--code" in alone.err) == (2, True)
    assert say("login", "--username", ada, "--code", "000000", lines=f"{PASSWORD}\n").code == 1
    assert say("login", "--username", ada, "--code", code_in(screen, 1), lines=f"{PASSWORD}\n").code == 0
    assert say("login", "--username", ada, lines=f"{PASSWORD}\n{codes[0]}\n").code == 0
    code, asked = on_terminal(
        ["login", "--username", ada], (r"Password for ada on \S+: ", password), ("Code from your", lambda _: codes[1])
    )
    assert (code, "Signed in as ada" in asked) == (0, True)

    fresh = say("second-factor", "recovery-codes", "--json", lines=f"{PASSWORD}\n{codes[2]}\n").json["recovery_codes"]
    assert say("second-factor", "off", "--code", codes[3], lines=f"{PASSWORD}\n").code == 1
    assert say("second-factor", "off", "--code", fresh[0], lines=f"{PASSWORD}\n").code == 0
    assert say("login", "--username", ada, lines=f"{PASSWORD}\n").code == 0

    on_terminal(["second-factor", "enrol"], ("Password: ", password), ("First code", code_in))
    monkeypatch.setenv("HORAE_DATA_DIR", str(running))
    monkeypatch.delenv("HORAE_URL")
    monkeypatch.delenv("XDG_CONFIG_HOME")
    key = (running / "secret.key").read_text().strip()
    for new, old in ((f"another {key}", key), (key, f"another {key}")):
        monkeypatch.setenv("HORAE_SECRET_KEY", new)
        monkeypatch.setenv("HORAE_SECRET_KEY_PREVIOUS", old)
        assert say("secrets", "rotate", "--json").json == {"sealed": 1, "cannot_open": []}
    monkeypatch.delenv("HORAE_SECRET_KEY")
    monkeypatch.delenv("HORAE_SECRET_KEY_PREVIOUS")
    assert [user["second_factor"] for user in say("users", "list", "--json").json["items"]] == [True]
    assert say("users", "reset-second-factor", "adda", "--yes").code == 3
    assert say("users", "reset-second-factor", ada).code == 2, "nobody there to ask"
    monkeypatch.setenv("HORAE_DATABASE_URL", f"sqlite:///{running}/horae.db")
    assert say("users", "reset-second-factor", ada, "--yes").code == 0
    monkeypatch.delenv("HORAE_DATABASE_URL")
    assert [user["second_factor"] for user in say("users", "list", "--json").json["items"]] == [False]
    told = say("audit", "--json").json["items"]
    assert "user.second_factor_reset" in [entry["action"] for entry in told if entry["actor"] == "command line"]


def test_the_code_is_drawn_with_light_around_it():
    lines = drawn(["101", "010", "111"]).splitlines()
    bare = [line.removeprefix("\x1b[30;107m").removesuffix("\x1b[0m") for line in lines]
    assert bare == ["       ", "  ▀▄▀  ", "  ▀▀▀  ", "       "]
