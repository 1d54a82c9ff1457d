"""What reached Twilio and no door has kept is found in Twilio's list, once."""

import contextlib
import json
from datetime import timedelta
from urllib.parse import parse_qsl

import pytest

from chalicelib.clock import iso, parsed
from chalicelib.errors import UnavailableError
from chalicelib.outreach.hearing import lost_texts
from chalicelib.outreach.twilio import client as twilio_client
from chalicelib.outreach.twilio.door import PATIENCE_SECONDS
from local import company
from tests.rigs.outreach import TEL

OTHER_TEL = "+15550100002"
OTHER_ACCOUNT, OTHER_TOKEN = "AC" + "0" * 31 + "2", "another-token"
OTHER_NUMBER = "+15550109102"
CHANNELS = ["sms", "whatsapp"]
TEN_MINUTES = 600.0


@pytest.fixture
def queue_down(outreach, monkeypatch):
    """While it lasts the queue keeps nothing."""

    @contextlib.contextmanager
    def down():
        def refuses(*_, **__):
            raise UnavailableError("enqueue_failed")

        with monkeypatch.context() as patch:
            patch.setattr(outreach.services.outbox, "put", refuses)
            patch.setattr("chalicelib.outreach.twilio.door.PATIENCE_SECONDS", 0.0)
            yield

    return down


@pytest.fixture
def lose(outreach, queue_down):
    """A message that its door could not keep: its sender gets 503, and Twilio has given up."""

    def lost(text, *, channel="sms", from_=TEL, ago=TEN_MINUTES, **more):
        post = outreach.says(text, whatsapp=channel == "whatsapp", from_=from_, **more)
        with queue_down():
            assert outreach.deliver(post).status_code == 503
        outreach.twilio.age_received(ago, last=1)
        return post

    return lost


@pytest.fixture
def other_company(outreach, monkeypatch):
    """A second company with an account and a number of its own, and a conversation by SMS."""
    monkeypatch.setitem(outreach.twilio.accounts, OTHER_ACCOUNT, OTHER_TOKEN)
    secret_id = f"ai-multi-comms/sms-credentials/pear/jobs/twilio-{outreach.stage.name}"
    sms = {"company_sms_number": OTHER_NUMBER, "sms_credentials_id": secret_id}
    item = company.project(
        outreach.stage.name,
        company_id="ci-bbb-002",
        project_id="pi-bbb-001",
        channel_config={"sms": sms},
        allowed_channels=["sms"],
    )
    company.put_project(outreach.stage, item)
    put_credentials(outreach, secret_id, OTHER_TOKEN)
    keys = {company.COMPANY_ID: {"api_keys": [company.API_KEY]}, "ci-bbb-002": {"api_keys": ["k2"]}}
    company.put_secrets(
        outreach.stage, {f"rp-mw/{outreach.stage.name}/router/api_keys": json.dumps(keys)}
    )
    body = company.request(
        "req-b",
        "sms",
        OTHER_TEL,
        company_data={"company_id": "ci-bbb-002", "project_id": "pi-bbb-001"},
    )
    assert outreach.post(body, key="k2").status_code == 200
    outreach.run()
    return secret_id


def put_credentials(outreach, secret_id, token):
    value = {"twilio_account_sid": OTHER_ACCOUNT, "twilio_auth_token": token}
    company.put_secrets(outreach.stage, {secret_id: json.dumps(value)})


def other_says(outreach, text):
    """A text to the second company that its webhook never brought."""
    outreach.twilio.inbound(OTHER_TEL, OTHER_NUMBER, text, account=OTHER_ACCOUNT)
    outreach.twilio.age_received(TEN_MINUTES, last=1)


def open_conversation(outreach, request_id="req123", channel="sms", recipient=TEL):
    outreach.start(request_id, channel, recipient)
    outreach.run()


def heard(outreach, channel="sms", recipient=TEL):
    record = outreach.record(channel, recipient)
    return [text for role, text in outreach.history(record) if role == "user"]


def events(outreach, prefix="evt:reply:"):
    return [row for row in outreach.rows() if row["event_id"]["S"].startswith(prefix)]


def texts_problems(summary):
    return [problem for problem in summary["problems"] if problem.startswith("texts:")]


def sweep(outreach):
    found = outreach.sweep()
    outreach.run()
    return found


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_stop_sent_while_the_queue_was_down_is_found_and_heard(outreach, lose, channel):
    open_conversation(outreach, channel=channel)
    lose("STOP", channel=channel)
    assert not events(outreach), "nothing of it was kept"
    assert sweep(outreach)["texts_missing"] == 1
    assert outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)
    assert heard(outreach, channel) == ["STOP"]
    outreach.start("req124", channel, TEL)
    outreach.run()
    assert outreach.fate("req124").json_body["reason"] == "do_not_contact"
    assert len(outreach.twilio.sent_to(TEL)) == 1


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_text_found_by_the_sweep_and_sent_again_by_its_webhook_is_one_event(
    outreach, lose, channel
):
    open_conversation(outreach, channel=channel)
    post = lose("Tell me more", channel=channel)
    outreach.sweep()
    assert outreach.deliver(post).status_code == 200
    outreach.run()
    assert outreach.deliver(post).status_code == 200
    outreach.run()
    sid = dict(parse_qsl(post.body.decode()))["MessageSid"]
    assert [row["event_id"]["S"] for row in events(outreach)] == [f"evt:reply:{channel}:{sid}"]
    assert heard(outreach, channel) == ["Tell me more"]
    assert len(outreach.twilio.sent_to(TEL)) == 2


def test_a_text_that_waits_on_the_queue_is_answered_once(outreach):
    open_conversation(outreach)
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.twilio.age_received(TEN_MINUTES)
    for _ in range(3):
        outreach.sweep()
    outreach.run()
    assert heard(outreach) == ["Tell me more"]
    assert len(outreach.twilio.sent_to(TEL)) == 2


def test_a_text_is_queued_by_one_sweep_and_by_no_later_one(outreach, lose):
    open_conversation(outreach)
    lose("Tell me more")
    assert [outreach.sweep()["texts_missing"] for _ in range(3)] == [1, 0, 0]


def test_a_processed_text_is_not_missing(outreach):
    open_conversation(outreach)
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.run()
    outreach.twilio.age_received(TEN_MINUTES)
    summary = sweep(outreach)
    assert (summary["texts"], summary["texts_missing"]) == (1, 0)
    assert len(outreach.twilio.sent_to(TEL)) == 2


def test_a_text_of_this_moment_is_left_to_its_webhook(outreach, lose):
    open_conversation(outreach)
    lose("Tell me more", ago=0.0)
    assert sweep(outreach)["texts_missing"] == 0
    outreach.twilio.age_received(TEN_MINUTES)
    assert sweep(outreach)["texts_missing"] == 1


def test_texts_on_many_pages_are_found_in_the_order_in_which_they_came(outreach, lose):
    open_conversation(outreach)
    outreach.twilio.modes.page_size = 2
    texts = [f"text {n}" for n in range(7)]
    for n, text in enumerate(texts):
        lose(text, ago=TEN_MINUTES - n)
    assert sweep(outreach)["texts_missing"] == len(texts)
    assert heard(outreach) == texts


def test_a_list_that_breaks_off_is_handled_as_far_as_it_was_read_and_read_again(
    outreach, lose, monkeypatch
):
    open_conversation(outreach)
    outreach.twilio.modes.page_size = 1
    for n, text in enumerate(["first", "second", "third"]):
        lose(text, ago=TEN_MINUTES - n)
    with monkeypatch.context() as patch:
        patch.setattr(twilio_client, "MAX_INBOUND_PAGES", 2)
        summary = sweep(outreach)
    assert "texts:twilio_too_many_pages" in texts_problems(summary)
    assert heard(outreach) == ["second", "third"]
    assert sweep(outreach)["texts_missing"] == 1
    assert heard(outreach) == ["second", "third", "first"]


def test_a_text_that_is_listed_late_is_found(outreach, lose):
    """Twilio shows it after a newer one was handled already."""
    open_conversation(outreach)
    open_conversation(outreach, "req124", recipient=OTHER_TEL)
    lose("the newer one", from_=OTHER_TEL)
    assert sweep(outreach)["texts_missing"] == 1
    lose("listed late", ago=TEN_MINUTES + lost_texts.OVERLAP.total_seconds() / 2)
    assert sweep(outreach)["texts_missing"] == 1
    assert heard(outreach) == ["listed late"]


def test_a_look_goes_back_to_the_last_one_and_no_farther(outreach, lose):
    """The list grows for ever; what an earlier look has handled is not read again."""
    open_conversation(outreach)
    for n in range(5):
        lose(f"old {n}", ago=7200.0 - n)
    assert sweep(outreach)["texts"] == 5
    lose("new")
    assert sweep(outreach)["texts"] == 6, "back to the newest one handled, with the overlap"
    assert sweep(outreach)["texts"] == 1


def test_one_account_whose_credentials_are_broken_does_not_stop_another(
    outreach, lose, other_company
):
    open_conversation(outreach)
    put_credentials(outreach, other_company, "a-revoked-token")
    outreach.new_container()
    other_says(outreach, "STOP")
    lose("STOP")
    summary = sweep(outreach)
    assert summary["texts_missing"] == 1
    assert len(texts_problems(summary)) == 1
    assert outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)
    assert not outreach.services.outreach.conversations.is_forbidden(OTHER_TEL, "ci-bbb-002")
    put_credentials(outreach, other_company, OTHER_TOKEN)
    outreach.new_container()
    assert sweep(outreach)["texts_missing"] == 1
    assert outreach.services.outreach.conversations.is_forbidden(OTHER_TEL, "ci-bbb-002")


def test_one_account_whose_secret_is_gone_does_not_stop_another(outreach, lose, other_company):
    open_conversation(outreach)
    client = outreach.stage.aws.client("secretsmanager")
    client.delete_secret(SecretId=other_company, ForceDeleteWithoutRecovery=True)
    outreach.new_container()
    lose("STOP")
    summary = sweep(outreach)
    assert summary["texts_missing"] == 1
    assert texts_problems(summary) == ["texts:secret_missing"]


@pytest.mark.parametrize("settings", ["text", {"sms": "text"}, {"sms": {}}, None])
def test_settings_that_are_none_stop_nobody_elses(outreach, lose, settings):
    open_conversation(outreach)
    item = company.project(outreach.stage.name, company_id="ci-aaa-000", channel_config=settings)
    company.put_rows(outreach.stage, [item])
    lose("STOP")
    assert sweep(outreach)["texts_missing"] == 1


def test_a_rate_limit_of_one_account_delays_its_texts_and_loses_none(outreach, lose):
    open_conversation(outreach)
    lose("Tell me more")
    outreach.twilio.fault("status", operation="list_messages", status=429, times=2)
    assert texts_problems(sweep(outreach)) != []
    outreach.new_container()
    assert sweep(outreach)["texts_missing"] == 1


def test_a_queue_that_is_still_down_leaves_the_position_where_it_was(outreach, lose, queue_down):
    open_conversation(outreach)
    lose("STOP")
    with queue_down():
        assert texts_problems(outreach.sweep()) == ["texts:enqueue_failed"]
    assert outreach.record("sms").message_count == 2, "the prompt and the opening"
    assert sweep(outreach)["texts_missing"] == 1
    assert outreach.record("sms").message_count == 3
    assert outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)


def test_a_row_at_the_door_that_was_never_queued_is_found_by_the_list(outreach, lose, monkeypatch):
    monkeypatch.setenv("INGRESS_LEDGER", "true")
    outreach.new_container()
    open_conversation(outreach)
    lose("STOP")
    (row,) = events(outreach)
    assert row["status"]["S"] == "received"
    assert sweep(outreach)["texts_missing"] == 1
    assert outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)


def test_a_dry_run_counts_and_writes_nothing(outreach, lose):
    open_conversation(outreach)
    lose("STOP")
    before = outreach.rows()
    found = outreach.services.reconciler.sweep(time_left_seconds=lambda: 240.0, dry_run=True)
    assert found.texts_missing == 1
    assert outreach.rows() == before
    assert outreach.run() == []


def test_a_text_to_an_account_that_serves_others_too_is_not_ours(outreach):
    """Nothing of it is stored or queued: its sender has no conversation with the company."""
    open_conversation(outreach)
    outreach.twilio.inbound(OTHER_TEL, company.SMS_NUMBER, "for another application")
    outreach.twilio.age_received(TEN_MINUTES)
    summary = outreach.sweep()
    assert (summary["texts"], summary["texts_missing"]) == (1, 0)
    assert outreach.run() == []
    assert not events(outreach)


def test_a_start_word_found_late_lifts_no_later_stop(outreach, lose):
    open_conversation(outreach)
    lose("START", ago=2 * TEN_MINUTES)
    outreach.deliver(outreach.says("STOP", whatsapp=False))
    outreach.run()
    assert sweep(outreach)["texts_missing"] == 1
    assert outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)


def test_a_start_word_after_the_stop_lifts_it_when_both_were_lost(outreach, lose):
    open_conversation(outreach)
    lose("STOP", ago=2 * TEN_MINUTES)
    lose("START")
    assert sweep(outreach)["texts_missing"] == 2
    assert not outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)


def test_a_text_found_late_does_not_shorten_the_window_that_a_newer_one_opened(outreach, lose):
    open_conversation(outreach, channel="whatsapp")
    lose("the older one", channel="whatsapp", ago=7200.0)
    outreach.deliver(outreach.says("the newer one"))
    outreach.run()
    opened = outreach.record().last_inbound_at
    sweep(outreach)
    assert heard(outreach, "whatsapp") == ["the newer one", "the older one"]
    assert outreach.record().last_inbound_at == opened


def test_a_text_found_late_keeps_the_time_at_which_it_came(outreach, lose):
    open_conversation(outreach)
    lose("Tell me more", ago=7200.0)
    sweep(outreach)
    (row,) = events(outreach)
    now = outreach.services.clock.now()
    age = now - parsed(row["received_at"]["S"])
    assert timedelta(hours=1, minutes=59) < age < timedelta(hours=2, minutes=1)


def test_a_short_time_serves_every_inbox_in_turn(outreach, lose, other_company, monkeypatch):
    """A run whose time ends after one list goes on with another list next time."""
    open_conversation(outreach)
    lose("STOP")
    other_says(outreach, "STOP")
    looked = []
    twilio = outreach.services.outreach_work.texts._twilio
    received_at = twilio.list_received

    def listing(secret_id, to):
        looked.append(to)
        return received_at(secret_id, to)

    monkeypatch.setattr(twilio, "list_received", listing)

    for _ in range(3):
        before = len(looked)
        outreach.services.reconciler.sweep(
            # The part may use half of the 200 s, and its first look takes longer.
            time_left_seconds=lambda before=before: 200.0 if len(looked) == before else 90.0
        )
        assert len(looked) == before + 1
    assert len(set(looked)) == 3, "both of the first company's numbers, and the other's"


def test_the_position_of_a_list_names_no_number(outreach, lose):
    open_conversation(outreach)
    lose("Tell me more")
    sweep(outreach)
    positions = events(outreach, "sweep:position:")
    assert len(positions) == 3, "two numbers, and the switches' history"
    shown = json.dumps(positions)
    assert company.SMS_NUMBER[1:] not in shown
    assert company.WHATSAPP_NUMBER[1:] not in shown


def test_a_list_that_showed_nothing_is_looked_at_again_from_where_its_first_look_began(
    outreach, lose
):
    """Or a text that came while no sweep ran for more than a day would not be found."""
    open_conversation(outreach)
    assert sweep(outreach)["texts"] == 0
    lose("Tell me more", ago=24.5 * 3600)
    assert sweep(outreach)["texts_missing"] == 1


def test_a_list_is_looked_at_again_within_the_life_of_its_rows_only(outreach, lose):
    """A message whose row has expired is not taken for a new one."""
    open_conversation(outreach)
    week = lost_texts.LONGEST_LOOK_BACK.total_seconds()
    lose("from another time", ago=week + 60)
    since = outreach.services.clock.now() - timedelta(days=30)
    sweeps = outreach.services.sweeps
    for row in events(outreach, "sweep:position:"):
        name = row["event_id"]["S"].removeprefix("sweep:position:")
        sweeps.save_position(name, since)
    assert sweep(outreach)["texts_missing"] == 0
    assert iso(since) < iso(outreach.services.clock.now())


@pytest.mark.parametrize("kind", ["message", "status"])
def test_the_door_waits_for_a_queue_that_is_away_for_a_moment(outreach, monkeypatch, kind):
    open_conversation(outreach)
    post = outreach.says("STOP", whatsapp=False)
    if kind == "status":
        post = outreach.twilio.callbacks()[0]
    outbox, tries = outreach.services.outbox, []
    put = outbox.put

    def refuses_twice(*args, **more):
        tries.append(1)
        if len(tries) < 3:
            raise UnavailableError("enqueue_failed")
        return put(*args, **more)

    monkeypatch.setattr(outbox, "put", refuses_twice)
    assert outreach.deliver(post).status_code == 200
    assert len(tries) == 3
    assert PATIENCE_SECONDS > 0
