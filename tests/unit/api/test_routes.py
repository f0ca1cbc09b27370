"""The weakest role that may use each route, written down by hand: the matrix of tests/integration/api/test_access.py
goes by what routes declare, and would not notice that one declares too little."""

from typing import cast

from fastapi.routing import iter_route_contexts

from horae.api.app import build
from horae.api.auth import Allow, AllowAdmin
from horae.api.context import ApiSettings
from horae.clock import SystemClock, SystemIds
from horae.domain.people.roles import ROLES
from horae.ports import Store

# What changes something, and what not everyone may read. All else is reading, and for viewers.
WEAKEST = {
    "viewer": """
        POST /schedules/preview, POST /auth/password, DELETE /auth/sessions, POST /invitations/accept,
        POST /auth/second-factor, POST /auth/second-factor/confirm, POST /auth/second-factor/recovery-codes,
        POST /auth/second-factor/off, POST /auth/sso/link, POST /auth/device/{code}
    """,
    "operator": """
        POST /jobs/{id}/run, POST /jobs/{id}/runs:batch, POST /jobs/{id}/pause, POST /jobs/{id}/resume,
        POST /jobs/{id}/backfill, POST /jobs/{id}/retry, POST /runs/{id}/retry, POST /runs/{id}/cancel,
        POST /runs:recover, POST /operations/{id}/cancel, POST /dead-letters/redrive, POST /dead-letters/discard,
        POST /alerts/{id}/ack, POST /alerts/{id}/silence, POST /pings/{id}/pause, POST /pings/{id}/resume
    """,
    "editor": """
        POST /jobs, POST /jobs/recurring, PUT /jobs/{id}, PATCH /jobs/{id}, DELETE /jobs/{id},
        PATCH /alerts/settings, POST /jobs/{id}/enable, POST /jobs/{id}/disable, POST /jobs/{id}/rollback, GET /secrets,
        POST /channels, PATCH /channels/{id}, DELETE /channels/{id}, POST /channels/{id}/test,
        POST /pings, PATCH /pings/{id}, DELETE /pings/{id}, POST /pings/{id}/rotate, POST /badges, DELETE /badges/{id}
    """,
    "owner": """
        PATCH /projects/{id}, GET /projects/{id}/members, PUT /projects/{id}/members/{user},
        DELETE /projects/{id}/members/{user}, GET /projects/{id}/invitations, POST /projects/{id}/invitations,
        DELETE /projects/{id}/invitations/{invitation}, GET /api-keys, POST /api-keys, DELETE /api-keys/{id},
        GET /audit, PUT /secrets/{name}, DELETE /secrets/{name},
        POST /sinks, PATCH /sinks/{id}, DELETE /sinks/{id}, POST /sinks/{id}/test
    """,
    "admin": """
        GET /users, POST /users, GET /users/{id}, PATCH /users/{id}, DELETE /users/{id},
        DELETE /users/{id}/sessions, DELETE /users/{id}/second-factor, POST /projects,
        PATCH /projects/{id}/quotas,
        DELETE /projects/{id}, POST /task-functions, PATCH /task-functions/{name}, DELETE /task-functions/{name},
        POST /workers/{id}/drain,
        POST /queues/{name}/pause, POST /queues/{name}/resume, PUT /queues/{name}/projects, PATCH /queues/{name},
        GET /metrics,
        GET /worker-keys, POST /worker-keys, DELETE /worker-keys/{id}, POST /worker-keys/{id}/rotate
    """,
}


def test_no_route_is_for_weaker_people_than_it_should_be():
    wanted = {route.strip(): role for role, routes in WEAKEST.items() for route in routes.split(",")}
    app = build(cast("Store", None), ApiSettings("k" * 32), SystemIds(), SystemClock())
    seen = set()
    for route in iter_route_contexts(app.routes):
        for guard in [one.call for one in route.dependant.dependencies if isinstance(one.call, Allow)]:
            weakest = next(role for role in ROLES if guard.permission in ROLES[role])
            for method in route.methods or ():
                name = f"{method} {str(route.path).removeprefix('/api/v1')}"
                assert name in wanted or method == "GET", f"who may {name}? say so here"
                assert weakest == wanted.get(name, "viewer"), name
                assert isinstance(guard, AllowAdmin) <= (weakest == "admin"), name
                seen.add(name)
    assert set(wanted) <= seen
