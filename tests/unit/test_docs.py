"""The documentation, held to the code: what it must name is all named, and what it names exists."""

import ast
import re
from collections.abc import Iterator
from dataclasses import Field, fields
from pathlib import Path
from typing import Any, cast

import pytest
import typer
import yaml
from pydantic import BaseModel

from horae.api import errors
from horae.api.app import build
from horae.api.context import ApiSettings
from horae.cli.commands import app as command_line
from horae.clock import SystemClock, SystemIds
from horae.config import PREFIX, Settings
from horae.domain import targets
from horae.domain.cluster import log_events
from horae.domain.cluster.metrics import FAMILIES
from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.policy import Retry
from horae.domain.people.roles import ROLES
from horae.domain.runs import states
from horae.domain.time import schedule
from horae.ports import Store
from horae.store import tables  # noqa: F401 - fills it
from horae.store.tables.table import metadata
from horae.watch.alert_rules import ALERT_RULES

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(
    [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "examples").rglob("*.md"), *(ROOT / "agents").rglob("*.md")]
)
DECISIONS = sorted((DOCS / "decisions").glob("0*.md"))
WORD = re.compile(r"`([^`\n]+)`")


def read(page: str) -> str:
    return (DOCS / page).read_text()


def rows(text: str) -> Iterator[list[str]]:
    """The rows of its tables."""
    for line in text.splitlines():
        if line.startswith("| "):
            yield [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]


def bare(cell: str) -> str:
    return cell.strip("`")


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


# ---- configuration.md

SETTINGS: dict[str, Field[Any]] = {PREFIX + f.name.upper(): f for f in fields(Settings) if "read" in f.metadata}
DOCUMENTED = {bare(row[0]): row for row in rows(read("configuration.md")) if row[0].startswith(f"`{PREFIX}")}
DEPENDING = {"HORAE_DATABASE_URL", "HORAE_DATA_DIR"}  # on the machine: described in words


def test_every_setting_is_documented_and_no_other():
    assert set(DOCUMENTED) == set(SETTINGS)


@pytest.mark.parametrize("name", sorted(set(SETTINGS) - DEPENDING))
def test_the_defaults_of_settings_are_the_documented_ones(name):
    setting = SETTINGS[name]
    _, default, under_up, meaning = DOCUMENTED[name]
    usual = setting.metadata["read"](bare(default)) if default.startswith("`") else None
    assert usual == (setting.default if setting.default_factory is not dict else None), name
    if under_up.startswith("`"):
        assert setting.metadata["read"](bare(under_up)) == setting.metadata["up"] != usual
    elif not under_up:
        assert setting.metadata["up"] in (usual, {}, None)
    assert meaning


# ---- cli.md

SECTIONS = dict(re.findall(r"^### `([a-z -]+)`\n(.*?)(?=^##|\Z)", read("cli.md"), re.DOTALL | re.MULTILINE))


def commands(group: Any, path: str) -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{path} {name}")
        else:
            yield f"{path} {name}", command


COMMANDS = dict(commands(typer.main.get_command(command_line), "horae"))


def test_every_table_has_a_retention_or_a_reason_why_it_is_small_and_no_other():
    """A table without retention grows forever."""
    text = (DOCS / "operations.md").read_text()
    section = text.partition("## Retention")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \| (.+) \|$", section, re.MULTILINE)
    named = [name for names, _ in rows for name in re.findall(r"`(\w+)`", names)]
    assert sorted(named) == sorted(metadata.tables)


def test_every_command_is_documented_and_no_other():
    assert set(SECTIONS) == set(COMMANDS)


@pytest.mark.parametrize("path", sorted(COMMANDS))
def test_every_option_of_a_command_is_documented_and_no_other(path):
    has = {option for parameter in COMMANDS[path].params for option in parameter.opts if option.startswith("-")}
    described = {word for word in WORD.findall(SECTIONS[path]) if re.fullmatch(r"--?[a-z-]+", word)}
    assert described == has - {"--help", "-h"}


# ---- api.md


def routes() -> set[str]:
    app = build(cast("Store", None), ApiSettings("k" * 32), SystemIds(), SystemClock())
    return {f"{method.upper()} {path}" for path, methods in app.openapi()["paths"].items() for method in methods}


def test_every_route_is_documented_and_no_other():
    documented = {bare(row[0]) for row in rows(read("api.md")) if re.match(r"`[A-Z]+ /", row[0])}
    assert documented == routes()


def test_every_kind_of_problem_is_documented_and_no_other():
    documented = {(int(row[0]), bare(row[1])) for row in rows(read("api.md")) if row[0].isdigit()}
    assert documented == {(status, kind) for status, (kind, _) in errors.KINDS.items()}


def test_every_role_is_documented():
    assert set(ROLES) <= set(WORD.findall(read("api.md")))


# ---- threat-model.md


def shown() -> Iterator[tuple[str, str]]:
    """What each row of the tables says, and what shows it."""
    last = ""
    for row in rows(read("threat-model.md")):
        last = row[-1] if row[0] in ("who", "threat") else last
        if row[0] not in ("who", "threat") and not row[0].startswith("--"):
            assert last == "shown by", row
            yield row[0], row[-1]


@pytest.mark.parametrize(("sentence", "tests"), shown())
def test_what_the_threat_model_says_is_shown_by_tests_that_exist(sentence: str, tests: str):
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", tests)
    assert named, f"no test shows: {sentence}"
    for path, function in named:
        text = (ROOT / path).read_text()
        assert re.search(rf"def {function or 'test_'}", text), f"{path} has no test {function}"


# ---- jobs.md, states.md


@pytest.mark.parametrize(
    "model",
    [
        JobSpec, Retry,
        schedule.CronSchedule, schedule.EverySchedule, schedule.AtSchedule, schedule.ManualSchedule,
        schedule.AfterSchedule,
    ],
)  # fmt: skip
def test_every_field_of_a_job_is_documented(model: type[BaseModel]):
    assert set(model.model_fields) - {"kind"} <= set(WORD.findall(read("jobs.md")))


@pytest.mark.parametrize("model", targets.TARGETS)
def test_every_field_of_a_target_is_documented(model: type[BaseModel]):
    kind = model.model_fields["kind"].default
    assert set(model.model_fields) - {"kind"} <= set(WORD.findall(read(f"targets/{kind}.md")))
    assert f"[`{kind}`](targets/{kind}.md)" in read("jobs.md")


@pytest.mark.parametrize(
    "kind", [states.RunStatus, states.AttemptOutcome, states.Trigger, states.SkipReason, states.JobStatus]
)
def test_every_state_is_documented(kind):
    assert {str(word) for word in kind} <= set(WORD.findall(read("states.md")))


# ---- architecture.md


@pytest.mark.parametrize("package", ["lifecycle", "accounts", "engines", "wakeups"])
def test_every_verb_and_every_adapter_has_its_place_in_the_architecture(package):
    """Executors have their own page each: docs/targets/."""
    named = set(WORD.findall(read("architecture.md")))
    adapters = {path.stem for path in (ROOT / "src" / "horae" / package).glob("*.py") if is_port(path)}
    assert {f"{package}/{name}.py" for name in adapters} <= named


def is_port(path: Path) -> bool:
    """Whether it holds a verb, an engine, an executor or a carrier of hints, and not a part of one."""
    text = path.read_text()
    verb = path.parent.name in ("lifecycle", "accounts") and path.stem != "__init__"
    return verb or bool(re.search(r"^    (async )?def (execute|offer|send)\(self", text, re.MULTILINE))


# ---- all pages


def anchors(page: Path) -> set[str]:
    """The headings, as GitHub makes anchors of them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_lead_somewhere(page):
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        path, _, anchor = link.partition("#")
        if "://" in link:
            continue
        place = page if not path else page.parent / path
        assert place.exists(), link
        assert not anchor or anchor in anchors(place), link


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_files_that_are_named_exist(page):
    """Paths stand in backticks, from the repository's root or below `src/horae`."""
    for word in WORD.findall(page.read_text()):
        if re.fullmatch(r"[\w./-]+/[\w./-]*\.(py|md|toml|txt|sh)|(docs|tests|tools|bench|examples|src)/[\w./-]*", word):
            places = (ROOT / word, ROOT / "src" / "horae" / word, page.parent / word)
            assert any(place.exists() for place in places), word


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_pages_are_tidy(page):
    text = page.read_text()
    assert text.startswith("# ")
    assert text.endswith("\n")
    assert not text.endswith("\n\n")
    inside = False
    for line in text.splitlines():
        inside ^= line.startswith("```")
        assert line == line.rstrip()
        assert len(line) <= 120 or inside or line.startswith("|"), line


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_blocks_can_be_parsed(page):
    for kind, block in re.findall(r"^```(python|json|yaml)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE):
        if kind == "python":
            compile(block, page.name, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        else:
            list(yaml.safe_load_all(block))  # JSON is YAML


def test_every_page_is_reached_from_the_readme():
    found, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in found:
            found.add(page)
            links = re.findall(r"\]\(([^)#\s]+\.md)", page.read_text())
            waiting += [(page.parent / link).resolve() for link in links if "://" not in link]
    assert found == set(PAGES)


# ---- decisions


def test_decisions_are_numbered_and_listed():
    assert [page.name[:4] for page in DECISIONS] == [f"{n:04}" for n in range(1, len(DECISIONS) + 1)]
    assert re.findall(r"\((0.+?\.md)\)", read("decisions/README.md")) == [page.name for page in DECISIONS]


@pytest.mark.parametrize("page", DECISIONS, ids=name_of)
def test_a_decision_is_one_page_with_its_reasons(page):
    text = page.read_text()
    assert re.findall(r"^## (.+)$", text, re.MULTILINE)[:3] == ["Context", "Decision", "Consequences"]
    assert len(text.splitlines()) <= 70


# ---- metrics.md


def test_every_metric_is_described_as_it_is_declared():
    described = {bare(row[0]): row for row in rows(read("metrics.md")) if row[0].startswith("`horae_")}
    assert list(described) == [family.name for family in FAMILIES]
    for family in FAMILIES:
        _, kind, labels, _, words = described[family.name]
        assert (kind, words) == (family.kind, family.help)
        assert labels == (", ".join(f"`{label}`" for label in family.labels) or "–")


def test_every_alert_rule_is_described():
    described = {bare(row[0]): row[1] for row in rows(read("metrics.md")) if row[0].startswith("`Horae")}
    assert described == {rule.name: rule.severity for rule in ALERT_RULES}


def test_every_log_event_is_described_as_it_is_declared():
    described = {bare(row[0]): row[1:] for row in rows(read("logs.md")) if len(row) == 4}
    described.pop("event")
    assert [name for name in described if not name.startswith("--")] == [event.name for event in log_events.EVENTS]
    for event in log_events.EVENTS:
        fields = ", ".join(f"`{field}`" for field in event.fields) or "–"
        assert described[event.name] == [fields, ", ".join(event.roles), event.help], event.name


def test_every_field_of_log_events_is_described():
    words = {word for row in rows(read("logs.md")) if len(row) == 3 for word in WORD.findall(row[0])}
    fields = {field for event in log_events.EVENTS for field in event.fields}
    assert words - {"event", "at", "level", "role"} == fields | {*log_events.IDS, *log_events.CONTEXT}
