"""The vendors' own clients in the simulation, the faults at the wire, and what judges them."""

from collections import Counter
from dataclasses import replace

import pytest

from chalicelib.once.recovery.unfinished import RowSweep
from chalicelib.outreach.conversations.do_not_contact import DoNotContact
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.register_looks import RegisterLook
from chalicelib.support.richpanel.client import Richpanel
from tests.rigs.each_row import each_row
from tests.simulation.breaks import BREAKS
from tests.simulation.faults import Port
from tests.simulation.fixed_schedules import HELLO, TEXT, fault, run, schedule
from tests.simulation.partials import Partial
from tests.simulation.scenario import Batch, Post, Says, Start, scenario
from tests.simulation.spoils import Spoil
from tests.simulation.staleness import Versions
from tests.simulation.tables import conversations
from tests.simulation.wordings import DOUBTS
from tests.simulation.world import World

MAIL = Start(0.0, "req0", "email", "c@example.com")
NEIGHBOUR = Start(1.0, "beside", "sms", "+15550140001")
DAMAGED = (Post(0.0, "s0", "c0", "the parcel arrived damaged", "id", is_copy=False),)
FACTS = {"batches": (Batch(0.0, (1, 2, 3)),), "writes": (60.0, 700.0, 1_600.0, 3_000.0)}
SHAPES = [("html", True), ("html", False), ("empty", True), ("empty", False), ("usual", False)]
FIELDS = ("partials", "lags", "deleted", "crowd", "neighbour", "texts_unreported")
TICKS = tuple(300.0 * n for n in range(1, 40))


def spoiled(shape, is_done, answers=range(3)):
    """The first few responses, one after another."""
    return [(Spoil(at, shape, is_done),) for at in answers]


def test_schedules_reach_every_vendor_through_the_products_own_clients():
    missing = {
        *("richpanel: read_ticket", "richpanel: list_tickets", "richpanel: add_tags"),
        *("richpanel: send_message", "richpanel: read_order_link"),
        *("twilio: create_message", "twilio: list_messages", "ses: send_email"),
        *("powerbi: token", "powerbi: post_rows"),
    }
    for seed in range(11, 50):
        missing -= World(scenario(seed)).run().network.requests.keys()
        if not missing:
            break
    assert not missing


def test_every_new_fault_is_drawn_by_plain_seeds():
    counted = Counter()
    for seed in range(1, 400):
        drawn = scenario(seed)
        counted.update(spoil.name for spoil in drawn.spoils)
        counted.update(name for name in FIELDS if getattr(drawn, name))
    assert set(counted) == {
        *FIELDS,
        *(f"answer_{shape}_{'done' if done else 'nothing_done'}" for shape, done in SHAPES),
    }


@pytest.mark.parametrize(("shape", "is_done"), SHAPES)
@pytest.mark.parametrize("start", [TEXT, HELLO])
def test_a_text_whose_response_is_not_the_carriers_is_sent_once(start, shape, is_done):
    for spoils in spoiled(shape, is_done):
        world, violations = run(schedule(starts=(start,), spoils=spoils))
        assert violations == []
        assert list(world.landed.values()) == [1]


@pytest.mark.parametrize(("shape", "is_done"), SHAPES)
def test_a_mail_whose_response_is_not_the_carriers_is_sent_once_or_parked(shape, is_done):
    (spoils,) = spoiled(shape, is_done, answers=(0,))
    world, violations = run(schedule(starts=(MAIL,), spoils=spoils))
    assert violations == []
    assert list(world.landed.values()) == [1] * is_done
    (start,) = [row for (key,), row in world.ledger.rows.items() if key.startswith("evt:start:")]
    assert start["status"] == ("processed" if is_done else "parked")


@pytest.mark.parametrize(("shape", "is_done"), SHAPES[:4])
def test_a_ticket_whose_changes_meet_other_responses_is_answered_once(shape, is_done):
    for spoils in spoiled(shape, is_done, answers=range(7)):
        world, violations = run(schedule(posts=DAMAGED, spoils=spoils))
        assert violations == []
        assert world.landed["act:rp_reply:s0:c0"] == 1


@pytest.mark.parametrize("is_numbered", [True, False])
@pytest.mark.parametrize("is_done", [True, False])
def test_a_page_in_place_of_power_bis_response_loses_no_row(is_done, is_numbered):
    for spoils in spoiled("html", is_done, answers=range(5)):
        _, violations = run(schedule(**FACTS, is_numbered=is_numbered, spoils=spoils))
        assert violations == []


@pytest.mark.parametrize("secret", ["first/twilio", "richpanel/api_key"])
def test_a_secret_deleted_for_an_hour_delays_and_loses_nothing(secret):
    story = schedule(posts=DAMAGED, starts=(TEXT,), deleted=((secret, -1.0, 3_600.0),), ticks=TICKS)
    world, violations = run(story)
    assert violations == []
    assert world.happened["deleted_secret_read"]
    assert all(number == 1 for number in world.landed.values())
    assert world.landed["act:rp_reply:s0:c0"] == 1


@pytest.mark.parametrize("other", [HELLO, MAIL])
def test_a_failing_account_delays_no_other_company(other):
    lost = tuple(fault(Port.EFFECT, "never_lands_and_no_answer", at) for at in range(2))
    world, violations = run(
        schedule(
            starts=(TEXT, replace(other, request_id="req1"), NEIGHBOUR),
            neighbour="account",
            effect_faults=lost,
            ticks=TICKS,
        )
    )
    assert violations == []
    assert world.happened["neighbour_judged"] == 1


def test_a_parked_event_behind_a_thousand_others_is_resumed():
    lost = fault(Port.EFFECT, "never_lands_and_no_answer", 0)
    world, violations = run(schedule(starts=(TEXT,), effect_faults=(lost,), crowd=1_000))
    assert violations == []
    assert list(world.landed.values()) == [1]


def test_a_batch_done_in_part_is_done_whole_in_the_end():
    for at in range(6):
        for mask in (0b1, 0b10, 0b1111111111111110):
            part = (Partial(at, mask),)
            world, violations = run(schedule(posts=DAMAGED, **FACTS, partials=part))
            assert violations == []
            assert world.landed["act:rp_reply:s0:c0"] == 1


def test_a_lagging_read_shows_a_table_as_it_was():
    times = iter([1.0, 2.0, 3.0])
    table = conversations()
    versions = Versions(table, lambda: next(times))
    key = {"primary_channel": "p", "conversation_id": "c"}
    table.put({**key, "created_at": "1", "n": 1})
    table.put({**key, "created_at": "2", "n": 2})
    table.delete(key)

    shown = [versions.before(moment) for moment in (0.5, 1.5, 2.5)]

    assert [(view.get(key) or {}).get("n") for view in shown] == [None, 1, 2]
    query = {
        "IndexName": "created-at-index",
        "KeyConditionExpression": "primary_channel = :p",
        "values": {"p": "p"},
    }
    assert [[row["n"] for row in view.query(**query)] for view in shown] == [[], [1], [2]]
    assert table.query(**query) == []


# --- the judges notice ----------------------------------------------------------------------------


STOPPED = (
    Says(5.0, "sms", TEXT.recipient, 0, "tell me more"),
    Says(60.0, "sms", TEXT.recipient, 1, "STOP"),
)


def stopped_while_unknown():
    """The answer was lost; the STOP arrived before it could be sent again."""
    lost = fault(Port.EFFECT, "never_lands_and_no_answer", 1)
    return schedule(starts=(TEXT,), says=STOPPED, effect_faults=(lost,))


def test_a_send_after_a_look_that_saw_the_stop_is_detected(monkeypatch):
    assert run(stopped_while_unknown())[1] == []
    looks, last = DoNotContact.look, DoNotContact.look_before_send
    monkeypatch.setattr(
        DoNotContact, "look", lambda *arguments: replace(looks(*arguments), forbidden=None)
    )
    monkeypatch.setattr(
        DoNotContact, "look_before_send", lambda *arguments: (None, last(*arguments)[1])
    )
    assert any("after the STOP" in violation for violation in run(stopped_while_unknown())[1])


def test_a_send_without_a_look_is_detected(monkeypatch):
    monkeypatch.setattr(DoNotContact, "look", lambda self, record: RegisterLook(None, ()))
    monkeypatch.setattr(DoNotContact, "look_before_send", lambda self, record: (None, record))
    assert any("without a look" in violation for violation in run(stopped_while_unknown())[1])


def test_a_start_after_a_doubt_is_detected(monkeypatch):
    """The machine's answer is none: a person has the conversation by then."""
    later = replace(TEXT, at=300.0, request_id="req1")
    story = schedule(starts=(TEXT, later), says=(Says(60.0, "sms", TEXT.recipient, 0, DOUBTS[0]),))
    assert run(story)[1] == []
    looks, last = DoNotContact.look, DoNotContact.look_before_send

    def careless(found):
        return None if found == MarkReason.DOUBT else found

    def careless_look(*arguments):
        found = looks(*arguments)
        return replace(found, forbidden=careless(found.forbidden))

    monkeypatch.setattr(DoNotContact, "look", careless_look)
    monkeypatch.setattr(
        DoNotContact,
        "look_before_send",
        lambda *arguments: (careless(last(*arguments)[0]), last(*arguments)[1]),
    )
    assert any("after the STOP" in violation for violation in run(story)[1])


def test_a_look_that_may_be_behind_is_detected(monkeypatch):
    """The mark was written a moment before; only a consistent read is sure to show it."""

    def behind(self, record):
        key = self.place(record.primary_channel, record.company_id).key
        row = self._table.get(key, consistent=False) or {}
        return "stop" if row.get("marks") else None

    # A person releases the opening a second after the STOP.
    story = schedule(
        starts=(TEXT,),
        held="auto_queue_initial_message",
        says=(Says(60.0, "sms", TEXT.recipient, 0, "STOP"),),
        approvals=(61.0,),
        lags=((0.0, 9_000.0, 10.0),),
    )
    assert run(story)[1] == []
    monkeypatch.setattr(
        DoNotContact, "look", lambda *arguments: RegisterLook(behind(*arguments), ())
    )
    monkeypatch.setattr(
        DoNotContact, "look_before_send", lambda *arguments: (behind(*arguments), arguments[1])
    )
    assert any("after the STOP" in violation for violation in run(story)[1])


def test_a_batch_statements_error_taken_for_success_is_detected():
    (careless,) = (
        broken for broken in BREAKS if broken.name == "statement's error taken for success"
    )
    with careless.applied():
        found = [
            violation
            for at in range(6)
            for violation in run(schedule(posts=DAMAGED, **FACTS, partials=(Partial(at, 0xFFFF),)))[
                1
            ]
        ]
    assert found


def test_a_reply_credited_with_another_ones_message_is_detected(monkeypatch):
    send = Richpanel.send_message
    given = []

    def credited(self, *what, **how):
        sent = send(self, *what, **how)
        given.append(sent)
        return given[0]

    later = Post(600.0, "s0", "c1", "the parcel arrived damaged", "id", is_copy=False)
    posts = (
        *DAMAGED,
        replace(later, wrote_at=600.0),
        replace(DAMAGED[0], conversation_id="s1", text="my parcel came damaged"),
    )
    monkeypatch.setattr(Richpanel, "send_message", credited)
    assert any(
        "which act:" in violation or "is the message of" in violation
        for violation in run(schedule(posts=posts))[1]
    )


def test_a_sweep_that_moves_nothing_is_detected(monkeypatch):
    lost = fault(Port.EFFECT, "never_lands_and_no_answer", 0)
    story = schedule(starts=(TEXT,), effect_faults=(lost,))
    monkeypatch.setattr(RowSweep, "run", lambda self: None)
    assert any("no sweep moves one" in violation for violation in run(story)[1])


# --- once holes, each by the schedule that showed it ------------------------------------------------


@each_row("at", range(12))
def test_a_response_that_pretends_leaves_both_replies_and_tags_as_they_are_recorded(at):
    """Two replies within two minutes; each response in turn pretends."""
    asked = Post(0.0, "s0", "c0", "where is my order?", "id", is_copy=False)
    again = replace(
        asked, comment_id="c1", text="where is my order #100234?", at=60.0, wrote_at=60.0
    )
    _, violations = run(schedule(posts=(asked, again), spoils=(Spoil(at, "usual", is_done=False),)))
    assert violations == []


def test_a_secret_deleted_for_good_delays_no_other_company():
    lost = tuple(fault(Port.EFFECT, "never_lands_and_no_answer", at) for at in range(2))
    story = schedule(starts=(TEXT, NEIGHBOUR), neighbour="secret", effect_faults=lost, ticks=TICKS)
    world, violations = run(story)
    assert violations == []
    assert world.happened["neighbour_judged"] == 1


def test_a_lost_message_is_found_in_a_list_without_comments():
    assert run(scenario(5_706))[1] == []


def test_a_mail_from_another_address_joins_its_conversations_group():
    world, violations = run(scenario(1_045))
    assert violations == []
    assert world.happened["mail_from_another_address"]
