"""One contract for the store in memory and on the engines, so that the simulation can rely on it."""

import random
from datetime import timedelta

import pytest

from chalicelib.aws.dynamo import Table
from chalicelib.errors import MiddlewareError, TransientError
from chalicelib.facts.ledger import ATTRIBUTES, FactLedger
from chalicelib.facts.model import Fact, FactStatus, Metric
from chalicelib.once.action import ActionStatus
from chalicelib.once.event import EventFacts, EventStatus, Lease
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes
from chalicelib.once.store import ConditionFailed, TransactionRefused
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Draft, Entry, Status
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.support.effects import add_tag
from tests.rigs.fakes import ManualClock
from tests.simulation import tables

MODES = Modes(mode="automation_candidate", safe_mode=False, automation_enabled=True)
KEY = {"event_id": "k"}


class StoreContract:
    """Runs over each fixture `table`."""

    def test_a_failed_condition_of_a_put_returns_the_existing_row(self, table):
        table.put({**KEY, "status": "done", "n": 1})
        with pytest.raises(ConditionFailed) as failed:
            table.put({**KEY, "n": 2}, condition="attribute_not_exists(#event_id)")
        assert failed.value.item == {**KEY, "status": "done", "n": 1}

    def test_a_condition_on_a_missing_row_fails_with_an_empty_item(self, table):
        with pytest.raises(ConditionFailed) as failed:
            table.update(KEY, set_={"n": 1}, condition="#status = :s", s="done")
        assert failed.value.item == {}

    def test_an_update_makes_the_row_and_returns_it_whole(self, table):
        row = table.update(
            KEY, set_={"a": 1, "b": None}, keep={"c": "new"}, add={"fence": 1}, remove=["gone"]
        )
        assert row == {**KEY, "a": 1, "c": "new", "fence": 1} == table.get(KEY)

    def test_a_transaction_does_all_its_writes(self, table):
        table.put({**KEY, "status": "pending"})
        table.transact(
            [
                table.putting({"event_id": "r"}, condition="attribute_not_exists(#event_id)"),
                table.updating(KEY, set_={"status": "done"}, condition="#status = :s", s="pending"),
            ]
        )
        assert (table.get({"event_id": "r"}), table.get(KEY)["status"]) == (
            {"event_id": "r"},
            "done",
        )

    @pytest.mark.parametrize(
        ("bound", "status"), [(True, "pending"), (False, "unknown"), (True, "unknown")]
    )
    def test_a_transaction_with_a_failed_condition_writes_nothing(self, table, bound, status):
        table.put({**KEY, "status": status})
        if bound:
            table.put({"event_id": "r", "n": 1})
        with pytest.raises(TransactionRefused):
            table.transact(
                [
                    table.putting(
                        {"event_id": "r", "n": 2}, condition="attribute_not_exists(#event_id)"
                    ),
                    table.updating(
                        KEY, set_={"status": "done"}, condition="#status = :s", s="pending"
                    ),
                ]
            )
        assert table.get({"event_id": "r"}) == ({"event_id": "r", "n": 1} if bound else None)
        assert table.get(KEY)["status"] == status

    def test_keep_leaves_existing_values_and_add_increments(self, table):
        table.put({**KEY, "c": "old", "fence": 4, "gone": True})
        row = table.update(KEY, set_={"a": 2}, keep={"c": "new"}, add={"fence": 1}, remove=["gone"])
        assert row == {**KEY, "a": 2, "c": "old", "fence": 5}

    def test_an_update_adds_members_to_a_set_each_once(self, table):
        for letter in ("a", "b", "a"):
            table.update(KEY, set_={"n": 1}, add={"of": frozenset({letter})}, reading=False)
        assert table.get(KEY) == {**KEY, "n": 1, "of": {"a", "b"}}

    @pytest.mark.parametrize(
        ("row", "condition", "values", "holds"),
        [
            ({"n": 1}, "#n = :v", {"v": 1}, True),
            ({"n": 1}, "#n = :v", {"v": 1.0}, True),
            ({"n": 1}, "#n = :v", {"v": "1"}, False),
            ({"n": 1}, "#n = :v", {"v": True}, False),
            ({"n": True}, "#n = :v", {"v": True}, True),
            ({"n": False}, "#n = :v", {"v": False}, True),
            ({}, "#n = :v", {"v": 1}, False),
            ({}, "#n <> :v", {"v": 1}, True),
            ({"n": 2}, "#n <> :v", {"v": 1}, True),
            ({"n": "1"}, "#n <> :v", {"v": 1}, True),
            ({"n": 1}, "#n < :v", {"v": 1.5}, True),
            ({"n": 2}, "#n < :v", {"v": 1.5}, False),
            ({"n": "a"}, "#n < :v", {"v": 1}, False),
            ({}, "#n < :v", {"v": 1}, False),
            ({}, "#n > :v", {"v": 1}, False),
            ({"n": 1}, "#n <= :v", {"v": 1}, True),
            ({"n": "2026-01"}, "#n < :v", {"v": "2026-02"}, True),
            ({"n": 1}, "attribute_exists(#n)", {}, True),
            ({}, "attribute_exists(#n)", {}, False),
            ({"n": 1, "m": 2}, "#n = :a OR #m = :b AND #m = :c", {"a": 1, "b": 9, "c": 9}, True),
            ({"n": 1, "m": 2}, "(#n = :a OR #m = :b) AND #m = :c", {"a": 1, "b": 9, "c": 9}, False),
            ({"n": 1}, "NOT #n = :v", {"v": 2}, True),
            ({"n": 1}, "NOT (#n = :v OR #n = :w)", {"v": 2, "w": 1}, False),
        ],
    )
    def test_conditions_hold_where_dynamodb_says_so(self, table, row, condition, values, holds):
        table.put({**KEY, "there": 1, **row})
        try:
            table.update(KEY, set_={"written": True}, condition=condition, **values)
        except ConditionFailed:
            assert not holds
        else:
            assert holds

    def test_plain_values_round_trip(self, table):
        item = {
            **KEY,
            "text": "é",
            "whole": 3.0,
            "part": 1.5,
            "flag": False,
            "map": {"a": 1, "b": {"c": "d"}},
            "list": ["a", 1],
            "set": {"x", "y"},
            "none": None,
        }
        table.put(item)
        del item["none"]
        assert table.get(KEY) == item

    def test_a_returned_row_is_a_copy(self, table):
        table.put({**KEY, "map": {"a": 1}})
        table.get(KEY)["map"]["a"] = 2
        assert table.get(KEY)["map"] == {"a": 1}

    def test_new_rows_are_inserted_and_existing_ones_reported(self, table):
        table.put({"event_id": "b", "n": 1})
        items = [{"event_id": "a", "n": 2}, {"event_id": "b", "n": 2, "x": None}]
        assert table.insert_all(items) == [True, False]
        assert table.insert_all(items) == [False, False]
        assert table.get({"event_id": "b"}) == {"event_id": "b", "n": 1}

    def test_several_rows_change_in_one_call_and_those_of_other_owners_are_reported(self, table):
        for name, owner in (("a", "me"), ("b", "other"), ("c", "me")):
            table.put({"event_id": name, "owner": owner, "fence": 2, "status": "pending"})
        changed = table.update_all(
            [{"event_id": name} for name in ("a", "b", "nobody", "c")],
            set_={"status": "done", "reason": None, "n": 1},
            where={"owner": "me", "fence": 2},
        )
        assert changed == [True, False, False, True]
        first = {"event_id": "a", "owner": "me", "fence": 2, "status": "done", "n": 1}
        assert table.get({"event_id": "a"}) == first
        assert table.get({"event_id": "b"})["status"] == "pending"
        assert table.get({"event_id": "nobody"}) is None

    def test_a_transaction_counts_within_a_limit_and_removes_marks(self, table):
        def opens(mark):
            table.transact(
                [
                    table.checking({"event_id": "closed"}, condition="attribute_not_exists(#n)"),
                    table.updating(
                        KEY,
                        set_={},
                        keep={"first": mark},
                        add={"count": 1, "open": frozenset({mark})},
                        condition="attribute_not_exists(#open) OR size(#open) < :limit",
                        limit=2,
                    ),
                ]
            )

        opens("a")
        opens("b")
        with pytest.raises(TransactionRefused) as refused:
            opens("c")
        assert refused.value.found[0] is None
        assert refused.value.found[1]["open"] == {"a", "b"}
        both = frozenset({"a", "b"})
        table.transact([table.updating(KEY, set_={}, discard={"open": both})])
        assert table.get(KEY) == {**KEY, "first": "a", "count": 2}
        table.put({"event_id": "closed", "n": 1})
        with pytest.raises(TransactionRefused):
            opens("d")

    def test_a_condition_needs_all_the_values_it_uses(self, table):
        with pytest.raises((TransientError, ValueError)):
            table.put(KEY, condition="attribute_not_exists(#event_id) AND #n = :one")
        assert table.get(KEY) is None

    def test_several_rows_are_put_and_read_projected(self, table):
        table.put_all([{"event_id": f"r{n}", "n": n, "m": n} for n in range(30)])
        keys = [{"event_id": f"r{n}"} for n in (3, 29, 77)]
        found = table.get_all(keys, attributes=["event_id", "n", "nothing"])
        assert sorted(found, key=lambda r: r["n"]) == [
            {"event_id": "r3", "n": 3},
            {"event_id": "r29", "n": 29},
        ]

    def test_the_index_of_what_is_due_lists_rows_in_the_order_of_their_number(self, table):
        for n, at, shard in ((3, 30, "event#1"), (1, 4, "event#1"), (2, 1, "event#2")):
            table.put({"event_id": f"e{n}", "due_shard": shard, "due_at": at})
        table.put({"event_id": "e9", "due_shard": "event#1", "due_at": 5})
        table.update({"event_id": "e9"}, set_={"n": 1}, remove=["due_shard", "due_at"])
        table.put({"event_id": "e8", "due_shard": "event#1", "due_at": 31})
        found = table.query(
            IndexName="due-index",
            KeyConditionExpression="#due_shard = :s AND #due_at <= :until",
            ExpressionAttributeNames={"#due_shard": "due_shard", "#due_at": "due_at"},
            values={"s": "event#1", "until": 30.5},
            Limit=5,
        )
        assert [row["event_id"] for row in found] == ["e1", "e3"]

    def test_an_expired_row_is_returned_until_ttl_deletes_it(self, table):
        table.put({**KEY, "expires_at": 1})
        assert table.get(KEY) == {**KEY, "expires_at": 1}


class TestInMemory(StoreContract):
    @pytest.fixture
    def table(self):
        return tables.ledger()

    def test_a_condition_takes_no_unused_values(self, table):
        """As on DynamoDB; dynoxide accepts it."""
        with pytest.raises(ValueError, match="does not use"):
            table.put(KEY, condition="attribute_not_exists(#event_id)", one=1)


class TestOnAClientInMemory(StoreContract):
    @pytest.fixture
    def aws(self, memory_aws):
        return memory_aws

    @pytest.fixture
    def table(self, stage):
        return Table(stage.aws.client("dynamodb"), stage.tables["IdempotencyTable"])


class TestOnAnEngine(StoreContract):
    @pytest.fixture
    def table(self, engine_table):
        return engine_table("IdempotencyTable")


def seeds(count):
    """Half of them, and all in the long run: each is another walk of the same kind."""
    return [
        seed if seed < count // 2 else pytest.param(seed, marks=pytest.mark.long)
        for seed in range(count)
    ]


class LedgerWalk:
    """The same random calls on a ledger, with its results and its final rows."""

    def __init__(self, table, seed):
        owners = iter(f"o{n}" for n in range(1_000))
        self.rng = random.Random(seed)
        self.clock = ManualClock()
        self.ledger = Ledger(table=table, clock=self.clock, new_owner=lambda: next(owners))
        self.table = table
        self.leases = []
        self.answers = []

    def run(self, steps):
        for _ in range(steps):
            self.clock.forward(self.rng.choice((0.001, 1, 200, 300, 2_600_000)))
            step = self.rng.choice(
                [
                    *(self._claim, self._claim, self._begin, self._end, self._release),
                    *(self._finish, self._restart, self._skip, self._rearm, self._record),
                    *(self._receive, self._plan, self._settle, self._bury),
                ]
            )
            try:
                self.answers.append((step.__name__, step()))
            except MiddlewareError as error:
                self.answers.append((step.__name__, repr(error)))
        rows = [self.table.get({"event_id": key}) for key in ("evt:0", "evt:1", *self._keys())]
        return self.answers, rows

    def _keys(self):
        return [add_tag("1042", tag, "c").key for tag in ("a", "b")]

    def _event(self):
        return EventFacts(
            self.rng.choice(("evt:0", "evt:1")), "1042", "2026", "00", 1, "test", "c", "t"
        )

    def _lease(self):
        if not self.leases:
            return Lease(self._event(), "nobody", 1, 0, 1)
        return self.rng.choice(self.leases[-3:])

    def _action(self):
        return add_tag("1042", self.rng.choice("ab"), "c")

    def _claim(self):
        states = self.rng.choice(
            ((), (EventStatus.PARKED,), (EventStatus.FAILED, EventStatus.PROCESSED))
        )
        found = self.ledger.claim(
            self._event(),
            MODES,
            lease_seconds=250,
            takeover=frozenset(states),
            last_chance=self.rng.random() < 0.2,
        )
        if isinstance(found, Lease):
            self.leases.append(found)
        return found

    def _begin(self):
        actions = [add_tag("1042", tag, "c") for tag in self.rng.choice(("a", "ab", "b"))]
        return self.ledger.begin(self._lease(), actions, MODES, operator=self.rng.random() < 0.3)

    def _end(self):
        status = self.rng.choice((ActionStatus.DONE, ActionStatus.UNKNOWN, ActionStatus.REFUSED))
        return self.ledger.end_action(self._lease(), self._action(), status, reason="r", ref="x")

    def _release(self):
        return self.ledger.release(
            self._lease(), reason="r", due_epoch=self.clock.now().timestamp()
        )

    def _finish(self):
        status = self.rng.choice((EventStatus.PROCESSED, EventStatus.PARKED, EventStatus.FAILED))
        return self.ledger.finish(self._lease(), status, reason="unknown:x")

    def _restart(self):
        return self.ledger.restart(self._lease(), self._action(), new_start=self.rng.random() < 0.5)

    def _skip(self):
        return self.ledger.skip(self._lease(), self._action(), MODES, reason="kill_switch")

    def _rearm(self):
        return self.ledger.rearm(self._lease(), [self._action()])

    def _record(self):
        return self.ledger.record_end(
            self._event(), MODES, EventStatus.FAILED, reason="dead_letter"
        )

    def _receive(self):
        event = self._event()
        if self.rng.random() < 0.5:
            self.ledger.set_aside(event, reason="x", due_epoch=self.rng.choice((5.0, 9e9)))
        return self.ledger.receive(event)

    def _plan(self):
        return self.ledger.store_plan(self._lease(), "{}", intent=None, modes=MODES)

    def _settle(self):
        unknown = self.ledger.unsettled(limit=5)
        if not unknown:
            return None
        self.ledger.count_empty_answer(unknown[0])
        status = self.rng.choice((ActionStatus.DONE, ActionStatus.PENDING))
        return self.ledger.settle(unknown[0], status, reason="settled")

    def _bury(self):
        found = self.ledger.stranded(due_by_epoch=self.clock.now().timestamp(), limit=9)
        return [(row.key, self.ledger.mark_failed(row.key, reason="gone")) for row in found]


@pytest.mark.parametrize("seed", seeds(8))
def test_the_ledger_behaves_the_same_in_memory_and_on_an_engine(engine_table, seed):
    """Forty random calls, by current and former lease holders, across expiries."""
    on_engine = LedgerWalk(engine_table("IdempotencyTable"), seed).run(40)
    in_memory = LedgerWalk(tables.ledger(), seed).run(40)
    assert on_engine == in_memory


class ConversationsWalk:
    """The same random calls on the conversations of two recipients, with the final rows."""

    RECIPIENTS = ("+15550100001", "+15550100002")

    def __init__(self, table, seed):
        self.rng = random.Random(seed)
        self.clock = ManualClock()
        self.store = Conversations(
            table=table, clock=self.clock, opaque=lambda: OpaqueIds(b"a key")
        )
        self.records = []
        self.answers = []

    def run(self, steps):
        for _ in range(steps):
            self.clock.forward(self.rng.choice((0.001, 60)))
            step = self.rng.choice(
                [
                    *(self._open, self._append, self._append, self._move, self._hand_off),
                    *(self._draft, self._delivery, self._forbid, self._of_pair, self._between),
                ]
            )
            self.answers.append((step.__name__, step() if self.records else self._open()))
        ends = [
            (
                self.store.reread(record).item,
                [entry.entry_id for entry in self.store.history(record)],
            )
            for record in self.records
        ]
        return self.answers, ends

    def _open(self):
        recipient, number = self.rng.choice(self.RECIPIENTS), self.rng.randrange(3)
        opened = self.store.open(
            {
                "primary_channel": recipient,
                "conversation_id": f"c{number}",
                "opaque_id": f"opaque-{recipient}-{number}",
                "start_event": "evt:start:x",
                "company_id": "ci",
                "project_id": "pi",
                "channel_method": "sms",
                "channel_config": {"company_sms_number": "+15550109002"},
                "recipient_tel": recipient,
            },
            ("e0", Draft(text="Hello")) if self.rng.random() < 0.5 else None,
        )
        if opened.record is not None:
            self.records.append(opened.record)
        return opened.is_new, opened.record and opened.record.item

    def _any_record(self):
        return self.rng.choice(self.records)

    def _append(self):
        number = self.rng.randrange(12)
        entry = Entry(f"e{number}", "2026-11-20T09:00:00.000Z", "user", "x" * 600 * (number % 3))
        record, is_new = self.store.append(
            self._any_record(), entry, expected={Status.PROCESSING}, changes={"task_complete": 1}
        )
        return record.item, is_new

    def _move(self):
        changes = {"conversation_status": self.rng.choice(("processing", "reply_sent"))}
        moved = self.store.change_while(
            self._any_record(), {Status.PROCESSING, Status.HANDED_OFF}, changes
        )
        return moved and moved.item

    def _hand_off(self):
        record = self.store.reread(self._any_record())
        by, held = self.rng.choice("hg"), self.rng.choice(("", "start"))
        return self.store.hand_off(record, handoff_id=by, held=held, reason="r", reason_text="t")

    def _draft(self):
        return self.store.keep_draft(
            self._any_record(), "e1", Draft(text=f"t{self.rng.randrange(3)}")
        )

    def _delivery(self):
        return self.store.note_delivery(self._any_record(), "e1", "sent", self.rng.randrange(4))

    def _forbid(self):
        change = self.rng.choice((self.store.allow, self.store.allow, self.store.forbid))
        more = ("stop",) if change == self.store.forbid else ()
        return change(self.rng.choice(self.RECIPIENTS), "ci", *more)

    def _of_pair(self):
        found = self.store.of_pair(Channel.SMS, "+15550109002", self.rng.choice(self.RECIPIENTS))
        return sorted((record.item["conversation_id"], record.message_count) for record in found)

    def _between(self):
        now = self.clock.now()
        since = now - timedelta(minutes=5)
        found = self.store.created_between(self.rng.choice(self.RECIPIENTS), since, now)
        return [record.conversation_id for record in found]


@pytest.mark.parametrize("seed", seeds(6))
def test_conversations_behave_the_same_in_memory_and_on_an_engine(engine_table, seed):
    """Forty random calls by holders of records that others have changed meanwhile."""
    on_engine = ConversationsWalk(engine_table("ConversationsTable"), seed).run(40)
    in_memory = ConversationsWalk(tables.conversations(), seed).run(40)
    assert on_engine == in_memory


@pytest.mark.parametrize("seed", seeds(4))
def test_facts_behave_the_same_in_memory_and_on_an_engine(engine_table, seed):
    """Random batches stored, read as pending, settled and prolonged, across expiries."""

    def walk(table):
        rng, clock = random.Random(seed), ManualClock()
        store = FactLedger(table=table, clock=clock, retention=timedelta(days=2))
        answers = []
        for _ in range(20):
            clock.forward(rng.choice((1, 60, 100_000)))
            skips = (None, None, "not_terminal", "inbound")
            some = {rng.randrange(30): rng.choice(skips) for _ in range(rng.choice((1, 5, 28)))}
            answers.append(store.keep([a_fact(n, skip) for n, skip in some.items()]))
            keys = store.pending_keys(at_most=10)
            found = store.pending(keys)
            answers += [keys, found]
            if rng.random() < 0.5:
                store.settle(found[::2], FactStatus.POSTED, batch=7)
            else:
                answers.append(store.prolong())
        return answers

    on_engine = walk(engine_table("QuillLedgerTable", ATTRIBUTES))
    assert on_engine == walk(tables.facts())


def a_fact(number, skip):
    return Fact(
        key=f"ALOWARE:{number}",
        source="ALOWARE",
        agent_id="101",
        date="2026-11-20",
        metric=Metric.CALLS,
        notes="tz=UTC",
        skip=skip,
    )


def test_a_refused_transaction_returns_rows_under_the_mapped_attribute_names(engine_table):
    table = engine_table("QuillLedgerTable", ATTRIBUTES)
    there = {"event_id": "k", "status": "done"}
    table.put(there)
    with pytest.raises(TransactionRefused) as refused:
        table.transact(
            [
                table.checking({"event_id": "other"}, condition="attribute_not_exists(#status)"),
                table.putting({"event_id": "k"}, condition="attribute_not_exists(#event_id)"),
            ]
        )
    assert refused.value.found == (None, there)
