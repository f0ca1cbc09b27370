"""The layout of tables that must fit a terminal."""

from horae.cli.terminal.layout import GAP, fit

RUNS = ("id", "job", "status", "trigger", "created", "note")


def test_all_columns_where_there_is_room():
    assert fit(RUNS, [36, 4, 9, 8, 7, 0], 200, ()) == {0: 36, 1: 4, 2: 9, 3: 8, 4: 7, 5: 4}


def test_optional_then_empty_columns_are_dropped_and_ids_never_truncated():
    shown = fit(RUNS, [36, 12, 9, 8, 8, 50], 80, ("trigger", "created"))
    assert [RUNS[place] for place in shown] == ["id", "job", "status", "note"]
    assert sum(shown.values()) + GAP * (len(shown) - 1) <= 80
    assert (shown[0], shown[1], shown[2]) == (36, 12, 9)
    assert "note" not in [RUNS[place] for place in fit(RUNS, [36, 12, 9, 8, 8, 0], 80, ())]


def test_texts_are_cut_before_columns_go():
    assert fit(("name", "description", "note"), [10, 100, 20], 60, ()) == {0: 10, 1: 24, 2: 20}


def test_a_table_that_cannot_fit_is_not_truncated():
    assert fit(("name", "id"), [100, 36], 80, ()) == {0: 100, 1: 36}
