"""Templates: the language, its limits, and bounded cost."""

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from horae.domain.template import LARGEST, TemplateFault, parse

INPUT: dict[str, Any] = {
    "name": "Ann",
    "items": [{"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": []}],
    "keys": {"x": 1.5, "y": None, "z": True},
    "text": 'a "quoted" ü/<b>\n',
    "empty": [],
}
VALUES: dict[str, Any] = {
    "run": {"id": "0192", "attempt": 2, "trigger": "api", "scheduled_for": None},
    "job": {"id": "0191", "name": "a job", "version": 3},
    "input": INPUT,
    "secrets": {"TOKEN": "s3cr3t", "items": "s3cr3t too"},
}


def render(text: str, **values: Any) -> str:
    return parse(text).render({**VALUES, **values})


def fault(text: str, **values: Any) -> str:
    with pytest.raises(TemplateFault) as raised:
        render(text, **values)
    return str(raised.value)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain { text } }}", "plain { text } }}"),
        ("{{ run.id }} of {{ job.name }}, {{ run['attempt'] }}", "0192 of a job, 2"),
        ("Bearer {{ secrets.TOKEN }}{# a remark #}", "Bearer s3cr3t"),
        ("{{ secrets['TOKEN'] }}{{ secrets.items }}", "s3cr3ts3cr3t too"),
        ("{{ input.items[0].tags[1] }}{{ input.items.1.id }}", "b2"),
        ("{{ input.items | length }} {{ input.keys | items | list }}", '2 [["x",1.5],["y",null],["z",true]]'),
        ("{{ input.text | tojson }}", '"a \\"quoted\\" ü/<b>\\n"'),
        ("{{ input.keys }} {{ input.keys.y }} {{ input.keys.z }}", '{"x":1.5,"y":null,"z":true} null true'),
        ("{{ 3 * 4 - 1 }} {{ 7 // 2 }} {{ 7 / 2 }} {{ 7 % 4 }} {{ -1 + 2.5 }}", "11 3 3.5 3 1.5"),
        ("{{ 'a' ~ 1 ~ true ~ input.empty }} {{ 'a' + 'b' }}", "a1true[] ab"),
        ("{% for item in input.items if item.id > 1 %}{{ loop.index }}:{{ item.id }}{% else %}-{% endfor %}", "1:2"),
        ("{% for k, v in input.keys | items %}{{ k }}={{ v }};{% endfor %}", "x=1.5;y=null;z=true;"),
        ("{% for n in range(3) %}{{ n }}{{ ',' if not loop.last }}{% endfor %}", "0,1,2"),
        ("{% set x = input.name | upper %}{% if x == 'ANN' and x is string %}yes{% else %}no{% endif %}", "yes"),
        ("{{ input.missing | default('none') }} {{ input.name | default('none') }}", "none Ann"),
        ("{{ input.items | map(attribute='id') | join(', ') }}", "1, 2"),
        ("{{ input.items | selectattr('id', 'eq', 2) | map(attribute='tags') | first }}", "[]"),
        ("{{ [3, 1, 2] | sort | join('-') }} {{ [1, 2] | sum }} {{ [1, 5] | max }}", "1-2-3 3 5"),
        ("{{ '12' | int + 1 }} {{ 'x' | int(7) }} {{ '1.5' | float }} {{ 2.567 | round(1) }}", "13 7 1.5 2.6"),
        ("{{ 2.1 | round(0, 'ceil') }} {{ -3 | abs }}", "3.0 3"),
        ("{{ 'a b/ü' | urlencode }} {{ {'q': 'a b', 'n': 1} | urlencode }}", "a%20b%2F%C3%BC q=a%20b&n=1"),
        ("{{ ' a ' | trim }}|{{ 'aXa' | replace('X', '-') }}|{{ 'ann lee' | title }}", "a|a-a|Ann Lee"),
        ("{{ 'abcdef'[1:3] }}{{ input.items[1:] | length }}", "bc1"),
        ("{{ range(3) | list }}{{ range(2) }}", "[0,1,2][0,1]"),
        ("{{ 'b' in input.items[0].tags }} {{ 1 < 2 }}", "true true"),
        ("a\n{{ 'b' }}\n", "a\nb\n"),
    ],
)
def test_templates_render_values_filters_and_blocks(text: str, shown: str):
    assert render(text) == shown


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("nothing", set()),
        ("{{ run.id }}", set()),
        ("{{ secrets.A }}{% if secrets['B_2'] %}{% endif %}", {"A", "B_2"}),
        ('{% for x in [secrets["C"]] %}{{ x }}{% endfor %}', {"C"}),
        ("{# {{ secrets.A }} #}{% raw %}{{ secrets.B }}{% endraw %}", set()),
    ],
)
def test_the_secrets_of_a_template_are_known_before_it_is_filled_in(text: str, names: set[str]):
    assert parse(text).secrets == names


@pytest.mark.parametrize(
    "text",
    [
        "{{ secrets }}",
        "{{ secrets | tojson }}",
        "{% set s = secrets %}{{ s.A }}",
        "{% for name in secrets %}{% endfor %}",
        "{{ secrets[input.name] }}",
        "{{ secrets['TO' ~ 'KEN'] }}",
        "{{ secrets['T\\x4fKEN'] }}",
        "{{ secrets['a b'] }}",
        "{{ secrets[0] }}",
        "{{ secrets['TOKEN':] }}",
        "{{ secrets.get('TOKEN') }}",
        "{{ secrets.__class__() }}",
        "{{ (secrets if true else 1).A }}",
        "{{ [secrets][0].A }}",
    ],
)
def test_secrets_are_named_and_nothing_else(text: str):
    with pytest.raises(TemplateFault, match="line 1 of the template: "):
        parse(text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a\n{{ unknown }}", "line 2 of the template: an unknown name; there are input, job, run, secrets"),
        ("a\n\n{% if %}", "line 3 of the template: Expected an expression, got 'end of statement block'"),
        ("{{ run.id", "line 1 of the template: unexpected end of template, expected 'end of print statement'"),
        ("{% for x in input %}", "line 1 of the template: Unexpected end of template"),
        ("{{ input | frobnicate }}", "line 1 of the template: an unknown filter; there are abs, capitalize, "),
        ("{{ input is frobnicated }}", "line 1 of the template: an unknown test; there are boolean, "),
        ("{{ input.items() }}", "line 1 of the template: only range can be called"),
        ("{{ 'x'.rjust(9) }}", "only range can be called"),
        ("{{ range(*input) }}", "only range can be called"),
        ("{{ input | _rounds(0) }}", "an unknown filter"),
        ("{{ input | join(*input) }}", "argument unpacking (* and **) is not available"),
        ("{% set run = 1 %}", "this name cannot be set"),
        ("{% set _x = 1 %}", "this name cannot be set"),
        ("{% set range = 1 %}", "this name cannot be set"),
        ("{% for secrets in input %}{% endfor %}", "this name cannot be set"),
        ("{% include 'x' %}", "only values, filters, if, for and set are available"),
        ("{% import 'x' as y %}", "only values, filters, if, for and set are available"),
        ("{% macro m() %}{% endmacro %}", "only values, filters, if, for and set are available"),
        ("{% block b %}{% endblock %}", "only values, filters, if, for and set are available"),
        ("{% filter upper %}{% endfilter %}", "only values, filters, if, for and set are available"),
        ("{% set x %}{% endset %}", "only values, filters, if, for and set are available"),
        ("{% with %}{% endwith %}", "only values, filters, if, for and set are available"),
        ("{% set input.x = 1 %}", "only values, filters, if, for and set are available"),
        ("{% for x in input recursive %}{% endfor %}", "a recursive loop is not available"),
        ("{{ " + "9" * 5_000 + " }}", "the template holds a number that is out of range"),
        ("{{ " + "(" * 5_000 + " }}", "the template is nested too deep"),
        ("{{ " + "(" * 250 + "1" + ")" * 250 + " }}", "the template is nested too deep"),
        ("{% for x in input %}" * 25 + "{% endfor %}" * 25, "the template is nested too deep"),
        ("{{ input.a.b }}" * 2_000, "the template has more than 5,000 parts"),
        ("{{ 1 }}" + "x" * LARGEST, "a template has at most 65,536 characters"),
    ],
)
def test_syntax_errors_are_found_when_the_template_is_parsed(text: str, said: str):
    with pytest.raises(TemplateFault) as raised:
        parse(text)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "text",
    [
        "{{ Bearer hunter2 }}",
        "{{ hunter2 }}",
        "{% hunter2 %}",
        "{{ 'x' hunter2 }}",
        "{{ 'hunter2 }}",
        "{{ input | hunter2 }}",
        "{{ input is hunter2 }}",
        "{{ run.id }}{% if hunter2 = 1 %}",
        "{% set hunter2. = 1 %}",
        "{% for hunter2 over %}",
    ],
)
def test_mistakes_do_not_repeat_what_was_written(text: str):
    with pytest.raises(TemplateFault) as raised:
        parse(text)
    assert "hunter2" not in str(raised.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{{ input.missing }}", "the template refers to something that does not exist: missing"),
        ("{{ input.missing.more }}", "the template refers to something that does not exist: missing"),
        ("{{ input.items[9] }}", "the template refers to something that does not exist"),
        ("{{ input[secrets.TOKEN] }}", "the template refers to something that does not exist"),
        ("{{ input.name.upper }}", "the template refers to something that does not exist: upper"),
        ("{{ input.__class__ }}", "the template refers to something that does not exist: __class__"),
        ("{{ input.items.__len__ }}", "the template refers to something that does not exist: __len__"),
        ("{% for x in input.items %}{{ loop._iterable }}{% endfor %}", "the template refers to something"),
        ("{% for x in input.items %}{{ loop }}{% endfor %}", "the template outputs something that is not a value"),
        ("{{ input.missing + 1 }}", "the template refers to something that does not exist: missing"),
        ("{{ input.missing | upper }}", "the template refers to something that does not exist: missing"),
        ("{{ range }}", "the template outputs something that is not a value"),
        ("{{ 1 / 0 }}", "the template cannot be filled in: it divides by zero"),
        ("{{ secrets.TOKEN + 1 }}", "+ takes numbers; texts are joined by ~"),
        ("{{ secrets.TOKEN * 2 }}", "* takes numbers; texts are joined by ~"),
        ("{{ '%s' % secrets.TOKEN }}", "% takes numbers; texts are joined by ~"),
        ("{{ secrets.TOKEN | round }}", "the template cannot be filled in: TypeError"),
        ("{{ [1, secrets.TOKEN] | sort }}", "the template cannot be filled in: TypeError"),
        ("{{ [secrets.TOKEN] | sum }}", "sum takes numbers"),
        ("{{ 2 ** 3 }}", "powers are not available"),
        ("{{ range(1.5) }}", "the template cannot be filled in: TypeError"),
        ("{{ input.items | map('upper', 'x') | list }}", "the template cannot be filled in: TypeError"),
        ("{{ input.items | map('no such filter') | list }}", "the template cannot be filled in: "),
        ("{{ input.items | map(attribute='__class__') | list }}", "the template outputs something that is not a value"),
    ],
)
def test_rendering_errors_are_one_sentence_without_values(text: str, said: str):
    found = fault(text)
    assert found.startswith(said)
    assert "s3cr3t" not in found
    assert "\n" not in found


LARGE = {"l": [""] * 50_000, "s": "x" * 500_000, "a": [[1]] * 30_000, "b": [[1]] * 30_000}
MANY = ",".join(["input.l"] * 800)
FOR = "{% for i in range(10000) %}{% for j in range(10000) %}"
END = "{% endfor %}{% endfor %}"


@pytest.mark.parametrize(
    "text",
    [
        FOR + END,
        f"{FOR}{{% set x = input.s[1:] %}}{END}",
        f"{FOR}{{% if input.a == input.b %}}{{% endif %}}{END}",
        f"{FOR}{{% if 5 in input.l %}}{{% endif %}}{END}",
        f"{FOR}{{% set x = input.a | tojson %}}{END}",
        f"{FOR}{{% set x = input.l | sort %}}{END}",
        f"{FOR}{{% set x = input.s ~ i %}}{END}",
        f"{FOR}{{% set x = input.s + 'y' %}}{END}",
        f"{FOR}{{% set x = input.s | upper %}}{END}",
        "{% for i in range(10000) %}{% for j in input.l %}{% endfor %}{% endfor %}",
        f"{{{{ [{MANY}] | map('join') | list }}}}",
        f"{{{{ [{MANY}] | map('list') | list }}}}",
        f"{{{{ [{MANY}] | map('sum') | list }}}}",
        f"{{{{ [{MANY.replace('.l', '.s')}] | map('upper') | list }}}}",
        f"{{{{ [{MANY.replace('.l', '.a')}] | select('eq', input.b) | list }}}}",
        "{{ input.l | join(input.s) }}",
        "{{ input.s | replace('x', 'yyyyyyyyyyyyyyyyyyyyyyyyyyyy') }}",
        "{{ input.s ~ input.s ~ input.s }}",
        "{{ input.s + input.s + input.s }}",
        "{% for i in range(10000) %}{{ input.s }}{% endfor %}",
        "{% set a = 'xxxxxxxxxx' %}" + "{% set a = a ~ a ~ a ~ a %}" * 20,
        "{% set a = [1] %}" + "{% set a = [a, a, a, a, a, a, a, a, a, a] %}" * 12 + "{{ a }}",
        "{% set a = {'x': 1} %}" + "{% set a = {'x': a, 'y': a, 'z': (a, a, a)} %}" * 20 + "{{ a }}",
        "{% set a = 3 %}" + "{% set a = a * a %}" * 60,
        "{{ range(1000000) }}",
        "{{ range(10 * 10 * 1000000000000000 * 1000000000000000) }}",
        "{{ 1.5 | round(1000000000, 'ceil') }}",
        "{{ (input.l | map('_rounds', -100000000) | list) }}" + FOR + END,
    ],
)
def test_no_template_costs_much(text: str):
    """Each of these would take hours or gigabytes."""
    assert "s3cr3t" not in fault(text, input=LARGE)


def test_large_but_honest_work_is_done():
    rows = [{"id": number, "name": f"row {number}"} for number in range(5_000)]
    text = "[{% for row in input %}{{ row.id }}{{ ',' if not loop.last }}{% endfor %}]"
    assert render(text, input=rows) == f"[{','.join(str(number) for number in range(5_000))}]"
    assert len(render("{{ input | tojson }}", input=rows)) > 140_000
    assert len(render("{{ input }}", input="x" * 900_000)) == 900_000


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from("{}%# '\".|()[]~+*-=,:\nabinput secrets for if in end 019"), max_size=60))
def test_any_text_is_a_template_or_a_fault(text: str):
    for whole in (text, f"{{{{{text}}}}}", f"{{%{text}%}}", f"{{% for a in input %}}{text}{{% endfor %}}"):
        with suppress(TemplateFault):  # and nothing else
            assert isinstance(render(whole), str)


def test_a_template_leaves_its_values_alone():
    values = {"list": [1, 2], "dict": {"a": 1}}
    render("{{ input.list | sort | list }}{% for x in input.list %}{% set y = x %}{% endfor %}", input=values)
    assert values == {"list": [1, 2], "dict": {"a": 1}}
    assert fault("{{ input.list.append(3) }}", input=values)
