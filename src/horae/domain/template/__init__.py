"""Templates in definitions: text with `{{ … }}` places, filled in for each attempt by Jinja2's sandbox.

A template sees four names: `run`, `job`, `input` and `secrets`. It is parsed when its job is saved, so that mistakes
are reported then, with their line. It is compiled when it is first filled in, which takes three times as long and
happens only on workers; its cost is bounded (work.py). Messages about a template never quote it except for names that
it uses: it may contain a secret.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from jinja2.exceptions import TemplateSyntaxError, UndefinedError

from horae.domain.template.kept import Kept
from horae.domain.template.sandbox import ENVIRONMENT, metered
from horae.domain.template.syntax import check
from horae.domain.template.work import LONGEST, WORK, TemplateFault, TemplateWork

__all__ = [
    "LARGEST",
    "LONGEST",
    "MOST_PARTS",
    "Template",
    "TemplateFault",
    "TemplateWork",
    "fill_in",
    "is_template",
    "parse",
]

LARGEST = 65_536  # characters of a template before it is filled in
MOST_PARTS = 5_000
_KEYWORDS = frozenset(("for", "endfor", "if", "endif", "elif", "else", "set", "endset", "in", "is", "raw", "endraw"))
_NAME = re.compile(r"[A-Za-z_]\w{0,99}")


class Template:
    """A parsed template. `secrets` are the names of those that it uses, `parts` measures its size."""

    __slots__ = ("_body", "parts", "secrets", "text")

    def __init__(self, text: str, secrets: frozenset[str] = frozenset(), parts: int = 0) -> None:
        self.text, self.secrets, self.parts = text, secrets, parts
        self._body: Any = None

    def render(self, values: Mapping[str, Any], work: TemplateWork | None = None) -> str:
        """Fills it in with the values of `run`, `job`, `input` and `secrets`. Raises TemplateFault, in words."""
        if not self.parts:
            return self.text
        work = work or TemplateWork()
        if self._body is None:
            if work.quick:
                raise work.too_much("a template has to be compiled")
            with work.uncounted():
                self._body = _compiled(self.text)
        parts: list[str] = []
        size = 0
        try:
            for part in self._body.generate({**values, WORK: work}):
                size += len(part)
                if size > LONGEST:
                    raise TemplateFault(f"the template grows beyond {LONGEST:,} characters")
                parts.append(work.text(part))
        except TemplateFault:
            raise
        except UndefinedError as error:
            raise TemplateFault(f"the template refers to something that does not exist{self._named(error)}") from None
        except ZeroDivisionError:
            raise TemplateFault("the template cannot be filled in: it divides by zero") from None
        except Exception as error:  # anything that Jinja or a filter raises for odd values
            raise TemplateFault(f"the template cannot be filled in: {type(error).__name__}") from None
        return "".join(parts)

    def _named(self, error: UndefinedError) -> str:
        """What is missing, if the template itself names it: a computed name may be anything."""
        name = error.message or ""
        return f": {name}" if _NAME.fullmatch(name) and name in self.text else ""


def is_template(text: str) -> bool:
    return "{{" in text or "{%" in text or "{#" in text


def parse(text: str) -> Template:
    """Raises TemplateFault (a ValueError) that says what is wrong, and in which line."""
    if not is_template(text):
        return Template(text)
    found = _KEPT.get(text)
    if found is None:
        found = _parsed(text)
        _KEPT.put(text, found, len(text) + _PART * found.parts)
    return found


def fill_in(text: str, values: Callable[[], Mapping[str, Any]], work: TemplateWork) -> str:
    """A text that may be a template, filled in. Raises TemplateFault."""
    if not is_template(text):
        return text
    if work.quick and _KEPT.get(text) is None:
        raise work.too_much("a template has to be parsed")
    return parse(text).render(values(), work)


def _parsed(text: str) -> Template:
    if len(text) > LARGEST:
        raise TemplateFault(f"a template has at most {LARGEST:,} characters")
    try:
        secrets, parts = check(ENVIRONMENT.parse(text), text)
    except TemplateFault:
        raise
    except TemplateSyntaxError as error:
        raise TemplateFault(f"line {error.lineno} of the template: {_discreet(error.message or '')}") from None
    except (RecursionError, MemoryError):
        raise _too_deep() from None
    except ValueError:
        raise TemplateFault("the template holds a number that is out of range") from None
    if parts > MOST_PARTS:
        raise TemplateFault(f"the template has more than {MOST_PARTS:,} parts")
    return Template(text, secrets, parts)


def _compiled(text: str) -> Any:
    try:
        return ENVIRONMENT.from_string(metered(ENVIRONMENT.parse(text)))
    except (RecursionError, MemoryError, SyntaxError):  # of Python's own parser, for the code that Jinja generates
        raise _too_deep() from None


def _too_deep() -> TemplateFault:
    return TemplateFault("the template is nested too deep")


# The same templates are filled in again and again. Those of at least twenty targets of maximum size are cached.
_PART = 40  # characters of text that use about the memory of a compiled part
_KEPT: Kept[Template] = Kept(20 * (LARGEST + _PART * MOST_PARTS))


def _discreet(message: str) -> str:
    """Jinja's message without what it quotes from the template, except for keywords and symbols."""

    def shown(match: re.Match[str]) -> str:
        quoted = match[1]
        known = quoted in _KEYWORDS or quoted.startswith("end of ") or not any(c.isalnum() for c in quoted)
        return match[0] if known and len(quoted) <= 30 else "something else"

    return re.sub(r"'([^']*)'", shown, message).rstrip(".")
