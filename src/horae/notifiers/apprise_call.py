"""One call of a service through Apprise, in a dedicated process (`python -m`): the message is JSON on standard input,
the outcome goes to standard output."""

from __future__ import annotations

import json
import resource
import sys
from typing import Any

from horae.notifiers.addresses import Addresses
from horae.notifiers.guarded import Guard, guarded

_MEMORY = 768 * 2**20  # bytes of address space, of which Python and Apprise use less than half
_SECONDS = 20  # of CPU time


def call(asked: dict[str, Any]) -> tuple[str | None, bool]:
    """Why it was not accepted, if so, and whether it never will be."""
    import apprise

    asset = apprise.AppriseAsset(async_mode=False, app_id="Horae", plugin_paths=[])
    with guarded(Guard(Addresses(allow_private=asked["allow_private"]).check)) as refused:
        service = apprise.Apprise.instantiate(asked["url"], asset=asset)
        if service is None:
            return "Apprise does not understand the URL", True
        # Not `Apprise.notify`, which would use its own threads: those are not guarded.
        taken = service.notify(body=asked["body"], title=asked["title"])
    if refused:
        return refused[0], True
    return (None, False) if taken else ("the service did not take the message; Apprise does not say why", False)


def main() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
    asked = json.load(sys.stdin)
    said, sys.stdout = sys.stdout, sys.stderr  # output of libraries is not an answer
    json.dump(call(asked), said)


if __name__ == "__main__":
    main()
