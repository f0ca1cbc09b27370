"""Which queues a worker claims from next, and when."""

from horae.processes.agenda import DueQueues


def test_it_asks_about_what_is_due_and_nothing_else() -> None:
    agenda = DueQueues(None)
    agenda.learn({"now": 0.0, "soon": 5.0, "late": 60.0}, now=100.0)
    assert agenda.ask(100.0, 10) == ["now"]
    agenda.told(["now"], {}, 100.0)
    assert agenda.ask(100.0, 10) == []
    assert agenda.wait(100.0) == 5.0
    assert agenda.ask(105.0, 10) == ["soon"]


def test_a_hint_makes_it_ask() -> None:
    agenda = DueQueues(None)
    assert agenda.wait(1.0) is None
    assert agenda.hint("mail")
    assert agenda.wait(1.0) == 0
    assert agenda.ask(1.0, 10) == ["mail"]


def test_a_hint_that_comes_while_it_asks_is_kept() -> None:
    agenda = DueQueues(None)
    agenda.hint("mail")
    asked = agenda.ask(1.0, 10)
    agenda.hint("mail")
    agenda.told(asked, {}, 1.0)
    assert agenda.ask(1.0, 10) == ["mail"]
    agenda.hint("other")
    agenda.learn({}, 2.0)
    assert agenda.ask(2.0, 10) == ["other"]


def test_a_claim_that_was_filled_or_failed_is_repeated() -> None:
    agenda = DueQueues(None)
    agenda.hint("mail")
    asked = agenda.ask(1.0, 10)
    agenda.told(asked, None, 1.0)
    assert agenda.ask(1.0, 10) == ["mail"]


def test_all_queues_take_turns() -> None:
    agenda = DueQueues(None)
    first = []
    for _ in range(6):
        for queue in ("a", "b", "c"):
            agenda.hint(queue)
        asked = agenda.ask(1.0, 10)
        assert sorted(asked) == ["a", "b", "c"]
        first.append(asked[0])
        agenda.told(asked, None, 1.0)
    assert first == ["a", "b", "c", "a", "b", "c"]


def test_no_more_queues_than_free_slots() -> None:
    agenda = DueQueues(None)
    for number in range(1000):
        agenda.hint(f"q{number:04}")
    seen: set[str] = set()
    for _ in range(250):
        asked = agenda.ask(1.0, 4)
        assert len(asked) == 4
        seen.update(asked)
        agenda.told(asked, {}, 1.0)
    assert len(seen) == 1000


def test_named_queues_come_in_their_order_and_no_others() -> None:
    agenda = DueQueues(("high", "low"))
    assert agenda.served == ("high", "low")
    assert not agenda.hint("foreign")
    for queue in ("low", "high"):
        assert agenda.hint(queue)
    assert agenda.ask(1.0, 10) == ["high", "low"]
    assert agenda.ask(1.0, 10) == []
