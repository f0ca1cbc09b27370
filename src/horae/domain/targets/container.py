"""`container`: an image, run by Docker or Podman on the worker's machine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, model_validator

from horae.domain.targets.fields import FROZEN, Environment, Path, Text
from horae.domain.targets.templates import Place, Templated
from horae.domain.text.measures import SIZE
from horae.domain.text.refusal import refusal

_IMAGE = re.compile(r"[a-z0-9A-Z][a-zA-Z0-9._/:-]{0,498}(@sha256:[0-9a-f]{64})?", re.ASCII)


def _image(text: str) -> str:
    # Its name becomes part of a path of the service's API: it must not lead to another one.
    if not _IMAGE.fullmatch(text) or {"", ".", ".."} & set(text.split("/")) or text.endswith(":"):
        raise ValueError('must name an image, such as "alpine:3.20" or "registry.example.com/team/tool@sha256:…"')
    return text


def _place(text: str) -> str:
    if _absolute(text).rstrip("/") in ("", "/.horae", "/proc", "/sys", "/dev"):
        raise ValueError("must not be the container's root or a folder of its system")
    return text


def _absolute(text: str) -> str:
    if not text.startswith("/") or ".." in text.split("/"):
        raise ValueError("must be an absolute path without ..")
    return text


Image = Annotated[str, AfterValidator(_image)]


class Mount(BaseModel):
    """A folder or file of the worker's machine; refused unless the worker allows it."""

    model_config = FROZEN

    source: Annotated[Path, AfterValidator(_absolute)]
    target: Annotated[Path, AfterValidator(_place)]
    read_only: bool = True


class ContainerLimits(BaseModel):
    """Resource limits of a container; None: the worker's default."""

    model_config = FROZEN

    memory: Annotated[int, Field(ge=6 * 2**20, le=2**44), SIZE] | None = None
    cpus: Annotated[float, Field(ge=0.01, le=1_024, allow_inf_nan=False)] | None = None
    processes: Annotated[int, Field(ge=1, le=100_000)] | None = None


class ContainerTarget(Templated):
    """Runs an image in a new container (or, with `reuse`, in one kept warm for the job)."""

    model_config = FROZEN

    kind: Literal["container"] = "container"
    image: Image
    entrypoint: Annotated[tuple[Text, ...], Field(min_length=1, max_length=100, strict=False)] | None = None
    command: Annotated[tuple[Text, ...], Field(max_length=10_000, strict=False)] = ()
    env: Environment = Field(default_factory=dict)
    cwd: Annotated[Path, AfterValidator(_absolute)] | None = None
    user: Annotated[Text, Field(min_length=1, max_length=100)] | None = None
    mounts: Annotated[tuple[Mount, ...], Field(max_length=50, strict=False)] = ()
    limits: ContainerLimits = ContainerLimits()
    network: bool = True
    pull: Literal["missing", "always", "never"] = "missing"
    reuse: bool = False

    @model_validator(mode="after")
    def _places(self) -> ContainerTarget:
        if len({mount.target.rstrip("/") for mount in self.mounts}) < len(self.mounts):
            raise refusal("mounts", "must not have the same target twice")
        return self

    @property
    def needs(self) -> str:
        return "container"

    def templates(self) -> Iterator[tuple[Place, str]]:
        return ((("env", name), text) for name, text in self.env.items())
