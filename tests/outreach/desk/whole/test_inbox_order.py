"""The list of hand-offs, page by page, against a plain sort of everything that is handed off."""

import random
from contextlib import suppress

import pytest

from chalicelib.clock import iso
from chalicelib.errors import ConflictError, PayloadError, TransientError
from chalicelib.outreach.conversations import handoffs
from chalicelib.outreach.conversations.handoffs import HandoffLane
from chalicelib.outreach.conversations.records import Record, Status
from chalicelib.outreach.desk import inbox_order, shown
from chalicelib.outreach.desk.acts import ACTS
from chalicelib.outreach.desk.inbox import DEFAULT_STATES
from chalicelib.outreach.desk.inbox_order import BoundedCount
from chalicelib.outreach.desk.operators import OperatorsDesk
from ops.companies.erase import Subjects
from tests.outreach.desk.whole.test_acts import FIELDS
from tests.rigs.desk import OTHERS, OURS

PEOPLE = ("sam", "kim")
FILTERS = (
    {},
    *({"states": (state,)} for state in shown.STATES),
    {"states": shown.STATES},
    {"channel": "sms"},
    {"channel": "whatsapp", "states": ("taken", "answered", "snoozed")},
    {"taken_by": "sam".__eq__},
    {"taken_by": "kim".__eq__, "states": shown.STATES},
    {"project_id": "pi-none"},
)


def conversations_of(desk):
    rows = desk.conversations_table.rows.values()
    return [Record(row) for row in rows if "start_event" in row]


def entries_of(desk):
    """Every entry of every company's list, as it is stored."""
    rows = desk.conversations_table.rows.values()
    return [row for row in rows if "handoff_state" in row]


def sorted_whole(desk, company_id, filters):
    """What the list must show, from all entries: ids, and how many wait."""
    now = desk.clock.now()
    found = []
    for entry in entries_of(desk):
        row = shown.entry_shown(entry, now)
        if company_id not in (None, row["company"]):
            continue
        is_open = entry["handoff_state"] in handoffs.OPEN
        pair = (entry["points_to"]["primary_channel"], row["company"])
        question = desk.conversations.questions([pair]).get(pair)
        if question is not None and is_open:
            place = (0, question.mark.stop_at, row["id"])
        elif row["waiting_since"] is not None:
            place = (1, row["waiting_since"], row["id"])
        else:
            place = (2, row["newest_at"] or row["since"], row["id"])
        person = filters.get("taken_by")
        if (
            row["state"] in filters.get("states", DEFAULT_STATES)
            and filters.get("project_id", row["project"]) == row["project"]
            and filters.get("channel", row["channel"]) == row["channel"]
            and (person is None or person(row["taken_by"] or ""))
        ):
            found.append((place, row))
    found.sort(key=lambda placed: placed[0])
    waiting = sum(row["waiting_since"] is not None for _, row in found)
    return [(row["id"], row["state"]) for _, row in found], waiting


def paged(desk, company_id, filters, limit):
    """Ids, and how many wait, as the list gives them page by page."""
    found, after = [], ""
    while True:
        page = desk.inbox.list(company_id=company_id, limit=limit, after=after, **filters)
        assert len(page.entries) <= limit
        found += [(entry["id"], entry["state"]) for entry in page.entries]
        if not (after := page.after):
            return found


@pytest.mark.parametrize("seed", range(6))
def test_pages_filters_and_totals_are_those_of_a_plain_sort_after_any_acts(desk, seed):
    drawn = random.Random(seed)
    records = []
    for number in range(9):
        company_id = OTHERS if number % 4 == 3 else OURS
        tel = f"+155501000{number % 7:02d}"
        channel = drawn.choice(("sms", "whatsapp"))
        records.append(
            desk.handed_off(f"req{number}", channel=channel, company_id=company_id, tel=tel)
        )
    for _ in range(40):
        desk.clock.forward(drawn.choice((1, 600, 20_000)))
        record = drawn.choice(records)
        match drawn.choice(("act", "act", "says", "doubt", "again")):
            case "act":
                name = drawn.choice(sorted(ACTS))
                fields = FIELDS[name]
                if name == "snooze":
                    fields = {"until": iso(desk.clock.now().replace(year=2027))}
                with suppress(ConflictError, PayloadError):
                    desk.act(name, record, drawn.choice(PEOPLE), lead=True, **fields)
                desk.work()
            case "says":
                with suppress(TransientError):
                    desk.says(record, "And now?")
            case "doubt":
                desk.in_doubt(record)
            case "again":
                desk.conversations.hand_off(
                    desk.conversations.reread(record),
                    handoff_id=f"{drawn.getrandbits(64):016x}",
                    held="",
                    reason="asked_for_person",
                    reason_text="",
                )
        judged(desk)
    for company_id in (OURS, OTHERS, None):
        for filters in FILTERS:
            ids, waiting = sorted_whole(desk, company_id, filters)
            for limit in (1, 3, 50):
                assert paged(desk, company_id, filters, limit) == ids, (filters, limit)
            counted = desk.inbox.unanswered(company_id=company_id, **filters)
            assert counted == BoundedCount(waiting)


def judged(desk):
    """Assert that each handed-off conversation is on its company's list once, as its record says."""
    listed = {}
    for row in entries_of(desk):
        if row["handoff_state"] in handoffs.OPEN:
            assert row["opaque_id"] not in listed, "two open hand-offs of one conversation"
            listed[row["opaque_id"]] = row
    for record in conversations_of(desk):
        entry = listed.pop(record.opaque_id, None)
        is_open = record.is_handed_off and not record.handoff.get("releasing")
        assert (entry is not None) == is_open
        if entry is not None:
            # A note prolongs the life of the conversation, and not of its entry.
            assert {**entry, "ttl": record.item["ttl"]} == handoffs.entry(record, record.handoff)
    assert listed == {}


def test_a_filter_that_lets_little_through_reads_on_with_the_next_page(desk, monkeypatch):
    monkeypatch.setattr(inbox_order, "READ_AT_MOST", 4)
    monkeypatch.setattr(inbox_order, "READ_AT_ONCE", 2)
    records = [desk.handed_off(f"req{n}", tel=f"+1555010000{n}") for n in range(9)]
    for record in records:
        desk.act("take", record, "kim" if record is records[-1] else "sam")
    wanted = {"taken_by": "kim".__eq__}
    first = desk.inbox.list(company_id=OURS, **wanted)
    assert (first.entries, bool(first.after)) == ([], True)
    assert paged(desk, OURS, wanted, 50) == [(records[-1].opaque_id, "taken")]


def test_a_count_beyond_the_bound_says_that_there_are_more(desk, monkeypatch):
    for module in (inbox_order,):
        monkeypatch.setattr(module, "COUNTED_AT_MOST", 3)
    for number in range(3):
        desk.handed_off(f"req{number}", tel=f"+1555010000{number}")
    assert str(desk.inbox.unanswered(company_id=OURS)) == "3"
    desk.handed_off("req9", tel="+15550100009")
    assert str(desk.inbox.unanswered(company_id=OURS)) == "3+"


def test_figures_for_alarms_are_of_all_companies_and_of_whom_no_person_has(desk):
    operators = OperatorsDesk(inbox=desk.inbox, handoffs=desk.handoffs)
    assert operators.figures(desk.clock.now()).oldest == ""
    first = desk.handed_off("req1")
    second = desk.handed_off("req2", tel="+15550100002", company_id=OTHERS)
    since = {entry["id"]: entry["since"] for entry in desk.inbox.list(company_id=None).entries}
    found = operators.figures(desk.clock.now())
    assert (found.waiting, found.oldest) == (2, since[first.opaque_id])
    desk.act("take", first)
    found = operators.figures(desk.clock.now())
    assert (found.waiting, found.oldest) == (1, since[second.opaque_id])
    assert [entry.company_id for entry in operators.waiting()] == [OTHERS]
    assert [entry.company_id for entry in operators.waiting(company_id=OURS)] == []


def test_of_two_acts_at_once_one_is_done_and_its_place_is_the_entrys(desk):
    record = desk.handed_off()
    asked = [desk.asks(act, record, **FIELDS[act]) for act in ("take", "close")]
    transact = desk.conversations_table.transact

    def transact_late(writes):
        desk.conversations_table.transact = transact
        desk.inbox.act(asked[1])
        return transact(writes)

    desk.conversations_table.transact = transact_late
    with pytest.raises(ConflictError):
        desk.inbox.act(asked[0])
    (entry,) = entries_of(desk)
    assert handoffs.lane_of(entry) is HandoffLane.ENDED
    assert desk.inbox.list(company_id=OURS).entries == []


def test_a_hand_off_that_fails_half_way_is_announced_and_not_listed(desk):
    """A crash before the transaction leaves only the hint where to look, which is harmless."""
    record = desk.begun()

    def crash(_writes):
        raise KeyboardInterrupt

    transact, desk.conversations_table.transact = desk.conversations_table.transact, crash
    with pytest.raises(KeyboardInterrupt):
        desk.conversations.hand_off(record, handoff_id="h", held="", reason="r", reason_text="")
    desk.conversations_table.transact = transact
    desk.in_doubt(desk.says(record, "Hm"))
    desk.conversations.change_while(record, set(Status), {"conversation_status": "processing"})
    for company_id in (OURS, None):
        assert [entry["id"] for entry in desk.inbox.list(company_id=company_id).entries] == []


def test_erasing_a_person_finds_their_entries_and_where_to_look_for_them(desk):
    record, other = desk.handed_off("req1"), desk.handed_off("req2", tel="+15550100002")
    desk.in_doubt(record)
    found = Subjects(ids=(record.opaque_id,))
    for row in list(desk.conversations_table.rows.values()):
        if found.holds(row):
            names = ("primary_channel", "conversation_id")
            desk.conversations_table.delete({name: row[name] for name in names})
    assert [entry["id"] for entry in desk.inbox.list(company_id=OURS).entries] == [other.opaque_id]
    left = [row for row in desk.conversations_table.rows.values() if not found.holds(row)]
    lists = [row for row in left if row["primary_channel"].startswith(("handoffs#", "handed#"))]
    assert len(lists) == 2
    assert record.opaque_id not in str(lists)
