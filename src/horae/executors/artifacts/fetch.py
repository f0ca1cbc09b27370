"""The process that fetches: `python -m horae.executors.artifacts.fetch`, a request on its standard input, an answer on
its standard output.

A separate process, because storage libraries block, use memory and keep threads, and because it can be killed at any
moment: the next one removes what it leaves unfinished.
"""

from __future__ import annotations

import json
import resource
import sys
from pathlib import Path
from typing import Any

from horae import memory, prctl
from horae.executors.artifacts.cache import Cache
from horae.executors.artifacts.download import Unavailable, download
from horae.executors.artifacts.install import install
from horae.executors.artifacts.unpack import Caps, unpack
from horae.executors.failure import Refused, in_words

_MEMORY = 2 * 2**30  # bytes; a broken archive may request any amount


def main() -> None:
    memory.close()  # the environment has the worker's credentials for storage
    request = json.loads(sys.stdin.buffer.read())
    prctl.die_with_parent(request["parent"])
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    try:
        make(request)
        answer = {}
    except Refused as error:
        answer = {"refused": str(error)}
    except Unavailable as error:
        answer = {"failed": str(error)}
    except MemoryError:
        answer = {"refused": "unpacking the archive takes too much memory"}
    except OSError as error:  # a full disk, a folder that is not writable
        answer = {"failed": f"the archive cannot be cached: {in_words(error)}"}
    sys.stdout.write(json.dumps(answer))


def make(request: dict[str, Any]) -> None:
    """Creates the missing entries: the archive's files and, if requested, their virtual environment."""
    cache = Cache(Path(request["cache"]))
    digest, environment = request["digest"].partition(":")[2], request["environment"]
    with cache.made(digest) as folder:
        if folder is not None:
            _files(request, folder)
    if environment is not None and (lock := cache.use(digest)) is not None:
        try:
            with cache.made(environment) as folder:
                if folder is not None:
                    install(cache.content(digest), folder / "files")
        finally:
            lock.release()
    cache.trim(request["cache_limit"], (digest, environment))


def _files(request: dict[str, Any], folder: Path) -> None:
    archive, files = folder / "archive", folder / "files"
    download(
        request["uri"],
        archive,
        digest=request["digest"],
        limit=request["limit"],
        schemes=request["schemes"],
        folders=request["folders"],
    )
    files.mkdir(mode=0o755)
    unpack(archive, files, Caps())
    archive.unlink()


if __name__ == "__main__":
    main()
