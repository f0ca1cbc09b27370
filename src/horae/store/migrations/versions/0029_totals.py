"""Totals of each project and of the installation, so that metrics need not sum the counters of all jobs.

Processes of the version before roll up without them; schedulers of this one recount the totals every hour.

Revision ID: 0029
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from horae.store.tables.columns import Big, Id, name

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

_INSTALLATION = "00000000-0000-0000-0000-000000000000"
_COLUMNS = ("succeeded", "failed", "cancelled", "skipped", "retries", "timed_out", "duration_ms")


def upgrade() -> None:
    totals = op.create_table(
        "totals",
        sa.Column("project_id", Id, primary_key=True),
        sa.Column("counter", name(40), primary_key=True),
        sa.Column("value", Big, nullable=False),
        mysql_engine="InnoDB",
        mysql_charset="utf8mb4",
        mysql_collate="utf8mb4_bin",
    )
    bind = op.get_bind()
    jobs = sa.table("job_stats", sa.column("project_id", Id), *(sa.column(column, Big) for column in _COLUMNS))
    skips = sa.table("skip_stats", sa.column("project_id", Id), sa.column("reason"), sa.column("occurrences", Big))
    found: dict[tuple[str, str], int] = {(_INSTALLATION, column): 0 for column in _COLUMNS}

    def add(project_id: str, counter: str, value: int) -> None:
        for whose in (project_id, _INSTALLATION):
            found[whose, counter] = found.get((whose, counter), 0) + value

    sums = (sa.func.sum(jobs.c[column]) for column in _COLUMNS)
    for project_id, *values in bind.execute(sa.select(jobs.c.project_id, *sums).group_by(jobs.c.project_id)):
        for column, value in zip(_COLUMNS, values, strict=True):
            add(str(project_id), column, int(value))
    by_reason = sa.select(skips.c.project_id, skips.c.reason, sa.func.sum(skips.c.occurrences))
    for project_id, reason, value in bind.execute(by_reason.group_by(skips.c.project_id, skips.c.reason)):
        add(str(project_id), f"skipped:{reason}", int(value))
    rows = [{"project_id": who, "counter": counter, "value": value} for (who, counter), value in found.items()]
    op.bulk_insert(totals, rows)


def downgrade() -> None:
    op.drop_table("totals")
