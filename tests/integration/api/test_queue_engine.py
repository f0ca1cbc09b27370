"""The engine of a queue, chosen by admins."""

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.domain.runs.engine_choice import EngineChoice
from tests.integration.api.conftest import CLOCK, IDS, SECRET, Api


async def test_it_is_chosen_shown_and_on_record(api: Api) -> None:
    settings = ApiSettings(SECRET, engines=EngineChoice("database", {"mail": "celery"}, has_broker=True))
    there = Api(build(api.store, settings, IDS, CLOCK), api.store, api.tokens)
    await there.make(queue="mail")

    async def shown() -> tuple[str | None, str]:
        (mail,) = [one for one in (await there.call("GET", "/queues")).json()["items"] if one["name"] == "mail"]
        assert mail["engines"] == ["database", "celery"]
        return mail["engine"], mail["carried_by"]

    assert await shown() == (None, "celery")
    changed = await there.call("PATCH", "/queues/mail", json={"engine": "database"})
    assert (changed.status_code, changed.json()["engine"], changed.json()["carried_by"]) == (200, *["database"] * 2)
    assert await shown() == ("database", "database")
    await there.call("PATCH", "/queues/mail", json={"engine": "database"})
    await there.call("PATCH", "/queues/mail", json={"engine": None})
    assert await shown() == (None, "celery")
    entries = (await there.call("GET", "/audit", params={"action": "queue.engine"})).json()["items"]
    assert [entry["changes"][0]["new"] for entry in entries] == [None, "database"]


async def test_what_is_refused(api: Api) -> None:
    await api.make(queue="mail")
    without = await api.call("PATCH", "/queues/mail", json={"engine": "celery"})
    assert (without.status_code, without.json()["field"]) == (422, "engine")
    assert "set HORAE_BROKER_URL" in without.json()["detail"]
    for body in ({}, {"engine": "carrier pigeon"}, {"engine": "database", "paused": True}):
        assert (await api.call("PATCH", "/queues/mail", json=body)).status_code == 422
    assert (await api.call("PATCH", "/queues/nowhere", json={"engine": None})).status_code == 404
    for role in ("owner", "viewer"):
        assert (await api.call("PATCH", "/queues/mail", json={"engine": None}, role=role)).status_code == 403
