"""The command line on a real terminal of 80 columns: output, prompts and interrupts."""

import fcntl
import os
import pty
import signal
import struct
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from .conftest import Horae

pytestmark = [pytest.mark.slow, pytest.mark.sqlite]

Typed = Callable[..., tuple[int, str]]
CTRL_C = b"\x03"


@pytest.fixture
def terminal(running: Path, horae: Horae) -> Typed:
    """Runs a command on a terminal, types `keys` as soon as `at` is to be read, and gives its exit code and screen."""

    def call(*arguments: str, at: bytes = b"", keys: bytes = b"", **environ: str) -> tuple[int, str]:
        pid, master = pty.fork()
        if pid == 0:
            signal.signal(signal.SIGINT, signal.SIG_DFL)  # the process that started the tests may have ignored it
            os.execve(sys.executable, [sys.executable, "-m", "horae", *arguments], {**os.environ, **environ})
        fcntl.ioctl(master, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        screen, typed = b"", not keys
        for piece in _read(master):
            screen += piece
            if not typed and at in screen:
                os.write(master, keys)
                typed = True
        code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
        os.close(master)
        return code, screen.decode().replace("\r\n", "\n")

    return call


def _read(master: int) -> Iterator[bytes]:
    while True:
        try:
            piece = os.read(master, 65_536)
        except OSError:  # the other end is closed
            return
        if not piece:
            return
        yield piece


@pytest.fixture
def job(horae: Horae) -> Iterator[str]:
    horae("jobs", "create", "on-a-terminal", "--script", "true", "--cron", "0 9 * * MON-FRI")
    yield "on-a-terminal"
    horae("jobs", "delete", "on-a-terminal", "--yes")


def test_declining_or_interrupting_changes_nothing(terminal: Typed, horae: Horae, job: str):
    code, screen = terminal("jobs", "delete", job, at=b"[y/N]", keys=b"n\n")
    assert (code, "Nothing was changed." in screen) == (1, True)
    code, screen = terminal("jobs", "delete", job, at=b"[y/N]", keys=CTRL_C)
    assert (code, "horae: interrupted" in screen, "Traceback" in screen) == (130, True, False)
    assert horae("jobs", "show", job).code == 0
    assert terminal("jobs", "delete", job, at=b"[y/N]", keys=b"y\n")[0] == 0
    assert horae("jobs", "show", job).code == 3


def test_tables_fit_and_keep_their_ids_whole(terminal: Typed, horae: Horae, job: str):
    worker = horae("workers", "--json").json["items"][0]["id"]
    for command in ("jobs list", "workers", "schedulers", "keys list", "functions list", "audit --limit 5"):
        code, screen = terminal(*command.split(), NO_COLOR="1", TERM="dumb")
        assert (code, max(len(line) for line in screen.splitlines())) <= (0, 80), screen
        assert (worker in screen) == (command == "workers")
    assert "\x1b" not in horae("jobs", "list").out
    assert "no room" not in horae("workers").err


def test_watching_ends_with_ctrl_c(terminal: Typed, job: str):
    code, screen = terminal("jobs", "list", "--watch", at=job.encode(), keys=CTRL_C)
    assert (code, screen.rstrip().endswith("horae: interrupted")) == (130, True)


def completed(terminal: Typed, words: str, **environ: str) -> list[str]:
    """What a Tab offers behind these words."""
    count = str(len(words.split(" ")) - 1)
    code, screen = terminal(_HORAE_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=count, **environ)
    assert code == 0
    return screen.split()


def test_a_tab_offers_what_the_server_knows(terminal: Typed, job: str):
    assert completed(terminal, "horae jobs show on-a") == [job]
    assert completed(terminal, "horae queues pause def") == ["default"]
    assert completed(terminal, "horae runs list --status fa") == ["failed"]


def test_a_tab_without_a_server_offers_nothing_and_says_nothing(terminal: Typed):
    assert completed(terminal, "horae jobs show on-a", HORAE_URL="http://127.0.0.1:1", HORAE_TOKEN="x") == []
    assert completed(terminal, "horae jobs show on-a", HORAE_URL="nonsense") == []
