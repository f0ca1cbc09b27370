"""No definition that may be saved costs much. The worst of each kind are in bench/worst.py; here their steps and parts
are counted, `python -m bench hostile` takes the time."""

from collections.abc import Iterator
from typing import Any

import pytest
from pydantic import TypeAdapter

from bench.worst import INPUT, loops, shapes, targets
from horae.domain.targets import Target
from horae.domain.targets.templates import MOST_TEMPLATES, STORED, parse_ahead
from horae.domain.template import (
    LARGEST,
    MOST_PARTS,
    TemplateFault,
    TemplateWork,
    _compiled,
    fill_in,
    is_template,
    parse,
)
from tests.unit.domain.refused import refused

TARGET: TypeAdapter[Any] = TypeAdapter(Target)
MANY = "{{ input.x | lower }}"


class Ticks:
    """A clock that advances by a given amount at each reading, and counts the readings."""

    def __init__(self, each: float = 0.0) -> None:
        self.now, self.each, self.looks = 0.0, each, 0

    def __call__(self) -> float:
        self.looks += 1
        self.now += self.each
        return self.now


@pytest.mark.parametrize("text", list(loops()))
def test_every_loop_ends_at_the_same_budget(text: str, monkeypatch: pytest.MonkeyPatch):
    """It checks its clock all the time: however much its steps cost, it can be stopped."""
    monkeypatch.setattr("horae.domain.template.work.STEPS", 30_000)
    values = {"input": INPUT, "run": {}, "job": {}, "secrets": {}}
    clock = Ticks()
    work = TemplateWork(clock)
    with pytest.raises(TemplateFault) as raised:
        fill_in(text, lambda: values, work)
    assert "do too much" in str(raised.value) or "than 1,000,000 characters" in str(raised.value)
    late = TemplateWork(Ticks(each=0.6))
    with pytest.raises(TemplateFault):
        fill_in(text, lambda: values, late)
    assert late.spent


def test_a_second_of_processor_time_is_the_end():
    with pytest.raises(TemplateFault, match=r"more than 1 s of processor time"):
        fill_in("{% for a in range(9000) %}{% endfor %}", dict, TemplateWork(Ticks(each=0.6)))


def test_a_stopped_attempt_stops_its_templates():
    work = TemplateWork(Ticks())
    work.stopped = True
    with pytest.raises(TemplateFault, match="the attempt was stopped"):
        fill_in("{% for a in range(9000) %}{% endfor %}", dict, work)


def test_quick_work_does_nothing_slow():
    text = "{{ 1 }} not seen before"
    work = TemplateWork(quick=True)
    with pytest.raises(TemplateFault):
        fill_in(text, dict, work)
    assert work.spent
    assert fill_in(text, dict, TemplateWork()) == "1 not seen before"
    assert fill_in(text, dict, TemplateWork(quick=True)) == "1 not seen before"
    work = TemplateWork(quick=True)
    with pytest.raises(TemplateFault):
        fill_in(MANY.replace("input.x", "range(900) | list | tojson"), dict, work)
    assert work.spent


def test_all_templates_of_an_attempt_share_one_budget():
    work = TemplateWork()
    text = "{% for a in range(9000) %}{{ a }}{% endfor %}"
    for _ in range(4):
        fill_in(text, dict, work)
    with pytest.raises(TemplateFault, match="do too much"):
        fill_in(text * 20, dict, work)


@pytest.mark.parametrize(("name", "target"), list(targets()), ids=lambda value: value if isinstance(value, str) else "")
def test_the_worst_targets_are_allowed_and_can_be_compiled(name: str, target: dict[str, Any]):
    """So `targets` is at the edge, and what is accepted does not turn out to be nested too deep later."""
    found = TARGET.validate_python(target)
    assert found.secrets == frozenset()
    texts = [text for _, text in found.templates() if is_template(text)]
    assert len(texts) <= MOST_TEMPLATES
    assert sum(map(len, texts)) <= LARGEST
    assert sum(parse(text).parts for text in texts) <= MOST_PARTS
    for text in dict.fromkeys(texts):
        _compiled(text)


def test_the_worst_shapes_are_many():
    assert len(list(shapes())) > 40


def env(texts: Iterator[str] | list[str]) -> dict[str, Any]:
    return {"kind": "script", "source": "true", "env": {f"V{n}": text for n, text in enumerate(texts)}}


def http(**fields: Any) -> dict[str, Any]:
    return {"kind": "http", "url": "http://example.com/", **fields}


BEYOND = [
    (
        http(query={f"q{n}": MANY for n in range(6_000)}),
        ("http.query.q500", "is one template too many: a target has at most 500"),
    ),
    (http(query={f"q{n}": "plain" for n in range(101)}), ("http.query", "must have at most 100 parameters")),
    (
        http(headers={f"X-{n}": MANY * 380 for n in range(100)}),
        ("http.headers.X-8", "makes the templates of the target longer than 65,536 characters together"),
    ),
    (
        env([MANY * 6] * 480),
        ("script.env.V250", "gives the templates of the target more than 5,000 parts together"),
    ),
    (env(["{{ input.x"]), ("script.env.V0", "line 1 of the template: unexpected end of template")),
]


@pytest.mark.parametrize(("target", "said"), BEYOND)
def test_targets_beyond_a_limit_are_refused_with_field_and_limit(target: dict[str, Any], said: tuple[str, str]):
    field, message = refused(Target, target)
    assert field == said[0]
    assert message.startswith(said[1])


@pytest.mark.parametrize("target", [target for target, _ in BEYOND])
def test_what_was_stored_before_the_limits_can_still_be_read(target: dict[str, Any]):
    assert TARGET.validate_python(target, context=STORED).kind == target["kind"]


def test_reading_a_stored_definition_parses_nothing(monkeypatch: pytest.MonkeyPatch):
    def never(_: str) -> None:
        raise AssertionError

    monkeypatch.setattr("horae.domain.template._parsed", never)
    found = TARGET.validate_python(env([f"{{{{ input.unseen_{n} }}}}" for n in range(400)]), context=STORED)
    assert found.secrets == frozenset()


def test_saving_parses_each_text_once(monkeypatch: pytest.MonkeyPatch):
    from horae.domain import template

    parsed: list[str] = []
    real = template._parsed

    def counted(text: str) -> template.Template:
        parsed.append(text)
        return real(text)

    monkeypatch.setattr(template, "_parsed", counted)
    target = env([f"{{{{ input.once_{n} | lower }}}}" for n in range(500)])
    for _ in range(3):
        assert TARGET.validate_python(target).secrets == frozenset()
    assert len(parsed) == 500


def test_a_large_target_is_parsed_ahead_and_no_further_than_it_would_be_checked(monkeypatch: pytest.MonkeyPatch):
    from horae.domain import template

    ahead = [f"{{{{ input.ahead_{n} }}}}" for n in range(300)]
    target = http(
        headers={"X-A": ahead[0]}, query=dict.fromkeys("qr", ahead[1]), auth={"basic": {"username": ahead[2]}}
    )
    parse_ahead(target)
    parse_ahead(env(ahead[3:]))
    parse_ahead({"env": ["{{ no target }}"], "body": "{{ wrong", "source": 5})
    parse_ahead(None)

    def never(text: str) -> None:
        raise AssertionError(text)

    monkeypatch.setattr(template, "_parsed", never)
    assert TARGET.validate_python(env(ahead)).secrets == frozenset()
    parse_ahead(env(["{{ input.large }}" + "x" * LARGEST]))
