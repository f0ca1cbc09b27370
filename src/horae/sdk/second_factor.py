"""The caller's second factor, and the steps of signing in with it, through the API."""

from __future__ import annotations

from horae.sdk.calls import C, Request, Resource, call, given, nothing
from horae.sdk.records import EnrolledTokens, Enrolment, RecoveryCodes, SecondFactorState, Tokens

__all__ = ["EnrolledTokens", "Enrolment", "RecoveryCodes", "SecondFactor", "SecondFactorState"]


class SecondFactor(Resource[C]):
    @call
    def state(self) -> Request[SecondFactorState]:
        return Request("GET", "auth/second-factor", read=SecondFactorState)

    @call
    def enrol(self, password: str, *, code: str | None = None) -> Request[Enrolment]:
        """Starts enrolment; `confirm` turns it on. `code` is required to replace an existing second factor."""
        body = given({"password": password, "code": code})
        return Request("POST", "auth/second-factor", body, read=Enrolment, once=True)

    @call
    def confirm(self, code: str) -> Request[RecoveryCodes]:
        """With the app's first code. Your other sessions end."""
        return Request("POST", "auth/second-factor/confirm", {"code": code}, read=RecoveryCodes, once=True)

    @call
    def new_recovery_codes(self, password: str, code: str) -> Request[RecoveryCodes]:
        """Replaces the remaining ones."""
        body = {"password": password, "code": code}
        return Request("POST", "auth/second-factor/recovery-codes", body, read=RecoveryCodes, once=True)

    @call
    def turn_off(self, password: str, code: str) -> Request[None]:
        body = {"password": password, "code": code}
        return Request("POST", "auth/second-factor/off", body, read=nothing, once=True)

    @call
    def sign_in(self, challenge: str, code: str) -> Request[Tokens]:
        """`challenge` is that of `SecondFactorNeeded`; `code` is from the app, or a recovery code."""
        return Request("POST", "auth/login/code", {"challenge": challenge, "code": code}, read=Tokens, once=True)

    @call
    def enrol_at_sign_in(self, challenge: str) -> Request[Enrolment]:
        """If `SecondFactorNeeded` says `enrol`."""
        return Request("POST", "auth/login/enrol", {"challenge": challenge}, read=Enrolment, once=True)

    @call
    def confirm_at_sign_in(self, challenge: str, code: str) -> Request[EnrolledTokens]:
        """Turns it on, and signs in."""
        body = {"challenge": challenge, "code": code}
        return Request("POST", "auth/login/confirm", body, read=EnrolledTokens, once=True)
