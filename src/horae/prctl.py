"""prctl(2): parent-death signal, subreaper, dumpable, name. A no-op outside Linux.

Standard library only: the supervisor imports it.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable

_SET_DEATH_SIGNAL, _GET_DUMPABLE, _SET_DUMPABLE, _SET_NAME, _SET_CHILD_SUBREAPER = 1, 3, 4, 15, 36
_LONGEST_NAME = 15
_prctl: Callable[..., int] = ctypes.CDLL(None).prctl if sys.platform == "linux" else lambda *_: 0


def die_with_parent(parent: int | None = None) -> None:
    """Kills this process when its parent ends; `parent` is the one that started it, which may have ended before this
    call."""
    _prctl(_SET_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if parent is not None and os.getppid() != parent:
        os._exit(1)


def outlive_parent() -> None:
    _prctl(_SET_DEATH_SIGNAL, 0, 0, 0, 0)


def adopt_orphans() -> None:
    """Descendants whose parent ended become children of this process."""
    _prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def be_called(name: str) -> None:
    """Shown by `ps` and `top`, as far as it fits."""
    _prctl(_SET_NAME, ctypes.c_char_p(name.encode()[:_LONGEST_NAME]), 0, 0, 0)


def set_dumpable(dumpable: bool) -> None:
    _prctl(_SET_DUMPABLE, int(dumpable), 0, 0, 0)


def is_dumpable() -> bool:
    return sys.platform != "linux" or _prctl(_GET_DUMPABLE, 0, 0, 0, 0) == 1
