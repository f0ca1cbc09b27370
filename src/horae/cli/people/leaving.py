"""Offboarding: what a deactivated, deleted, demoted or removed user leaves behind, as lines of text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from horae.cli.terminal.printing import say
from horae.domain.explain.explanation import counted

RevokeKeys = Annotated[
    bool, typer.Option("--revoke-keys", help="Also revoke the API keys they created; otherwise these keep working.")
]


def say_left(left: Mapping[str, Any]) -> None:
    if withdrawn := left["invitations_withdrawn"]:
        say(f"Withdrew {counted(withdrawn, 'open invitation')} of theirs.")
    for revoked, words in ((True, "Revoked the keys they created"), (False, "Keys they created still work")):
        keys = (key for key in left["keys"] if key["revoked"] is revoked)
        names = [f"{key['name']} ({key['role']} of {key['project']})" for key in keys]
        if names:
            say(f"{words}: {', '.join(names)}." + ("" if revoked else " To revoke them as well: --revoke-keys"))
