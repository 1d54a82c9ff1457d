"""A delivery that is answered with 2xx is in the ledger: as a fact, or with the reason why it is none."""

import itertools
import json
from dataclasses import dataclass, field
from datetime import timedelta

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from chalicelib.facts.door import AlowareDoor, HubSpotDoor
from chalicelib.facts.hubspot_webhook import signature_v3
from chalicelib.facts.keeper import FactRecorder
from chalicelib.facts.ledger import FactLedger
from chalicelib.once.intake import Intake
from chalicelib.once.keys import OpaqueIds
from chalicelib.wiring.jobs import decode
from local.vendors import aloware, hubspot
from tests.rigs.fakes import ManualClock, RecordingLog, RecordingOutbox
from tests.simulation.memory_table import MemoryTable

TOKEN = "aloware-token"
SECRET = "hubspot-secret"
URL = "https://example.com/webhook/hubspot"
CALL = {**aloware.body(id=719285063), "duration": 70}
EVENT = {**hubspot.event(objectId=901, objectTypeId="0-5")}
RECORD = {"objectId": 77, "event_key": "case_created", "createdate": "1763600000000"}


class NoRoster:
    def agents(self):
        return None


@dataclass
class Pipeline:
    """Both doors, a queue that holds each message, the worker's handler, and the ledger."""

    outbox: RecordingOutbox = field(default_factory=RecordingOutbox)
    clock: ManualClock = field(default_factory=ManualClock)
    log: RecordingLog = field(default_factory=RecordingLog)

    def __post_init__(self):
        ids = (f"d-{n}" for n in itertools.count(1))
        self._intake = Intake(
            outbox=self.outbox,
            opaque=lambda: OpaqueIds(b"k" * 32),
            clock=self.clock,
            log=self.log,
            new_id=lambda: next(ids),
        )
        self.table = MemoryTable("facts", ("event_id",))
        ledger = FactLedger(table=self.table, clock=self.clock, retention=timedelta(days=14))
        self._recorder = FactRecorder(store=ledger, roster=NoRoster(), log=self.log)

    def aloware(self, content):
        """The status of a delivery's answer, and the rows that it left."""
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        headers = {"authorization": f"Bearer {TOKEN}"}
        return self._kept(AlowareDoor(self._intake, lambda: [TOKEN]).receive(headers, raw))

    def hubspot(self, content):
        """The same of a batch or a record."""
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        stamp = str(int(self.clock.now().timestamp() * 1_000))
        headers = {
            "x-hubspot-signature-v3": signature_v3(SECRET, uri=URL, body=raw, stamp=stamp),
            "x-hubspot-request-timestamp": stamp,
        }
        return self._kept(
            HubSpotDoor(self._intake, lambda: [SECRET], URL).receive(headers, raw, URL)
        )

    def _kept(self, answer):
        before = set(self.table.rows)
        for body, _, _ in self.outbox.messages:
            self._recorder(decode(body))
        self.outbox.messages.clear()
        rows = [row for key, row in self.table.rows.items() if key not in before]
        for row in rows:
            assert row["status"] == "pending" or (row["status"] == "skipped" and row["reason"])
        return answer.status, rows


def delivery(**changes):
    return {"event": "OutboundPhoneCall-DispositionCompleted", "body": {**CALL, **changes}}


@pytest.mark.parametrize(
    ("content", "status", "kept"),
    [
        (delivery(), 200, 1),
        (delivery(id="x" * 65), 200, 1),
        (delivery(id=True), 200, 1),
        (delivery(id=-1), 200, 1),
        (delivery(id={"value": 7}), 200, 1),
        (b'{"event": "Call-Disposed", "body": {"id": 7.19285063e8}}', 200, 1),
        (b'{"event": "Call-Disposed", "body": {"id": NaN}}', 200, 1),
        ({"test_payload": True}, 200, 0),
        ({"test_payload": True, **delivery()}, 200, 1),
        ({"parsedBody": delivery()}, 200, 1),
        ({"parsedBody": "text"}, 200, 1),
        ({"event": "Call-Disposed", "body": "text"}, 400, 0),
        ({"event": "Call-Disposed", "body": json.dumps(CALL)}, 200, 1),
        ({"event": "Call-Disposed", "body": "{"}, 400, 0),
        ({"event": "Call-Disposed", "body": "{\ud800}"}, 400, 0),
        ({"event": "Call-Disposed", "body": [CALL, CALL]}, 400, 0),
        ({"parsedBody": [delivery()]}, 400, 0),
        ({"event": ["Call-Disposed"], "body": CALL}, 200, 1),
        ({"event": "Contact-Created", "body": {"id": 5}}, 200, 1),
        ({"event": "Call-Disposed", "body": {}}, 200, 1),
        ({"event": "Call-Disposed"}, 200, 1),
        (CALL, 200, 1),
        ({}, 200, 1),
        ([], 400, 0),
        (b"", 400, 0),
        (b"{", 400, 0),
        (b'{"id": 1' + b"0" * 5_000 + b"}", 400, 0),
    ],
)
def test_aloware_is_answered_2xx_for_what_is_kept_alone(content, status, kept):
    answered, rows = Pipeline().aloware(content)
    assert (answered, len(rows)) == (status, kept)


@pytest.mark.parametrize(
    ("content", "status", "kept"),
    [
        ([EVENT], 200, 1),
        ([EVENT, {**EVENT, "objectId": "x" * 65}, {**EVENT, "objectId": "y" * 65}], 200, 3),
        ([EVENT, 5, "five", None, [], {}], 200, 6),
        ([{**EVENT, "subscriptionType": value} for value in ("a b", "a/b", None)], 200, 3),
        ([{**EVENT, "objectTypeId": value} for value in ("0-5", "x/1", "x/2")], 200, 3),
        ([{**EVENT, "objectId": value} for value in (True, False, -1, {"a": 1}, [1])], 200, 5),
        (
            [
                {**EVENT, "subscriptionType": "contact.propertyChange", "propertyName": value}
                for value in ("lifecyclestage", "a b", "a c", None)
            ],
            200,
            4,
        ),
        (
            [
                {**EVENT, "subscriptionType": "contact.propertyChange", "occurredAt": value}
                for value in ("soon", "later", None, 1763600000, 1763600001000)
            ],
            200,
            5,
        ),
        (RECORD, 200, 1),
        ({**RECORD, "objectId": {}}, 200, 1),
        ({}, 200, 1),
        ([], 200, 0),
        (b"5", 400, 0),
        (b"{", 400, 0),
    ],
)
def test_hubspot_is_answered_2xx_for_what_is_kept_alone(content, status, kept):
    answered, rows = Pipeline().hubspot(content)
    assert (answered, len(rows)) == (status, kept)


def test_a_body_in_a_text_is_the_same_call():
    (row,) = Pipeline().aloware({**delivery(), "body": json.dumps(CALL)})[1]
    (plain,) = Pipeline().aloware(delivery())[1]
    assert row["event_id"] == plain["event_id"] == "ALOWARE:719285063"
    assert row["marks"] == ["body_as_text"]


def test_one_entry_without_its_list_is_that_entry():
    (row,) = Pipeline().hubspot(EVENT)[1]
    assert row["event_id"] == "HUBSPOT:0-5:901:object.creation:1763600000000"


def test_a_text_message_whose_text_is_an_object_is_a_text_message():
    bare = {**CALL, "type": 2, "body": '{"id": 5}'}
    (row,) = Pipeline().aloware(bare)[1]
    assert (row["event_id"], row["metric"]) == ("ALOWARE:719285063", "TEXTS")


def test_each_mark_is_counted_by_source():
    pipeline = Pipeline()
    pipeline.hubspot([{**EVENT, "objectId": value} for value in ("x/1", "x/2")])
    pipeline.aloware(delivery(id="x/1", duration="1:10"))
    counted = [metric for metric in pipeline.log.metrics if metric[0] == "mw.facts.marks"]
    assert sorted(counted, key=str) == [
        ("mw.facts.marks", 1, {"source": "ALOWARE", "mark": "duration_in_other_form"}),
        ("mw.facts.marks", 1, {"source": "ALOWARE", "mark": "id_hashed"}),
        ("mw.facts.marks", 2, {"source": "HUBSPOT", "mark": "id_hashed"}),
    ]


def test_two_workflows_of_one_object_without_a_time_are_two_facts():
    pipeline = Pipeline()
    timeless = {"objectId": 77, "event_key": "outbound_call"}
    assert [len(pipeline.hubspot({**timeless, "note": n})[1]) for n in (1, 2, 2)] == [1, 1, 0]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=80),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(), inner, max_size=2),
    max_leaves=4,
)


@given(name=st.sampled_from([*CALL, "uuid_v4", "communication", "created", "unheard_of"]), to=JSON)
def test_a_call_with_any_value_in_any_field_is_kept(name, to):
    status, rows = Pipeline().aloware(delivery(**{name: to}))
    assert (status, len(rows)) == (200, 1)


@given(name=st.sampled_from(["event", "body", "parsedBody", "test_payload", "unheard_of"]), to=JSON)
def test_an_envelope_with_any_value_in_any_field_is_kept(name, to):
    assume(not isinstance(to, str) or not to.lstrip().startswith("{"))
    status, rows = Pipeline().aloware({**delivery(), name: to})
    is_list = name in ("body", "parsedBody") and isinstance(to, list)
    is_text = name == "body" and isinstance(to, str)
    assert (status, len(rows)) == ((400, 0) if is_list or is_text else (200, 1))


@given(name=st.sampled_from([*EVENT, "propertyName", "propertyValue", "unheard_of"]), to=JSON)
def test_an_entry_with_any_value_in_any_field_is_kept_beside_the_others(name, to):
    others = [hubspot.event(objectId=10**9 + number) for number in range(2)]
    status, rows = Pipeline().hubspot([others[0], {**EVENT, name: to}, others[1]])
    assert (status, len(rows)) == (200, 3)


@given(name=st.sampled_from([*RECORD, "properties", "hs_timestamp", "hubspot_owner_id"]), to=JSON)
def test_a_record_with_any_value_in_any_field_is_kept(name, to):
    status, rows = Pipeline().hubspot({**RECORD, name: to})
    assert (status, len(rows)) == (200, 1)


@given(ids=st.lists(st.text(min_size=1, max_size=80) | st.integers(), unique_by=str, max_size=4))
def test_calls_of_different_ids_are_different_facts(ids):
    used = [id_ for id_ in ids if str(id_).strip() not in ("", "0", "-1")]
    pipeline = Pipeline()
    rows = [row for id_ in used for row in pipeline.aloware(delivery(id=id_))[1]]
    assert len(rows) == len({str(id_).strip() for id_ in used})
    assert {row["status"] for row in rows} <= {"pending"}
