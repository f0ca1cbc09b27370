"""Callbacks: the service that a job called reports the outcome. The token in the path is the authorisation: it is
checked before anything is read, and valid for one attempt of one run."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import orjson
from fastapi import APIRouter, Depends, Path, Request, Response
from pydantic import BaseModel, ConfigDict, Field, model_validator

from horae.api.auth import public
from horae.api.body import read_model, takes
from horae.api.context import Ctx, RequestContext
from horae.api.errors import refuses
from horae.api.routes import PREFIX
from horae.api.signing_in.authenticator import Auth
from horae.api.views import reply
from horae.domain.errors import InvalidInput, NotFound
from horae.domain.runs.callback import unseal
from horae.domain.runs.outcome import Outcome
from horae.domain.runs.states import AttemptOutcome
from horae.domain.text.refusal import refusal
from horae.lifecycle import callback

router = APIRouter(prefix=PREFIX, tags=["callbacks"], dependencies=[Depends(public)])

RESULT_LIMIT = 64 * 1024  # bytes, as for every other result
_STRICT = ConfigDict(frozen=True, extra="forbid", strict=True)


class CallbackProgress(BaseModel):
    model_config = _STRICT

    fraction: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)]
    note: Annotated[str, Field(max_length=500)] | None = None


class CallbackBody(BaseModel):
    """The outcome of the work, its progress, or both."""

    model_config = _STRICT

    status: Literal["succeeded", "failed"] | None = None
    result: Any = None
    error: Annotated[str, Field(max_length=10_000)] | None = None
    permanent: bool = False
    progress: CallbackProgress | None = None

    @model_validator(mode="after")
    def _says_something(self) -> CallbackBody:
        if self.status is None and (self.progress is None or self.model_fields_set & {"result", "error", "permanent"}):
            raise refusal("status", "must be succeeded or failed; it may be omitted only with progress")
        if self.status == "succeeded" and (self.error is not None or self.permanent):
            raise refusal("status", "must be failed if there is an error")
        return self


class CallbackView(BaseModel):
    run_id: str


@router.post(
    "/callbacks/{token}", response_model=CallbackView, responses=refuses(409), openapi_extra=takes(CallbackBody)
)
async def take_callback(
    request: Request,
    context: Ctx,
    authenticator: Auth,
    token: Annotated[str, Path(description="from the header Horae-Callback-Url of the call")],
) -> Response:
    """Ends an attempt whose call was answered with 202, or reports its progress. Only the first end counts; later ones
    get 409."""
    try:
        run_id, attempt = _named(context, token)
    except NotFound:
        authenticator.refusals.note(request, "callback")
        raise
    body = await read_model(request, CallbackBody)
    await context.store.transact(
        callback.answer,
        run_id=run_id,
        attempt=attempt,
        outcome=_outcome(body),
        progress=None if body.progress is None else orjson.dumps(body.progress.model_dump()).decode(),
        chance=context.ids.chance,
        seals=context.seals,
    )
    return reply({"run_id": run_id})


def _named(context: RequestContext, token: str) -> tuple[str, int]:
    found = unseal(context.settings.keys, token)
    if found is None:
        raise NotFound("there is no such callback")
    return found


def _outcome(body: CallbackBody) -> Outcome | None:
    if body.status is None:
        return None
    result = None if body.result is None else orjson.dumps(body.result).decode()
    if result is not None and len(result.encode()) > RESULT_LIMIT:
        raise InvalidInput("result", f"must not be longer than {RESULT_LIMIT // 1024} KiB")
    if body.status == "succeeded":
        return Outcome(AttemptOutcome.SUCCEEDED, result=result)
    error = body.error or "the callback reported a failure"
    return Outcome(AttemptOutcome.FAILED, result=result, error=error, permanent=body.permanent)
