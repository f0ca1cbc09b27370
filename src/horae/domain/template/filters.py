"""The filters and tests of templates. Those that create text are our own: each pays for what it creates."""

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

from horae.domain.template.work import CALL, LONGEST, WORK, TemplateFault, TemplateWork, too_long

_LOOKING = "default d length count first last items"  # looks at a value, not inside it
_CALLING = "map select reject selectattr rejectattr"  # a function for each item
_ORDERING = "sort unique dictsort min max"
_TESTS = "defined undefined none string number integer float boolean true false mapping sequence iterable even odd"
_LONGEST_NUMBER = 400  # characters: the most that a float can have
_ITEM = 4  # steps per item that involves a lookup or a test
_MOST_TRIMMED = 64  # characters accepted by `trim`: each is compared at each position
_QUOTED = 4  # characters that `urlencode` handles in one step: it goes byte by byte
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def work_of(context: Context) -> TemplateWork:
    found: TemplateWork = context[WORK]
    return found


def text_of(value: Any, work: TemplateWork) -> str:
    """A value as text: anything that is not text is shown as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Undefined):
        return str(value)  # raises and names what is missing, unless it is an `if` without `else`
    return to_json(value, work)


def to_json(value: Any, work: TemplateWork) -> str:
    if isinstance(value, Iterator | range):  # the former is the result of `map` and `select`
        value = list(work.through(value))
    work.pay(2)
    work.weigh(value)
    try:
        return work.text(_ENCODER.encode(value))
    except TypeError:
        raise TemplateFault("the template outputs something that is not a value") from None


def join(value: Iterable[Any], work: TemplateWork, separator: Any = "", attribute: str | None = None) -> str:
    between = text_of(separator, work)
    parts: list[str] = []
    size = 0
    for item in work.through(value):
        part = text_of(item if attribute is None else item[attribute], work)
        size += len(part) + len(between)
        if size > LONGEST + len(between):
            raise too_long()
        parts.append(part)
    return between.join(parts)


def _replace(text: str, work: TemplateWork, old: Any, new: Any) -> str:
    old, new = text_of(old, work), text_of(new, work)
    work.weigh(text, times=8)  # searching for what almost matches everywhere takes long
    if old and len(text) + text.count(old) * (len(new) - len(old)) > LONGEST:
        raise too_long()
    return text.replace(old, new) if old else text


def _urlencode(value: Any, work: TemplateWork) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{_quoted(n, work)}={_quoted(v, work)}" for n, v in value.items())
        return join(pairs, work, "&")
    return _quoted(value, work)


def _quoted(value: Any, work: TemplateWork) -> str:
    """Percent-encodes a value for a path or query: a slash in it does not separate path segments."""
    text = text_of(value, work)
    work.pay(CALL + len(text) // _QUOTED)
    return quote(text, safe="")


def _trim(text: str, work: TemplateWork, characters: str | None = None) -> str:
    if characters is not None and len(characters) > _MOST_TRIMMED:
        raise TemplateFault(f"trim takes at most {_MOST_TRIMMED} characters")
    return text.strip(characters)


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
    """Something that converts to a number quickly, or is not one."""
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


@pass_context
def _equal(context: Context, one: Any, other: Any) -> bool:
    work = work_of(context)
    work.pay_for(one)
    work.pay_for(other)
    if isinstance(one, list | dict | tuple) or isinstance(other, list | dict | tuple):
        raise TemplateFault("only single values are compared by a test")
    return bool(one == other)


@pass_context
def _different(context: Context, one: Any, other: Any) -> bool:
    return not _equal(context, one, other)


_TEXTS: dict[str, Callable[..., str]] = {
    "string": lambda text, work: text,
    "lower": lambda text, work: text.lower(),
    "upper": lambda text, work: text.upper(),
    "title": lambda text, work: text.title(),
    "capitalize": lambda text, work: text.capitalize(),
    "trim": _trim,
    "replace": _replace,
}
_FROM_VALUES: dict[str, Callable[..., str]] = {"tojson": to_json, "join": join, "urlencode": _urlencode}
_NUMBERS: dict[str, Callable[..., Any]] = {"int": _int, "float": _float, "round": _round, "abs": abs}


def _of_text(make: Callable[..., str]) -> Callable[..., str]:
    @pass_context
    def made(context: Context, value: Any, *args: Any, **kwargs: Any) -> str:
        work = work_of(context)
        work.pay(CALL)
        text = text_of(value, work)
        work.pay_for(text)
        return work.text(make(text, work, *args, **kwargs))

    return made


def _of_value(make: Callable[..., str]) -> Callable[..., str]:
    @pass_context
    def made(context: Context, value: Any, *args: Any, **kwargs: Any) -> str:
        work = work_of(context)
        work.pay(CALL)
        return work.text(make(value, work, *args, **kwargs))

    return made


def _looked_at(work: TemplateWork, value: Any, fields: int) -> Any:
    work.pay_for(value)
    return value


def _gone_through(work: TemplateWork, value: Any, fields: int) -> Any:
    return work.through(value)


def _called_for_each(work: TemplateWork, value: Any, fields: int) -> Any:
    return work.through(value, _ITEM * fields)


def _ordered(work: TemplateWork, value: Any, fields: int) -> Any:
    """Items are compared with each other, and may be long: a sort reads each of them repeatedly."""
    items = value if isinstance(value, Mapping) else list(_called_for_each(work, value, fields))
    work.weigh(items, times=len(items).bit_length())
    return items


def _fields(*arguments: Any) -> int:
    """How many fields may be looked up for each item: `attribute='a.b,c'` are three."""
    return 1 + sum(text.count(".") + text.count(",") for text in arguments if isinstance(text, str))


def _paid(make: Callable[..., Any], pay: Callable[[TemplateWork, Any, int], Any]) -> Callable[..., Any]:
    """A filter of Jinja's own, or one like those."""
    wants = getattr(make, "jinja_pass_arg", None)

    @pass_context
    def made(context: Context, value: Any, *args: Any, **kwargs: Any) -> Any:
        work = work_of(context)
        work.pay(CALL)
        value = pay(work, value, _fields(*args, *kwargs.values()))
        if wants is None:
            return make(value, *args, **kwargs)
        given = {"context": context, "eval_context": context.eval_ctx, "environment": context.environment}
        return make(given[wants.name], value, *args, **kwargs)

    return made


def filters() -> dict[str, Any]:
    """All of them pay: with `map`, a template can call any of them for each item of a list."""
    return {
        **{name: _paid(FILTERS[name], _looked_at) for name in _LOOKING.split()},
        **{name: _paid(FILTERS[name], _called_for_each) for name in _CALLING.split()},
        **{name: _paid(FILTERS[name], _ordered) for name in _ORDERING.split()},
        **{name: _paid(make, _looked_at) for name, make in _NUMBERS.items()},
        "list": _paid(FILTERS["list"], _gone_through),
        "sum": _paid(_sum, _gone_through),
        **{name: _of_text(make) for name, make in _TEXTS.items()},
        **{name: _of_value(make) for name, make in _FROM_VALUES.items()},
    }


def tests() -> dict[str, Any]:
    return {
        **{name: TESTS[name] for name in _TESTS.split()},
        **dict.fromkeys(("eq", "equalto", "=="), _equal),
        **dict.fromkeys(("ne", "!="), _different),
    }
