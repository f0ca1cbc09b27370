"""What Celery's own monitoring (Flower, `celery events`) sees of a Horae worker."""

import threading
from functools import partial
from typing import Any

import pytest
from celery import Celery
from celery.events import EventReceiver
from celery.events.state import State

from horae.engines.celery_broker import Broker
from tests.integration.cluster.cluster import Make
from tests.integration.engines.broker import BrokerUnderTest
from tests.waiting import until

pytestmark = [pytest.mark.postgresql, pytest.mark.slow]


class Monitor:
    """As Flower: a receiver of events, on a thread, and the state that it has learned."""

    def __init__(self, url: str) -> None:
        self.state = State()
        self._connection = Broker(url).connect()
        self._receiver = EventReceiver(
            self._connection, handlers={"*": self.state.event}, app=Celery("monitor", set_as_current=False)
        )
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        self._receiver.capture(limit=None, timeout=None, wakeup=False)

    def sees(self) -> bool:
        """Whether it knows of a worker: then it has missed none of its tasks that follow."""
        return any(node.alive for node in self.state.workers.values())

    def task(self, run_id: str) -> Any:
        return self.state.tasks.get(run_id)

    def saw(self, run_id: str, state: str) -> bool:
        return bool(getattr(self.task(run_id), "state", None) == state)

    def close(self) -> None:
        self._receiver.should_stop = True
        self._thread.join(5)
        self._connection.release()


async def test_its_tasks_and_heartbeats(make_cluster: Make, broker: BrokerUnderTest) -> None:
    cluster = await make_cluster("postgresql", **broker.settings, HORAE_CELERY_EVENTS="true")
    monitor = Monitor(broker.url)
    try:
        worker = await cluster.start_worker("--queues", broker.queue)
        await until(monitor.sees, message="it has seen the worker's heartbeat")
        await cluster.create("job", {"kind": "python", "function": "nothing"}, queue=broker.queue)
        await cluster.create(
            "bad", {"kind": "script", "source": "exit 3"}, queue=broker.queue, retry={"max_attempts": 1}
        )
        (good,), (bad,) = await cluster.run("job"), await cluster.run("bad")
        await cluster.ended(good)
        await cluster.ended(bad)
        for run_id, state in ((good, "SUCCESS"), (bad, "FAILURE")):
            await until(partial(monitor.saw, run_id, state), message=state)
            task = monitor.task(run_id)
            assert (task.name, task.args) == ("horae.run", f"('{run_id}',)")
            assert task.received <= task.started
        node = monitor.task(good).worker
        assert node.hostname.startswith("horae@")
        await until(lambda: node.processed == 2, message="a heartbeat says so")
        assert node.alive
        assert await worker.stop() == 0
        await until(lambda: not node.alive, message="it says goodbye")
    finally:
        monitor.close()
