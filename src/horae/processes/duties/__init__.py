"""The duties of a scheduler, one per file: a step that returns how long to wait, and the hints that end the wait early.
A new duty is a file here and a line in `DUTIES`."""

from __future__ import annotations

from horae.processes.duties.alerts import AlertsDuty
from horae.processes.duties.deliver import DeliverDuty
from horae.processes.duties.duty import Duty, Post
from horae.processes.duties.events import EventsDuty
from horae.processes.duties.fire import FireDuty
from horae.processes.duties.fire_apart import FireApartDuty
from horae.processes.duties.pings import PingsDuty
from horae.processes.duties.publish import PublishDuty
from horae.processes.duties.series import SeriesDuty
from horae.processes.duties.shards import ShardsDuty
from horae.processes.duties.sweep import SweepDuty
from horae.processes.duties.upkeep import UpkeepDuty

DUTIES: tuple[type[Duty], ...] = (
    *(ShardsDuty, FireDuty, FireApartDuty, SweepDuty, UpkeepDuty),
    *(AlertsDuty, PingsDuty, DeliverDuty, SeriesDuty, PublishDuty, EventsDuty),
)

__all__ = ["DUTIES", "Duty", "Post"]
