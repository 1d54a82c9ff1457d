"""The Router's question is answered as a start would end, and nothing is written."""

import json
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from local import company
from tests.rigs.memory_stage import ON_ENGINE

FLORIDA, MAIL = "+13055550100", "someone@mail.example"
NOON, NIGHT = "2026-11-25T12:00:00-05:00", "2026-11-25T23:30:00-05:00"
MORNING = "2026-11-26T13:00:00.000Z"
YES = {"allowed": True, "why": [], "rules": [], "next_at": None}


@pytest.fixture
def ask(outreach):
    """A question about a text to Florida at noon, to a project that keeps the rules."""
    outreach.set_project(jurisdictions={"enforced": True})

    def asks(channel="sms", recipient=FLORIDA, at=NOON, **changes):
        return outreach.may_send(channel, recipient, at=at, **changes)

    return asks


def answered(answer):
    assert answer.status_code == 200, answer.json_body
    return answer.json_body


@ON_ENGINE
def test_by_day_it_is_allowed(ask):
    assert answered(ask()) == YES


def test_at_night_it_is_allowed_from_the_morning_on(ask):
    assert answered(ask(at=NIGHT)) == {
        "allowed": False,
        "why": ["calling_hours"],
        "rules": ["us-federal:calling-hours", "us-fl:calling-hours"],
        "next_at": MORNING,
    }
    assert answered(ask(at=MORNING)) == YES


def test_what_concerns_an_order_is_allowed_at_night(ask):
    assert answered(ask(at=NIGHT, purpose="transactional")) == YES


def test_it_asks_about_now_where_no_time_is_given(outreach, ask):
    now = datetime.now(UTC)
    found = answered(ask(at=None))
    assert found["allowed"] == answered(ask(at=now.isoformat()))["allowed"]


def test_quiet_hours_and_the_rules_are_waited_out_together(outreach, ask):
    quiet = {"from": "20:00", "until": "10:30", "zone": "America/New_York"}
    outreach.set_project(jurisdictions={"enforced": True}, quiet_hours=quiet)
    found = answered(ask(at=NIGHT))
    assert found["why"] == ["calling_hours", "quiet_hours"]
    assert found["next_at"] == "2026-11-26T15:30:00.000Z"


def test_rules_that_are_off_refuse_nothing(outreach, ask):
    outreach.set_project()
    assert answered(ask(at=NIGHT)) == YES


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"project_status": "paused"}, "project_inactive"),
        ({"allowed_channels": ["email"]}, "channel_not_allowed"),
        ({"channel_config": {}}, "no_sender"),
        ({"require_consent": False}, "consent_missing"),
    ],
)
def test_what_is_set_for_the_project_is_named_and_no_time_heals_it(outreach, ask, changes, why):
    outreach.set_project(jurisdictions={"enforced": True}, **changes)
    found = answered(ask(at=NIGHT))
    assert found["why"][0] == why
    assert "calling_hours" in found["why"]
    assert found["next_at"] is None


def test_a_consent_of_an_earlier_start_counts_for_its_channel_alone(outreach, ask):
    outreach.set_project(message_kind="marketing")
    outreach.start("req-1", "sms", FLORIDA)
    outreach.run()
    outreach.set_project(jurisdictions={"enforced": True}, require_consent=False)
    assert answered(ask()) == YES
    assert "consent_missing" in answered(ask("whatsapp"))["why"]


def test_the_register_is_asked(outreach, ask):
    outreach.start("req-1", "sms", FLORIDA)
    outreach.run()
    outreach.deliver(outreach.says("STOP", whatsapp=False, from_=FLORIDA))
    found = answered(ask())
    assert (found["why"], found["next_at"]) == (["do_not_contact"], None)


@pytest.mark.parametrize(
    ("switch", "why"),
    [("kill_switch", "kill_switch"), ("shadow_mode", "shadow"), ("safe_mode", "safe_mode")],
)
def test_a_switch_is_named(outreach, ask, switch, why, stage):
    stage.aws.client("ssm").put_parameter(
        Name=f"/rp-mw/{stage.name}/{switch}", Value="true", Type="String", Overwrite=True
    )
    outreach.new_container()
    assert answered(ask())["why"] == [why]


def test_an_e_mails_place_is_its_recipients_number_or_the_projects(outreach, ask):
    """Canada wants a postal address; the United Kingdom does not."""
    bare = {"company_address": None, "jurisdictions": {"enforced": True, "region": "ca"}}
    outreach.set_project(**bare)
    assert answered(ask("email", MAIL))["rules"] == ["ca:words"]
    assert answered(ask("email", MAIL, recipient_tel="+447911123456")) == YES
    outreach.set_project(company_address=None, jurisdictions={"enforced": True})
    unknown = answered(ask("email", MAIL))
    assert {"ca:words", "mx:words", "us-federal:mail-words"} <= set(unknown["rules"])


def test_the_fourth_message_of_a_day_is_allowed_when_the_first_is_a_day_old(outreach, ask):
    first = datetime.now(UTC)
    outreach.set_project(jurisdictions={"enforced": False})
    for number in range(3):
        outreach.start(f"req-{number}", "sms", FLORIDA, project_data={"n": number})
    outreach.run()
    outreach.set_project(jurisdictions={"enforced": True})
    here = datetime.now(ZoneInfo("America/New_York"))
    noon = here.replace(hour=12, minute=0)
    found = answered(ask(at=(noon if noon > here else noon + timedelta(days=1)).isoformat()))
    assert found["why"] == ["frequency_cap"]
    assert datetime.fromisoformat(found["next_at"]) >= first + timedelta(hours=24)


def test_it_stores_and_sends_nothing(outreach, ask):
    before = [outreach.rows(table) for table in outreach.stage.tables]
    for at in (NOON, NIGHT):
        assert ask(at=at).status_code == 200
    assert ask(recipient="x").status_code == 400
    assert [outreach.rows(table) for table in outreach.stage.tables] == before
    assert not outreach.run()
    assert not outreach.twilio.messages


def test_another_companys_key_and_none_are_refused(ask):
    assert ask(key="wrong").json_body["error_code"] == "UNAUTHORIZED"
    assert ask(key="").status_code == 401


def test_a_company_that_signs_its_starts_signs_its_questions(outreach, ask, stage):
    keys = {
        company.COMPANY_ID: {
            "api_keys": [company.API_KEY],
            "signing_secrets": ["whsec_" + "QUFB" * 11],
        }
    }
    name = f"rp-mw/{stage.name}/router/api_keys"
    company.put_secrets(stage, {name: json.dumps(keys)})
    outreach.new_container()
    assert ask().json_body["error_code"] == "INVALID_SIGNATURE"


@pytest.mark.parametrize(
    "project_id", ["a#b", "x" * 257, "\ud800", "line\nbreak"], ids=["hash", "long", "half", "line"]
)
def test_an_id_that_is_none_is_refused_before_the_table_is_read(ask, project_id):
    found = ask(project_id=project_id)
    assert (found.status_code, found.json_body["error_code"]) == (400, "INVALID_REQUEST")
    assert "project_id" in found.json_body["message"]
