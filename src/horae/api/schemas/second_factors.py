"""The shapes of second factors in requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field, SecretStr

from horae.api.schemas.accounts import Body, Secret, TokensView

Code = Annotated[SecretStr, Field(min_length=1, max_length=100)]
ChallengeText = Annotated[SecretStr, Field(min_length=1, max_length=2_000)]


class ChallengeBody(Body):
    """`challenge` comes from the 401 that asked for a second factor."""

    challenge: ChallengeText


class CodeBody(ChallengeBody):
    """`code` is from the app, or a recovery code."""

    code: Code


class EnrolBody(Body):
    """`code`, from the current app or a recovery code, is required to replace an existing second factor."""

    password: Secret
    code: Code | None = None


class ConfirmBody(Body):
    """The first code from the new app."""

    code: Code


class ProofBody(Body):
    """`code` is from the app, or a recovery code."""

    password: Secret
    code: Code


class SecondFactorView(BaseModel):
    """`required`: this installation requires a second factor from everyone, or from every admin."""

    enabled: bool
    enabled_at: datetime | None
    recovery_codes_left: int
    required: bool


class EnrolmentView(BaseModel):
    """What an authenticator app needs, shown only once: the `secret` to type in, or `uri` as a QR code, whose dark
    modules are the ones in the rows of `qr`."""

    secret: str
    uri: str
    qr: list[str]


class RecoveryCodesView(BaseModel):
    """Each works once. They are shown only once."""

    recovery_codes: list[str]


class EnrolledView(TokensView, RecoveryCodesView):
    """A session, and the recovery codes, which are shown only once."""
