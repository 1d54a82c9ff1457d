"""A company's endpoint as the docs show it, and a worker and sweep that tell it over hours of one clock."""

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import standardwebhooks.webhooks
from standardwebhooks.webhooks import Webhook, WebhookVerificationError

from chalicelib.once.effect import Executor
from chalicelib.once.ports import Delivery
from chalicelib.once.recovery.sweep import Summary, SweepActions
from chalicelib.once.recovery.unfinished import RowSweep
from chalicelib.once.worker import HandedBackError
from chalicelib.outreach.company_events.teller import EndpointAccess, Teller
from chalicelib.outreach.events.company_event import TellFlow, TellRebuilder
from chalicelib.outreach.project.companies import Companies
from chalicelib.vendors import posting
from chalicelib.wiring.jobs import decode
from tests.rigs.fakes import SetSwitches
from tests.rigs.keys import one_key
from tests.rigs.outreach_parts import OutreachParts
from tests.rigs.worker_parts import settlement_of, worker_of
from tests.simulation import tables

SECRETS = (
    "whsec_" + "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    "whsec_" + "b2xkLXNlY3JldC1vZi10aGUtY29tcGFueQ==",
)
SWEEP_EVERY = 300.0


@dataclass
class Consumer:
    """A company's server: it checks the signature, answers first, and knows an id it has had.

    Attributes:
        secret: the one that it knows; the other may be in use elsewhere.
        status: what it answers; 0 closes the connection without an answer.
        acts_when_failing: it has acted although it does not say so.
        received: the events that it has acted upon, by id, in order.
        attempts: every request that was signed for it.
    """

    url: str
    secret: str = SECRETS[0]
    status: int = 204
    acts_when_failing: bool = False
    received: dict = field(default_factory=dict)
    attempts: list = field(default_factory=list)
    forged: int = 0
    headers: dict = field(default_factory=dict)

    def take(self, headers, body):
        """The status of the answer."""
        try:
            event = Webhook(self.secret).verify(body, headers)
        except WebhookVerificationError:
            self.forged += 1
            return 401
        self.attempts.append((headers["webhook-id"], body))
        if self.status == 204 or self.acts_when_failing:
            self.received.setdefault(headers["webhook-id"], event)
        return self.status

    @property
    def types(self):
        return [event["type"].removeprefix("conversation.") for event in self.received.values()]

    @property
    def numbers(self):
        return [event["data"]["number"] for event in self.received.values()]


@contextmanager
def consumer():
    """A company's server on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["content-length"]))
            low = {name.lower(): value for name, value in self.headers.items()}
            status = found.take(low, body.decode())
            if not status:
                self.close_connection = True
                return
            self.send_response(status)
            for name, value in found.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_):
            """Nothing is printed."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    found = Consumer(f"http://127.0.0.1:{server.server_port}/events")
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()


class Telling(OutreachParts):
    """The lane of the companies' events in memory.

    Attributes:
        waiting: jobs that wait in the queue `later`, each with its time.
    """

    def __init__(self, twilio_url="http://127.0.0.1:1"):
        super().__init__(twilio_url)
        self.switches = SetSwitches()
        self.waiting, self.deferred = [], []
        self.rebuilders = {"evt:tell": TellRebuilder()}
        self.new_container()

    def company(self, url, company_id="ci-aaa-001", project_id="pi-aaa-001", **more):
        """A company with an endpoint."""
        project = {"company_id": company_id, "project_id": project_id}
        self.companies_table.put({**project, "event_webhook": {"url": url, **more}})
        self.secrets.texts[f"rp-mw/dev/companies/{company_id}/webhook"] = json.dumps(
            {"signing_secrets": list(SECRETS)}
        )

    def new_container(self):
        """A worker that knows nothing of what ran before."""

        def endpoint(company_id, project_id):
            project = Companies(self.companies_table).project(company_id, project_id)
            return project.endpoint(allows_loopback=True) if project else None

        def secret(company_id, refresh):
            return self.secrets.text(f"rp-mw/dev/companies/{company_id}/webhook", refresh=refresh)

        self.teller = Teller(
            rows=self.events.rows,
            conversations=self.conversations,
            access=EndpointAccess(
                endpoint=endpoint,
                secret=secret,
                post=lambda request: posting.post(request, allows_loopback=True),
            ),
            signing=one_key,
            clock=self.clock,
            log=self.log,
        )
        flow = TellFlow(events=self.events, endpoint=endpoint, clock=self.clock, log=self.log)
        executors = {
            "tell_company": Executor(self.tell, self.teller.prepare),
            "hand_off": Executor(self.hand_offs.perform),
        }
        self._works({"tell_company": flow}, executors)

    def _works(self, flows, executors):
        """A worker with these flows and executors."""
        self._settlement = settlement_of(self, executors)
        self.worker = worker_of(
            self,
            flows,
            executors,
            settlement=self._settlement,
            audit_table=tables.audit(),
            send_later=self._later,
            outbox=self,
            put_back=self.intake.put_back,
        )

    def tell(self, actions, *, deadline_seconds):
        """The executor; a test may replace it."""
        return self.teller.tell(actions, deadline_seconds=deadline_seconds)

    def run(self):
        """Work on all that is queued; the message of a worker that dies stays there."""
        while self.outbox.messages:
            self.process(self.outbox.messages[0][0])
            self.outbox.messages.pop(0)

    def process(self, body):
        """Work on one message; one that is handed back comes again after its pause."""
        try:
            self.worker.process(self.delivery(body))
        except HandedBackError:
            self._later(decode(body), self.deferred.pop())

    def defer(self, _handle, seconds, *, lane):
        """The queue's visibility timeout; see `process`."""
        del lane
        self.deferred.append(seconds)

    def delivery(self, body, *, receive=1):
        return Delivery(
            body=body,
            message_id=f"sqs-{len(self.log.events)}",
            receipt_handle="handle",
            receive_count=receive,
            max_receives=10,
            time_left_seconds=lambda: 120.0,
            lane=decode(body).lane,
        )

    def forward(self, seconds):
        """Let time pass; what waits comes back, and the sweep runs every five minutes."""
        self.run()
        until = self.clock.now().timestamp() + seconds
        sweep_at = self.clock.now().timestamp() + SWEEP_EVERY
        while True:
            times = [at for _, at in self.waiting] + [sweep_at]
            first = min(times)
            if first > until:
                break
            self.clock.forward(max(0.0, first - self.clock.now().timestamp()))
            due = [job for job, at in self.waiting if at <= first]
            self.waiting = [(job, at) for job, at in self.waiting if at > first]
            for job in due:
                self.intake.put_back(job)
            if first == sweep_at:
                self.sweep()
                sweep_at += SWEEP_EVERY
            self.run()
        self.clock.forward(until - self.clock.now().timestamp())

    def sweep(self):
        summary = Summary()
        actions = SweepActions(
            ledger=self.ledger, intake=self.intake, summary=summary, time_left_seconds=lambda: 240.0
        )
        RowSweep(
            ledger=self.ledger,
            settlement=self._settlement,
            rebuilders=self.rebuilders,
            clock=self.clock,
            sweep=actions,
        ).run()
        return summary

    def _later(self, job, seconds):
        self.waiting.append((job, self.clock.now().timestamp() + seconds))


@pytest.fixture
def telling_time(monkeypatch):
    """Gives the package of Standard Webhooks the time of a rig, and returns the rig."""
    real = standardwebhooks.webhooks.datetime

    def use(rig):
        class Now:
            """The package's time is the test's."""

            @staticmethod
            def now(tz):
                return rig.clock.now().astimezone(tz)

            fromtimestamp = real.fromtimestamp

        monkeypatch.setattr(standardwebhooks.webhooks, "datetime", Now)
        return rig

    return use


@pytest.fixture
def telling(telling_time):
    return telling_time(Telling())


@pytest.fixture
def endpoint():
    with consumer() as running:
        yield running


__all__ = ["Consumer", "HandedBackError", "Telling", "consumer", "endpoint", "telling"]
