"""The Celery app of Horae, for teams that run Celery's own workers: `celery -A horae.engines.celery worker -Q
horae.default`. Its configuration, and what its task does, are assembled elsewhere: `horae/wiring/celery_config.py` and
`horae/wiring/celery_task.py`, which Celery imports by name."""

from __future__ import annotations

from horae.engines.celery_broker import require_celery

require_celery()

from celery import Celery  # noqa: E402 - not before it is known to be there

app = Celery("horae", set_as_current=False, include=["horae.wiring.celery_task"])
app.config_from_object("horae.wiring.celery_config")
