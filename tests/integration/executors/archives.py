"""Archives for tests, and what runs them."""

import hashlib
import io
import os
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

from horae.domain.runs.outcome import Outcome
from horae.executors.artifact import ArtifactExecutor
from horae.executors.artifacts.fetcher import CacheOptions, Fetcher
from horae.executors.commands import CommandRunner
from horae.executors.containers.runner import ContainerRunner
from tests.integration.executors.attempts import Log, make_attempt
from tests.integration.executors.scripts import ENVIRONMENT

PLACE = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(sys.path)}


def zipped(files: dict[str, str]) -> bytes:
    """Those in `bin/` are programs."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = (0o755 if name.startswith("bin/") else 0o644) << 16
            archive.writestr(info, text)
    return buffer.getvalue()


def tarred(files: dict[str, str], mode: Any = "w:gz") -> bytes:
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode=mode) as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text.encode()), 0o755 if name.startswith("bin/") else 0o644
            archive.addfile(info, io.BytesIO(text.encode()))
    return buffer.getvalue()


def digest(content: bytes) -> str:
    return f"sha256:{hashlib.sha256(content).hexdigest()}"


class Shelf:
    """A folder with archives, an executor that fetches from there, and its cache."""

    def __init__(self, folder: Path, *, containers: ContainerRunner | None = None, **options: Any) -> None:
        self.folder = folder
        self.store = CacheOptions(
            **{"cache": folder / "cache", "environment": PLACE, "folders": [str(folder)], **options}
        )
        self.cache = self.store.cache
        self.executor = ArtifactExecutor(Fetcher(self.store), CommandRunner(ENVIRONMENT, scratch=folder), containers)

    def put(self, content: bytes, name: str = "archive") -> dict[str, Any]:
        """A target without its entrypoint."""
        path = self.folder / name
        path.write_bytes(content)
        return {"kind": "artifact", "uri": f"file://{path}", "digest": digest(content)}

    async def run(self, target: dict[str, Any], entrypoint: Any, **more: Any) -> tuple[Outcome, Log]:
        input = more.pop("input", None)
        attempt, log = make_attempt({**target, "entrypoint": entrypoint, **more}, input=input)
        return await self.executor.execute(attempt), log
