"""Clauses as sentences."""

from __future__ import annotations


def sentence(clause: str) -> str:
    """With a capital letter and a full stop."""
    return f"{clause[:1].upper()}{clause[1:]}{'' if clause.endswith(('.', '!', '?')) else '.'}"
