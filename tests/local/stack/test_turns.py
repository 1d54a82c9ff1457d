"""A stack is quiet when everybody has looked, after the last work, and found nothing."""

import threading

import pytest

from local.stack.turns import Turns


@pytest.fixture
def turns(monkeypatch):
    """Nobody looks again unless asked, so that no test depends on when a first look came."""
    monkeypatch.setattr("local.stack.turns.LOOKS_AGAIN_SECONDS", 600)
    return Turns()


class Looker:
    """A poller with work that the test gives it."""

    def __init__(self, turns, name):
        self.turns, self.name = turns, name
        self.work = []
        self.is_over = threading.Event()
        turns.join(name)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.is_over.is_set():
            began = self.turns.look(self.name)
            if not self.work:
                self.turns.empty(self.name, began)
                continue
            one = self.work.pop(0)
            with self.turns.work(self.name):
                one()
        self.turns.leave(self.name)

    def give(self, work):
        """Work that comes after a look; the round that it asks for finds it."""
        self.work.append(work)
        self.turns.settle(timeout_seconds=0)

    def stop(self):
        self.is_over.set()
        self.turns.leave(self.name)
        self.thread.join(60)
        assert not self.thread.is_alive()


@pytest.fixture
def lookers(turns):
    made = [Looker(turns, "a"), Looker(turns, "b")]
    yield made
    for one in made:
        one.stop()


def test_it_is_quiet_where_nobody_finds_anything(turns, lookers):
    assert turns.settle(timeout_seconds=60)


def test_work_that_makes_work_for_another_is_waited_for(turns, lookers):
    first, second = lookers
    done = []
    first.work.append(lambda: second.work.append(lambda: first.work.append(lambda: done.append(1))))
    assert turns.settle(timeout_seconds=60)
    assert done == [1]


def test_work_under_way_is_waited_for(turns, lookers):
    begun, may_end = threading.Event(), threading.Event()
    lookers[0].work.append(lambda: (begun.set(), may_end.wait(60)))
    assert not turns.settle(timeout_seconds=0.01)
    assert begun.wait(60)
    assert not turns.settle(timeout_seconds=0.01)
    may_end.set()
    assert turns.settle(timeout_seconds=60)


def test_who_has_left_is_not_waited_for(turns):
    turns.join("gone")
    assert not turns.settle(timeout_seconds=0)
    turns.leave("gone")
    assert turns.settle(timeout_seconds=0)


def test_who_waits_for_a_turn_at_a_place_that_is_left_need_not_wait(turns):
    poller = Looker(turns, "a")
    assert turns.settle(timeout_seconds=60)
    poller.stop()


def test_while_one_poller_works_another_looks_at_the_same_queue(turns):
    pollers = [Looker(turns, "a"), Looker(turns, "a")]
    both = threading.Barrier(2)
    work = [lambda: both.wait(60)] * 2
    for poller in pollers:
        poller.work = work
    assert turns.settle(timeout_seconds=60)
    assert not both.broken
    for poller in pollers:
        poller.stop()


def test_what_is_done_between_pieces_of_work_waits_for_the_one_under_way(turns, lookers):
    began, may_end, done = threading.Event(), threading.Event(), []

    def work():
        began.set()
        assert may_end.wait(60)
        done.append("work")

    def between():
        with turns.between(timeout_seconds=60):
            done.append("between")

    assert turns.settle(timeout_seconds=60)
    lookers[0].give(work)
    assert began.wait(60)
    other = threading.Thread(target=between)
    other.start()
    may_end.set()
    other.join(60)
    assert done == ["work", "between"]
