"""The console as a stack deploys it: an HTTP API before its function, whose packages are a layer.

What people do there is done by the deployed function, and the deployed workers carry it out.

Limits of the engine, so what this does not show: it speaks http, so what a gateway says of https is
said by the test, and the cookies' `Secure` is only looked at; it calls the function whatever the
throttle and the function's role are (`test_permissions` holds the role against every call); and no
message gets into a dead-letter queue after ten attempts within a test, so one is put there as SQS
would put it.
"""

from __future__ import annotations

import json
import re
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from urllib.parse import urlsplit

import pytest
import requests

from chalicelib.once.lanes import TICKETS
from local import company
from local.deploy import bundle, data, deployment, ways
from local.stack import environment, resources
from local.vendors.richpanel import SimulatedRichpanel
from local.vendors.twilio import SimulatedTwilio
from tests.rigs.console import fields, words_of
from tests.rigs.openid import CLIENT_ID

pytestmark = pytest.mark.deployed
STAGE = "dev"
GROUPS = json.dumps({"ops": ["operator"], "leads": [f"lead:{company.COMPANY_ID}"]})
SESSION = "__Host-console="
LANE_SECONDS = 120


class Site:
    """The deployed console and its stage: the console's address, and how to reach it."""

    def __init__(self, engine, api_id, provider, richpanel, twilio):
        self.host = f"{api_id}.execute-api.{urlsplit(engine.url).netloc}"
        self.url = f"https://{self.host}"
        self.provider, self.richpanel, self.twilio = provider, richpanel, twilio
        self._engine = engine
        self.deployed = None

    def ask(self, method, address, cookies=(), form=None):
        """Ask under the API's own name; the engine tells APIs apart by it."""
        parts = urlsplit(address)
        own = {"X-Forwarded-Proto": "https"}  # as API Gateway says
        if form is not None:
            own |= {"Origin": self.url, "Sec-Fetch-Site": "same-origin"}
        return requests.request(
            method,
            f"{self._engine.url}{parts.path}?{parts.query}",
            headers={"Host": self.host, "Cookie": "; ".join(cookies), **own},
            data=form,
            allow_redirects=False,
            timeout=60,
        )

    def signed_in(self, subject, *groups):
        """The browser of a person, after sign-in at the provider."""
        self.provider.add(subject, *groups)
        asked = self.ask("GET", "/")
        assert asked.status_code == 302, (asked.text, self.deployed.log_lines("console")[-3:])
        sent = self.ask("GET", asked.headers["location"])
        held = sent.headers["set-cookie"].partition(";")[0]
        back = self.provider.confirm(sent.headers["location"], subject)
        came = self.ask("GET", back, [held])
        assert (came.status_code, came.headers["location"]) == (302, "/")
        cookies = came.raw.headers.getlist("set-cookie")
        (session,) = [cooky for cooky in cookies if cooky.startswith(SESSION)]
        assert {"Secure", "HttpOnly", "SameSite=Lax"} <= {
            part.strip() for part in session.split(";")
        }
        return Browser(self, session.partition(";")[0])

    def webhook(self, ticket, comment):
        """Tell the deployed stage of a ticket's comment."""
        answer = requests.post(
            f"{self.deployed.api_url}/webhook/richpanel",
            json={"ticket_id": ticket, "message_id": comment},
            headers={"x-richpanel-webhook-token": self.deployed.stage.secrets.webhook_token},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text

    def start(self, request_id, recipient):
        """The Router starts a conversation by SMS."""
        answer = requests.post(
            f"{self.deployed.api_url}/initiate-conversation",
            json=company.request(request_id, "sms", recipient),
            headers={"x-api-key": company.API_KEY},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text

    def hear(self, recipient, text):
        """The recipient writes."""
        url = f"{company.PUBLIC_URL}/webhook/twilio"
        post = self.twilio.inbound(recipient, company.SMS_NUMBER, text, url=url)
        path = post.url.removeprefix(company.PUBLIC_URL)
        answer = requests.post(
            f"{self.deployed.api_url}{path}", data=post.body, headers=post.headers, timeout=60
        )
        assert answer.status_code == 200, answer.text

    def texts_to(self, recipient):
        return [message["body"] for message in self.twilio.sent_to(recipient)]


class Browser:
    """A signed-in person's browser, without script."""

    def __init__(self, site, session):
        self._site, self._session = site, session

    def get(self, path):
        answer = self._site.ask("GET", path, [self._session])
        assert answer.status_code == 200, (path, answer.status_code, answer.text[-600:])
        return answer

    def click_twice(self, path, form):
        """The same form, posted twice at once; returns the statuses."""
        with ThreadPoolExecutor(2) as pool:
            both = [
                pool.submit(self._site.ask, "POST", path, [self._session], form) for _ in range(2)
            ]
        return sorted(future.result().status_code for future in both)

    def acts(self):
        """The journal of the day, without dates."""
        return words_of(self.get("/journal"))


@pytest.fixture(scope="module")
def site(tmp_path_factory, provider):
    """Deployed twice: its address is known after the first time."""
    with (
        SimulatedRichpanel() as richpanel,
        SimulatedTwilio() as twilio,
        deployment.engine(log=tmp_path_factory.mktemp("engine") / "log") as engine,
    ):
        variables = {
            **environment.vendors(richpanel_url=richpanel.base_url),
            "TWILIO_BASE_URL": twilio.base_url,
            "PUBLIC_BASE_URL": company.PUBLIC_URL,
        }
        project = bundle.project(tmp_path_factory.mktemp("stack"), STAGE, variables)
        parameters = {
            "ConsoleIssuer": provider.url,
            "ConsoleClientId": CLIENT_ID,
            "ConsoleGroups": GROUPS,
        }
        made = data.made(resources.Aws(engine.url), STAGE, resources.Secrets())
        deployed = ways.by_stack(engine, project, made, parameters=parameters)
        (api,) = deployed.aws.client("apigatewayv2").get_apis()["Items"]
        found = Site(engine, api["ApiId"], provider, richpanel, twilio)
        secret = {"Name": f"rp-mw/{STAGE}/console/client_secret", "SecretString": "invented"}
        deployed.aws.client("secretsmanager").create_secret(**secret)
        parameters["ConsoleUrl"] = found.url
        found.deployed = ways.by_stack(engine, project, made, parameters=parameters)
        company.create(found.deployed.stage)
        yield found


@pytest.fixture(scope="module")
def operator(site):
    return site.signed_in("oda", "ops")


def test_only_the_console_has_the_layer(site):
    layers = {
        function: bool(site.deployed.configuration(function).get("Layers"))
        for function in site.deployed.functions
    }
    assert {function for function, has in layers.items() if has} == {"console"}
    sizes = {
        site.deployed.configuration(function)["CodeSize"] for function in site.deployed.functions
    }
    assert len(sizes) == 1, "one bundle for all"


def test_a_person_signs_in_through_the_http_api(operator):
    page = operator.get("/")
    assert "oda@example.com" in page.text
    assert "default-src 'none'" in page.headers["content-security-policy"]


def test_a_lead_takes_a_handed_off_conversation_and_answers_it_once(site, operator):
    recipient = "+15550101301"
    site.start("handed-off", recipient)
    deployment.wait_for(lambda: len(site.texts_to(recipient)) == 1, "the opening", LANE_SECONDS)
    site.hear(recipient, "A human, please")
    site.deployed.wait_until_quiet()
    before = site.texts_to(recipient)
    lead = site.signed_in("lena", "leads")
    (path,) = set(re.findall(r'href="(/conversations/[0-9a-f]+)"', lead.get("/inbox").text))
    take = _form_to(lead.get(path), f"{path}/take")
    assert lead.click_twice(f"{path}/take", take) == [303, 303]
    reply = {**_form_to(lead.get(path), f"{path}/reply"), "text": "It is me, Lena."}
    assert lead.click_twice(f"{path}/reply", reply) == [303, 303]
    deployment.wait_for(
        lambda: len(site.texts_to(recipient)) > len(before), "the reply", LANE_SECONDS
    )
    site.deployed.wait_until_quiet()
    assert site.texts_to(recipient) == [*before, "It is me, Lena."]
    assert "It is me, Lena." in words_of(lead.get(path))
    acts = operator.acts()
    for did in ("handoff take", "handoff reply"):
        assert len(re.findall(rf"<lena at [^>]+>\s+{did}", acts)) == 1, acts


def test_an_operator_settles_an_effect_of_unknown_outcome_once(site, operator):
    recipient = "+15550101302"
    site.twilio.fault("drop", operation="create_message")
    site.start("unknown", recipient)

    def unknown():
        return re.findall(r'href="(/unknown/one\?key=[^"]+)"', operator.get("/unknown").text)

    deployment.wait_for(unknown, "the effect of unknown outcome", LANE_SECONDS)
    site.deployed.wait_until_quiet()
    assert site.texts_to(recipient) == []
    page = operator.get(unescape(unknown()[0]))
    form = {**fields(page, outcome="not-done"), "reason": "Twilio's console shows none"}
    form |= {"force": "yes"}
    assert operator.click_twice("/unknown/settle", form) == [303, 409]
    deployment.wait_for(lambda: site.texts_to(recipient), "the message", LANE_SECONDS)
    site.deployed.wait_until_quiet()
    assert len(site.texts_to(recipient)) == 1
    assert unknown() == []
    acts = operator.acts()
    assert len(re.findall(r"<oda at [^>]+>\s+settle", acts)) == 1, acts
    assert "Twilio's console shows none" in acts


def test_an_operator_redrives_a_dead_letter_once_after_a_dry_run(site, operator):
    site.richpanel.add_ticket("dead-1", comments=[{"body": "Where is my order?", "id": "c-1"}])
    _dead(site, lambda: site.webhook("dead-1", "c-1"))

    def redrivable():
        found = re.findall(r'href="(/letters/redrive\?of=[^"]+)"', operator.get("/letters").text)
        return [unescape(link) for link in found]

    (dry_run,) = redrivable()
    page = operator.get(dry_run)
    assert "not decided yet" in words_of(page)
    assert redrivable() == [dry_run], "a dry run sends nothing"
    assert site.richpanel.effects_of("dead-1", "tag_added") == {}
    form = {**_form_to(page, "/letters/redrive"), "reason": "the worker is mended"}
    statuses = operator.click_twice("/letters/redrive", form)
    assert statuses == [303, 409]
    tags = site.richpanel.tags_of
    deployment.wait_for(lambda: "mw-processed" in tags("dead-1"), "the ticket", LANE_SECONDS)
    site.deployed.wait_until_quiet()
    assert set(site.richpanel.effects_of("dead-1", "tag_added").values()) == {1}
    assert redrivable() == []
    acts = operator.acts()
    assert len(re.findall(r"<oda at [^>]+>\s+dlq redrive", acts)) == 1, acts


def _form_to(page, action):
    """The hidden fields of the form that posts there, as a browser would post them."""
    (form,) = re.findall(
        rf'<form[^>]* action="{re.escape(action)}">.*?</form>', page.text, re.DOTALL
    )
    hidden = re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form)
    return {name: unescape(value) for name, value in hidden}


def _dead(site, post):
    """What `post` puts on the tickets' lane goes to its dead letters, without its worker."""
    aws, stage = site.deployed.aws, site.deployed.stage
    (mapping,) = [
        source["UUID"]
        for source in site.deployed.mappings()
        if source["EventSourceArn"] == stage.lane_arn(TICKETS)
    ]
    aws.client("lambda").update_event_source_mapping(UUID=mapping, Enabled=False)
    try:
        post()
        sqs, url = aws.client("sqs"), stage.lane_url(TICKETS)
        (message,) = sqs.receive_message(
            QueueUrl=url, WaitTimeSeconds=10, MessageSystemAttributeNames=["MessageGroupId"]
        )["Messages"]
        sqs.send_message(
            QueueUrl=stage.lane_dead_letter_url(TICKETS),
            MessageBody=message["Body"],
            MessageGroupId=message["Attributes"]["MessageGroupId"],
            MessageDeduplicationId=message["MessageId"],
        )
        sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
    finally:
        aws.client("lambda").update_event_source_mapping(UUID=mapping, Enabled=True)
