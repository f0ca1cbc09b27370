"""The sandbox in which templates are filled in. Values are JSON values: templates see none of Python's methods and
attributes. Everything that may take long or grow large is paid for (work.py); `metered` writes the payments into a
template."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from jinja2 import StrictUndefined, Undefined, nodes, pass_context
from jinja2.runtime import Context, LoopContext
from jinja2.sandbox import ImmutableSandboxedEnvironment
from jinja2.visitor import NodeTransformer

from horae.domain.template.filters import filters, join, tests, text_of, work_of
from horae.domain.template.work import LONGEST, TemplateFault, too_long

_MOST_ROUNDS = 10_000
_LARGEST_NUMBER = 256  # bits
_OF_LOOPS = frozenset(("index", "index0", "revindex", "revindex0", "first", "last", "length", "previtem", "nextitem"))


class _Missing(StrictUndefined):
    """Names only what was requested."""

    @property
    def _undefined_message(self) -> str:
        return str(self._undefined_name)


class _Environment(ImmutableSandboxedEnvironment):
    intercepted_binops = frozenset(("+", "-", "*", "/", "//", "%", "**"))

    def getattr(self, obj: Any, attribute: str) -> Any:
        """A field, never an attribute: `input.items` is the input's field of that name."""
        if isinstance(obj, LoopContext) and attribute in _OF_LOOPS:
            return getattr(obj, attribute)
        return self.getitem(obj, attribute)

    def getitem(self, obj: Any, argument: Any) -> Any:
        if isinstance(obj, Undefined):
            str(obj)  # raises
        try:
            if isinstance(obj, Mapping) or (isinstance(obj, str | list | tuple) and isinstance(argument, int)):
                return obj[argument]
        except (LookupError, TypeError):
            pass
        return self.undefined(obj=obj, name=argument)

    def call_binop(self, context: Context, operator: str, left: Any, right: Any) -> Any:
        if operator == "+" and isinstance(left, str) and isinstance(right, str):
            if len(left) + len(right) > LONGEST:
                raise too_long()
            return work_of(context).text(left + right)
        for value in (left, right):
            if isinstance(value, Undefined):
                str(value)  # raises
            if not isinstance(value, int | float):
                raise TemplateFault(f"{operator} takes numbers; texts are joined by ~")
        if operator == "**":
            raise TemplateFault("powers are not available")
        return _bounded(self.binop_table[operator](left, right))


def _bounded(number: Any) -> Any:
    if isinstance(number, int) and number.bit_length() > _LARGEST_NUMBER:
        raise TemplateFault("the template makes a number that is out of range")
    return number


def _range(*args: int) -> range:
    made = range(*args)
    if made[_MOST_ROUNDS:]:
        raise TemplateFault(f"range has at most {_MOST_ROUNDS:,} numbers")
    return made


# What `metered` writes into templates, as filters. A template that finds a way to name one gains nothing by it.


@pass_context
def _rounds(context: Context, values: Iterable[Any], cost: int) -> Iterator[Any]:
    work = work_of(context)
    for value in values:
        work.pay(cost)
        yield value


@pass_context
def _handled(context: Context, value: Any) -> Any:
    work_of(context).pay_for(value)
    return value


@pass_context
def _weighed(context: Context, value: Any) -> Any:
    work_of(context).weigh(value)
    return value


@pass_context
def _concatenated(context: Context, values: list[Any]) -> str:
    work = work_of(context)
    return work.text(join(values, work))


@pass_context
def _shown(context: Context, value: Any) -> str:
    return text_of(value, work_of(context))


class _Meter(NodeTransformer):
    """Wraps everything that costs work in a payment."""

    def visit_For(self, node: nodes.For) -> nodes.For:
        cost = 1 + sum(1 for _ in node.find_all(nodes.Node))
        self.generic_visit(node)
        node.iter = _paid(node.iter, "_rounds", nodes.Const(cost))
        return node

    def visit_Getitem(self, node: nodes.Getitem) -> nodes.Getitem:
        self.generic_visit(node)
        if isinstance(node.arg, nodes.Slice):
            node.node = _paid(node.node, "_handled")
        return node

    def visit_Compare(self, node: nodes.Compare) -> nodes.Compare:
        self.generic_visit(node)
        node.expr = _paid(node.expr, "_weighed")
        for operand in node.ops:
            operand.expr = _paid(operand.expr, "_weighed")
        return node

    def visit_Concat(self, node: nodes.Concat) -> nodes.Filter:
        self.generic_visit(node)
        return _paid(nodes.List(node.nodes, lineno=node.lineno), "_concatenated")

    def visit_List(self, node: nodes.List) -> nodes.Filter:
        self.generic_visit(node)
        return _paid(node, "_weighed")

    def visit_Dict(self, node: nodes.Dict) -> nodes.Filter:
        self.generic_visit(node)
        return _paid(node, "_weighed")

    def visit_Tuple(self, node: nodes.Tuple) -> nodes.Expr:
        self.generic_visit(node)
        return node if node.ctx == "store" else _paid(node, "_weighed")


def _paid(value: Any, payment: str, *args: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(value, payment, list(args), [], None, None, lineno=value.lineno)


def metered(tree: nodes.Template) -> nodes.Template:
    made: nodes.Template = _Meter().visit(tree)
    made.set_environment(ENVIRONMENT)
    return made


def _environment() -> _Environment:
    made = _Environment(
        undefined=_Missing, autoescape=False, keep_trailing_newline=True, cache_size=0, optimized=False, finalize=_shown
    )
    made.globals = {"range": _range}
    made.tests = tests()
    payments = {"_rounds": _rounds, "_handled": _handled, "_weighed": _weighed, "_concatenated": _concatenated}
    made.filters = {**filters(), **payments}
    return made


ENVIRONMENT = _environment()
