"""What is kept of a retried attempt's result: valid JSON, never longer than the limit."""

import json

from hypothesis import given
from hypothesis import strategies as st

from horae.domain.runs.excerpt import EXCERPT_LIMIT, excerpt

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3_000),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)
answers = st.fixed_dictionaries(
    {
        "status": st.just(503),
        "headers": st.dictionaries(st.text(max_size=2_500), st.text(max_size=2_500), max_size=2),
        "body": st.text(max_size=6_000),
        "truncated": st.booleans(),
    }
)


@given(values | answers, st.booleans())
def test_it_is_json_and_short(value, ascii_only):
    text = json.dumps(value, ensure_ascii=ascii_only)
    kept = excerpt(text)
    assert kept is not None
    if len(text) <= EXCERPT_LIMIT:
        assert kept == text
    else:
        assert len(kept) <= EXCERPT_LIMIT
        assert json.loads(kept)["truncated"] is True


def test_other_results_are_truncated_as_text():
    text = json.dumps(list(range(5_000)))
    kept = json.loads(excerpt(text) or "")
    assert text.startswith(kept["text"])
    assert len(kept["text"]) > EXCERPT_LIMIT - 100


def test_headers_go_before_the_body_does():
    answer = {"status": 500, "headers": {"x": "y" * 5_000}, "body": "b" * 5_000, "truncated": False}
    kept = json.loads(excerpt(json.dumps(answer)) or "")
    assert (kept["headers"], kept["status"]) == ({}, 500)
    assert kept["body"].startswith("bbb")


def test_nothing_stays_nothing():
    assert excerpt(None) is None
