"""One short transaction with every group of tables, and the store that runs it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Concatenate, ParamSpec, Protocol, TypeVar

from horae.domain.people.audit import Origin
from horae.domain.runs.events import Event
from horae.ports.history import History
from horae.ports.jobs import Deletions, Dependencies, Functions, Gates, Jobs, Queues, Reservations, Unreadables
from horae.ports.notices import Notices
from horae.ports.outside import Hint
from horae.ports.people import Access, Accounts, Audit, Idempotency, Invitations, RateLimits, Secrets, Sessions
from horae.ports.quotas import Quotas
from horae.ports.runs import DeadLetters, Facts, Logs, Operations, Runs, Stats
from horae.ports.second_factors import SecondFactors
from horae.ports.signing_in import Devices, Identities
from horae.ports.upkeep import Counters, Leftovers, Processes, Upkeep

P = ParamSpec("P")
T = TypeVar("T")


class Transaction(Protocol):
    """One short transaction: what is done through it happens wholly or not at all."""

    @property
    def jobs(self) -> Jobs: ...
    @property
    def unreadable(self) -> Unreadables: ...
    @property
    def gates(self) -> Gates: ...
    @property
    def runs(self) -> Runs: ...
    @property
    def history(self) -> History: ...
    @property
    def logs(self) -> Logs: ...
    @property
    def processes(self) -> Processes: ...
    @property
    def stats(self) -> Stats: ...
    @property
    def facts(self) -> Facts: ...
    @property
    def access(self) -> Access: ...
    @property
    def accounts(self) -> Accounts: ...
    @property
    def invitations(self) -> Invitations: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def second_factors(self) -> SecondFactors: ...
    @property
    def identities(self) -> Identities: ...
    @property
    def devices(self) -> Devices: ...
    @property
    def limits(self) -> RateLimits: ...
    @property
    def upkeep(self) -> Upkeep: ...
    @property
    def counters(self) -> Counters: ...
    @property
    def leftovers(self) -> Leftovers: ...
    @property
    def deletions(self) -> Deletions: ...
    @property
    def dependencies(self) -> Dependencies: ...
    @property
    def operations(self) -> Operations: ...
    @property
    def secrets(self) -> Secrets: ...
    @property
    def functions(self) -> Functions: ...
    @property
    def audit(self) -> Audit: ...
    @property
    def dead_letters(self) -> DeadLetters: ...
    @property
    def idempotency(self) -> Idempotency: ...
    @property
    def queues(self) -> Queues: ...
    @property
    def reservations(self) -> Reservations: ...
    @property
    def quotas(self) -> Quotas: ...
    @property
    def notices(self) -> Notices: ...

    @property
    def repeated(self) -> bool:
        """Whether an earlier try of this verb may have committed although its reply was lost."""
        ...

    @property
    def alone(self) -> bool:
        """Whether each statement commits by itself (see `Store.autocommit`): no lock outlasts its statement."""
        ...

    def new_id(self) -> str: ...

    async def now(self) -> datetime:
        """The database's clock."""
        ...

    def hint(self, hint: Hint) -> None:
        """Sent once the transaction has committed."""
        ...

    def tell(self, event: Event) -> None:
        """Observers are notified once the transaction has committed."""
        ...


Verb = Callable[Concatenate[Transaction, P], Awaitable[T]]


class Store(Protocol):
    """The truth. Verbs run inside it, each in one transaction."""

    async def transact(self, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Runs a verb in a transaction of its own and commits. After a deadlock or a lost connection the verb is
        run again, so verbs are idempotent by key or token. Raises StoreUnavailable when the database is away."""
        ...

    async def autocommit(self, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for a verb whose changes are one statement each wherever the database can do it so, and need not
        come about together: there it needs no transaction around it, and two round trips less. A verb that finds it
        has more to write raises NeedsTransaction, and is run again in one."""
        ...

    async def read(self, verb: Verb[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """The same for a verb that only reads: it takes no write lock and never waits."""
        ...

    def tell(self, event: Event) -> None:
        """Notifies observers of something that happened outside of any transaction."""
        ...

    def on_behalf_of(self, origin: Origin) -> Store:
        """The same store; the audit trail records this origin for everything done through it."""
        ...

    async def close(self) -> None: ...
