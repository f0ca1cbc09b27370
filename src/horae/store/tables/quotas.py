"""The table of project quotas."""

from __future__ import annotations

from sqlalchemy import Index

from horae.store.tables.columns import Big, Id, Time, name
from horae.store.tables.table import key, may, must, table

project_quotas = table(
    "project_quotas",  # no row: no limit
    key("project_id", Id),
    key("quota", name(30)),
    must("most", Big),
    must("room", Big),  # units known to be free; locked by transactions that take some
    may("counted_at", Time),  # when that was last counted; for log bytes, when the day's were last used
    must("seen", Big),  # how many rows were read for that: if there are many, it is not repeated at every refusal
    may("refused_at", Time),
    must("set_by", name(200)),
    must("set_at", Time),
    Index("project_quotas_quota", "quota"),
)
