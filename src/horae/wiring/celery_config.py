"""The configuration of the Celery app (`horae/engines/celery.py`), from the settings of Horae: Celery reads the names
in this module. No result backend, no retries and no time limits of Celery: these are Horae's."""

from __future__ import annotations

from horae import config
from horae.domain.errors import ConfigurationError
from horae.engines.celery_broker import MAX_PRIORITY, Broker
from horae.engines.celery_message import TASK, queue_name

_settings = config.load()
if _settings.broker_url is None:
    raise ConfigurationError("Celery needs a broker: set HORAE_BROKER_URL")
_broker = Broker(_settings.broker_url)

broker_url = _settings.broker_url
broker_use_ssl = _broker.tls
broker_transport_options = _broker.options
broker_connection_retry_on_startup = True
accept_content = ["json"]
task_serializer = result_serializer = event_serializer = "json"
task_default_queue = task_default_exchange = task_default_routing_key = queue_name("default")
task_queue_max_priority = None if _broker.redis else MAX_PRIORITY
task_routes = {TASK: {"queue": queue_name("default")}}
task_acks_late = False  # acknowledged when a process of the pool has it; the claim follows at once
task_ignore_result = True
task_publish_retry = False
worker_prefetch_multiplier = 1
worker_cancel_long_running_tasks_on_connection_loss = False
worker_hijack_root_logger = False
worker_redirect_stdouts = False  # into a log that goes to stderr: what Horae and Celery log would be lost
enable_utc = True
