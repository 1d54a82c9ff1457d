"""A shelf: unique names, a bound, and a form that comes twice changes nothing twice."""

from dataclasses import replace

import pytest

from chalicelib.once.journal import Act, Journal
from chalicelib.outreach.conversations.shelves import (
    Shelf,
    ShelfPlace,
    ShelfRefusal,
    ShelfRefusedError,
    ShelvedThing,
    owned_by,
)
from chalicelib.outreach.conversations.store import Conversations
from tests.rigs.fakes import ManualClock
from tests.simulation import tables

PLACE = ShelfPlace("ci-aaa-001", "replies", 3)
HOURS = ShelvedThing("t1", "Opening hours", {"text": "Nine to five"}, "lea", "2026", "t1")


class Rig:
    def __init__(self):
        self.clock, self.table = ManualClock(), tables.conversations()
        ids = iter(map(str, range(1_000)))
        self.journal = Journal(
            table=tables.audit(), clock=self.clock, new_id=lambda: f"id-{next(ids)}"
        )
        self.conversations = Conversations(table=self.table, clock=self.clock, opaque=None)

    def shelf(self, place=PLACE):
        return self.conversations.shelves([place])[0]

    def change(self, change, form, place=PLACE):
        act = Act("saved reply", f"company:{place.owner}", "lea", "changed", once=form)
        return self.conversations.change_shelf(place, change, self.journal.writes(act))

    def add(self, thing, place=PLACE):
        return self.change(lambda shelf: shelf.adding(thing), thing.form, place)

    def entered(self):
        return len(self.journal.story("company:ci-aaa-001"))


@pytest.fixture
def rig():
    return Rig()


def test_what_was_added_is_there_and_the_journal_says_so(rig):
    assert rig.add(HOURS)
    assert rig.shelf().things == {"t1": HOURS}
    assert rig.entered() == 1


def test_a_form_that_comes_twice_adds_once(rig):
    assert [rig.add(HOURS), rig.add(HOURS)] == [True, False]
    assert (len(rig.shelf().things), rig.entered()) == (1, 1)


def test_a_form_that_comes_again_after_its_thing_was_removed_does_not_bring_it_back(rig):
    rig.add(HOURS)
    rig.change(lambda shelf: shelf.removing("t1"), "t2")
    assert not rig.add(HOURS)
    assert rig.shelf().things == {}
    assert rig.entered() == 2


def test_what_is_removed_twice_is_removed_once(rig):
    rig.add(HOURS)
    done = [rig.change(lambda shelf: shelf.removing("t1"), form) for form in ("t2", "t2", "t3")]
    assert (done, rig.entered()) == ([True, False, False], 2)


def test_a_change_is_of_what_the_person_saw(rig):
    rig.add(HOURS)
    later = replace(HOURS, holds={"text": "Ten to five"}, form="t2")
    assert rig.change(lambda shelf: shelf.changing(later, "t1"), "t2")
    assert not rig.change(lambda shelf: shelf.changing(later, "t1"), "t2"), "the form comes again"
    slower = replace(HOURS, holds={"text": "Noon"}, form="t3")
    with pytest.raises(ShelfRefusedError) as refused:
        rig.change(lambda shelf: shelf.changing(slower, "t1"), "t3")
    assert refused.value.why is ShelfRefusal.CHANGED
    assert rig.shelf().things["t1"].holds == {"text": "Ten to five"}


def test_what_was_removed_is_not_changed(rig):
    with pytest.raises(ShelfRefusedError) as refused:
        rig.change(lambda shelf: shelf.changing(HOURS, "t1"), "t1")
    assert refused.value.why is ShelfRefusal.CHANGED


def test_a_name_is_of_one_thing_however_it_is_capitalised(rig):
    rig.add(HOURS)
    with pytest.raises(ShelfRefusedError) as refused:
        rig.add(replace(HOURS, id="t2", form="t2", name="OPENING hours"))
    assert refused.value.why is ShelfRefusal.NAME_TAKEN
    same_name = replace(HOURS, holds={"text": "Ten"}, form="t3")
    assert rig.change(lambda shelf: shelf.changing(same_name, "t1"), "t3")


def test_a_full_shelf_takes_no_more(rig):
    for number in range(PLACE.most):
        rig.add(replace(HOURS, id=f"t{number}", form=f"t{number}", name=f"{number}"))
    with pytest.raises(ShelfRefusedError) as refused:
        rig.add(replace(HOURS, id="more", form="more", name="more"))
    assert refused.value.why is ShelfRefusal.FULL
    assert len(rig.shelf().things) == PLACE.most


def test_of_two_who_write_at_once_both_are_kept(rig):
    other = replace(HOURS, id="t2", form="t2", name="Parking")

    def slow(shelf: Shelf):
        if not rig.shelf().things:
            rig.add(other)
        return shelf.adding(HOURS)

    assert rig.change(slow, "t1")
    assert set(rig.shelf().things) == {"t1", "t2"}


def test_a_persons_shelf_is_no_companys(rig):
    own = ShelfPlace(owned_by("sam@example.com"), "views", 3)
    rig.add(HOURS, own)
    found = rig.conversations.shelves([PLACE, own, ShelfPlace("ci-bbb-001", "replies", 3)])
    assert [len(shelf.things) for shelf in found] == [0, 1, 0]
    assert "#" in own.owner, "a company's id has none"


def test_things_are_listed_by_name(rig):
    for name in ("b", "C", "a"):
        rig.add(replace(HOURS, id=name, form=name, name=name))
    assert [thing.name for thing in rig.shelf().by_name] == ["a", "b", "C"]
