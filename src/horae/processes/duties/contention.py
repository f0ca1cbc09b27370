"""The projects whose quota was locked by another transaction when their jobs were due: each waits for its turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator


class Contention:
    def __init__(self) -> None:
        self._projects: dict[str, None] = {}  # in the order of their turns
        self.begins: Callable[[], None] = lambda: None  # called when there is one

    def __bool__(self) -> bool:
        return bool(self._projects)

    def __iter__(self) -> Iterator[str]:
        return iter(tuple(self._projects))

    def add(self, project_ids: Iterable[str]) -> None:
        self._projects.update(dict.fromkeys(project_ids))
        if self._projects:
            self.begins()

    def next(self) -> str | None:
        """Whose turn it is; the one after it is the next."""
        project_id = next(iter(self._projects), None)
        if project_id is not None:
            del self._projects[project_id]
            self._projects[project_id] = None
        return project_id

    def over(self, project_id: str) -> None:
        self._projects.pop(project_id, None)
