"""How this worker keeps the code of jobs apart, found out when it starts."""

from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING

from horae.config import Settings
from horae.domain.isolation import Isolation
from horae.processes.loop import log

if TYPE_CHECKING:
    from horae.executors.commands import CommandRunner

_KINDS = ("script", "artifact")


async def isolate(settings: Settings, commands: CommandRunner) -> Isolation:
    """Tries the sandbox, and says in the log what scripts are kept from."""
    kinds = tuple(kind for kind in _KINDS if kind in settings.executors)
    me = _name()
    found = Isolation(
        kinds=kinds,
        worker=me,
        user=commands.user or me,
        root=bool(kinds) and commands.user is None and os.geteuid() == 0,
        unsandboxed=await commands.unsandboxed() if kinds else None,
        installs="artifact" in kinds and settings.artifact_install,
        mounts=(settings.container_mounts or ()) if "container" in settings.executors else (),
    )
    if kinds:
        _say(found)
    return found


def _say(found: Isolation) -> None:
    told = {"sandbox": found.sandbox, **({"why": found.unsandboxed} if found.unsandboxed else {})}
    log.info(f"scripts run as {found.user}", **told)
    if found.owner_is_admin:
        log.warning(
            "code of jobs is not kept apart on this worker: an owner of any project it serves is an admin of the "
            "installation",
            because=found.owner_is_admin,
            remedy="set HORAE_SCRIPT_USER, or run the worker as a user that is not root and install bubblewrap",
        )


def _name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
