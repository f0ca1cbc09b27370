"""Which tasks and queues of the Celery app a project may name: refused when a job is saved."""

from typing import Any

from horae.domain.targets.celery_limits import CeleryLimits
from tests.integration.api.conftest import Api, add_key

from .test_access import another_project


async def test_a_hostile_project_cannot_save_jobs_that_call_the_tasks_of_another(api: Api) -> None:
    other = await another_project(api)
    api.tokens["stranger"] = await add_key(api.store, "owner", other)
    project = await api.store.read(lambda tx: tx.access.project(other))
    assert project is not None
    api.store.celery_limits = CeleryLimits({"default": ("shop.*",), project.slug: ("ping",)}, {"default": ("orders",)})

    async def save(role: str, method: str = "POST", path: str = "/jobs", **target: str) -> Any:
        body = {"target": {"kind": "celery", **target}}
        named = body if method == "PATCH" else {"name": f"job of {role} {target}", **body}
        return await api.call(method, path, json=named, role=role)

    mine = await save("owner", task="shop.pay", queue="orders")
    assert mine.status_code == 201, mine.text
    theirs = await save("stranger", task="ping")
    assert theirs.status_code == 201, theirs.text
    path = f"/jobs/{theirs.json()['id']}"
    for method, where in (("POST", "/jobs"), ("PATCH", path)):
        task = await save("stranger", method, where, task="shop.pay")
        assert (task.status_code, task.json()["field"]) == (422, "target.task"), task.text
        assert task.json()["detail"].endswith("HORAE_CELERY_TASKS allows it ping"), "nothing of the other project"
        queue = await save("stranger", method, where, task="ping", queue="orders")
        assert (queue.status_code, queue.json()["field"]) == (422, "target.queue"), queue.text
    api.store.celery_limits = CeleryLimits()
    for reserved in ("celeryev", "celery.pidbox", "amq.direct", "horae.default"):
        refused = await save("owner", task="shop.pay", queue=reserved)
        assert (refused.status_code, refused.json()["field"]) == (422, "target.queue"), refused.text
