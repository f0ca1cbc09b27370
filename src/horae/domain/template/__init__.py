"""Templates in definitions: text with `{{ … }}` places, filled in for each attempt by Jinja2's sandbox.

A template sees four names: `run`, `job`, `input` and `secrets`. It is parsed when its job is saved, so that mistakes
are told then, with their line; what it may cost when it is filled in is bounded (work.py). What is said
about a template never repeats a part of it but names that it writes out: somebody may have put a secret into it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from jinja2.exceptions import TemplateSyntaxError, UndefinedError

from horae.domain.template.sandbox import ENVIRONMENT, metered
from horae.domain.template.syntax import check
from horae.domain.template.work import LONGEST, WORK, TemplateFault, Work

__all__ = ["LONGEST", "Template", "TemplateFault", "parse"]

LARGEST = 65_536  # characters of a template before it is filled in
_SMALL = 1_024
_KEYWORDS = frozenset(("for", "endfor", "if", "endif", "elif", "else", "set", "endset", "in", "is", "raw", "endraw"))
_NAME = re.compile(r"[A-Za-z_]\w{0,99}")


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
            for part in self.body.generate({**values, WORK: Work()}):
                size += len(part)
                if size > LONGEST:
                    raise TemplateFault(f"the template grows beyond {LONGEST:,} characters")
                parts.append(part)
        except TemplateFault:
            raise
        except UndefinedError as error:
            raise TemplateFault(f"the template asks for something that is not there{self._named(error)}") from None
        except ZeroDivisionError:
            raise TemplateFault("the template cannot be filled in: it divides by zero") from None
        except Exception as error:  # whatever Jinja or a filter makes of odd values
            raise TemplateFault(f"the template cannot be filled in: {type(error).__name__}") from None
        return "".join(parts)

    def _named(self, error: UndefinedError) -> str:
        """What is missing, if the template itself names it: a name that was computed may be anything."""
        name = error.message or ""
        return f": {name}" if _NAME.fullmatch(name) and name in self.text else ""


def parse(text: str) -> Template:
    """Raises TemplateFault (a ValueError) that says what is wrong, and in which line."""
    if "{{" not in text and "{%" not in text and "{#" not in text:
        return Template(text)
    if len(text) > LARGEST:
        raise TemplateFault(f"a template has at most {LARGEST:,} characters")
    return _parse_small(text) if len(text) <= _SMALL else _parse_large(text)


def _parse(text: str) -> Template:
    try:
        tree = ENVIRONMENT.parse(text)
        secrets = check(tree, text)
        return Template(text, secrets, ENVIRONMENT.from_string(metered(tree)))
    except TemplateFault:
        raise
    except TemplateSyntaxError as error:
        raise TemplateFault(f"line {error.lineno} of the template: {_discreet(error.message or '')}") from None
    except (RecursionError, MemoryError, SyntaxError):  # of the parser, or of Python's own for what Jinja makes of it
        raise TemplateFault("the template is nested too deep") from None
    except ValueError:
        raise TemplateFault("the template holds a number that is out of range") from None


# Templates are small, and the same ones are filled in again and again; of large ones not many are kept.
_parse_small = lru_cache(maxsize=4_096)(_parse)
_parse_large = lru_cache(maxsize=64)(_parse)


def _discreet(message: str) -> str:
    """Jinja's words without what it quotes from the template, except for keywords and signs."""

    def shown(match: re.Match[str]) -> str:
        quoted = match[1]
        known = quoted in _KEYWORDS or quoted.startswith("end of ") or not any(c.isalnum() for c in quoted)
        return match[0] if known and len(quoted) <= 30 else "something else"

    return re.sub(r"'([^']*)'", shown, message).rstrip(".")
