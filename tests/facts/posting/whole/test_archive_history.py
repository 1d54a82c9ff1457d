"""Whatever happens to an archive, in any order: the documented view has what the ledger has.

A history is made of batches, late facts, corrections, repetitions, compactions and crashes at any of
their calls; after every step the view and the archive's own reading are compared with the ledger.
"""

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from chalicelib.facts.dataset import FACT_EVENT, full_row
from chalicelib.facts.model import Happening
from chalicelib.facts.posting.ndjson import FileRows, StoredRows
from chalicelib.facts.posting.parts import moved_row
from tests.rigs.fact_queries import COLUMNS, FactQueries, as_read
from tests.rigs.fact_writer import Crash, fact

DAYS = ("2026-11-18", "2026-11-19", "2026-11-20")
HOUR = 3_600
ALL = f"SELECT {COLUMNS} FROM fact_event ORDER BY EventID"  # noqa: S608 - the page's own columns
CALLS = st.none() | st.integers(0, 5)


class MortalRows(StoredRows):
    """A folder whose user dies at a call, before or after it was carried out; time is the test's."""

    target = "file"

    def __init__(self, folder):
        self._files, self._folder = FileRows(folder), folder
        self.now, self.dies_after = 1_000_000, None
        self.calls = 0

    def list_objects(self, prefix):
        return self._files.list_objects(prefix)

    def open_object(self, name, version=""):
        return self._files.open_object(name, version)

    def put(self, name, body):
        self._alive(lambda: self._put(name, body))

    def delete(self, name, version=""):
        self._alive(lambda: self._files.delete(name, version))

    def _put(self, name, body):
        self._files.put(name, body)
        os.utime(self._folder / name, (self.now, self.now))

    def _alive(self, act):
        self.calls += 1
        if self.dies_after == 0:
            raise Crash
        act()
        if self.dies_after is not None:
            self.dies_after -= 1
            if self.dies_after == 0:
                raise Crash


class ArchiveHistory(RuleBasedStateMachine):
    """One archive, its single writer, and the ledger that it must be like."""

    def __init__(self):
        super().__init__()
        self._opened = tempfile.TemporaryDirectory()
        folder = Path(self._opened.name)
        self.archive = MortalRows(folder)
        self.query = FactQueries(folder)
        self.ledger, self.former = {}, {}
        self.number, self.batches, self.open = 1_000, [], ()

    def teardown(self):
        self._opened.cleanup()

    def _append(self, number, rows, dies_after=None):
        self.archive.dies_after = dies_after
        try:
            self.archive.append(FACT_EVENT, number, rows, deadline_seconds=5)
        except Crash:
            return False
        finally:
            self.archive.dies_after = None
        return True

    def _post(self, facts, rows, dies_after):
        self.number += 1
        self.batches.append((self.number, rows))
        is_done = self._append(self.number, rows, dies_after)
        self.open = () if is_done else tuple(fact.key for fact in facts)

    @precondition(lambda self: not self.open)
    @rule(days=st.lists(st.sampled_from(DAYS), min_size=1, max_size=4), dies_after=CALLS)
    def post(self, days, dies_after):
        """A batch, of which some facts may be late."""
        facts = [
            fact(len(self.ledger) + at, date=day, happening=Happening(seconds=at, channel="call"))
            for at, day in enumerate(days)
        ]
        self.ledger |= {fact.key: fact for fact in facts}
        self._post(facts, [full_row(fact) for fact in facts], dies_after)

    @precondition(lambda self: self.open)
    @rule()
    def finish(self):
        """The next run posts the open batch again."""
        self._append(*self.batches[-1])
        self.open = ()

    @precondition(lambda self: self.batches)
    @rule(data=st.data())
    def repeat(self, data):
        """A request whose answer was lost takes effect again, long after."""
        number, rows = data.draw(st.sampled_from(self.batches))
        if (number, rows) != self.batches[-1] or not self.open:
            self._append(number, rows)

    @precondition(lambda self: self.ledger and not self.open)
    @rule(data=st.data(), day=st.sampled_from(DAYS), agent=st.sampled_from(["101", "102"]))
    def correct(self, data, day, agent):
        """A person corrects a fact; a correction that was broken off is repeated."""
        was = self.ledger[data.draw(st.sampled_from(sorted(self.ledger)))]
        former = self.former.setdefault(was.key, set())
        former.add(was.date)
        now = self.ledger[was.key] = replace(was, date=day, agent_id=agent)
        rows = [full_row(now), *(moved_row(now, date) for date in sorted(former - {day}))]
        self._post([now], rows, None)

    @rule(dies_after=CALLS)
    def compact(self, dies_after):
        self.archive.dies_after = dies_after
        try:
            for partition in self.archive.partitions():
                self.archive.compact(partition, before=self.archive.now - HOUR)
        except Crash:
            pass
        finally:
            self.archive.dies_after = None

    @rule(hours=st.sampled_from([1, 2, 24]))
    def wait(self, hours):
        self.archive.now += hours * HOUR

    @rule()
    def settle(self):
        """Two hours without a batch: each day is one part."""
        for _ in range(2):
            self.archive.now += 2 * HOUR
            self.compact(None)
        assert all(len(partition.parts) == 1 for partition in self.archive.partitions())

    @invariant()
    def the_view_is_the_ledger(self):
        read = sorted(self.archive.read(FACT_EVENT), key=lambda row: row["EventID"])
        wanted = [
            row
            for row in (full_row(fact) for fact in self.ledger.values())
            if row["EventID"] not in self.open or row in read
        ]
        wanted.sort(key=lambda row: row["EventID"])
        assert read == wanted
        if list(self.archive.list_objects("FactEvent/")):
            rows = self.query(ALL)
            assert rows == [as_read(row) for row in wanted]


ArchiveHistory.TestCase.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)
TestArchiveHistory = ArchiveHistory.TestCase
