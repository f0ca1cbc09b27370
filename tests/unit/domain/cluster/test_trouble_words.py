"""Descriptions of loops that keep failing."""

from horae.domain.cluster.trouble import trouble_task
from horae.processes.duties import DUTIES


def test_every_duty_has_its_own_words():
    """The name alone would read "keeps failing to series"."""
    assert [duty.name for duty in DUTIES if trouble_task(duty.name) == duty.name] == []
