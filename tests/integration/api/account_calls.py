"""How to call the routes of accounts, for the matrix of test_access.py."""

from typing import Any

from .people import PASSWORD

Call = tuple[dict[str, Any] | None, int]
GOOD = "nine red kites above"
ROOT = "/api/v1"
PROJECT, USER, MEMBER = f"{ROOT}/projects/{{id}}", f"{ROOT}/users/{{id}}", f"{ROOT}/projects/{{id}}/members/{{user}}"
LINK = f"{ROOT}/auth/sso/link"
DEVICE = f"{ROOT}/auth/device/{{code}}"
FACTOR = f"{ROOT}/auth/second-factor"

CALLS: dict[tuple[str, str], Call] = {
    ("GET", f"{ROOT}/auth/me"): (None, 200),
    ("POST", f"{ROOT}/auth/password"): ({"password": PASSWORD, "new_password": GOOD}, 204),
    ("POST", LINK): ({"password": PASSWORD}, 404),  # it is not set up
    ("GET", DEVICE): (None, 404),  # there is none
    ("POST", DEVICE): ({"approve": True}, 404),
    ("GET", FACTOR): (None, 200),
    ("POST", FACTOR): ({"password": PASSWORD}, 200),
    ("POST", f"{FACTOR}/confirm"): ({"code": "123456"}, 409),  # nothing to confirm
    ("POST", f"{FACTOR}/recovery-codes"): ({"password": PASSWORD, "code": "123456"}, 409),  # there is none
    ("POST", f"{FACTOR}/off"): ({"password": PASSWORD, "code": "123456"}, 409),
    ("GET", f"{ROOT}/users"): (None, 200),
    ("POST", f"{ROOT}/users"): ({"username": "new", "password": GOOD}, 201),
    ("GET", USER): (None, 200),
    ("PATCH", USER): ({"is_active": False}, 200),
    ("DELETE", USER): (None, 200),
    ("DELETE", f"{USER}/sessions"): (None, 204),
    ("DELETE", f"{USER}/second-factor"): (None, 204),
    ("DELETE", f"{ROOT}/auth/sessions"): (None, 204),
    ("GET", f"{ROOT}/projects"): (None, 200),
    ("POST", f"{ROOT}/projects"): ({"slug": "new"}, 201),
    ("GET", PROJECT): (None, 200),
    ("PATCH", PROJECT): ({"name": "New"}, 200),
    ("DELETE", PROJECT): (None, 409),  # it is not empty
    ("GET", f"{PROJECT}/quotas"): (None, 200),
    ("PATCH", f"{PROJECT}/quotas"): ({"jobs": 1_000_000}, 200),
    ("GET", f"{ROOT}/quotas"): (None, 200),
    ("GET", f"{PROJECT}/members"): (None, 200),
    ("PUT", MEMBER): ({"role": "viewer"}, 200),
    ("DELETE", MEMBER): (None, 200),
    ("GET", f"{PROJECT}/invitations"): (None, 200),
    ("POST", f"{PROJECT}/invitations"): ({"role": "viewer"}, 201),
    ("DELETE", f"{PROJECT}/invitations/{{invitation}}"): (None, 204),
    ("POST", f"{ROOT}/invitations/accept"): ({"token": "unknown"}, 422),
    ("GET", f"{ROOT}/api-keys"): (None, 200),
    ("POST", f"{ROOT}/api-keys"): ({"name": "new"}, 201),
    ("DELETE", f"{ROOT}/api-keys/{{id}}"): (None, 204),
}
# What only someone who signed in can do, regardless of the role of a key.
USERS_ONLY = {
    LINK,
    DEVICE,
    f"{ROOT}/auth/password",
    f"{ROOT}/auth/sessions",
    f"{ROOT}/invitations/accept",
}
USERS_ONLY |= {FACTOR, f"{FACTOR}/confirm", f"{FACTOR}/recovery-codes", f"{FACTOR}/off"}
# The password or the refresh token is the authorisation: see test_signing_in.py and test_tokens.py.
PUBLIC = {f"{ROOT}/auth/{name}" for name in ("start", "signup", "login", "refresh", "logout")}
# And here the provider's word, or the code: see test_single_sign_on.py and test_devices.py.
PUBLIC |= {f"{ROOT}/auth/{name}" for name in ("sso/start", "sso/callback", "device", "device/token")}
PUBLIC |= {f"{ROOT}/auth/login/{step}" for step in ("code", "enrol", "confirm")}  # see test_second_factor.py
