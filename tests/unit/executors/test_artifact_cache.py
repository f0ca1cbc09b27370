"""The cache of archives: entries are complete or absent, bounded in size, and never evicted while in use."""

import os
from contextlib import suppress
from pathlib import Path

import pytest

from horae.executors.artifacts.cache import Cache


@pytest.fixture
def cache(tmp_path: Path) -> Cache:
    return Cache(tmp_path / "cache")


def make(cache: Cache, name: str, at: int, size: int = 8_000) -> None:
    with cache.made(name) as folder:
        assert folder is not None
        (folder / "files").mkdir()
        (folder / "files" / "x").write_bytes(os.urandom(size))
        (folder / "files").chmod(0o555)
    os.utime(cache.root / f"{name}.lock", (at, at))


def test_an_entry_is_made_once(cache):
    make(cache, "a", 1)
    with cache.made("a") as folder:
        assert folder is None
    assert (cache.content("a") / "x").exists()


def test_a_failed_entry_leaves_nothing(cache):
    with suppress(ValueError), cache.made("a") as folder:
        assert folder is not None
        (folder / "half").write_text("x")
        raise ValueError
    assert not (cache.root / "a").exists()
    assert cache.use("a") is None


def test_incomplete_entries_are_ignored_and_removed(cache):
    (cache.root / "a" / "files").mkdir(parents=True)
    (cache.root / "b" / "files").mkdir(parents=True)
    (cache.root / "b.lock").touch()
    assert cache.use("a") is None
    with cache.made("a") as folder:
        assert folder is not None
        assert list(folder.iterdir()) == []
    cache.trim(10**9, ())
    assert not (cache.root / "b").exists()
    assert cache.has("a")


def test_the_least_recently_used_goes_first(cache):
    for at, name in enumerate("abc", 1):
        make(cache, name, at)
    lock = cache.use("a")
    assert lock is not None
    lock.release()
    cache.trim(25_000, ())
    assert [cache.has(name) for name in "abc"] == [True, False, True]
    assert not (cache.root / "b.lock").exists()


def test_entries_in_use_or_spared_are_not_evicted(cache):
    for at, name in enumerate("abc", 1):
        make(cache, name, at)
    lock = cache.use("a")
    assert lock is not None
    cache.trim(0, ("b",))
    assert [cache.has(name) for name in "abc"] == [True, True, False]
    lock.release()
    cache.trim(0, ())
    assert list(cache.root.iterdir()) == []


def test_entries_being_created_are_not_evicted(cache):
    with cache.made("a") as folder:
        cache.trim(0, ())
        assert folder is not None
        assert folder.exists()
