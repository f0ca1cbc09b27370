"""The shapes of single sign-on and of devices in requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, SecretStr

from horae.api.schemas.accounts import Body, Secret, TokensView
from horae.api.schemas.second_factors import Code


class SsoBody(Body):
    """`next` is the portal page to return to."""

    next: Annotated[str, Field(max_length=1_000)] = "/"


class LinkBody(SsoBody):
    """Requires your Horae password one last time. If you have a second factor, `code` is required: from the app, or a
    recovery code."""

    password: Secret
    code: Code | None = None


class SsoView(BaseModel):
    """Where to send the browser."""

    url: str


class SignOutView(BaseModel):
    """The URL where a browser can end its session at the identity provider."""

    url: str


class DeviceBody(Body):
    """`client` is shown to the user who approves the sign-in."""

    client: Annotated[str, Field(min_length=1, max_length=200)] = "a program"


class NewDeviceView(BaseModel):
    """The device keeps `device_code`, shows `user_code`, and polls every `interval` seconds. `verification_url` is null
    if the server does not know its own address: then append `verification_path` to the address that you called."""

    device_code: str
    user_code: str
    verification_path: str
    verification_url: str | None
    expires_in: int
    interval: int


class DeviceTokenBody(Body):
    device_code: Annotated[SecretStr, Field(min_length=1, max_length=200)]


class DeviceTokenView(BaseModel):
    """`tokens` is set once the sign-in is approved. After `slow_down`, increase the polling interval by five
    seconds."""

    status: Literal["signed_in", "authorization_pending", "slow_down", "access_denied", "expired_token"]
    tokens: TokensView | None


class DeviceView(BaseModel):
    """A sign-in waiting for approval; `same_address` says whether it was requested from your own address."""

    user_code: str
    client: str
    address: str
    same_address: bool
    created_at: datetime
    expires_at: datetime


class ApprovalBody(Body):
    approve: bool
