"""How this worker isolates the code of jobs, determined when it starts."""

from __future__ import annotations

import os
import pwd
from pathlib import Path
from typing import TYPE_CHECKING

from horae.config import Settings, private_places
from horae.domain.cluster.isolation import Isolation
from horae.processes.loop import log

if TYPE_CHECKING:
    from horae.executors.commands import CommandRunner

_KINDS = ("script", "artifact")
_OPEN = "job code is not isolated on this worker: an owner of any project it serves is an admin of the installation"
_REMEDY = "docs/targets/script.md: set HORAE_SCRIPT_USER, or run as a user other than root and install bubblewrap"


async def isolate(settings: Settings, commands: CommandRunner) -> Isolation:
    """Tests the sandbox, and logs what scripts are kept from."""
    kinds = tuple(kind for kind in _KINDS if kind in settings.executors)
    me = _name()
    mounts = (settings.container_mounts or ()) if "container" in settings.executors else ()
    found = Isolation(
        kinds=kinds,
        worker=me,
        user=commands.user or me,
        root=bool(kinds) and commands.user is None and os.geteuid() == 0,
        unsandboxed=await commands.unsandboxed() if kinds else None,
        installs="artifact" in kinds and settings.artifact_install,
        mounts=mounts,
        exposed=tuple(mount for mount in mounts if _holds_private(mount, settings)),
    )
    if kinds:
        log.info(f"scripts run as {found.user}", sandbox=found.sandbox, **_why(found))
    if found.owner_is_admin:
        log.warning(_OPEN, because=found.owner_is_admin, remedy=_REMEDY)
    return found


def _why(found: Isolation) -> dict[str, str]:
    return {} if found.unsandboxed is None else {"why": found.unsandboxed}


def _holds_private(mount: str, settings: Settings) -> bool:
    """Whether a folder contains, or is inside, Horae's own files."""
    folders, files = private_places(settings)
    real = Path(os.path.realpath(mount))
    places = [Path(os.path.realpath(place)) for place in (*folders, *files) if place.exists()]
    return any(place.is_relative_to(real) for place in places) or any(
        real.is_relative_to(os.path.realpath(folder)) for folder in folders
    )


def _name() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return str(os.geteuid())
