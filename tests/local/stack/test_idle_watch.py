"""A stack is quiet when everybody has looked, after the last work, and found nothing."""

import threading

import pytest

from local.stack.idle_watch import IdleWatch


@pytest.fixture
def idle_watch(monkeypatch):
    """Nobody looks again unless asked, so that no test depends on when a first look came."""
    monkeypatch.setattr("local.stack.idle_watch.LOOKS_AGAIN_SECONDS", 600)
    return IdleWatch()


class Looker:
    """A poller with work that the test gives it."""

    def __init__(self, idle_watch, name):
        self.idle_watch, self.name = idle_watch, name
        self.work = []
        self.is_over = threading.Event()
        idle_watch.join(name)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.is_over.is_set():
            began = self.idle_watch.look(self.name)
            if not self.work:
                self.idle_watch.empty(self.name, began)
                continue
            work = self.work.pop(0)
            with self.idle_watch.work(self.name):
                work()
        self.idle_watch.leave(self.name)

    def give(self, work):
        """Work that comes after a look; the round that it asks for finds it."""
        self.work.append(work)
        self.idle_watch.settle(timeout_seconds=0)

    def stop(self):
        self.is_over.set()
        self.idle_watch.leave(self.name)
        self.thread.join(60)
        assert not self.thread.is_alive()


@pytest.fixture
def lookers(idle_watch):
    made = [Looker(idle_watch, "a"), Looker(idle_watch, "b")]
    yield made
    for looker in made:
        looker.stop()


def test_it_is_quiet_where_nobody_finds_anything(idle_watch, lookers):
    assert idle_watch.settle(timeout_seconds=60)


def test_work_that_makes_work_for_another_is_waited_for(idle_watch, lookers):
    first, second = lookers
    done = []
    first.work.append(lambda: second.work.append(lambda: first.work.append(lambda: done.append(1))))
    assert idle_watch.settle(timeout_seconds=60)
    assert done == [1]


def test_work_under_way_is_waited_for(idle_watch, lookers):
    begun, may_end = threading.Event(), threading.Event()
    lookers[0].work.append(lambda: (begun.set(), may_end.wait(60)))
    assert not idle_watch.settle(timeout_seconds=0.01)
    assert begun.wait(60)
    assert not idle_watch.settle(timeout_seconds=0.01)
    may_end.set()
    assert idle_watch.settle(timeout_seconds=60)


def test_who_has_left_is_not_waited_for(idle_watch):
    idle_watch.join("gone")
    assert not idle_watch.settle(timeout_seconds=0)
    idle_watch.leave("gone")
    assert idle_watch.settle(timeout_seconds=0)


def test_who_waits_for_a_turn_at_a_place_that_is_left_need_not_wait(idle_watch):
    poller = Looker(idle_watch, "a")
    assert idle_watch.settle(timeout_seconds=60)
    poller.stop()


def test_while_one_poller_works_another_looks_at_the_same_queue(idle_watch):
    pollers = [Looker(idle_watch, "a"), Looker(idle_watch, "a")]
    both = threading.Barrier(2)
    work = [lambda: both.wait(60)] * 2
    for poller in pollers:
        poller.work = work
    assert idle_watch.settle(timeout_seconds=60)
    assert not both.broken
    for poller in pollers:
        poller.stop()


def test_what_is_done_between_pieces_of_work_waits_for_the_one_under_way(idle_watch, lookers):
    began, may_end, done = threading.Event(), threading.Event(), []

    def work():
        began.set()
        assert may_end.wait(60)
        done.append("work")

    def between():
        with idle_watch.between(timeout_seconds=60):
            done.append("between")

    assert idle_watch.settle(timeout_seconds=60)
    lookers[0].give(work)
    assert began.wait(60)
    other = threading.Thread(target=between)
    other.start()
    may_end.set()
    other.join(60)
    assert done == ["work", "between"]
