"""Schedules before they are anybody's: what would this one do?"""

from __future__ import annotations

from fastapi import APIRouter

router = APIRouter(tags=["schedules"])
