"""`@horae.task` as its users write it."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import horae
from horae.domain.errors import ConfigurationError, InvalidInput
from horae.domain.jobs.task import Registry
from horae.sdk import task as sdk
from horae.sdk.function_paths import load_paths


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> Registry:
    fresh = Registry()
    monkeypatch.setattr(sdk, "registry", fresh)
    return fresh


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield tmp_path
    for name in set(sys.modules) - before:
        if name.startswith("mine"):
            del sys.modules[name]


def test_the_function_stays_a_function(registry: Registry) -> None:
    @horae.task
    def double(n: int) -> int:
        """Twice n."""
        return 2 * n

    assert double(4) == 8
    assert (double.name, double.__doc__) == ("double", "Twice n.")
    assert list(registry) == [double.function]


async def test_with_options(registry: Registry) -> None:
    retry = horae.Retry(max_attempts=5)

    @horae.task(name="mail.report", queue="mail", timeout=60, retry=retry)
    async def send_report(customer_id: int, context: horae.Context) -> str:
        return f"{customer_id} {context}"

    function = registry.functions["mail.report"]
    assert (function.queue, function.timeout, function.retry) == ("mail", 60, retry)
    assert function.is_async
    assert "mail.report" in repr(send_report)


def test_options_add_up() -> None:
    @horae.task(name="adds_up")
    def adds() -> None: ...

    soon = "2030-01-01T00:00:00Z"
    both = adds.options(priority=9, idempotency_key="a").options(run_at=soon, idempotency_key="b")
    assert both._options == {"priority": 9, "idempotency_key": "b", "run_at": soon}
    assert adds._options == {}


def test_two_of_one_name() -> None:
    @horae.task(name="same")
    def one() -> None: ...

    with pytest.raises(InvalidInput, match="two tasks are named same"):

        @horae.task(name="same")
        def two() -> None: ...


def test_imports_modules_of_the_working_directory(
    registry: Registry, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "mine").mkdir()
    (folder / "mine" / "tasks.py").write_text("import horae\n@horae.task\nasync def hello(): ...\n")
    monkeypatch.chdir(folder)
    assert [function.name for function in sdk.load_tasks(["mine.tasks"])] == ["hello"]


def test_imports_entry_points(registry: Registry, folder: Path) -> None:
    (folder / "mine_plugin.py").write_text("import horae\n@horae.task\nasync def plugged(): ...\n")
    info = folder / "mine_plugin-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine-plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[horae.tasks]\nplugin = mine_plugin\n")
    assert [function.name for function in sdk.load_tasks([], folder=folder)] == ["plugged"]


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (None, "cannot import tasks from mine_bad: No module named 'mine_bad'"),
        ("import no_such_thing", "cannot import tasks from mine_bad: No module named 'no_such_thing'"),
        ("x = 1 +", "cannot import tasks from mine_bad: SyntaxError: invalid syntax"),
        ("raise SystemExit(3)", "cannot import tasks from mine_bad: SystemExit: 3"),
        ("raise ValueError('a\\nb')", "cannot import tasks from mine_bad: ValueError: a b"),
        ("import horae; horae.task(lambda: 0)", "cannot import tasks from mine_bad: InvalidInput: name: '<lambda>'"),
    ],
)
def test_says_in_one_line_what_cannot_be_imported(folder: Path, source: str | None, words: str) -> None:
    if source is not None:
        (folder / "mine_bad.py").write_text(source)
    with pytest.raises(ConfigurationError) as caught:
        sdk.load_tasks(["mine_bad"], folder=folder)
    assert str(caught.value).startswith(words)
    assert "\n" not in str(caught.value)


def test_import_is_light() -> None:
    """A module of tasks costs neither pydantic nor asyncio."""
    code = "import sys, horae; horae.task; horae.Context; horae.PermanentError; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    heavy = {"pydantic", "asyncio", "aiohttp", "sqlalchemy", "orjson", "importlib.metadata"}
    assert heavy.isdisjoint(done.stdout.split())


def test_exports() -> None:
    assert {"Context", "PermanentError", "Retry", "task"} <= set(dir(horae))
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        horae.nonsense  # noqa: B018


def test_a_task_of_celery_can_be_registered_by_its_path_as_it_is(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    (folder / "mine_celery.py").write_text(
        """
from celery import Celery
app = Celery("shop")

@app.task(autoretry_for=(ConnectionError,), max_retries=5)
def ask(order_id: int, away: bool = False) -> int:
    "Asks."
    if away:
        raise ConnectionError("away")
    return order_id

@app.task(bind=True)
def bound(self, order_id: int) -> None:
    raise self.retry(exc=ConnectionError(order_id), countdown=60)
"""
    )
    loaded = load_paths(["ask=mine_celery.ask", "bound=mine_celery.bound"])
    assert loaded.errors == {}
    ask, bound = loaded.functions["ask"], loaded.functions["bound"]
    assert (sorted(ask.accepts), sorted(ask.requires), ask.description) == (["away", "order_id"], ["order_id"], "Asks.")
    assert (sorted(bound.accepts), bound.description) == (["order_id"], "")
    assert ask.call(order_id=7) == 7
    for call in (lambda: ask.call(order_id=7, away=True), lambda: bound.call(order_id=7)):
        with pytest.raises(ConnectionError):  # which Horae retries, by its own rules
            call()
