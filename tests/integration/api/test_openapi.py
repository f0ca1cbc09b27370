"""The API description is correct: the answer to any request is described, and no request makes the server fail."""

import asyncio
import copy
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import httpx
import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import checks
from schemathesis.generation.modes import GenerationMode

from horae.api.app import build
from horae.api.context import ApiSettings
from horae.domain.people.roles import ROLES
from horae.store.open import open_store

from .conftest import CLOCK, IDS, SECRET, Api, add_key
from .things import make_things, parameters

pytestmark = [pytest.mark.sqlite, pytest.mark.slow]

EXAMPLES = 6  # of each kind for each operation; more by hand, when something is new
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]


class World:
    """The API on SQLite, on its own loop: what Hypothesis calls is not async."""

    def __init__(self, url: str) -> None:
        self.loop = asyncio.new_event_loop()
        self.store = self.loop.run_until_complete(open_store(url, clock=CLOCK, ids=IDS))
        self.api = self.loop.run_until_complete(self._api())
        transport = httpx.ASGITransport(self.api.app, raise_app_exceptions=False)
        headers = {"authorization": f"Bearer {self.api.tokens['admin']}"}
        self.client = httpx.AsyncClient(transport=transport, base_url="http://horae", headers=headers)

    async def _api(self) -> Api:
        tokens = {role: await add_key(self.store, role) for role in ROLES}
        return Api(build(self.store, ApiSettings(SECRET), IDS, CLOCK), self.store, tokens)

    def close(self) -> None:
        for task in asyncio.all_tasks(self.loop):
            task.cancel()
        self.loop.run_until_complete(self.store.close())
        self.loop.close()

    def send(self, case: Any) -> httpx.Response:
        given = case.as_transport_kwargs(base_url="http://horae")
        params = {**(given.get("params") or {}), **({"seconds": 0} if case.path.endswith("v1/events") else {})}
        request = self.client.build_request(
            given["method"],
            given["url"],
            params=params,
            headers=given["headers"],
            **({"json": given["json"]} if "json" in given else {"content": given.get("data")}),
        )
        return self.loop.run_until_complete(self.client.send(request))

    def things(self) -> dict[str, str]:
        """New ones for each operation: some of them delete what they find."""
        return self.loop.run_until_complete(make_things(self.api))


@pytest.fixture(scope="module")
def world(migrated: Callable[[str], str], databases: Any) -> Iterator[World]:
    made = World(databases.create("sqlite", like=migrated("sqlite")))
    yield made
    made.close()


def described(document: dict[str, Any]) -> Any:
    """The description without what this test decides by itself: who is asking, and that answers come to an end."""
    document = copy.deepcopy(document)
    document["security"] = []
    for methods in document["paths"].values():
        for operation in methods.values():
            left_out = ("follow", "seconds", "Horae-Project")
            given = operation.get("parameters", [])
            operation["parameters"] = [one for one in given if one["name"] not in left_out]
    schema = schemathesis.openapi.from_dict(document)
    schema.config.checks.negative_data_rejection.expected_statuses = ["4xx"]
    return schema


def check(world: World, operation: Any, mode: GenerationMode) -> set[int]:
    things = world.things() if mode == GenerationMode.POSITIVE and "{" in operation.path else {}
    seen: set[int] = set()

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(operation.as_strategy(generation_mode=mode))
    def one(case: Any) -> None:
        if things:  # no one would ever guess an id
            case.path_parameters.update(parameters(case.path, things))
        answer = world.send(case)
        seen.add(answer.status_code)
        case.validate_response(answer, checks=CHECKS)

    with suppress(Unsatisfiable):  # nothing can be sent that it does not describe
        one()
    return seen


@pytest.mark.timeout(600)  # long on a busy machine
def test_what_is_sent_as_described_is_answered_as_described(world: World):
    operations = [found.ok() for found in described(world.api.app.openapi()).get_all_operations()]
    refused = [one.label for one in operations if min(check(world, one, GenerationMode.POSITIVE)) >= 300]
    assert len(refused) < len(operations) / 4, refused  # else it found out little


@pytest.mark.timeout(600)  # long on a busy machine
def test_what_is_not_as_described_is_refused_as_described(world: World):
    for found in described(world.api.app.openapi()).get_all_operations():
        if found.ok().body or found.ok().query or found.ok().headers:  # any text is good enough for an id
            check(world, found.ok(), GenerationMode.NEGATIVE)
