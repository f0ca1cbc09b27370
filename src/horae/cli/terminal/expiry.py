"""Expiry times as people write them: `30d`."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Annotated

import typer

from horae.clock import SystemClock
from horae.domain.time.durations import seconds_in

Expires = Annotated[
    str | None, typer.Option("--expires", metavar="DURATION", help="How long it is valid, such as 30d.")
]


def instant_of(text: str | None) -> datetime | None:
    if text is None:
        return None
    try:
        return SystemClock().now() + timedelta(seconds=seconds_in(text))
    except (ValueError, OverflowError) as error:
        raise typer.BadParameter(str(error), param_hint="--expires") from None
