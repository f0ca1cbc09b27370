"""One attempt of the hostile project: what it tries, and what must happen instead."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from tests.integration.cluster.cluster import Row
from tests.integration.hostile.stage import Stage

Play = Callable[[Stage], Awaitable[None]]
CATALOGUE: dict[str, "Attempt"] = {}


@dataclass(frozen=True)
class Attempt:
    name: str
    tries: str
    must: str
    play: Play


def attempt(name: str, tries: str, must: str) -> Callable[[Play], Play]:
    """Enters it into the catalogue; attempts stay there once they are known."""

    def enter(play: Play) -> Play:
        assert name not in CATALOGUE, name
        CATALOGUE[name] = Attempt(name, tries, must, play)
        return play

    return enter


def script(name: str, tries: str, must: str, source: str, *, error: str | None = None, timeout: float = 60) -> None:
    """An attempt by a script of beta's owner, in Python, that writes what it could get hold of into `got`. FOLDER,
    URL, KEY and RESIDENT stand for the cluster's folder, its API, beta's own key and alpha's run."""

    async def play(stage: Stage) -> None:
        target = {"kind": "script", "interpreter": "python", "source": _BEGIN + filled(stage, source) + _END}
        run = await stage.play(target, timeout=timeout)
        where = f"{name}: {run['status']}, {run['error']}, {run['result']}"
        if error is not None:
            assert (run["status"], (run["error"] or "").startswith(error)) == ("failed", True), where
        else:
            assert (run["status"], run["result"]) == ("succeeded", []), where

    attempt(name, tries, must)(play)


def filled(stage: Stage, source: str) -> str:
    words = {"FOLDER": str(stage.folder), "URL": stage.url, "KEY": stage.keys["beta owner"], "RESIDENT": stage.resident}
    for word, value in words.items():
        source = source.replace(word, value)
    return source


_BEGIN = """
import ctypes, glob, json, os, signal, socket, sys
got = []
def take(what, do):
    try:
        found = do()
    except (OSError, ValueError) as error:
        return
    if found:
        got.append([what, str(found)[:200]])
"""
_END = """
json.dump(got, open(os.environ["HORAE_RESULT"], "w"))
"""


def ended_by(run: Row, words: str) -> None:
    assert (run["status"], words in (run["error"] or "")) == ("failed", True), f"{run['status']}: {run['error']}"
