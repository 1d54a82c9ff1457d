"""A company's pages in a real browser: by keys alone, without script, narrow and wide, light and dark."""

import pytest

from local import company
from ops.companies import register
from ops.session import Session
from tests.rigs.browser import NARROW, WIDE
from tests.rigs.company_endpoint import SECRETS, consumer
from tests.rigs.console import Console
from tests.rigs.outreach import TEL

pytestmark = pytest.mark.long  # browsers over what `test_company_pages` proves without one
OURS, PROJECT = company.COMPANY_ID, company.PROJECT_ID
PATHS = (
    *("/company/endpoint", "/company/keys", "/company/may-i-send", "/company/register"),
    "/company/usage",
)


@pytest.fixture
def app_environment(app_environment):
    return {**app_environment, "COMPANY_WEBHOOKS_ON_LOOPBACK": "true"}


@pytest.fixture
def endpoint(outreach):
    """A company's server that took the events of a conversation and refused those of a second one."""
    company.put_signing_secret(outreach.stage, SECRETS[0])
    with consumer() as running:
        outreach.set_project(event_webhook={"url": running.url, "include": ["recipient"]})
        outreach.start("one", "sms")
        outreach.run()
        running.status = 500
        outreach.start("two", "sms", "+15550100002")
        outreach.run()
        running.status = 204
        yield running


@pytest.fixture
def visit(endpoint, open_console):
    """Opens a page as the company's developer."""
    del endpoint
    console = Console(Session("dev"))
    register.add(console.session, OURS, TEL)
    day = f"{console.services.clock.now():%Y-%m-%d}"
    console.services.outreach.conversations_table.put(
        {
            "primary_channel": f"usage:{OURS}#{PROJECT}",
            "conversation_id": f"day#{day}",
            **dict.fromkeys(("input_tokens", "cached_tokens", "output_tokens"), 10),
            **dict.fromkeys(("microusd", "committed"), 500_000),
            "calls": 3,
        }
    )

    def opened(path="/company", **how):
        return open_console(console, "dev", path, **how)

    return opened


def main_text(page):
    return " ".join(page.locator("main").inner_text().split())


def test_by_keys_alone_an_endpoint_is_tried_and_an_event_sent_again(visit, endpoint):
    page = visit().page
    page.wait_for_url("**/company/endpoint**")
    page.get_by_role("button", name="Send a test event").focus()
    page.keyboard.press("Enter")
    page.get_by_text("endpoint.test: accepted 204").wait_for()
    before = len(endpoint.attempts)
    again = page.get_by_role("button", name="Send again conversation.accepted").first
    again.dblclick(no_wait_after=True)
    page.get_by_role("status").or_(
        page.get_by_role("heading", name="Somebody was faster")
    ).wait_for()
    assert len(endpoint.attempts) == before + 1
    assert endpoint.forged == 0


def test_without_script_a_secret_is_rotated_and_the_older_one_ended(visit):
    page = visit("/company/endpoint", java_script_enabled=False).page
    page.get_by_role("button", name="Rotate the secret").click()
    assert page.get_by_role("region", name="The secret").inner_text().startswith("whsec_")
    page.get_by_role("link", name="Done").click()
    page.get_by_text("End the older secret…").click()
    page.locator("form", has_text="refuses every event").get_by_label("Why").fill("they know it")
    page.get_by_role("button", name="End the older one").click()
    assert "1 valid" in main_text(page)
    assert "whsec_" not in page.content()


def test_without_script_a_list_is_judged_and_imported(visit):
    page = visit("/company/register", java_script_enabled=False).page
    page.get_by_label("Or paste it").fill("+15550100077\nnobody")
    page.get_by_role("button", name="Judge it").click()
    assert "2 address" in main_text(page)
    page.go_back()
    page.get_by_label("Or paste it").fill("+15550100077")
    page.get_by_role("button", name="Judge it").click()
    page.get_by_label("Why").fill("our old list")
    page.get_by_role("button", name="Import 1").click()
    assert "+15550100077" in main_text(page)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_of_a_company_violates_a_rule_of_accessibility_or_is_wider_than_a_phone(
    visit, scheme
):
    tab = visit(color_scheme=scheme)
    page = tab.page
    found = {}

    def judged(name):
        for details in page.locator("main details").all():
            details.evaluate("(node) => { node.open = true }")
        for size in (WIDE, NARROW):
            page.set_viewport_size(size)
            found[f"{name} {size['width']}"] = [*tab.violations(), *tab.small_targets()]
            assert not tab.is_wider_than_the_screen(), name

    for path in PATHS:
        page.goto(f"{tab.url}{path}")
        judged(path)
    page.goto(f"{tab.url}/company/endpoint")
    page.get_by_role("link", name="Body").first.click()
    judged("event")
    page.goto(f"{tab.url}/company/endpoint")
    page.get_by_label("URL").fill("http://hooks.example.com/" + "x" * 300)
    page.get_by_role("button", name="Store").click()
    judged("refused")
    page.goto(f"{tab.url}/company/keys")
    page.get_by_role("button", name="Make a key").last.click()
    judged("shown once")
    page.goto(f"{tab.url}/company/may-i-send")
    page.get_by_label("Recipient").fill(TEL)
    page.get_by_role("button", name="Ask").click()
    judged("answer")
    page.goto(f"{tab.url}/company/register")
    page.get_by_label("Or paste it").fill("nobody")
    page.get_by_role("button", name="Judge it").click()
    judged("import")
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert tab.faults == []
