"""The slowest definitions that are allowed: targets at the edge of what templates may be, one of each kind that costs.
Each has as many templates, characters and parts as a target may, and loops that would not end today."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from horae.domain.targets.http import LONGEST_HEADER, MOST_PARAMETERS
from horae.domain.targets.templates import MOST_TEMPLATES
from horae.domain.template import LARGEST, MOST_PARTS, TemplateFault, parse

Json = dict[str, Any]

INPUT: Json = {
    "l": list(range(40_000)),
    "s": "x" * 300_000,
    "u": "ü" * 100_000,
    "w": ["ab"] * 20_000,
    "d": [{"a": 1}] * 10_000,
    "r": [["a" * 50] * 10] * 200,
}

_ROUNDS = "{% for a in range(10000) %}{% for b in range(10000) %}", "{% endfor %}{% endfor %}"
_INSIDE = (
    "",
    "x",
    "{{ 1 }}",
    "{{ 1 < 2 < 3 < 4 }}",
    "{{ 1 if a else 2 }}",
    "{% set x = 1 + a * b - 3 %}",
    "{% set x = input.d[0].a %}",
    "{% set x = [1, 2, 3] %}",
    "{% set x = {'a': [1, {'b': 2}]} %}",
    "{% set x = range(10000) %}",
    "{% set x = a is odd %}",
    "{% set x = input.none is defined %}",
    "{% set x = input.none | default %}",
    "{% set x = range(500) | map('urlencode') | list %}",
    "{% set x = range(10000) | select('odd') | list %}",
    "{% set x = range(10000) | select('eq', 1) | list %}",
    "{% set x = input.d | selectattr('a', 'eq', 1) | list %}",
    "{% set x = input.d | map(attribute='a.b.c.d.e.f.g.h', default=1) | list %}",
    "{% set x = input.d | map(attribute='" + "a." * 2_000 + "a', default=1) | list %}",
    "{% set x = input.d | sort(attribute='" + "a," * 2_000 + "a') %}",
    "{% set x = range(500) | map('tojson') | list %}",
    "{% set x = range(500) | map('round', 1) | list %}",
    "{% set x = input.w | map('float') | list %}",
    "{% set x = input.w" + " | map('default')" * 20 + " | list %}",
    "{% set x = input.w | map('replace', 'a', 'b') | list %}",
    "{% set x = input.r | map('sort') | list %}",
    "{% set x = input.r | sort %}",
    "{% set x = input.d | map('items') | map('list') | list %}",
    "{% set x = input.l | join %}",
    "{% set x = input.w | join %}",
    "{% set x = input.l | sum %}",
    "{% set x = input.l | tojson %}",
    "{% set x = input.s | tojson %}",
    "{% set x = input.s | list %}",
    "{% set x = input.u | title %}",
    "{% set x = input.u | urlencode %}",
    "{% set x = input.s | replace('" + "x" * 60 + "y', 'y') %}",
    "{% set x = input.s | trim('" + "y" * 63 + "x') %}",
    "{% set x = '" + "x" * 60 + "y' in input.s %}",
    "{% set x = input.s == input.s %}",
    "{% set x = input.l[1:] %}",
    "{% set x = input.s ~ 1 %}",
    "{% set x = input.l | unique | list %}",
)


def loops() -> Iterator[str]:
    """Templates that take all the steps that there are."""
    yield from (inside.join(_ROUNDS) for inside in _INSIDE)


_SHAPES: dict[str, Callable[[int], str]] = {
    "filters": lambda n: "{{ 1" + "|d" * n + " }}",
    "attributes": lambda n: "{{ input" + ".a" * n + " }}",
    "lists": lambda n: "{{ " + "[" * n + "]" * n + " }}",
    "sums": lambda n: "{{ 1" + "+1" * n + " }}",
    "comparisons": lambda n: "{{ 1" + "<1" * n + " }}",
    "conditions": lambda n: "{% if 1 %}" * n + "{% endif %}" * n,
    "loops": lambda n: "{% for a in 1 %}" * n + "{% endfor %}" * n,
    "assignments": lambda n: "".join(f"{{% set a{i} = 1 %}}" for i in range(n)),
    "negations": lambda n: "{{ " + "not " * n + "1 }}",
    "texts": lambda n: "{{ 1 }}x" * n,
}


def shapes() -> Iterator[tuple[str, list[str]]]:
    """Templates of one target, by what they are made of: many small ones, and few as deep and large as they may be."""
    for name, make in _SHAPES.items():
        for size in (1, 2, 5, 9, 10, 30, 45, 200, 1_000, 2_400):
            try:
                parts = parse(make(size) + "0").parts
            except TemplateFault:
                break
            count = min(MOST_TEMPLATES, MOST_PARTS // parts, LARGEST // (len(make(size)) + 4))
            yield f"{count} × {size} {name}", [f"{make(size)}{n}" for n in range(count)]


def targets() -> Iterator[tuple[str, Json]]:
    """One of each, as people would send it. Scripts have the most room for templates, http the most fields."""
    for name, texts in shapes():
        yield name, {"kind": "script", "source": "true", "env": {f"V{n}": text for n, text in enumerate(texts)}}
    many = "{{ input.x | lower }}"
    yield (
        "http, all fields",
        {
            "kind": "http",
            "url": "http://127.0.0.1:9/" + many,
            "headers": {f"X-{n}": many + str(n) for n in range(100)},
            "query": {f"q{n}": many + "-" * n for n in range(MOST_PARAMETERS)},
            "body": "{{ 1 }}x" * 1_000 + "x" * (LARGEST // 2),
        },
    )
    yield (
        "http, long headers",
        {
            "kind": "http",
            "url": "http://127.0.0.1:9/",
            "headers": {f"X-{n}": "{##}" * (LONGEST_HEADER // 4 - 8) + str(n) for n in range(8)},
        },
    )
