"""Objects that belong to a project, or to the installation if the caller asks for that."""

from __future__ import annotations

from horae.api.auth import Principal
from horae.domain.errors import NotAllowed
from horae.domain.text.ids import NIL


def scope_of(principal: Principal, installation: bool, noun: str) -> str:
    """The project whose objects are meant."""
    if not installation:
        return principal.project_id
    if principal.role != "admin":
        raise NotAllowed(f"the {noun} of the installation are for admins")
    return NIL
