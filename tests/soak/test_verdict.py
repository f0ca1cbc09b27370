"""The verdict of a soak can be "no"."""

import json
from pathlib import Path

import pytest

from tests.faults.tally import Tally
from tests.soak import samples
from tests.soak.report import write
from tests.soak.series import Recording
from tests.soak.verdict import judge

MINUTES = 60
SEEN = (samples.MEMORY, samples.FILES, samples.ZOMBIES)


def recording(memory: float = 0.0, files: float = 0.0, zombies: float = 0.0, peak: float = 0.0) -> Recording:
    """An hour of samples in which these grow by so much a minute; `peak` is one sample that stands out."""
    made = Recording()
    for n in range(MINUTES):
        out = peak if n == MINUTES - 5 else 0.0
        made.add(samples.MEMORY, "MiB", "worker 1, spared", n * 60, 90 + memory * n + out)
        made.add(samples.FILES, "descriptors", "worker 1, spared", n * 60, 25 + files * n)
        made.add(samples.ZOMBIES, "processes", "all", n * 60, zombies * n)
    return made


def bad(recorded: Recording, tally: Tally | None = None, *, ended: tuple[str, ...] = ()) -> list[str]:
    return [finding.name for finding in judge(recorded, SEEN, tally or Tally(), [], ended) if not finding.ok]


def test_level_series_and_single_peaks_pass():
    assert bad(recording()) == []
    assert bad(recording(peak=500)) == []


@pytest.mark.parametrize(
    ("grown", "name"),
    [
        (recording(memory=1.5), "memory of worker 1, spared"),
        (recording(files=1), "open files of worker 1, spared"),
        (recording(zombies=1), "zombies at the end"),
    ],
)
def test_what_grows_is_found(grown: Recording, name: str):
    assert bad(grown) == [name]


def test_a_broken_promise_is_found():
    assert bad(recording(), Tally(expected=3, created=2)) == ["occurrences and requests"]
    assert "duplicated" in bad(recording(), Tally(duplicated=1))
    assert bad(recording(), ended=("worker 2 ended with 1",)) == ["processes that ended by themselves"]


def test_a_series_without_samples_fails():
    found = judge(recording(), (*SEEN, samples.CLAIMS), Tally(), [], [])
    assert [finding.name for finding in found if not finding.ok] == [samples.CLAIMS]


def test_the_slope_is_by_the_hour():
    (series,) = recording(memory=2).series(samples.MEMORY)
    assert series.slope() == pytest.approx(120)


def test_the_page_has_a_plot_per_thing_and_the_numbers_are_kept(tmp_path: Path):
    recorded = recording(memory=1)
    recorded.mark(90, "<worker> killed")
    page = write(tmp_path, "a soak", recorded, judge(recorded, SEEN, Tally(), [], []), 3_600).read_text()
    assert page.count("<svg") == len(recorded.plots)
    assert "&lt;worker&gt; killed" in page
    kept = json.loads((tmp_path / "samples.json").read_text())
    assert len(kept["plots"][samples.MEMORY]["worker 1, spared"]["points"]) == MINUTES
