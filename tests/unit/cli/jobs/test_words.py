from horae.cli.jobs import words


def test_attempts_that_do_not_count_are_not_shown_as_if_they_did():
    assert words.attempts({"attempt": 5, "uncounted": 2, "max_attempts": 3}) == "3/3"
    assert words.attempts({"attempt": 2, "max_attempts": 3}) == "2/3"
