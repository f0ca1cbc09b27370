"""Records refusals by quotas, for `horae doctor` and the portal. The refused request cannot record it itself: its
transaction is rolled back."""

from __future__ import annotations

from collections import Counter

import structlog

from horae.accounts.quotas import note_refusal
from horae.domain.errors import HoraeError, QuotaReached
from horae.domain.people.quota import Quota
from horae.ports import Clock, Store

log = structlog.get_logger()
_EVERY = 1.0  # seconds between two records of one quota: repeated tries cause no more work than that
_MOST = 10_000  # quotas to remember


class QuotaRefusals:
    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock
        self._noted: dict[tuple[str, str], float] = {}
        self.counts: Counter[str] = Counter(dict.fromkeys((quota.value for quota in Quota), 0))  # of this process

    async def note(self, refused: QuotaReached) -> None:
        self.counts[refused.quota] += 1
        if refused.project_id is None:
            return
        key, now = (refused.project_id, refused.quota), self._clock.monotonic()
        if now < self._noted.get(key, now):
            return
        if len(self._noted) >= _MOST:
            self._noted.clear()
        self._noted[key] = now + _EVERY
        log.info("refused by a quota", project=refused.project_id, quota=refused.quota, limit=refused.limit)
        try:
            await self._store.transact(note_refusal, project_id=refused.project_id, quota=Quota(refused.quota))
        except HoraeError as error:  # the request was refused anyway
            log.warning("a quota refusal was not recorded", reason=str(error))
