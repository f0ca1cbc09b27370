"""Keys of an identity provider that change."""

from horae.oidc import keys as oidc_keys
from horae.oidc.keys import SigningKeySet

from .hostile_provider import Hostile, Key, hostile


class Hands:
    """A clock whose hands are moved."""

    def __init__(self) -> None:
        self.at = 1_000.0

    def monotonic(self) -> float:
        return self.at


async def test_new_keys_are_fetched_but_not_at_everybodys_word():
    async with hostile() as provider:
        await _rotate(provider)


async def _rotate(provider: Hostile) -> None:
    clock = Hands()

    async def where() -> str:
        return f"{provider.url}/keys"

    keys = SigningKeySet(clock, where)  # type: ignore[arg-type]
    assert len(await keys.find("first", "RS256")) == 1
    for _ in range(5):
        assert await keys.find("made-up", "RS256") == []
    assert provider.asked.count("/keys") == 1, "it was fetched a moment ago"
    provider.published = [Key("second", "ES256"), provider.key]
    clock.at += oidc_keys.EVERY + 1
    assert len(await keys.find("second", "ES256")) == 1
    assert await keys.find("second", "RS256") == [], "a key signs as its kind does"
    assert provider.asked.count("/keys") == 2
    provider.published = []
    clock.at += oidc_keys.KEPT + 1
    assert await keys.find("first", "RS256") == [], "what was withdrawn is not good for ever"
