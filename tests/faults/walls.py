"""Its own host for processes: a network namespace with a wire to it, on which packets vanish at will.

    host = await stage.keep(far_host())
    proxy = await stage.proxy(host.gateway)         # how it gets to the database
    worker = await stage.cluster.start_worker(before=host.enter, HORAE_DATABASE_URL=proxy.url)
    host.drop(proxy.port, "both"); host.let_pass()

Unlike a proxy that falls silent, no one acknowledges a packet: it is the kernel that has to notice.
"""

import asyncio
import os
import random
import secrets
import shutil
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Literal

import psutil

Way = Literal["there", "back", "both"]
_NAMES = "horae-of-"  # and the maker's process id


@dataclass(frozen=True)
class FarHost:
    name: str
    gateway: str
    address: str

    @property
    def enter(self) -> list[str]:
        """The command that starts others there."""
        return ["ip", "netns", "exec", self.name]

    def drop(self, port: int, way: Way) -> None:
        """From now on what is sent to that port of the gateway, or comes back from it, vanishes."""
        if way != "back":
            say(*self.enter, *_rule("OUTPUT", "--dport", port))
        if way != "there":
            say(*self.enter, *_rule("INPUT", "--sport", port))

    def let_pass(self) -> None:
        say(*self.enter, "iptables", "-F")


def _rule(chain: str, side: str, port: int) -> list[str]:
    return ["iptables", "-A", chain, "-p", "tcp", side, str(port), "-j", "DROP"]


@asynccontextmanager
async def far_host() -> AsyncIterator[FarHost]:
    host = await asyncio.to_thread(_build)
    try:
        yield host
    finally:
        await asyncio.to_thread(say, "ip", "netns", "delete", host.name)  # its wire goes with it


def _build() -> FarHost:
    _sweep()
    net = random.SystemRandom().randrange(2**15) * 4  # of 198.18.0.0/15, which is no one's: it is for tests
    gateway, address = (f"198.{18 + (n >> 16)}.{n >> 8 & 255}.{n & 255}" for n in (net + 1, net + 2))
    tag = secrets.token_hex(3)
    name, near, far = f"{_NAMES}{os.getpid()}-{tag}", f"hor{tag}a", f"hor{tag}b"
    say("ip", "netns", "add", name)
    try:
        say("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", name)
        say("ip", "address", "add", f"{gateway}/30", "dev", near)
        say("ip", "link", "set", near, "up")
        for words in (
            ("address", "add", f"{address}/30", "dev", far),
            ("link", "set", far, "up"),
            ("link", "set", "lo", "up"),
        ):
            say("ip", "-n", name, *words)
    except BaseException:
        say("ip", "netns", "delete", name)
        raise
    return FarHost(name, gateway, address)


def _sweep() -> None:
    """What those left behind who were killed."""
    for name in said("ip", "netns", "list").split():
        if name.startswith(_NAMES) and not psutil.pid_exists(int(name.removeprefix(_NAMES).partition("-")[0])):
            with suppress(subprocess.CalledProcessError):  # another may have been quicker
                say("ip", "netns", "delete", name)


@cache
def possible() -> bool:
    """Whether this machine lets us."""
    if os.geteuid() != 0 or not shutil.which("ip") or not shutil.which("iptables"):
        return False
    with suppress(subprocess.CalledProcessError):
        host = _build()
        try:
            host.drop(1, "both")
        finally:
            say("ip", "netns", "delete", host.name)
        return True
    return False


def say(*words: str) -> None:
    said(*words)


def said(*words: str) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout
