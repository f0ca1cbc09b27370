"""Which sinks want which events: what a process remembers, so that events without a sink cost nothing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from horae.domain.sinks.types import RUN_QUEUED, RUN_STARTED
from horae.domain.text.ids import NIL


class Listener(NamedTuple):
    """A sink of a project, or of the installation (NIL), which gets the events of all."""

    sink_id: str
    project_id: str
    types: frozenset[str]


class Listeners:
    def __init__(self, found: Iterable[Listener] = ()) -> None:
        self._by_type: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        for sink_id, project_id, types in found:
            for kind in types:
                self._by_type[kind][project_id].append(sink_id)

    @property
    def of_claims(self) -> bool:
        """Whether someone wants what is otherwise written by a single statement: then it needs a transaction."""
        return RUN_QUEUED in self._by_type or RUN_STARTED in self._by_type

    def of(self, kind: str, project_id: str) -> Sequence[str]:
        """The ids of the sinks that get such an event."""
        places = self._by_type.get(kind)
        if places is None:
            return ()
        return [*places.get(project_id, ()), *places.get(NIL, ())]
