"""What really happened, as the attempts themselves wrote it down."""

from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Note:
    run_id: str
    attempt: int
    step: str
    pid: int
    at: float


class Oracle:
    def __init__(self, path: Path) -> None:
        self.path = path
        self._notes: list[Note] = []
        self._read = 0  # bytes: tests ask again and again, and it only grows

    def notes(self, step: str | None = None) -> list[Note]:
        if self.path.exists():
            with self.path.open("rb") as file:
                file.seek(self._read)
                new, _, _ = file.read().rpartition(b"\n")
            if new:
                self._read += len(new) + 1
                for line in new.decode().splitlines():
                    run, n, what, pid, at = line.split()
                    self._notes.append(Note(run, int(n), what, int(pid), float(at)))
        return [note for note in self._notes if step in (None, note.step)]

    def attempts(self, step: str) -> dict[str, list[int]]:
        """The attempts of each run that wrote down a step, in order."""
        found: dict[str, list[int]] = defaultdict(list)
        for note in self.notes(step):
            found[note.run_id].append(note.attempt)
        return found

    def script(self, step: str) -> str:
        """A line of shell that writes down a step."""
        return f'echo "$HORAE_RUN_ID $HORAE_ATTEMPT {step} $$ $(date +%s.%N)" >> {self.path}; sync {self.path}'
