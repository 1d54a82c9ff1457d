"""The Desk API: who may ask, what is refused, and what is never shown."""

import unicodedata

import pytest

from chalicelib.errors import TransientError, UnavailableError
from chalicelib.outreach.door.access import DeskRole, parse_access
from tests.rigs.desk import AGENT, LEAD, OTHER_AGENT, OTHERS, TEL
from tests.rigs.names import NAMES, NO_NAMES


def reply(desk, record, **more):
    version = desk.get(record).body["version"]
    return {"act": "reply", "by": "sam", "version": version, "text": "It is me, Sam.", **more}


def test_a_hand_off_is_listed_read_and_answered(desk):
    record = desk.handed_off()
    listed = desk.listed().body
    (entry,) = listed["conversations"]
    assert (entry["id"], entry["state"], listed["after"]) == (record.opaque_id, "waiting", None)
    assert TEL not in str(listed)
    shown = desk.get(record).body
    assert (shown["recipient"], shown["messages"][0]["text"]) == (TEL, "Can I talk to a human?")
    first, again = (desk.post(record, **reply(desk, record)) for _ in range(2))
    assert (first.status, first.body["repeated"]) == (200, False)
    assert (again.status, again.body["repeated"]) == (200, True)
    assert first.headers["Cache-Control"] == "no-store"
    desk.work()
    assert desk.sent() == ["It is me, Sam."]


def test_an_agent_of_one_company_gets_404_for_the_others_conversation(desk):
    record = desk.handed_off()
    body = reply(desk, record)
    nothing = desk.handed_off("req2", company_id=OTHERS, tel="+15550100002")
    for answer in (desk.get(record, key=OTHER_AGENT), desk.post(record, key=OTHER_AGENT, **body)):
        assert (answer.status, answer.body["code"]) == (404, "CONVERSATION_NOT_FOUND")
        assert record.opaque_id not in str(answer.body)
    (entry,) = desk.listed(key=OTHER_AGENT).body["conversations"]
    assert entry["id"] == nothing.opaque_id
    desk.work()
    assert desk.sent() == []


@pytest.mark.parametrize("key", ["", "router-key", "wrong", f"{AGENT},{LEAD}"])
def test_only_a_desk_key_opens_the_desk(desk, key):
    """The Router's key starts conversations, and reads none."""
    record = desk.handed_off()
    for answer in (desk.listed(key=key), desk.get(record, key=key), desk.post(record, key=key)):
        assert (answer.status, answer.body["code"]) == (401, "UNAUTHORIZED")


def test_an_agent_acts_on_what_is_free_and_a_lead_on_everybodys(desk):
    record = desk.handed_off()
    desk.act("take", record, "kim")
    refused = desk.post(record, **reply(desk, record))
    assert (refused.status, refused.body["code"]) == (409, "HELD_BY_ANOTHER")
    assert desk.post(record, key=LEAD, idempotency="k-2", **reply(desk, record)).status == 200


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"act": "sing"}, "INVALID_ACT"),
        ({"act": ["reply"]}, "INVALID_ACT"),
        ({"by": " "}, "INVALID_BY"),
        ({"by": "s" * 255}, "INVALID_BY"),
        ({"version": "newest"}, "INVALID_VERSION"),
        ({"text": ""}, "INVALID_TEXT"),
        ({"text": 7}, "INVALID_TEXT"),
        ({"text": "x" * 20_001}, "INVALID_TEXT"),
        ({"text": "x" * 1_601}, "INVALID_TEXT"),
        ({"text": "\ud800"}, "INVALID_TEXT"),
        ({"subject": "a\nBcc: eve@example.com"}, "INVALID_SUBJECT"),
        ({"subject": "ok\u202ebad"}, "INVALID_SUBJECT"),
        ({"reason": "none of reply's"}, "UNKNOWN_FIELD"),
        ({"version": "0" * 16}, "VERSION_CHANGED"),
    ],
)
def test_a_wrong_field_is_named_and_its_value_is_not(desk, changes, code):
    record = desk.handed_off()
    answer = desk.post(record, **reply(desk, record, **changes))
    assert (answer.status, answer.body["code"]) == (409 if "CHANGED" in code else 400, code)
    assert "It is me" not in str(answer.body)
    desk.work()
    assert (desk.sent(), desk.state(record)) == ([], "waiting")


@pytest.mark.parametrize(
    ("field", "shown"),
    [
        ("colour", "field colour is none of reply"),
        ("jo@example.com", "field (name not shown) is none of reply"),
        ("x" * 65, "field (name not shown) is none of reply"),
    ],
)
def test_a_field_that_no_act_has_is_named_as_far_as_it_is_a_name(desk, field, shown):
    record = desk.handed_off()
    answer = desk.post(record, **reply(desk, record, **{field: "bright red"}))
    assert (answer.body["code"], answer.status) == ("UNKNOWN_FIELD", 400)
    assert shown in answer.body["message"]
    assert "bright red" not in str(answer.body)
    assert "jo@" not in str(answer.body)


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("name", NAMES)
def test_a_person_acts_under_the_name_they_have(desk, name, form):
    """However their keyboard composes it, it is one person: in the list, the journal and the message."""
    record, given = desk.handed_off(), unicodedata.normalize(form, name)
    desk.act("take", record, name)
    asked = desk.post(record, **reply(desk, record, by=given))
    again = desk.post(record, **reply(desk, record, by=name))
    assert (asked.status, again.body["repeated"]) == (200, True)
    desk.work()
    (entry,) = desk.listed(taken_by=given).body["conversations"]
    assert entry["taken_by"] == name
    assert desk.get(record).body["messages"][-1]["by"] == name
    assert [entry["actor"] for entry in desk.journal.story(record.opaque_id)][-1].endswith(
        f"/{name}"
    )
    moved = reply(desk, record, act="transfer", by=given, to=given)
    del moved["text"]
    assert desk.post(record, idempotency="k-2", **moved).status == 200
    assert desk.conversations.reread(record).handoff["taken_by"] == name


@pytest.mark.parametrize("name", NO_NAMES)
@pytest.mark.parametrize("field", ["by", "to"])
def test_what_no_person_is_called_is_refused_by_its_field_alone(desk, field, name):
    record = desk.handed_off()
    body = {**reply(desk, record, act="transfer", to="kim"), field: name}
    del body["text"]
    answer = desk.post(record, **body)
    assert (answer.status, answer.body["code"]) == (400, f"INVALID_{field.upper()}")
    assert answer.body["message"] == f"field {field} names no person of the team"


@pytest.mark.parametrize("key", ["", " ", "a b", "k" * 129, "é"])
def test_an_act_needs_an_idempotency_key(desk, key):
    record = desk.handed_off()
    answer = desk.post(record, idempotency=key, **reply(desk, record))
    assert (answer.status, answer.body["code"]) == (400, "INVALID_IDEMPOTENCY_KEY")


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"state": "asleep"}, "INVALID_STATE"),
        ({"channel": "pigeon"}, "INVALID_CHANNEL"),
        ({"limit": "0"}, "INVALID_LIMIT"),
        ({"limit": "-1"}, "INVALID_LIMIT"),
        ({"after": "yesterday"}, "INVALID_AFTER"),
        ({"project": "p" * 301}, "INVALID_PROJECT"),
        ({"taken_by": "s" * 255}, "INVALID_TAKEN_BY"),
        ({"after": f"0~yesterday~{'a' * 32}"}, "INVALID_AFTER"),
        ({"after": "0~2026-11-20T09:00:00.000Z~another"}, "INVALID_AFTER"),
        ({"sort": "name"}, "UNKNOWN_PARAMETER"),
    ],
)
def test_a_wrong_parameter_of_the_list_is_named(desk, query, code):
    answer = desk.listed(**query)
    assert (answer.status, answer.body["code"]) == (400, code)


@pytest.mark.parametrize("given", [[""], ["waiting", "taken"], ["", "waiting"]], ids=str)
@pytest.mark.parametrize(
    "name", ["state", "project", "channel", "taken_by", "limit", "after", "sort"]
)
def test_a_parameter_of_the_list_that_is_empty_or_given_twice_is_named(desk, name, given):
    desk.handed_off()
    answer = desk.listed(**{name: given})
    code = "UNKNOWN_PARAMETER" if name == "sort" else f"INVALID_{name.upper()}"
    assert (answer.status, answer.body["code"]) == (400, code)


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (UnavailableError("enqueue_failed"), 503, "QUEUE_ERROR"),
        (TransientError("dynamodb", "get_item", reason="outage"), 503, "DATABASE_ERROR"),
        (UnavailableError("secret_unreadable"), 500, "INTERNAL_ERROR"),
    ],
)
def test_what_is_our_fault_is_a_5xx_and_may_be_asked_again(desk, monkeypatch, error, status, code):
    record = desk.handed_off()
    body = reply(desk, record)
    with monkeypatch.context() as patch:

        def fails(*_args, **_more):
            raise error

        patch.setattr(type(desk.inbox), "_queue", fails)
        answer = desk.post(record, **body)
        assert (answer.status, answer.body["code"]) == (status, code)
    assert desk.post(record, **body).body["repeated"] is True
    desk.work()
    assert desk.sent() == ["It is me, Sam."]


def test_desk_keys_are_read_by_role_and_grant_nothing_else():
    text = """{"a": {"api_keys": ["r"], "desk_keys": {"agent": ["x"], "lead": ["y"], "king": ["z"]}},
               "b": {"desk_keys": ["x"]}, "c": ["k"]}"""
    found = parse_access(text)
    assert found["a"].desk_keys == (("x", DeskRole.AGENT), ("y", DeskRole.LEAD))
    assert (found["a"].api_keys, found["a"].faults) == (("r",), ())
    assert (found["b"].desk_keys, found["c"].desk_keys) == ((), ())
