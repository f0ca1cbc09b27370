"""The Celery app of the shop: its broker, the queues of its tasks, and the schedule of beat."""

import os
from datetime import timedelta

from celery import Celery
from celery.schedules import crontab

REDIS = os.environ.get("SHOP_REDIS", "redis://127.0.0.1:6379")

app = Celery("shop", broker=f"{REDIS}/0", backend=f"{REDIS}/1", include=["shop.tasks"])
app.conf.update(
    timezone="Europe/Berlin",
    worker_send_task_events=True,  # for Flower
    broker_connection_retry_on_startup=True,
    task_routes={
        "shop.tasks.send_mail": {"queue": "mail"},
        "shop.tasks.nightly_report": {"queue": "reports"},
        "shop.tasks.recount_stock": {"queue": "reports"},
    },
    beat_schedule={
        "remind-customers": {
            "task": "shop.tasks.remind_customers",
            "schedule": timedelta(seconds=5),
            "kwargs": {"idle_minutes": 30},
        },
        "nightly-report": {
            "task": "shop.tasks.nightly_report",
            "schedule": crontab(hour=2, minute=30),
            "options": {"queue": "reports", "expires": 3600},
        },
        "recount-stock": {
            "task": "shop.tasks.recount_stock",
            "schedule": crontab(hour=6, minute=0, day_of_week="sunday"),
            "kwargs": {"warehouse": "north"},
            "options": {"queue": "reports"},
        },
    },
)
