"""The filters and tests of templates. Those that make texts are our own: each pays for what it makes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

from jinja2 import Undefined, pass_context
from jinja2.filters import FILTERS
from jinja2.runtime import Context
from jinja2.tests import TESTS

from horae.domain.template.work import LONGEST, WORK, TemplateFault, Work, too_long

_JINJAS = "default d length count first last list items map select reject selectattr rejectattr"
_ORDERING = ("sort", "unique", "dictsort", "min", "max")  # which call a function for each item
_TESTS = "defined undefined none string number integer float boolean true false mapping sequence iterable even odd"
_LONGEST_NUMBER = 400  # characters: all that a float can have


def work_of(context: Context) -> Work:
    found: Work = context[WORK]
    return found


def text_of(value: Any, work: Work) -> str:
    """A value as text: what is not text already is shown as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Undefined):
        return str(value)  # raises and says what is missing, unless it is an `if` without `else`
    return to_json(value, work)


def to_json(value: Any, work: Work) -> str:
    if isinstance(value, Iterator | range):  # the former is what `map` and `select` give
        value = list(value)
    work.weigh(value)
    try:
        return work.text(json.dumps(value, ensure_ascii=False, separators=(",", ":")))
    except TypeError:
        raise TemplateFault("the template shows something that is not a value") from None


def join(value: Iterable[Any], work: Work, separator: Any = "", attribute: str | None = None) -> str:
    between = text_of(separator, work)
    parts: list[str] = []
    size = 0
    for item in value:
        part = text_of(item if attribute is None else item[attribute], work)
        size += len(part) + len(between)
        if size > LONGEST + len(between):
            raise too_long()
        parts.append(part)
    return between.join(parts)


def _replace(text: str, work: Work, old: Any, new: Any) -> str:
    old, new = text_of(old, work), text_of(new, work)
    if old and len(text) + text.count(old) * (len(new) - len(old)) > LONGEST:
        raise too_long()
    return text.replace(old, new) if old else text


def _urlencode(value: Any, work: Work) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{quote(text_of(n, work), safe='')}={quote(text_of(v, work), safe='')}" for n, v in value.items())
        return join(pairs, work, "&")
    return quote(text_of(value, work), safe="/")


def _int(value: Any, default: int = 0) -> int:
    try:
        return int(_number(value))
    except (ValueError, OverflowError, TypeError):
        return default


def _float(value: Any, default: float = 0.0) -> float:
    try:
        return float(_number(value))
    except (ValueError, OverflowError, TypeError):
        return default


def _number(value: Any) -> Any:
    """Something that is quickly made a number of, or is none."""
    if isinstance(value, str):
        if len(value) > _LONGEST_NUMBER:
            raise ValueError
        return float(value) if not value.strip().lstrip("+-").isdecimal() else int(value)
    if isinstance(value, int | float):
        return value
    raise ValueError


def _round(value: float, precision: int = 0, method: str = "common") -> float:
    if method not in ("common", "ceil", "floor") or not -300 <= precision <= 300:
        raise TemplateFault("round takes a precision and common, ceil or floor")
    if method == "common":
        return round(value, precision)
    factor = 10.0**precision
    return (math.ceil if method == "ceil" else math.floor)(value * factor) / factor


def _sum(value: Iterable[Any], attribute: str | None = None) -> Any:
    total: Any = 0
    for item in value:
        number = item if attribute is None else item[attribute]
        if not isinstance(number, int | float):
            raise TemplateFault("sum takes numbers")
        total += number
    return total


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, list | dict | tuple) or isinstance(other, list | dict | tuple):
        raise TemplateFault("only single values are compared by a test")
    return bool(one == other)


def _different(one: Any, other: Any) -> bool:
    return not _equal(one, other)


_TEXTS: dict[str, Callable[..., str]] = {
    "string": lambda text, work: text,
    "lower": lambda text, work: text.lower(),
    "upper": lambda text, work: text.upper(),
    "title": lambda text, work: text.title(),
    "capitalize": lambda text, work: text.capitalize(),
    "trim": lambda text, work, characters=None: text.strip(characters),
    "replace": _replace,
}
_FROM_VALUES: dict[str, Callable[..., str]] = {"tojson": to_json, "join": join, "urlencode": _urlencode}
_PLAIN: dict[str, Callable[..., Any]] = {"int": _int, "float": _float, "round": _round, "abs": abs, "sum": _sum}


def _of_text(make: Callable[..., str]) -> Callable[..., str]:
    @pass_context
    def made(context: Context, value: Any, *args: Any, **kwargs: Any) -> str:
        work = work_of(context)
        text = text_of(value, work)
        work.pay_for(text)
        return work.text(make(text, work, *args, **kwargs))

    return made


def _of_value(make: Callable[..., str]) -> Callable[..., str]:
    @pass_context
    def made(context: Context, value: Any, *args: Any, **kwargs: Any) -> str:
        work = work_of(context)
        work.pay_for(value)
        return work.text(make(value, work, *args, **kwargs))

    return made


def _paid(make: Callable[..., Any], each: int = 1) -> Callable[..., Any]:
    """A filter of Jinja's own, or one like those; it pays for what it looks at."""
    wants = getattr(make, "jinja_pass_arg", None)

    @pass_context
    def made(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        work_of(context).pay_for(value, each)
        if wants is None:
            return make(value, *args, **kwargs)
        given = {"context": context, "eval_context": context.eval_ctx, "environment": context.environment}
        return make(given[wants.name], value, *args, **kwargs)

    return made


def filters() -> dict[str, Any]:
    """All of them pay: by `map`, a template may call any of them for each item of a list."""
    return {
        **{name: _paid(FILTERS[name]) for name in _JINJAS.split()},
        **{name: _paid(FILTERS[name], each=8) for name in _ORDERING},
        **{name: _paid(make) for name, make in _PLAIN.items()},
        **{name: _of_text(make) for name, make in _TEXTS.items()},
        **{name: _of_value(make) for name, make in _FROM_VALUES.items()},
    }


def tests() -> dict[str, Any]:
    return {
        **{name: TESTS[name] for name in _TESTS.split()},
        **dict.fromkeys(("eq", "equalto", "=="), _equal),
        **dict.fromkeys(("ne", "!="), _different),
    }
