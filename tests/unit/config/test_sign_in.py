"""Settings of single sign-on: inconsistent ones are named before anything starts."""

from pathlib import Path

import pytest

from horae import config
from horae.domain.errors import ConfigurationError
from horae.domain.people.single_sign_on import Create, Grant
from horae.wiring.sign_in import provider_of, rules_of

GOOD = {"HORAE_OIDC_ISSUER": "https://login.example.org/", "HORAE_OIDC_CLIENT_ID": "horae"}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("environ", "words"),
    [
        (
            {"HORAE_PASSWORD_SIGN_IN": "off"},
            "HORAE_PASSWORD_SIGN_IN=off leaves no way to sign in: set HORAE_OIDC_ISSUER",
        ),
        ({"HORAE_OIDC_CLIENT_ID": "x"}, "HORAE_OIDC_CLIENT_ID has no effect without HORAE_OIDC_ISSUER"),
        ({"HORAE_OIDC_ROLES": "a=admin"}, "HORAE_OIDC_ROLES has no effect without HORAE_OIDC_ISSUER"),
        ({"HORAE_OIDC_ISSUER": "https://login.example.org"}, "without HORAE_OIDC_CLIENT_ID"),
        ({**GOOD, "HORAE_OIDC_ISSUER": "http://login.example.org"}, "HORAE_OIDC_ISSUER must be the provider's issuer"),
        ({**GOOD, "HORAE_OIDC_ISSUER": "https://login.example.org?x=1"}, "HORAE_OIDC_ISSUER must be"),
        ({**GOOD, "HORAE_OIDC_ISSUER": "https://a:b@example.org"}, "HORAE_OIDC_ISSUER must be"),
        ({**GOOD, "HORAE_OIDC_ISSUER": "https://[x"}, "HORAE_OIDC_ISSUER must be"),
        ({**GOOD, "HORAE_OIDC_ROLES": "staff=boss"}, "HORAE_OIDC_ROLES must be entries such as"),
        ({**GOOD, "HORAE_OIDC_ROLES": ","}, "HORAE_OIDC_ROLES must name at least one group"),
        ({**GOOD, "HORAE_OIDC_SCOPES": "profile"}, "HORAE_OIDC_SCOPES must have openid"),
        ({**GOOD, "HORAE_OIDC_EMAIL_DOMAINS": "example"}, "HORAE_OIDC_EMAIL_DOMAINS must be domains"),
        ({**GOOD, "HORAE_OIDC_CREATE_USERS": "some"}, "HORAE_OIDC_CREATE_USERS must be one of with-role, all, none"),
        ({**GOOD, "HORAE_OIDC_SESSION": "1s"}, "HORAE_OIDC_SESSION must be from 300s"),
    ],
)
def test_inconsistent_settings_are_refused(environ: dict[str, str], words: str):
    with pytest.raises(ConfigurationError, match=words.replace(".", r"\.")):
        config.load(environ)


def test_a_server_must_know_its_own_address():
    with pytest.raises(ConfigurationError, match="HORAE_OIDC_ISSUER needs HORAE_PUBLIC_URL"):
        provider_of(config.load(GOOD))
    assert provider_of(config.load({**GOOD, "HORAE_PUBLIC_URL": "https://horae.example.org"})) is not None
    assert provider_of(config.load(GOOD, up=True)) is not None
    assert provider_of(config.load({})) is None


def test_the_issuer_is_kept_to_the_letter():
    assert config.load(GOOD).oidc_issuer == "https://login.example.org/"


@pytest.mark.parametrize(
    "text",
    ["cn=ops,dc=x=ops:owner;admins=admin", "cn=ops,dc=x=ops:owner;\n admins=admin ;"],
)
def test_groups_may_have_commas(text: str):
    settings = config.load({**GOOD, "HORAE_OIDC_ROLES": text})
    assert rules_of(settings).grants == (Grant("cn=ops,dc=x", "ops", "owner"), Grant("admins", None, "admin"))
    assert config.load({**GOOD, **settings.environment()}).oidc_roles == settings.oidc_roles


def test_from_a_file(tmp_path: Path):
    (tmp_path / "secret").write_text("hush\n")
    (tmp_path / "horae.toml").write_text(
        f"""
oidc_issuer = "https://login.example.org"
oidc_client_id = "horae"
oidc_client_secret_file = "{tmp_path / "secret"}"
oidc_create_users = "all"
[oidc_roles]
"cn=ops,dc=x" = "ops:owner"
staff = ["a:viewer", "b:editor"]
"""
    )
    settings = config.load({})
    assert settings.oidc_client_secret == "hush"
    assert "hush" not in repr(settings)
    assert rules_of(settings).create == Create.ALL
    assert [(one.group, one.project) for one in rules_of(settings).grants] == [
        ("cn=ops,dc=x", "ops"),
        ("staff", "a"),
        ("staff", "b"),
    ]
