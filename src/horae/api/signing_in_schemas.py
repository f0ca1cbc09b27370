"""The shapes of single sign-on and of devices in requests and answers."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, Field, SecretStr

from horae.api.account_schemas import Body, Secret, TokensView
from horae.api.second_factor_schemas import Code


class SsoBody(Body):
    """`next` is the page of the portal to come back to."""

    next: Annotated[str, Field(max_length=1_000)] = "/"


class LinkBody(SsoBody):
    """With your password here, for the last time. `code` is needed if you have a second factor: of the app, or a
    recovery code."""

    password: Secret
    code: Code | None = None


class SsoView(BaseModel):
    """Where to send the browser."""

    url: str


class SignOutView(BaseModel):
    """Where a browser ends its session at the identity provider as well."""

    url: str


class DeviceBody(Body):
    """`client` is shown to whoever approves the sign-in."""

    client: Annotated[str, Field(min_length=1, max_length=200)] = "a program"


class NewDeviceView(BaseModel):
    """The device keeps `device_code`, shows `user_code`, and polls every `interval` seconds. `verification_url` is null
    where the server does not know its own address: then it is `verification_path` of the address that was called."""

    device_code: str
    user_code: str
    verification_path: str
    verification_url: str | None
    expires_in: int
    interval: int


class DeviceTokenBody(Body):
    device_code: Annotated[SecretStr, Field(min_length=1, max_length=200)]


class DeviceTokenView(BaseModel):
    """`tokens` are there once somebody has approved the sign-in. After `slow_down`, wait five seconds longer than
    before between polls."""

    status: Literal["signed_in", "authorization_pending", "slow_down", "access_denied", "expired_token"]
    tokens: TokensView | None


class DeviceView(BaseModel):
    """What waits to be approved; `same_address` tells whether it asked from the address that you come from."""

    user_code: str
    client: str
    address: str
    same_address: bool
    created_at: datetime
    expires_at: datetime


class ApprovalBody(Body):
    approve: bool
