"""A company's endpoint: set, tried, paused, its secret rotated, its events shown, to its own people."""

import json
import re

import pytest

from chalicelib.outreach.company_events.endpoint import secret_id
from console import deployed
from console.rights import Person, Role
from local import company
from ops.session import Session
from tests.rigs import console as rig
from tests.rigs.company_endpoint import SECRETS, consumer
from tests.rigs.console import Console, fields, words_of
from tests.rigs.one_case import one_case

OURS, PROJECT, OTHERS = company.COMPANY_ID, company.PROJECT_ID, "ci-bbb-001"
PATH = "/company/endpoint"
SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]{44}")


@pytest.fixture
def app_environment(app_environment):
    return {**app_environment, "COMPANY_WEBHOOKS_ON_LOOPBACK": "true"}


@pytest.fixture
def sealed(outreach):
    """The console of a stage with two companies, whose endpoints may be on this machine."""
    other = company.project("dev", company_id=OTHERS, channel_config={}, allowed_channels=[])
    company.put_project(outreach.stage, other)
    return Console(Session("dev"))


@pytest.fixture
def dev(sealed):
    return sealed.browser("dev")


def stored(console, company_id=OURS):
    name = secret_id("dev", company_id)
    text = console.session.client("secretsmanager").get_secret_value(SecretId=name)["SecretString"]
    return json.loads(text)["signing_secrets"]


def setting(console):
    table = console.services.table(console.services.settings.company_data_table)
    return table.get({"company_id": OURS, "project_id": PROJECT}).get("event_webhook")


def acts(console):
    found = console.services.journal.story(f"company:{OURS}")
    return [(entry["action_type"], entry["actor"]) for entry in found]


def form(browser, action, path=PATH, **more):
    """The form of the page that posts to an address, as a browser posts it."""
    page = browser.get(path).text
    (found,) = re.findall(rf'<form [^>]*action="{action}">.*?</form>', page, re.DOTALL)
    return dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', found)) | more


def test_an_endpoint_is_stored_and_shown(sealed, dev):
    given = {"url": "https://hooks.example.com/events", "include": "text"}
    answer = dev.post(PATH, form(dev, PATH, **given), follow_redirects=True)
    assert "The endpoint is stored" in words_of(answer)
    assert "https://hooks.example.com/events" in answer.text
    assert setting(sealed) == {"url": given["url"], "include": ["text"]}
    assert acts(sealed) == [("company put", "dev@example.com")]
    answer = dev.post(PATH, form(dev, PATH, url=""), follow_redirects=True)
    assert "The endpoint is removed" in words_of(answer)
    assert setting(sealed) is None


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://hooks.example.com/", "event_webhook.url is not https"),
        ("https://10.0.0.1/", "event_webhook.url is not on the public internet"),
        ("https://u:p@hooks.example.com/", "event_webhook.url holds credentials or a fragment"),
        ('"><script>alert(1)</script>', "event_webhook.url is not a URL"),
    ],
)
def test_a_bad_endpoint_is_refused_by_its_field_and_what_was_typed_is_kept(sealed, dev, url, said):
    answer = dev.post(PATH, form(dev, PATH, url=url))
    assert answer.status_code == 400
    assert f"Not stored: {said}." in words_of(answer)
    assert "<script>alert" not in answer.text
    assert setting(sealed) is None
    assert acts(sealed) == []


def test_a_secret_is_shown_once_and_two_are_valid_until_the_older_one_is_ended(sealed, dev):
    assert "There is none yet" in dev.text(PATH)
    (first,) = SECRET.findall(dev.post(f"{PATH}/secret", form(dev, f"{PATH}/secret")).text)
    assert "1 valid" in dev.text(PATH)
    given = form(dev, f"{PATH}/secret")
    answer = dev.post(f"{PATH}/secret", given)
    (second,) = SECRET.findall(answer.text)
    assert dev.post(f"{PATH}/secret", given).status_code in (404, 409), "a form makes one secret"
    assert stored(sealed) == [second, first]
    page = dev.get(PATH)
    assert "2 valid" in words_of(page)
    assert not SECRET.findall(page.text)
    assert f'action="{PATH}/secret"' not in page.text
    ended = form(dev, f"{PATH}/secret/end")
    assert dev.post(f"{PATH}/secret/end", ended).status_code == 400, "it has no reason"
    answer = dev.post(f"{PATH}/secret/end", {**ended, "reason": "done"}, follow_redirects=True)
    assert "The older secret has ended" in words_of(answer)
    assert stored(sealed) == [second]
    assert acts(sealed) == [("company event-secret", "dev@example.com")] * 3
    journal = str(list(sealed.services.journal.story(f"company:{OURS}")))
    assert not SECRET.findall(journal)


def test_a_test_event_is_signed_and_its_answer_is_shown(sealed, dev):
    (secret,) = SECRET.findall(dev.post(f"{PATH}/secret", form(dev, f"{PATH}/secret")).text)
    with consumer() as endpoint:
        endpoint.secret = secret
        dev.post(PATH, form(dev, PATH, url=endpoint.url))
        given = form(dev, f"{PATH}/test")
        answer = dev.post(f"{PATH}/test", given, follow_redirects=True)
        assert "endpoint.test: accepted 204" in words_of(answer)
        assert dev.post(f"{PATH}/test", given).status_code == 409
        endpoint.status = 500
        answer = dev.post(f"{PATH}/test", form(dev, f"{PATH}/test"), follow_redirects=True)
        assert "endpoint.test: refused 500" in words_of(answer)
    answer = dev.post(f"{PATH}/test", form(dev, f"{PATH}/test"), follow_redirects=True)
    assert "endpoint.test: no answer connect failed" in words_of(answer)
    assert (endpoint.forged, len(endpoint.attempts)) == (0, 2)
    assert [event["type"] for event in endpoint.received.values()] == ["endpoint.test"]


class TestAnEvent:
    """Of a conversation, with a recipient."""

    @pytest.fixture
    def posted(self, outreach):
        company.put_signing_secret(outreach.stage, SECRETS[0])
        with consumer() as endpoint:
            include = ["recipient"]
            outreach.set_project(event_webhook={"url": endpoint.url, "include": include})
            outreach.start(channel="sms")
            outreach.run()
            yield endpoint

    def test_it_is_listed_and_sent_again_under_its_id(self, sealed, outreach, dev, posted):
        record = outreach.record("sms")
        first = list(posted.received)
        assert posted.types[:2] == ["accepted", "sent"]
        page = dev.get(PATH)
        assert "conversation.accepted accepted 204" in words_of(page)
        assert first[0] in page.text
        again = fields(page, conversation=record.opaque_id)
        answer = dev.post(f"{PATH}/resend", again, follow_redirects=True)
        assert ": accepted 204" in words_of(answer)
        assert dev.post(f"{PATH}/resend", again).status_code == 409
        assert list(posted.received) == first
        assert len(posted.attempts) == len(first) + 1
        number = int(again["number"])
        assert posted.attempts[-1] == posted.attempts[number - 1], "the same id and body"
        assert ("company resend-event", "dev@example.com") in acts(sealed)

    @pytest.mark.usefixtures("posted")
    def test_its_body_shows_a_person_to_who_reads_conversations_alone(
        self, sealed, outreach, dev, monkeypatch
    ):
        record = outreach.record("sms")
        where = f"{PATH}/event?company={OURS}&conversation={record.opaque_id}&number=1"
        text = dev.text(where)
        assert '"type": "conversation.accepted"' in text
        assert record.primary_channel not in text
        lead = Person("le@example.com", frozenset({Role.LEAD}), *[frozenset({OURS})] * 3)
        monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, "le": lead})
        assert record.primary_channel in sealed.browser("le").text(where)
        looks = sealed.services.journal.story(record.opaque_id)
        assert [(look["action_type"], look["actor"]) for look in looks] == [
            ("event view", "le@example.com")
        ]
        assert dev.get(where.replace("number=1", "number=99")).status_code == 404
        assert dev.get(where.replace("number=1", "number=x")).status_code == 400


def test_it_is_paused_and_resumed_with_a_reason(sealed, dev):
    dev.post(PATH, form(dev, PATH, url="https://hooks.example.com/"))
    answer = dev.post(
        f"{PATH}/pause", form(dev, f"{PATH}/pause", reason="they move"), follow_redirects=True
    )
    assert "The endpoint is paused" in words_of(answer)
    assert "Paused since" in words_of(answer)
    answer = dev.post(
        f"{PATH}/resume", form(dev, f"{PATH}/resume", reason="moved"), follow_redirects=True
    )
    assert "The endpoint is resumed" in words_of(answer)
    assert "Paused since" not in dev.text(PATH)
    done = [name for name, _ in acts(sealed)]
    assert done == ["company put", "company pause-events", "company resume-events"]


POSTS = ("", "/secret", "/secret/end", "/test", "/resend", "/pause", "/resume")


@pytest.mark.parametrize("rest", POSTS)
def test_another_companys_endpoint_is_not_there(sealed, dev, rest):
    once = form(dev, f"{PATH}/secret")["once"]
    given = {"company": OTHERS, "project": PROJECT, "once": once, "reason": "x", "url": ""}
    given |= {"conversation": "0" * 32, "number": "1"}
    assert dev.post(f"{PATH}{rest}", given).status_code == 404
    assert dev.get(f"{PATH}?company={OTHERS}").status_code == 404
    assert dev.get(f"{PATH}/event?company={OTHERS}&conversation=x&number=1").status_code == 404
    assert OTHERS not in dev.get(f"{PATH}?company={OTHERS}").text
    assert list(sealed.services.journal.story(f"company:{OTHERS}")) == []


@pytest.mark.parametrize("who", ["ana", "vi", "jo"])
def test_who_is_neither_lead_nor_developer_sees_and_changes_nothing(sealed, who):
    browser = sealed.browser(who)
    assert browser.get(PATH, query_string={"company": OURS}).status_code == 403
    for rest in POSTS:
        assert browser.post(f"{PATH}{rest}", {"company": OURS}).status_code == 403
    assert acts(sealed) == []


def test_a_developers_first_page_is_the_companys(sealed, dev):
    answer = dev.get("/", follow_redirects=True)
    assert answer.request.path == PATH
    assert "Company" in words_of(answer)
    assert "Inbox" not in words_of(answer)


def test_who_builds_several_companies_chooses_one(sealed):
    text = sealed.browser("lea").get("/company").text
    assert f"company={OURS}" in text
    assert f"company={OTHERS}" in text


LEFT_OUT_OF_A_COMPANY = [name for name in deployed.LEFT_OUT if name.startswith("company_")]


@one_case("endpoint", LEFT_OUT_OF_A_COMPANY)
def test_what_the_deployed_console_lacks_is_refused_and_of_others_not_there(outreach, endpoint):
    del outreach  # requested for its stage
    console = Console(Session("dev"), left_out=deployed.LEFT_OUT)
    dev = console.browser("dev")
    (rule,) = console.app.url_map.iter_rules(endpoint)
    reads = "GET" in rule.methods
    for company_id, answered in (
        (OURS, 200 if reads else 403),
        (OTHERS, 404),
        ("ci-invented", 404),
    ):
        given = {"company": company_id, "project": PROJECT, "once": "a-form-of-theirs"}
        found = (
            dev.get(f"{rule.rule}?company={company_id}") if reads else dev.post(rule.rule, given)
        )
        assert found.status_code == answered, company_id
        assert ("Not in the deployed console" in found.text) == (company_id == OURS)
    assert acts(console) == []
