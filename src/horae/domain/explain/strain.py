"""A quota that is nearly used up, in words."""

from __future__ import annotations

from datetime import datetime

from horae.domain.explain.explanation import span
from horae.domain.people.quota import Strained


def strain_in_words(one: Strained, now: datetime) -> str:
    refused = one.usage.refused_at
    lately = "" if refused is None else f", something was refused {span(now - refused)} ago"
    return f"{one.project} uses {one.usage.used or 0:,} of {one.usage.limit or 0:,} {one.quota.value}{lately}"
