"""Strict YAML: only JSON values, duplicate keys are errors, and every error has its line."""

from __future__ import annotations

import re
from typing import Any

import yaml

from horae.domain.errors import InvalidInput

_LIMIT = 1_000_000  # nodes of a file with aliases expanded: a small file can stand for billions
_STEP = re.compile(r"[^.\[\]]+")


class _Loader(yaml.SafeLoader):
    """As safe as SafeLoader, and strict: anything that is not a JSON value is text."""


def documents(text: str, name: str) -> list[yaml.Node]:
    """The documents of a file. `name` is used in errors."""
    try:
        found = [node for node in yaml.compose_all(text.removeprefix("\ufeff"), Loader=_Loader) if node is not None]
        if sum(_size(node, {}) for node in found) > _LIMIT:
            raise InvalidInput(name, "expands too much: its aliases multiply")
    except yaml.YAMLError as error:
        raise InvalidInput(*_located(name, error, text)) from None
    except RecursionError:
        raise InvalidInput(name, "is nested too deep") from None
    return found


def value(node: yaml.Node, name: str) -> Any:
    loader = _Loader("")
    try:
        return loader.construct_document(node)
    except yaml.YAMLError as error:
        raise InvalidInput(*_located(name, error)) from None
    except RecursionError:
        raise InvalidInput(name, "is nested too deep") from None
    finally:
        loader.dispose()


def line(node: yaml.Node, path: str = "") -> int:
    """Where a field such as `target.args[0]` is, or the longest part of its path that exists."""
    found = node.start_mark.line + 1
    for step in _STEP.findall(path):
        if isinstance(node, yaml.MappingNode):
            pair = next(((key, inner) for key, inner in node.value if key.value == step), None)
            if pair is None:
                break
            found, node = pair[0].start_mark.line + 1, pair[1]
        elif isinstance(node, yaml.SequenceNode) and step.isdecimal() and int(step) < len(node.value):
            node = node.value[int(step)]
            found = node.start_mark.line + 1
        else:
            break
    return found


def _size(node: yaml.Node, known: dict[int, int]) -> int:
    """The number of nodes with aliases expanded; each is visited once."""
    if id(node) not in known:
        known[id(node)] = _LIMIT  # a node that contains itself has no end
        inner = [part for pair in node.value for part in pair] if isinstance(node, yaml.MappingNode) else node.value
        known[id(node)] = 1 + (0 if isinstance(node, yaml.ScalarNode) else sum(_size(part, known) for part in inner))
    return known[id(node)]


def _located(name: str, error: yaml.YAMLError, text: str = "") -> tuple[str, str]:
    """The place and what is wrong there."""
    if isinstance(error, yaml.reader.ReaderError):
        number = text.count("\n", 0, int(error.position)) + 1
        return f"{name}:{number}", f"holds a character that YAML does not allow ({_code(error.character):#06x})"
    mark = getattr(error, "problem_mark", None)
    problem = str(getattr(error, "problem", None) or "is not YAML")
    if "'\\t'" in problem:
        problem = "is indented with a tab; YAML requires spaces"
    return (name if mark is None else f"{name}:{mark.line + 1}"), problem


def _code(character: str | int) -> int:
    return ord(character) if isinstance(character, str) else character


def _mistake(node: yaml.Node, words: str) -> yaml.YAMLError:
    return yaml.constructor.ConstructorError(None, None, words, node.start_mark)


def _map(loader: _Loader, node: yaml.MappingNode) -> dict[str, Any]:
    own = set()
    for key_node, _ in node.value:
        key = key_node.value  # as written: in YAML 1.1 `on` would be true
        if not isinstance(key, str):
            raise _mistake(key_node, "a key must be a string")
        if key in own and not key_node.tag.endswith(":merge"):
            raise _mistake(key_node, f"{key!r} appears twice")
        own.add(key)
    loader.flatten_mapping(node)  # merged keys (`<<`) come first, so that the mapping's own keys win
    return {key_node.value: loader.construct_object(inner, deep=True) for key_node, inner in node.value}


def _int(loader: _Loader, node: yaml.ScalarNode) -> int:
    try:
        return int(loader.construct_scalar(node))
    except ValueError:
        raise _mistake(node, "is not a whole number, or is far too large") from None


def _float(loader: _Loader, node: yaml.ScalarNode) -> float:
    try:
        return float(loader.construct_scalar(node))
    except ValueError:
        raise _mistake(node, "is not a number") from None


def _bool(loader: _Loader, node: yaml.ScalarNode) -> bool:
    word = loader.construct_scalar(node)
    if word not in ("true", "false"):
        raise _mistake(node, "must be true or false")
    return bool(word == "true")


def _unknown(loader: _Loader, node: yaml.Node) -> Any:
    raise _mistake(node, f"has the tag {node.tag.replace('tag:yaml.org,2002:', '!!')!r}, which means nothing here")


_Loader.yaml_constructors = {
    None: _unknown,
    "tag:yaml.org,2002:map": _map,
    "tag:yaml.org,2002:seq": yaml.SafeLoader.construct_yaml_seq,
    "tag:yaml.org,2002:str": yaml.SafeLoader.construct_yaml_str,
    "tag:yaml.org,2002:null": lambda loader, node: None,
    "tag:yaml.org,2002:int": _int,
    "tag:yaml.org,2002:float": _float,
    "tag:yaml.org,2002:bool": _bool,
}
# Parsed like JSON: in YAML 1.1 22:00 would be a number, `no` false, and a date not a text.
_Loader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("bool", r"true|false", "tf"),
    ("null", r"null|~|", ["n", "~", ""]),
    ("int", r"-?(0|[1-9][0-9]*)", "-0123456789"),
    ("float", r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?", "-0123456789"),
    ("merge", r"<<", "<"),
):
    _Loader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(f"^(?:{_pattern})$"), list(_first))
