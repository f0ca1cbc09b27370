"""What people do to a database, in short words."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from horae.domain.jobs.job import JobSpec
from horae.domain.jobs.job_record import JobRecord
from horae.domain.runs.operation import Operation
from horae.domain.runs.run_record import RunRecord
from horae.domain.runs.states import Trigger
from horae.lifecycle import backfill, cancel, edit, state, submit
from horae.ports import Transaction
from tests.contract.opened import Opened
from tests.contract.values import id_of, lost_reply, spec


class People(Opened):
    async def job(self, *, id: str | None = None, enabled: bool = True, **fields: Any) -> JobRecord:
        return await self.store.transact(
            submit.create_job,
            job_id=id or self.ids.new(),
            project_id=self.project,
            spec=spec(**fields),
            enabled=enabled,
            actor="tester",
        )

    async def jobs(self, count: int, **fields: Any) -> list[JobRecord]:
        """Many at once, in one transaction: each costs a disk's sync otherwise."""

        async def create(tx: Transaction) -> list[JobRecord]:
            return [
                await submit.create_job(
                    tx,
                    job_id=self.ids.new(),
                    project_id=self.project,
                    spec=spec(**fields),
                    enabled=True,
                    actor="tester",
                )
                for _ in range(count)
            ]

        return await self.store.transact(create)

    async def edit(
        self, job: JobRecord | str, *, expect: int | None = None, reply_lost: bool = False, **fields: Any
    ) -> JobRecord:
        def change(old: JobSpec) -> JobSpec:
            given = {name: getattr(old, name) for name in type(old).model_fields}
            return spec(**{**given, **fields})

        return await self.store.transact(
            lost_reply(edit.edit_job) if reply_lost else edit.edit_job,
            project_id=self.project,
            ref=id_of(job),
            change=change,
            expected_version=expect,
            actor="editor",
        )

    async def rollback(self, job: JobRecord | str, version: int, *, expect: int | None = None) -> JobRecord:
        return await self.store.transact(
            edit.rollback,
            project_id=self.project,
            ref=id_of(job),
            version=version,
            expected_version=expect,
            actor="editor",
        )

    async def pause(self, job: JobRecord | str, *, until: datetime | None = None) -> JobRecord:
        return await self._switch(state.pause, job, until=until)

    async def resume(self, job: JobRecord | str) -> JobRecord:
        return await self._switch(state.resume, job)

    async def disable(self, job: JobRecord | str) -> JobRecord:
        return await self._switch(state.disable, job)

    async def enable(self, job: JobRecord | str) -> JobRecord:
        return await self._switch(state.enable, job)

    async def _switch(self, verb: Any, job: JobRecord | str, **how: Any) -> JobRecord:
        switched: JobRecord = await self.store.transact(
            verb, project_id=self.project, ref=id_of(job), actor="operator", **how
        )
        return switched

    async def plan_backfill(self, job: JobRecord | str, start: datetime, end: datetime) -> backfill.BackfillPlan:
        return await self.store.read(
            backfill.plan_backfill, project_id=self.project, ref=id_of(job), start=start, end=end
        )

    async def backfill(
        self,
        job: JobRecord | str,
        start: datetime,
        end: datetime,
        *,
        parallelism: int = 1,
        id: str | None = None,
        again: bool = False,
    ) -> Operation:
        return await self.store.transact(
            backfill.start_backfill,
            operation_id=id or self.ids.new(),
            project_id=self.project,
            ref=id_of(job),
            wanted=backfill.Backfill(start, end, parallelism, again),
            actor="tester",
        )

    async def cancel_operation(self, operation: Operation, *, reply_lost: bool = False) -> Operation:
        verb = lost_reply(cancel.cancel_operation) if reply_lost else cancel.cancel_operation
        return await self.store.transact(verb, project_id=self.project, operation_id=operation.id, actor="tester")

    async def delete(self, job: JobRecord | str, *, reply_lost: bool = False, actor: str = "tester") -> None:
        verb = lost_reply(submit.delete_job) if reply_lost else submit.delete_job
        await self.store.transact(verb, project_id=self.project, ref=id_of(job), actor=actor)

    async def trigger(
        self, job: JobRecord | str, count: int = 1, *, id: str | None = None, reply_lost: bool = False, **request: Any
    ) -> list[RunRecord]:
        runs = [submit.TriggerRequest(id or self.ids.new(), **request) for _ in range(count)]
        return await self.store.autocommit(
            lost_reply(submit.trigger) if reply_lost else submit.trigger,
            project_id=self.project,
            ref=id_of(job),
            runs=runs,
            trigger=Trigger.API,
            actor="tester",
        )

    async def cancel(self, *runs: Any) -> list[RunRecord]:
        return await self.store.transact(
            cancel.cancel_runs, project_id=self.project, run_ids=[id_of(run) for run in runs], actor="tester"
        )
