"""Templates in definitions: text with `{{ … }}` places, filled in for each attempt by Jinja2's sandbox.

A template sees four names: `run`, `job`, `input` and `secrets`. It is parsed when its job is saved, so that mistakes
are told then, with their line; what it may cost when it is filled in is bounded.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jinja2 import StrictUndefined, nodes
from jinja2.exceptions import SecurityError, TemplateError, TemplateSyntaxError, UndefinedError
from jinja2.sandbox import ImmutableSandboxedEnvironment

NAMES = frozenset(("run", "job", "input", "secrets"))
LONGEST = 1_000_000  # characters that a filled-in template may have
_MOST_ITEMS = 10_000
_WORDS = frozenset(("range", "loop", "true", "false", "none"))
_BANNED = (nodes.Import, nodes.FromImport, nodes.Include, nodes.Extends, nodes.Macro, nodes.CallBlock, nodes.Block)


class TemplateFault(ValueError):
    """What is wrong with a template, in one sentence without its content."""


class _Environment(ImmutableSandboxedEnvironment):
    """No files, no globals but what is listed, no loop without end, no text multiplied beyond measure."""

    intercepted_binops = frozenset(("*", "**", "%", "+"))

    def call_binop(self, context: Any, operator: str, left: Any, right: Any) -> Any:
        if operator == "**":
            raise SecurityError("powers are not allowed in templates")
        if operator == "*" and not all(isinstance(part, int | float) for part in (left, right)):
            raise SecurityError("only numbers can be multiplied in templates")
        if operator == "%" and isinstance(left, str):
            raise SecurityError("texts cannot be formatted by % in templates: use ~")
        if operator == "*" and isinstance(left, int) and isinstance(right, int):
            left, right = float(left), float(right)  # which never grow long
        return super().call_binop(context, operator, left, right)


def _range(*args: int) -> range:
    made = range(*args)
    if len(made) > _MOST_ITEMS:
        raise SecurityError(f"a loop of more than {_MOST_ITEMS} rounds")
    return made


def _environment() -> _Environment:
    made = _Environment(undefined=StrictUndefined, autoescape=False, keep_trailing_newline=True, cache_size=0)
    made.globals = {"range": _range}
    kept = "default d lower upper trim length count first last join replace int float string tojson urlencode round abs"
    kept += " sort unique list map select reject selectattr rejectattr dictsort items sum min max title capitalize"
    made.filters = {name: made.filters[name] for name in kept.split() if name in made.filters}
    made.filters["tojson"] = _tojson  # Jinja's own is made for HTML: it escapes quotes and angle brackets
    made.filters["replace"] = _replace
    return made


def _tojson(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _replace(text: Any, old: str, new: str) -> str:
    whole = str(text)
    if old and whole.count(old) * len(new) > LONGEST:
        raise SecurityError("the text grows too long")
    return whole.replace(old, new) if old else whole


_ENVIRONMENT = _environment()


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template. `secrets` are the names of those that it uses; None of `body`: it is plain text."""

    text: str
    secrets: frozenset[str] = frozenset()
    body: Any = None

    def render(self, values: Mapping[str, Any]) -> str:
        """Fills it in with the values of `run`, `job`, `input` and `secrets`. Raises TemplateFault, in words."""
        if self.body is None:
            return self.text
        parts: list[str] = []
        size = 0
        try:
            for part in self.body.generate(values):
                size += len(part)
                if size > LONGEST:
                    raise TemplateFault(f"the template grows beyond {LONGEST:,} characters")
                parts.append(part)
        except TemplateFault:
            raise
        except UndefinedError as error:
            raise TemplateFault(f"the template asks for something that is not there: {error}") from None
        except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError, RecursionError) as error:
            raise TemplateFault(f"the template cannot be filled in: {type(error).__name__}: {error}") from None
        return "".join(parts)


@lru_cache(maxsize=4_096)
def parse(text: str) -> Template:
    """Raises TemplateFault (a ValueError) that says what is wrong, and in which line."""
    if "{{" not in text and "{%" not in text and "{#" not in text:
        return Template(text)
    try:
        tree = _ENVIRONMENT.parse(text)
        secrets = _check(tree)
        return Template(text, secrets, _ENVIRONMENT.from_string(tree))
    except TemplateSyntaxError as error:
        raise TemplateFault(f"line {error.lineno} of the template: {error.message}") from None
    except RecursionError:
        raise TemplateFault("the template is nested too deep") from None


def _check(tree: nodes.Template) -> frozenset[str]:
    """Refuses what a template of ours has no use for; the secrets that it names."""
    for banned in tree.find_all(_BANNED):
        raise _fault(banned, f"{type(banned).__name__.lower()} is not available")
    own = {node.name for node in tree.find_all(nodes.Name) if node.ctx in ("store", "param")}
    for node in tree.find_all(nodes.Name):
        if node.name in NAMES and node.ctx != "load":
            raise _fault(node, f"{node.name} cannot be set")
        if node.ctx == "load" and node.name not in NAMES | own | _WORDS:
            raise _fault(node, f"{node.name} is unknown; there are {', '.join(sorted(NAMES))}")
    return _secrets(tree)


def _secrets(tree: nodes.Template) -> frozenset[str]:
    """The secrets that a template names: each by its name, so that they are known before it is filled in."""
    accesses: list[nodes.Getattr | nodes.Getitem] = [
        *tree.find_all(nodes.Getattr),
        *tree.find_all(nodes.Getitem),
    ]
    looked_into = {id(access.node) for access in accesses}
    for node in tree.find_all(nodes.Name):
        if node.name == "secrets" and id(node) not in looked_into:
            raise _fault(node, "write {{ secrets.NAME }}")
    return frozenset(
        _secret(access) for access in accesses if isinstance(access.node, nodes.Name) and access.node.name == "secrets"
    )


def _secret(access: nodes.Getattr | nodes.Getitem) -> str:
    if isinstance(access, nodes.Getattr):
        return access.attr
    if isinstance(access.arg, nodes.Const) and isinstance(access.arg.value, str):
        return access.arg.value
    raise _fault(access, "a secret is named, not computed")


def _fault(node: nodes.Node, what: str) -> TemplateFault:
    return TemplateFault(f"line {node.lineno} of the template: {what}")
