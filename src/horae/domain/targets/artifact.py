"""`artifact`: an archive from a store, verified, unpacked and run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)

from horae.domain.targets.container import Image
from horae.domain.targets.fields import FROZEN, Environment, Limits, Text
from horae.domain.targets.locked import Locked, check_locked
from horae.domain.targets.templates import Place, Templated
from horae.domain.text.json_value import plain_json
from horae.domain.text.refusal import refusal

_URI = re.compile(r"[a-z][a-z0-9+]{0,30}://[^\s\x00-\x1f]{1,4000}", re.ASCII)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*", re.ASCII)


def _uri(text: str) -> str:
    if not _URI.fullmatch(text):
        raise ValueError('must be a URI such as "s3://bucket/tool.zip" or "file:///srv/tool.zip"')
    if "::" in text:
        raise ValueError("must be a single location, not a chain")
    if "@" in text.partition("://")[2].partition("/")[0]:
        raise ValueError("must not contain a username or password; configure them on the worker")
    return text


def _digest(text: str) -> str:
    if not _DIGEST.fullmatch(text):
        raise ValueError('must be "sha256:" and 64 hexadecimal digits')
    return text


def _entrypoint(value: Any, check: ValidatorFunctionWrapHandler) -> Any:
    """Pydantic would report an error for each of the two forms."""
    try:
        found = check(value)
    except ValidationError:
        found = ""
    if isinstance(found, str) and not _FUNCTION.fullmatch(found):
        raise ValueError('must be "module:function", or a list: a command and its arguments')
    return found


class ArtifactTarget(Templated):
    """Fetches an archive (zip, tar or wheel) and runs a function or a command from it, like a script."""

    model_config = FROZEN

    kind: Literal["artifact"] = "artifact"
    uri: Annotated[Text, AfterValidator(_uri)]
    digest: Annotated[str, AfterValidator(_digest)]
    entrypoint: Annotated[
        Annotated[str, Field(max_length=500)]
        | Annotated[tuple[Text, ...], Field(min_length=1, max_length=10_000, strict=False)],
        WrapValidator(_entrypoint),
    ]  # "module:function", or a command with its arguments
    arguments: Annotated[dict[str, Any], AfterValidator(plain_json)] = Field(default_factory=dict)
    locked: Locked = ()  # those that a run's input must not override
    env: Environment = Field(default_factory=dict)
    install: bool = False  # installs its requirements.txt into a virtual environment
    image: Image | None = None  # run in a container of this image instead of on the worker's machine
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _entry(self) -> ArtifactTarget:
        check_locked(self.locked, self.arguments)
        if self.arguments and not isinstance(self.entrypoint, str):
            raise refusal("arguments", "are for a function; a command has its own in entrypoint")
        if self.install and self.image is not None:
            raise refusal("install", "is for the worker's machine; an image brings what it needs")
        return self

    @property
    def needs(self) -> str:
        return "artifact" if self.image is None else "artifact:container"

    def templates(self) -> Iterator[tuple[Place, str]]:
        return ((("env", name), text) for name, text in self.env.items())
