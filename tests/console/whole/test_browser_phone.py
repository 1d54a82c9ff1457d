"""From a phone number to the sentence that says why: two clicks, in a real browser."""

from datetime import UTC, datetime, timedelta

import pytest

from ops.session import Session
from tests.rigs.console import Console
from tests.rigs.one_case import one_case
from tests.rigs.outreach import TEL

PASTED = "+1 (555) 010-0001"
CLICKS = 2
COUNTS = "addEventListener('click', e => { if (e.isTrusted) window.name = +window.name + 1 }, true)"
"""Counts a person's clicks across pages."""


@pytest.fixture
def aws(memory_aws):
    return memory_aws


def answered(outreach, start):
    start()
    outreach.deliver(outreach.says("Which days are free?", whatsapp=False))
    outreach.run()


def waits_for_its_hour(outreach, _):
    now = datetime.now(UTC)
    quiet = {
        "from": f"{now - timedelta(hours=2):%H:%M}",
        "until": f"{now + timedelta(hours=4):%H:%M}",
        "zone": "UTC",
    }
    outreach.set_project(quiet_hours=quiet)
    outreach.start(channel="sms")
    outreach.run()


def parked(outreach, _):
    outreach.twilio.fault("status", operation="create_message", status=503, times=1)
    outreach.start(channel="sms")
    outreach.run()


def vendor_out(outreach, _):
    outreach.twilio.down()
    try:
        outreach.start(channel="sms")
        outreach.run()
    finally:
        outreach.twilio.up()


def opted_out(outreach, _):
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("STOP", whatsapp=False))
    outreach.run()
    outreach.start("req124", channel="sms")
    outreach.run()


WHY = {
    answered: "Answered automatically: Twilio accepted it",
    waits_for_its_hour: "Not sent yet: the last attempt ended because it was night for the recipient",
    parked: "Not known whether it was sent",
    vendor_out: "Not sent yet: the last attempt ended because Twilio",
    opted_out: "Not answered automatically: the recipient asked to stop",
}


@one_case("state", WHY, ids=lambda state: state.__name__)
def test_a_phone_number_leads_to_why_in_two_clicks(outreach, model_start, open_console, state):
    state(outreach, model_start)
    page = open_console(Console(Session("dev")), "jo", "/incidents").page
    page.evaluate("() => { window.name = '0' }")
    page.context.add_init_script(COUNTS)
    page.reload()
    page.get_by_role("link", name="Find", exact=True).click()
    page.wait_for_url("**/find")
    page.locator("#q:focus").wait_for()  # by the page itself, as it is drawn
    page.keyboard.insert_text(PASTED)
    page.get_by_role("button", name="Find", exact=True).click()
    said = page.locator("main p.lead").first
    said.wait_for()
    assert said.is_visible()
    assert WHY[state] in said.inner_text()
    assert page.evaluate("() => window.name") == str(CLICKS)
    assert TEL not in page.url
