"""The kinds of things that files declare."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from pydantic import BaseModel

from horae.domain.jobs.job import JobSpec
from horae.domain.notify.channel import ChannelDefinition
from horae.domain.pings.spec import PingSpec


class Kind(StrEnum):
    JOB = "job"
    CHANNEL = "channel"
    PING = "ping"

    @property
    def key(self) -> str:
        """What a file calls a list of them."""
        return f"{self}s"


MODELS: Mapping[Kind, type[BaseModel]] = {Kind.JOB: JobSpec, Kind.CHANNEL: ChannelDefinition, Kind.PING: PingSpec}
KEYS: Mapping[str, Kind] = {kind.key: kind for kind in Kind}
