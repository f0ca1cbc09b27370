"""The allowed syntax of templates. Everything not listed is refused when a job is saved."""

from __future__ import annotations

from collections.abc import Iterator

from jinja2 import nodes

from horae.domain.secrets.secret import NAME
from horae.domain.template.sandbox import ENVIRONMENT
from horae.domain.template.work import TemplateFault

NAMES = frozenset(("run", "job", "input", "secrets"))
_DEEPEST = 50  # levels of a template's tree
_MOST_BLOCKS = 10  # nested loops and conditions
_OWN = frozenset(("range", "loop"))
_ALLOWED = (
    *(nodes.Template, nodes.Output, nodes.TemplateData, nodes.If, nodes.For, nodes.Assign),
    *(nodes.Name, nodes.Const, nodes.List, nodes.Tuple, nodes.Dict, nodes.Pair, nodes.Keyword),
    *(nodes.Filter, nodes.Test, nodes.Call, nodes.Getattr, nodes.Getitem, nodes.Slice),
    *(nodes.CondExpr, nodes.Concat, nodes.Compare, nodes.Operand, nodes.BinExpr, nodes.UnaryExpr),
)


def check(tree: nodes.Template, text: str) -> tuple[frozenset[str], int]:
    """Refuses unsupported syntax; returns the secrets that it names, and its number of parts."""
    found = list(_parts(tree))
    own = {node.name for node in found if isinstance(node, nodes.Name) and node.ctx != "load"}
    for node in found:
        if not isinstance(node, _ALLOWED):
            raise _fault(node, "only values, filters, if, for and set are available")
        if isinstance(node, nodes.Name):
            _check_name(node, own)
        elif isinstance(node, nodes.Filter | nodes.Test):
            _check_function(node)
        elif isinstance(node, nodes.Call):
            _check_call(node)
        elif isinstance(node, nodes.For) and node.recursive:
            raise _fault(node, "a recursive loop is not available")
    return _secrets(tree, text), len(found)


def _parts(tree: nodes.Template) -> Iterator[nodes.Node]:
    """All of them. Python cannot compile anything nested deeper, and compiles only later."""
    waiting: list[tuple[nodes.Node, int, int]] = [(tree, 0, 0)]
    while waiting:
        node, depth, blocks = waiting.pop()
        blocks += isinstance(node, nodes.For | nodes.If)
        if depth > _DEEPEST or blocks > _MOST_BLOCKS:
            raise TemplateFault("the template is nested too deep")
        yield node
        waiting.extend((child, depth + 1, blocks) for child in node.iter_child_nodes())


def _check_name(node: nodes.Name, own: set[str]) -> None:
    if node.ctx != "load" and (node.name in NAMES | _OWN or node.name.startswith("_")):
        raise _fault(node, "this name cannot be set")
    if node.ctx == "load" and node.name not in NAMES | _OWN | own:
        raise _fault(node, f"an unknown name; there are {', '.join(sorted(NAMES))}")


def _check_function(node: nodes.Filter | nodes.Test) -> None:
    kind, known = ("filter", ENVIRONMENT.filters) if isinstance(node, nodes.Filter) else ("test", ENVIRONMENT.tests)
    if node.name not in known or node.name.startswith("_"):
        there = ", ".join(sorted(name for name in known if name[0].isalpha()))
        raise _fault(node, f"an unknown {kind}; there are {there}")
    if node.dyn_args is not None or node.dyn_kwargs is not None:
        raise _fault(node, "argument unpacking (* and **) is not available")


def _check_call(node: nodes.Call) -> None:
    plain = not (node.kwargs or node.dyn_args is not None or node.dyn_kwargs is not None)
    if not (isinstance(node.node, nodes.Name) and node.node.name == "range" and plain):
        raise _fault(node, "only range can be called; use filters instead")


def _secrets(tree: nodes.Template, text: str) -> frozenset[str]:
    """The secrets that a template names: literally, so that they are known before it is filled in."""
    accesses: list[nodes.Getattr | nodes.Getitem] = [
        *tree.find_all(nodes.Getattr),
        *tree.find_all(nodes.Getitem),
    ]
    looked_into = {id(access.node) for access in accesses}
    for node in tree.find_all(nodes.Name):
        if node.name == "secrets" and id(node) not in looked_into:
            raise _fault(node, "write {{ secrets.NAME }}")
    return frozenset(
        _secret(access, text)
        for access in accesses
        if isinstance(access.node, nodes.Name) and access.node.name == "secrets"
    )


def _secret(access: nodes.Getattr | nodes.Getitem, text: str) -> str:
    name = access.attr if isinstance(access, nodes.Getattr) else None
    if isinstance(access, nodes.Getitem) and isinstance(access.arg, nodes.Const):
        name = access.arg.value
    # As written: to find the jobs that use a secret, one searches for its name.
    if not isinstance(name, str) or not NAME.fullmatch(name) or name not in text:
        raise _fault(access, "the name of a secret must be literal, not computed")
    return name


def _fault(node: nodes.Node, what: str) -> TemplateFault:
    return TemplateFault(f"line {node.lineno} of the template: {what}")
