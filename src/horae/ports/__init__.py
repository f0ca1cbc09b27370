"""The ports of Horae: what the rules and verbs need from the outside world, and nothing more.

Adapters implement these protocols (`store`, `engines`, `executors`, `wakeups`), `wiring` chooses among them, and
everything else depends only on the protocols. A simulation replaces clock, ids, randomness and store, and replays them.
"""

from __future__ import annotations

from horae.ports.alerts import AlertFacts, Alerts
from horae.ports.broker import Messages, Publications, Publisher, RunMessage
from horae.ports.controller import Controller, Definition, Place, Specs, TaskDesk
from horae.ports.history import History
from horae.ports.jobs import Deletions, Dependencies, Functions, Gates, Jobs, Queues, Reservations
from horae.ports.notices import Channels, Deliveries, Notices, Notifier
from horae.ports.outside import Clock, Engine, Executor, Hint, Ids, Observer, PathLearner, Seals, Starting, Wakeups
from horae.ports.people import Access, Accounts, Audit, Idempotency, Invitations, RateLimits, Secrets, Sessions
from horae.ports.pings import Badges, PingEvents, Pings, SealedTokens
from horae.ports.quotas import Quotas
from horae.ports.remote import RemoteApp, RemoteTasks
from horae.ports.runs import DeadLetters, Facts, Logs, Operations, Runs, Stats
from horae.ports.signing_in import Attempted, Devices, Identities, Proof, Provider
from horae.ports.sinks import EventSender, Outbox, Sinks
from horae.ports.transaction import Store, Transaction, Verb
from horae.ports.upkeep import Counters, Leftovers, Processes, Upkeep

__all__ = [
    "Access",
    "Accounts",
    "AlertFacts",
    "Alerts",
    "Attempted",
    "Audit",
    "Badges",
    "Channels",
    "Clock",
    "Controller",
    "Counters",
    "DeadLetters",
    "Definition",
    "Deletions",
    "Deliveries",
    "Dependencies",
    "Devices",
    "Engine",
    "EventSender",
    "Executor",
    "Facts",
    "Functions",
    "Gates",
    "Hint",
    "History",
    "Idempotency",
    "Identities",
    "Ids",
    "Invitations",
    "Jobs",
    "Leftovers",
    "Logs",
    "Messages",
    "Notices",
    "Notifier",
    "Observer",
    "Operations",
    "Outbox",
    "PathLearner",
    "PingEvents",
    "Pings",
    "Place",
    "Processes",
    "Proof",
    "Provider",
    "Publications",
    "Publisher",
    "Queues",
    "Quotas",
    "RateLimits",
    "RemoteApp",
    "RemoteTasks",
    "Reservations",
    "RunMessage",
    "Runs",
    "SealedTokens",
    "Seals",
    "Secrets",
    "Sessions",
    "Sinks",
    "Specs",
    "Starting",
    "Stats",
    "Store",
    "TaskDesk",
    "Transaction",
    "Upkeep",
    "Verb",
    "Wakeups",
]
