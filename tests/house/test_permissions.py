"""Each function's policy allows exactly the AWS calls that the function makes.

The calls are read at the wire: each function runs in its own container, against the local
engine, and the requests of botocore are compared with the policy of the function's role.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

import boto3
import pytest
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from moto.core.botocore_stubber import MockRawResponse

from chalicelib import wiring
from chalicelib.aws import stage_guard
from chalicelib.aws.typed_values import to_wire
from chalicelib.errors import (
    HandBackError,
    PermanentError,
    ProviderError,
    UnavailableError,
    UncertainError,
)
from chalicelib.facts import hubspot_webhook
from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.posting import compaction
from chalicelib.facts.posting.ndjson import S3Rows
from chalicelib.once import keys, lanes
from chalicelib.once.job import Recovery
from chalicelib.once.lanes import LANES, Lane
from chalicelib.once.recovery.rebuilders import rebuilt
from chalicelib.once.timer import due_attributes
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.company_events.event_names import EventName
from console import deployed
from console.sessions import Sessions
from local import company, simulated_model
from local.stack import environment, resources
from local.stack.lambda_events import LambdaContext, schedule_event
from local.stack.pump import Pump
from local.stack.system import mirrored_database
from local.vendors import aloware, hubspot
from local.vendors.bedrock import GUARDRAIL, SimulatedBedrock
from local.vendors.bedrock import MODELS as BEDROCK_MODELS
from local.vendors.openai import API_KEY as OPENAI_KEY
from local.vendors.openai import MODELS, SimulatedOpenAI
from local.vendors.richpanel import SimulatedRichpanel
from local.vendors.ses import SimulatedSes
from local.vendors.shopify import SimulatedShopify
from local.vendors.twilio import SimulatedTwilio
from ops.inspect.explain import tickets
from ops.session import Session
from tests.rigs.api_gateway import posted
from tests.rigs.company_endpoint import SECRETS, Consumer, consumer
from tests.rigs.console import Console, fields
from tests.rigs.engines import drain
from tests.rigs.iam import stage_roles
from tests.rigs.iam.authorization import may
from tests.rigs.iam.aws_calls import requests
from tests.rigs.iam.stage_roles import ACCOUNT
from tests.rigs.keys import unsealed
from tests.rigs.outreach import MAIL, Outreach
from tests.rigs.policies import (
    POLICIES,
    SECRET_SUFFIX,
    Call,
    Permission,
    Policy,
    compare,
    grants,
)

PROFILE = "us.amazon.nova-micro-v1:0"
SERVICES = {
    "DynamoDB_20120810": "dynamodb",
    "AmazonSQS": "sqs",
    "AmazonSSM": "ssm",
    "secretsmanager": "secretsmanager",
    "GraniteServiceVersion20100801": "cloudwatch",
}

RICHPANELS_KEY = Permission(
    "secretsmanager:GetSecretValue",
    f"secretsmanager/secret:rp-mw/dev/richpanel/api_key{SECRET_SUFFIX}",
)
"""Find asks Richpanel for a ticket's comments where it may; the deployed console may not."""
STORY = "evt:rp:1042:c-1"
ALL_COMPANIES = Permission("dynamodb:Scan", "dynamodb/table/company-data-dev")
"""Likewise for every company's conversations of a request; the page says that they were not listed."""


class Wire:
    """Records the AWS calls of each function."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: dict[str, list[Call]] = defaultdict(list)
        self._monkeypatch = monkeypatch
        self._function = ""
        self._allowed: Policy | None = None
        session = boto3.Session()
        session.events.register("before-send", self._record)
        monkeypatch.setattr(boto3, "DEFAULT_SESSION", session)

    @contextmanager
    def container(self, function: str, *, allowed: Policy | None = None) -> Iterator[None]:
        """A new container of a function: nothing is built and nothing is cached.

        Args:
            function: as its policy is called.
            allowed: refuses what this policy does not allow, as IAM does; None allows everything.
        """
        self._monkeypatch.setattr("chalicelib.wiring._services", [])
        self._function, self._allowed = function, allowed
        yield
        self._function, self._allowed = "", None

    def _record(self, request: AWSPreparedRequest, **_: object) -> AWSResponse | None:
        call = _call_of(request)
        if call is None:
            return None
        self.calls[self._function].append(call)
        if self._allowed is None or self._allowed.allows(call):
            return None
        refusal = MockRawResponse(json.dumps({"__type": "AccessDeniedException"}).encode())
        return AWSResponse(request.url, 400, {}, refusal)


def _call_of(request: AWSPreparedRequest) -> Call | None:
    """What a request asks of AWS; None where that needs no permission."""
    if "/v2/email/" in str(request.url):  # SES speaks REST
        return Call("ses", "SendEmail", json.loads(request.body))
    if "/converse" in str(request.url):  # Bedrock, too
        model = unquote(urlsplit(str(request.url)).path.split("/")[2])
        return Call("bedrock", "InvokeModel", {"modelId": model})
    if str(request.url).endswith("/invocations"):
        return Call("lambda", "Invoke", {"FunctionName": str(request.url).split("/")[-2]})
    if "/guardrail/" in str(request.url):
        guardrail = unquote(urlsplit(str(request.url)).path.split("/")[2])
        return Call("bedrock", "ApplyGuardrail", {"guardrailIdentifier": guardrail})
    target = request.headers.get("X-Amz-Target")
    if "Action=GetCallerIdentity" in str(request.body):
        return None
    if target is None:  # S3 speaks REST
        url = urlsplit(str(request.url))
        bucket, _, key = url.path.removeprefix("/").partition("/")
        verbs = {
            "PUT": "PutObject",
            "DELETE": "DeleteObject",
            "GET": "GetObject" if key else "ListObjectsV2",
        }
        return Call("s3", verbs[str(request.method)], {"Bucket": bucket, "Key": key})
    name = target.decode() if isinstance(target, bytes) else target
    service, _, operation = name.partition(".")
    return Call(SERVICES[service], operation, json.loads(request.body))


@pytest.fixture
def aws(engine_aws):
    """The engine: what is compared are requests of botocore."""
    return engine_aws


@pytest.fixture
def wire(app: ModuleType, monkeypatch: pytest.MonkeyPatch) -> Wire:
    assert app
    return Wire(monkeypatch)


@dataclass
class Run:
    """A stage and its operations."""

    app: ModuleType
    wire: Wire
    stage: resources.Stage
    pump: Pump
    richpanel: SimulatedRichpanel
    monkeypatch: pytest.MonkeyPatch
    events: list[dict[str, Any]] = field(default_factory=list)

    def _pump(self, lane: Lane) -> Pump:
        def handle(event: dict[str, Any], context: LambdaContext) -> object:
            self.events.append(event)
            return getattr(self.app, lane.handler)(event, context)

        sqs = self.stage.aws.client("sqs")
        return Pump(sqs, self.stage.lane_url(lane), self.stage.lane_arn(lane), handle)

    def hear(self, ticket_id: str) -> int:
        with self.wire.container("api"):
            return post(self.app, self.stage.secrets.webhook_token, ticket_id)

    def hear_of_a_call(self, **changes: object) -> list[int]:
        """All deliveries of a call."""
        token = {"authorization": f"Bearer {self.stage.secrets.aloware_token}"}
        with self.wire.container("api"):
            return [
                posted(self.app, "/webhook/aloware", json.dumps(delivery), token)
                for delivery in aloware.six_deliveries(**changes)
            ]

    def hear_of_a_ticket(self) -> int:
        """A batch of HubSpot."""
        body, stamp = json.dumps([hubspot.event()]), str(hubspot.HubSpot("").now_ms())
        signature = hubspot_webhook.signature_v3(
            self.stage.secrets.hubspot_secret,
            uri=hubspot.TARGET_URL,
            body=body.encode(),
            stamp=stamp,
        )
        headers = {hubspot_webhook.SIGNATURE_V3: signature, hubspot_webhook.TIMESTAMP: stamp}
        with self.wire.container("api"):
            return posted(self.app, "/webhook/hubspot", body, headers)

    def post_facts(self) -> dict[str, Any]:
        with self.wire.container("post-facts"):
            return dict(self.app.post_facts(schedule_event(), LambdaContext(timeout_seconds=240.0)))

    def work(self) -> None:
        """Every lane's function in a container of its own, until nothing is left."""
        while sum(self._drained(lane) for lane in LANES):
            pass

    def _drained(self, lane: Lane) -> int:
        if not self._waits_in(lane):
            return 0
        with self.wire.container(function_of(lane)):
            return len(drain(self._pump(lane)))

    def _waits_in(self, lane: Lane) -> bool:
        name = "ApproximateNumberOfMessages"
        found = self.stage.aws.client("sqs").get_queue_attributes(
            QueueUrl=self.stage.lane_url(lane), AttributeNames=[name]
        )
        return found["Attributes"][name] != "0"

    def work_again(self) -> None:
        """The last message of a ticket again, as after its visibility timeout."""
        with self.wire.container("worker"), suppress(ProviderError, HandBackError):
            self.app.worker(self.events[-1], LambdaContext())

    def tell_again(self, outreach: Outreach) -> None:
        """The first event of each conversation, whose endpoint has failed, once more."""
        for row in outreach.rows():
            _, _, opaque_id = row["event_id"]["S"].partition("evt:tell:")
            if opaque_id and row["status"]["S"] == "processing":
                outreach.services.outreach.company_events.queue_post(
                    opaque_id.rpartition(":")[0], 1
                )
        self.work()

    def sweep(self) -> None:
        with self.wire.container("reconcile"):
            self.app.reconcile(schedule_event(), LambdaContext())

    def switch(self, name: str, value: str) -> None:
        ssm = self.stage.aws.client("ssm")
        ssm.put_parameter(Name=f"/rp-mw/dev/{name}", Value=value, Overwrite=True)

    def rewrite(self, table: str, *, having: str = "", **attributes: dict[str, str]) -> None:
        """Set attributes of every row of a table, or of those that have an attribute."""
        client, name = self.stage.aws.client("dynamodb"), self.stage.tables[table]
        for row in client.scan(TableName=name)["Items"]:
            if not having or having in row:
                client.put_item(TableName=name, Item=row | attributes)


@pytest.fixture
def run(
    app: ModuleType,
    wire: Wire,
    stage: resources.Stage,
    pump: Pump,
    richpanel: SimulatedRichpanel,
    monkeypatch: pytest.MonkeyPatch,
    without_rate_limits: None,
) -> Run:
    assert without_rate_limits is None
    return Run(app, wire, stage, pump, richpanel, monkeypatch)


def refused(function: str, calls: list[Call]) -> list[str]:
    """The requests of recorded calls that the function's role may not make, within its boundary."""
    name = "api_handler" if function == "api" else function.replace("-", "_")
    asked = {
        str(request): request
        for call in calls
        for request in requests(call.service, call.operation, call.params, ACCOUNT, stage="dev")
    }
    role = stage_roles.function("dev", name)
    assert asked
    return [text for text, request in asked.items() if not may(role, request)]


def function_of(lane: Lane) -> str:
    """A lane's function, as its policy is called."""
    return lane.handler.replace("_", "-")


@pytest.mark.long  # the functions that do everything; the small ones are compared by `make test`
def test_the_workers_policies_allow_exactly_the_calls_of_their_lanes(run: Run):
    every_kind_of_work(run)

    compared = {
        lane.name: compare(
            POLICIES[function_of(lane)],
            "dev",
            run.wire.calls[function_of(lane)],
        )
        for lane in LANES
    }

    calls = {name: run.wire.calls[name] for name in map(function_of, LANES)}
    assert {name: found for name, made in calls.items() if (found := refused(name, made))} == {}
    assert {name: found.missing for name, found in compared.items() if found.missing} == {}
    assert {name: found.unused for name, found in compared.items() if found.unused} == {}


@pytest.mark.parametrize(
    "function",
    [
        "api",
        "later",
        "mail",
        "post-facts",
        "ticket-texts",
        pytest.param("reconcile", marks=pytest.mark.long),
    ],
)
def test_a_policy_allows_exactly_the_calls_of_its_function(run: Run, function: str):
    drive = {
        "api": every_way_in,
        "later": every_short_wait,
        "reconcile": every_find,
        "mail": every_mail,
        "post-facts": every_post,
        "ticket-texts": every_text,
    }
    drive[function](run)

    found = compare(POLICIES[function], "dev", run.wire.calls[function])

    assert refused(function, run.wire.calls[function]) == []
    assert found.missing == ()
    assert found.unused == ()


def test_a_cold_container_reads_the_keys_of_ids_and_jobs_with_one_call(run: Run):
    assert run.hear("1") == 200
    run.work()
    asked = {
        function: [call.operation for call in calls if call.service == "secretsmanager"]
        for function, calls in run.wire.calls.items()
    }
    assert asked["api"] == ["GetSecretValue", "BatchGetSecretValue"], "its token, and both keys"
    assert asked["worker"] == ["BatchGetSecretValue", "GetSecretValue"], "and Richpanel's key"


@pytest.mark.long  # every page under a policy; its rights are listed by the test below
def test_the_consoles_policy_allows_exactly_the_calls_of_its_pages_and_acts(run: Run):
    """The console runs under its policy; what a page asks beyond it is refused, and the page says so."""
    every_page(run)

    found = compare(POLICIES["console"], "dev", run.wire.calls["console"])

    assert found.missing == (ALL_COMPANIES, RICHPANELS_KEY)
    assert found.unused == ()


def test_the_console_has_no_right_to_what_stays_on_the_command_line():
    allowed = list(grants(POLICIES["console"], "dev"))
    actions = {grant.action for grant in allowed}
    secrets = {grant.resource for grant in allowed if grant.action.startswith("secretsmanager:")}

    assert not [action for action in actions if "PutParameter" in action or "Scan" in action]
    assert "dynamodb:DeleteItem" not in actions
    assert secrets == {
        "secretsmanager/secret:rp-mw/dev/console/client_secret-??????",
        "*",
        *(
            f"secretsmanager/secret:rp-mw/dev/keys/{purpose}-??????"
            for purpose in ("ids", "jobs", "share")
        ),
    }


def every_page(run: Run) -> None:
    """Every page of the deployed console, and every act, as the function does them."""
    run.richpanel.add_ticket("1042", comments=[{"body": "Where is my order?", "id": "c-1"}])
    run.hear("1042")
    run.hear_of_a_call()
    with vendors(run) as outreach:
        with following(run, outreach):
            outreach.start("mailed", "email")
            run.work()
        outreach.set_project()
        handed_off = ("sms", "+15550101110"), ("whatsapp", "+15550101111")
        for channel, recipient in handed_off:
            is_whatsapp = channel == "whatsapp"
            outreach.start(f"asked-{channel}", channel, recipient)
            run.work()
            said = outreach.says("A human please", whatsapp=is_whatsapp, from_=recipient)
            outreach.deliver(said)
            run.work()
        records = [outreach.record(*start) for start in handed_off]
        long_ago = {"S": "2026-01-01T00:00:00.000Z"}
        run.rewrite("ConversationsTable", having="start_event", last_inbound_at=long_ago)
        leave_unknown(run)
        run.stage.aws.client("secretsmanager").create_secret(
            Name="rp-mw/dev/console/client_secret", SecretString="invented"
        )
        put_dead(run)
        allowed = Policy(POLICIES["console"], "dev")
        with run.wire.container("console", allowed=allowed):
            console = deployed_console(run)
            every_operators_page(console)
            every_conversations_page(console, *(record.opaque_id for record in records))
            every_companys_page(console)
            again = f"/story/again?key={STORY}"
            form = {**fields(console.browser("jo").get(again)), "reason": "mended"}
        with run.wire.container("console", allowed=allowed):  # reads both keys at once
            assert deployed_console(run).browser("jo").post("/story/again", form).status_code == 303


def leave_unknown(run: Run) -> None:
    """An effect of unknown outcome, whose event is parked for it."""
    dynamodb, table = run.stage.aws.client("dynamodb"), run.stage.tables["IdempotencyTable"]
    heard = dynamodb.get_item(TableName=table, Key=to_wire({"event_id": "evt:rp:1042:c-1"}))["Item"]
    names = {"event_id": LEFT_UNKNOWN["event_key"], "conversation_id": "unheard"}
    parked = heard | to_wire(
        {**names, "status": "parked", **due_attributes("event", "evt:rp:1042:c-1", 0)}
    )
    unknown = to_wire({**LEFT_UNKNOWN, "due_shard": "due#0", "due_at": 1})
    for row in (parked, unknown):
        dynamodb.put_item(TableName=table, Item=row)


def put_dead(run: Run) -> None:
    """In every lane's dead-letter queue an event of that lane."""
    bodies = {
        lanes.of_queue(record["eventSourceARN"].rpartition(":")[2]): record["body"]
        for event in run.events
        for record in event["Records"]
    }
    for lane in LANES:
        run.stage.aws.client("sqs").send_message(
            QueueUrl=run.stage.lane_dead_letter_url(lane),
            MessageBody=run.stage.sealed(unsealed(bodies[lane]), group_id="group", lane=lane),
            MessageGroupId="group",
            MessageDeduplicationId=f"dead-{lane.name}",
        )


def deployed_console(run: Run) -> Console:
    """The console as its function builds it, but for the people, who are the rig's."""
    found = wiring.services()
    found.check_stage()
    table = found.settings.console_sessions_table
    stage_guard.check_table(found.client("dynamodb"), stage="dev", table=table)
    assert found.secrets.text("rp-mw/dev/console/client_secret")
    sessions = Sessions(found.table(table), found.clock)
    token = sessions.start("jo@example.com", ["operator"], subject="1")
    assert sessions.find(token)
    sessions.end(token, by="jo@example.com")
    return Console(Session.over(found), left_out=deployed.LEFT_OUT)


def every_operators_page(console: Console) -> None:
    jo = console.browser("jo")
    story, unknown = STORY, LEFT_UNKNOWN["event_id"]
    for path in (
        *("/", "/find", f"/find?q={story}", f"/story?key={story}", f"/story/again?key={story}"),
        *("/unknown", f"/unknown/one?key={unknown}", f"/unknown/ask?key={unknown}"),
        *("/letters", "/parked", "/charts", "/charts/overview", "/facts", "/companies", "/writer"),
        *("/incidents", "/incidents/one?name=richpanel.unavailable.tickets.1"),
        *("/companies/writer?company=x&project=y", "/shadow", "/try"),
        *("/health", "/health/checks", "/journal", "/journal.csv"),
    ):
        assert jo.get(path).status_code in (200, 302, 404), path
    for wanted in ("+15550101110", "trace-1", "SM1"):
        assert jo.post("/find", {"q": wanted}).status_code in (200, 302, 303, 404), wanted
    assert tickets.NOT_SHOWN in jo.text("/find?q=1042")
    assert jo.post("/find/texts", {"q": "1042"}).status_code == 403, "jo reads no conversation"
    assert (
        "Richpanel was not asked" in console.browser("lo").post("/find/texts", {"q": "1042"}).text
    )
    shared = {"key": story, "once": "a-form-of-share"}
    assert jo.post("/story/share", shared).status_code == 200
    form = {"key": story, "code": "wrong_team", "once": "a-form-of-theirs"}
    assert console.browser("lo").post("/story/wrong", form).status_code == 303
    tried = {"text": "Hello", "from": "customer", "shop": "none"}
    assert jo.post("/try", tried).status_code == 200
    page = jo.get(f"/unknown/one?key={unknown}")
    form = {**fields(page, outcome="done"), "reason": "seen at the desk"}
    assert jo.post("/unknown/settle", form).status_code in (302, 303)

    def redrivable() -> list[str]:
        return re.findall(r'"(/letters/redrive\?of=[^"]+)"', jo.get("/letters").text)

    assert redrivable()
    while letters := redrivable():
        form = {**fields(jo.get(letters[0])), "reason": "mended"}
        assert jo.post("/letters/redrive", form).status_code == 303, letters


def every_conversations_page(console: Console, waiting: str, late: str) -> None:
    """The inbox, an answer, and one that WhatsApp takes no more without a template."""
    lea = console.browser("lea")
    for opaque_id, answered in ((waiting, 303), (late, 409)):
        path = f"/conversations/{opaque_id}"
        for act, text, said in (("take", "", 303), ("note", "n", 303), ("reply", "Hi", answered)):
            form = {**fields(lea.get(path)), **({"text": text} if text else {})}
            assert lea.post(f"{path}/{act}", form).status_code == said, act
    assert lea.get("/inbox").status_code == 200
    ours, kept, view = company.COMPANY_ID, "c" * 16, "d" * 16
    form = {"once": kept, "company": ours, "reason": "asked", "name": "Hours", "text": "Nine"}
    assert lea.post("/saved-replies", form).status_code == 303
    inserted = lea.post(f"/conversations/{waiting}/saved-reply", {"saved": kept})
    assert inserted.status_code == 200
    form = {"once": view, "company": ours, "project": company.PROJECT_ID, "name": "Ours"}
    assert lea.post("/inbox/views", form).status_code == 303
    assert "no longer exists" not in lea.get(f"/inbox?company={ours}&view={view}").text
    for wanted in ("+15550101110", "Jo", f"{ours}#routed", waiting):
        assert lea.post("/inbox/find", {"q": wanted}).status_code in (200, 303, 404), wanted
    assert "wait for a person now" in lea.text(f"/figures?company={company.COMPANY_ID}")


def every_companys_page(console: Console) -> None:
    """What a company's engineers see and do in the deployed console."""
    dev = console.browser("dev")
    for path in ("endpoint", "may-i-send", "register", "register.csv", "usage"):
        assert dev.get(f"/company/{path}").status_code == 200, path
    asked = {"channel": "sms", "recipient": "+15550101110"}
    assert dev.post("/company/may-i-send", asked).status_code == 200
    form = {"once": "b" * 16, "reason": "our list", "text": "+15550101112\njo@example.com"}
    assert dev.post("/company/register/judge", form).status_code == 200
    assert dev.post("/company/register/import", form).status_code == 303
    form = {"once": "a" * 16, "reason": "they move"}
    assert dev.post("/company/endpoint/pause", form).status_code == 303
    for path, command in (("keys", "company key"), ("endpoint/secret", "company event-secret")):
        ask = dev.get if path == "keys" else dev.post
        assert f"python -m ops {command}" in ask(f"/company/{path}").text


def every_way_in(run: Run) -> None:
    assert run.hear("1") == 200
    shares = "chalicelib.outreach.door.shares"
    with vendors(run) as outreach, run.monkeypatch.context() as patch:
        for name, value in {
            "SMALL_LIMIT": 0,
            "BURST": 1,
            "STARTS_PER_WORKER_AND_SECOND": 0.001,
        }.items():
            patch.setattr(f"{shares}.{name}", value)  # the second start of a lane waits
        for channel in ("whatsapp", "sms", "email"):
            with run.wire.container("api"):
                assert outreach.services  # before the test client changes the environment
                assert outreach.start(channel, channel).status_code == 200
                assert outreach.fate(channel).status_code == 200
                assert outreach.may_send(channel).status_code == 200
        run.work()
        with run.wire.container("api"):
            assert outreach.services
            assert outreach.messages("whatsapp").status_code == 200
        with run.wire.container("api"):
            assert outreach.services
            assert outreach.deliver(outreach.says("hello")).status_code == 200
            assert outreach.deliver(outreach.says("STOP")).status_code == 200
        with run.wire.container("api"):
            doors, forged = outreach.services.outreach_doors, f"{'0' * 32}.{'0' * 32}"
            assert doors.unsubscribe_page(f"{'0' * 32}.YQ.{forged}").status == 404
            bearer = {"authorization": f"Bearer {forged}"}
            assert doors.tool_result(bearer, b"{}", "request", "call").status == 401
    every_act(run)
    assert run.hear_of_a_call() == [200] * 6
    assert run.hear_of_a_ticket() == 200
    run.monkeypatch.setenv("INGRESS_LEDGER", "true")
    assert run.hear("1") == 200


def every_act(run: Run) -> None:
    """A hand-off at the desk: listed, read, answered, and the answer asked for again."""
    with vendors(run) as outreach:
        company.open_desk(run.stage)
        outreach.set_project()
        outreach.start("handed-off", "sms", "+15550100007")
        run.work()
        outreach.deliver(outreach.says("A human, please", whatsapp=False, from_="+15550100007"))
        run.work()
        with run.wire.container("api"):
            assert outreach.services
            (conversation,) = outreach.desk("/desk/conversations").json_body["conversations"]
            path = f"/desk/conversations/{conversation['id']}"
            seen = outreach.desk(path).json_body
            said = {"act": "reply", "by": "sam", "text": "It is me.", "version": seen["version"]}
            for _ in range(2):
                assert outreach.desk(f"{path}/acts", said).status_code == 200


def every_kind_of_work(run: Run) -> None:
    for ticket_id in ("routed", "shadowed", "resumed", "refused"):
        run.richpanel.add_ticket(ticket_id, comments=["Where is my order?"])
    run.hear("routed")
    run.work()
    run.richpanel.add_comment("routed", "And my refund?")
    run.rewrite("ConversationStateTable", expires_at={"N": "1"})  # expired, not yet deleted by TTL
    run.hear("routed")
    run.work()
    run.switch("shadow_mode", "true")
    run.hear("shadowed")
    run.work()
    run.switch("shadow_mode", "false")
    run.richpanel.fault("status", operation="add_tags", times=1)
    run.hear("resumed")
    run.work()
    run.work_again()
    run.richpanel.fault("status", status=422, operation="add_tags", times=1)
    run.hear("refused")
    run.work()
    every_fact(run)
    every_reply(run)
    with vendors(run) as outreach:
        every_conversation(run, outreach)
        every_telling(run, outreach)
    every_odd_end(run)


def every_odd_end(run: Run) -> None:
    """No job at all, a vendor that asks to come later, an e-mail of another sender, and refused sends."""
    for lane in LANES:
        put(run, lane, "not a job")
    run.richpanel.fault("status", status=429, times=1)
    run.hear("later")
    with vendors(run) as outreach:
        outreach.set_project()
        outreach.start("odd-sms", "sms", "+15550101110")
        outreach.start("odd-email", "email", "k.doe@example.com")
        run.work()
        reply_to = outreach.ses.emails[-1]["reply_to"]
        outreach.mail(outreach.ses.inbound("k.other@example.com", reply_to, "It is me"))
        run.work()
        outreach.twilio.fault("status", status=400, operation="create_message")
        outreach.ses.fault("status", status=400)
        outreach.deliver(outreach.says("And?", whatsapp=False, from_="+15550101110"))
        outreach.mail(outreach.ses.inbound("k.doe@example.com", reply_to, "And?"))
        run.work()
        replay(outreach, "evt:reply:email:")
        outreach.mail(outreach.ses.inbound("k.doe@example.com", reply_to, "wrong number"))
        run.work()


def put(run: Run, lane: Lane, body: str) -> None:
    run.stage.aws.client("sqs").send_message(
        QueueUrl=run.stage.lane_url(lane),
        MessageBody=run.stage.sealed(body, group_id=keys.digest(body), lane=lane),
        MessageGroupId=keys.digest(body),
        MessageDeduplicationId=keys.digest(body),
    )


def every_text(run: Run) -> None:
    run.richpanel.add_ticket("1042", comments=["Where is my order?"])
    with run.wire.container("ticket-texts"):
        answer = run.app.ticket_texts({"ticket_id": "1042"}, LambdaContext())
    assert [text["text"] for text in answer["said"]] == ["Where is my order?"]


def every_short_wait(run: Run) -> None:
    name = "LaterQueue"
    sqs, url = run.stage.aws.client("sqs"), run.stage.queues[name]
    for lane in LANES:
        body = {"group": "group", "job": "{}", "lane": lane.name}
        sealed = run.stage.sealed_to_wait(json.dumps(body))
        sqs.send_message(QueueUrl=url, MessageBody=sealed)
    with run.wire.container("later"):
        handled = drain(Pump(sqs, url, run.stage.queue_arns[name], run.app.later))
    assert len(handled) == len(LANES)


def every_reply(run: Run) -> None:
    """An order question, classified by the model, looked up in the shop, answered."""
    with (
        SimulatedShopify() as shopify,
        SimulatedOpenAI() as openai,
        run.monkeypatch.context() as environ,
    ):
        shopify.add_order("#100234", email="ada@example.com")
        for name, value in {
            "RICHPANEL_OUTBOUND_ENABLED": "true",
            "RICHPANEL_BOT_AGENT_ID": "bot-1",
            "MW_OUTBOUND_ALLOWLIST_DOMAINS": "example.com",
            "OPENAI_INTENT_ENABLED": "true",
            "SHOPIFY_BASE_URL": shopify.base_url,
            "OPENAI_BASE_URL": openai.base_url,
            "OPENAI_MODEL": MODELS[0],
        }.items():
            environ.setenv(name, value)
        run.richpanel.add_ticket(
            "asked", comments=["Where is my order #100234?"], customer_email="ada@example.com"
        )
        run.hear("asked")
        run.work()


def every_conversation(run: Run, outreach: Outreach) -> None:
    outreach.start("long", "email", "l.doe@example.com")
    run.work()
    for number in range(5):
        outreach.mail(outreach.ses.inbound("l.doe@example.com", company.EMAIL, f"And {number}?"))
        run.work()
    keys = {name: f"ai-multi-comms/openai-api-key/{name}-dev" for name in ("sms", "email")}
    company.put_secrets(run.stage, dict.fromkeys(keys.values(), OPENAI_KEY))
    by_channel = {name: {"api_key_reference": key} for name, key in keys.items()}
    ai = {"openai_config": by_channel}
    outreach.set_project(ai_config=ai)
    outreach.twilio.fault("act_then_drop", operation="create_message", times=2)
    for channel in ("whatsapp", "sms", "email"):
        outreach.start(channel, channel)
        run.work()
    for post in outreach.twilio.callbacks():
        outreach.deliver(post)
        run.work()
    run.monkeypatch.setattr(
        "chalicelib.outreach.hearing.loops.AT_ONCE_TIMES", 99
    )  # as no person writes
    for number in range(5):  # so that the newest messages are more than the record holds
        outreach.deliver(outreach.says(f"Tell me more: {number}"))
        run.work()
    outreach.deliver(outreach.says("STOP", whatsapp=False))
    outreach.mail(outreach.ses.inbound(MAIL, outreach.ses.sent_to(MAIL)[0]["reply_to"], "Hello"))
    run.work()
    with_bedrock(run, outreach)
    reply_to = outreach.ses.sent_to(MAIL)[0]["reply_to"]
    outreach.mail(outreach.ses.inbound("j.other@example.com", reply_to, "It is me"))
    outreach.mail(outreach.ses.inbound("stranger@example.com", company.EMAIL, "Hi"))
    run.work()
    run.switch("shadow_mode", "true")
    outreach.start("shadowed-sms", "sms", "+15550100008")
    outreach.start("shadowed-email", "email", "s.doe@example.com")
    run.work()
    run.switch("shadow_mode", "false")
    outreach.set_project(quiet_hours=quiet_hours(minutes_left=5))
    outreach.start("quiet", "sms", "+15550100009")
    outreach.start("quiet-email", "email", "q.doe@example.com")
    run.work()
    outreach.deliver(outreach.says("Hello?", whatsapp=False, from_="+15550100009"))
    outreach.mail(outreach.ses.inbound("q.doe@example.com", company.EMAIL, "Hello?"))
    run.work()
    assert [row for row in outreach.rows() if row.get("status") == {"S": "parked"}] == []


def with_bedrock(run: Run, outreach: Outreach) -> None:
    """Openings by Bedrock: by a model of a region's own, and by a profile of several regions."""
    outreach.set_project(ai_config={"provider": "bedrock"})
    with (
        SimulatedBedrock(models=(*BEDROCK_MODELS, PROFILE)) as bedrock,
        run.monkeypatch.context() as environ,
    ):
        environ.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", bedrock.base_url)
        environ.setenv("BEDROCK_MODEL", BEDROCK_MODELS[0])
        environ.setenv("BEDROCK_FALLBACK_MODEL", PROFILE)
        environ.setenv("BEDROCK_GUARDRAIL", f"{GUARDRAIL}:1")
        bedrock.answer_by(simulated_model.answer)
        for channel, recipient in (("sms", "+15550100007"), ("email", "b.doe@example.com")):
            bedrock.fault("status", status=503)
            outreach.start(f"bedrock-{channel}", channel, recipient)
            run.work()
        assert len(bedrock.calls_of("converse")) == 4
        assert len(bedrock.calls_of("apply_guardrail")) == 2
    outreach.set_project()


def every_telling(run: Run, outreach: Outreach) -> None:
    """Events of a company whose endpoint fails, accepts, and is gone."""
    with following(run, outreach) as endpoint:
        for channel, recipient in (("sms", "+15550101214"), ("email", "t.doe@example.com")):
            endpoint.status = 503
            outreach.start(f"told-{channel}", channel, recipient)
            run.work()
            endpoint.status = 204
            run.tell_again(outreach)
        endpoint.status = 503
        outreach.start("told-while-closing", "sms", "+15550101215")
        run.work()
        endpoint.status = 204
        run.tell_again(outreach)
        outreach.start("told-no-more", "sms", "+15550101211")
        run.work()
        endpoint.status = 410
        record = outreach.record("sms", "+15550101211")
        called = outreach_keys.entry_id(record.start_event)
        outreach.services.outreach.company_events.record(
            record, EventName.TOOL_CALLED, called, message_id=called, tool="book"
        )
        run.work()
        outreach.start("told-through-tickets", "sms", "+15550101212")
        run.work()
    outreach.set_project()


@contextmanager
def following(run: Run, outreach: Outreach) -> Iterator[Consumer]:
    """A company with an endpoint, which asks for texts."""
    name = f"rp-mw/dev/companies/{company.COMPANY_ID}/webhook"
    company.put_secrets(run.stage, {name: json.dumps({"signing_secrets": list(SECRETS)})})
    with consumer() as endpoint, run.monkeypatch.context() as environ:
        environ.setenv("COMPANY_WEBHOOKS_ON_LOOPBACK", "true")
        outreach.set_project(event_webhook={"url": endpoint.url, "include": ["text"]})
        yield endpoint


def quiet_hours(*, minutes_left: int) -> dict[str, str]:
    now = datetime.now(UTC)
    begun, over = (f"{now + timedelta(minutes=by):%H:%M}" for by in (-60, minutes_left))
    return {"from": begun, "until": over, "zone": "UTC"}


def every_mail(run: Run) -> None:
    with vendors(run) as outreach:
        with run.wire.container("mail"):
            outreach.mail(outreach.ses.inbound(MAIL, company.EMAIL, "Hello"))
        with run.wire.container("mail"):
            outreach.mail(outreach.ses.inbound(MAIL, company.EMAIL, "STOP"))
        outreach.start("mailed", "email", "k.doe@example.com")
        run.work()
        tagged = outreach.ses.sent_to("k.doe@example.com")[0]["reply_to"]
        with run.wire.container("mail"):
            outreach.mail(outreach.ses.inbound("k.doe@example.com", tagged, "STOP"))
        for ledger in ("false", "true"):
            run.monkeypatch.setenv("INGRESS_LEDGER", ledger)
            with run.wire.container("mail"):
                outreach.mail(outreach.ses.inbound(MAIL, company.EMAIL, f"Hello {ledger}"))
    failed = {"QueueUrl": "http://127.0.0.1:1/000000000000/rp-mw-mail-failures-dev"}
    run.wire.calls["mail"].append(Call("sqs", "SendMessage", failed))  # Lambda's own, by the role


@contextmanager
def vendors(run: Run) -> Iterator[Outreach]:
    """The vendors of outreach, and a company; its calls count for the open container."""
    with SimulatedTwilio() as twilio, SimulatedSes() as ses, SimulatedOpenAI() as openai:
        environ = {
            "TWILIO_BASE_URL": twilio.base_url,
            "AWS_ENDPOINT_URL_SESV2": ses.base_url,
            "OPENAI_BASE_URL": openai.url,
            "OPENAI_MODEL": MODELS[0],
            "PUBLIC_BASE_URL": company.PUBLIC_URL,
        }
        for name, value in environ.items():
            run.monkeypatch.setenv(name, value)
        run.monkeypatch.setattr("chalicelib.wiring._services", [])
        yield Outreach(run.app, run.stage, twilio, ses)


def every_fact(run: Run) -> None:
    """Six deliveries, the second of which replaces the first; the roster is read."""
    run.monkeypatch.setenv("ALOWARE_RING_GROUP_URL", f"{run.richpanel.base_url}/v1/users")
    run.stage.aws.client("secretsmanager").create_secret(
        Name="rp-mw/dev/aloware/api_token", SecretString="invented"
    )
    run.hear_of_a_call()
    run.work()


def every_post(run: Run) -> None:
    with mirrored_database() as onelake:
        for name, value in environment.onelake(onelake).items():
            run.monkeypatch.setenv(name, value)
        run.monkeypatch.setenv("FACTS_REPORT", "powerbi,onelake")
        _every_post(run)
        assert onelake.rows(FACT_EVENT)


def _every_post(run: Run) -> None:
    account = run.stage.aws.account
    run.stage.aws.client("s3").create_bucket(Bucket=f"rp-mw-facts-dev-{account}")
    run.monkeypatch.setenv("FACTS_BUCKET", f"rp-mw-facts-dev-{account}")
    run.monkeypatch.setenv("FACTS_SHIFTS", "shifts.csv")
    run.monkeypatch.setenv("HUBSPOT_DIRECTORY", "true")
    run.monkeypatch.setenv("HUBSPOT_BASE_URL", run.richpanel.base_url)  # knows no owners
    run.stage.aws.client("secretsmanager").create_secret(
        Name="rp-mw/dev/hubspot/api_token", SecretString="invented"
    )
    every_fact(run)
    assert run.post_facts()["outcome"] == "posted"
    run.hear_of_a_ticket()
    run.work()
    append = S3Rows.append
    errors = [
        UncertainError("s3", "put_object", reason="timeout"),
        PermanentError("s3", "put_object", reason="http_400"),
    ]

    def in_trouble(sink: S3Rows, table: str, *rows: Any, **more: Any) -> None:
        if table == FACT_EVENT and errors:
            raise errors.pop(0)
        append(sink, table, *rows, **more)

    run.monkeypatch.setattr(S3Rows, "append", in_trouble)
    outcomes = [run.post_facts()["outcome"] for _ in range(3)]
    assert outcomes == ["waiting:s3_timeout", "held:http_400", "posted"]
    run.hear_of_a_ticket()
    run.work()
    assert run.post_facts()["outcome"] == "posted"
    for _ in range(2):  # writes a whole part, and deletes what it has replaced
        run.monkeypatch.setattr("chalicelib.wiring._services", [])
        run.monkeypatch.setattr(compaction, "READ_SECONDS", -5)
        assert run.post_facts()["outcome"] == "idle"


LEFT_UNKNOWN = {
    "event_id": "act:rp_reply:unheard:c-1",
    "status": "unknown",
    "last_processed_at": "2026-01-01T00:00:00.000Z",
    "action_kind": "reply",
    "conversation_id": "unheard",
    "event_key": "evt:rp:unheard:c-1",
    "owner": "o1",
    "started_epoch": 1,
    "horizon": 2,
    "probe": {"author": "bot", "reference": "ref-1"},
}
"""A reply of unknown outcome, which the ticket shows."""


def every_find(run: Run) -> None:
    run.richpanel.set_modes(list_allowed=False)
    run.sweep()  # where listing is forbidden, the sweep starts at a known ticket's number
    run.richpanel.set_modes(list_allowed=True)
    run.richpanel.set_modes(listed_with_comments=True)
    run.richpanel.add_ticket("unheard", comments=["Where is my order?"])
    run.richpanel.add_ticket("mute")
    with run.monkeypatch.context() as down:
        down.setenv("INGRESS_LEDGER", "true")
        down.setenv("QUEUE_NAME", "gone-dev.fifo")
        assert run.hear("stranded") == 503
    run.rewrite("IdempotencyTable", last_processed_at={"S": "2026-01-01T00:00:00.000Z"})
    run.richpanel.add_comment("unheard", "Done. (ref-1)", operator=True, author_id="bot")
    run.stage.aws.client("dynamodb").put_item(
        TableName=run.stage.tables["IdempotencyTable"], Item=to_wire(LEFT_UNKNOWN)
    )
    with vendors(run) as outreach:
        outreach.twilio.fault("act_then_drop", operation="create_message", times=2)
        for channel in ("whatsapp", "sms"):
            assert outreach.start(channel, channel).status_code == 200
        run.work()
        outreach.set_project(quiet_hours=quiet_hours(minutes_left=60))
        assert outreach.start("quiet", "email").status_code == 200
        run.work()
        outreach.set_project()
        with following(run, outreach) as endpoint:
            endpoint.status = 503
            assert outreach.start("told", "sms", "+15550101213").status_code == 200
            run.work()
        outreach.set_project()
        with run.monkeypatch.context() as down:
            down.setenv("INGRESS_LEDGER", "true")
            with run.wire.container("api"):
                down.setattr(outreach.services.outbox, "put", not_queued)
                for whatsapp in (True, False):
                    said = outreach.says("hello", whatsapp=whatsapp)
                    assert outreach.deliver(said).status_code == 503
        outreach.twilio.age_received(600.0)
        rested, due = {"S": "2026-01-01T00:00:00.000Z"}, {"N": "1"}
        run.rewrite("IdempotencyTable", last_processed_at=rested, due_at=due, lease_until=due)
        run.monkeypatch.setattr("chalicelib.wiring._services", [])
        run.sweep()


def replay(outreach: Outreach, prefix: str) -> None:
    """As `ops replay` does with every event of a kind."""
    for row in outreach.rows():
        if not row["event_id"]["S"].startswith(prefix):
            continue
        stored = outreach.services.ledger.stored(row["event_id"]["S"])
        if stored is not None:
            job = rebuilt(outreach.services.rebuilders, stored.event)
            if job is not None:
                outreach.services.intake.accept(job, recovery=Recovery.OPERATOR)


def not_queued(*_: object, **__: object) -> None:
    raise UnavailableError("enqueue_failed")


def post(app: ModuleType, token: str, ticket_id: str) -> int:
    body = json.dumps({"ticket_id": ticket_id, "trigger": "customer_message"})
    return posted(app, "/webhook/richpanel", body, {"x-richpanel-webhook-token": token})
