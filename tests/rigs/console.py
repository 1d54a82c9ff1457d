"""The console over tables in memory, and browsers of several persons."""

import contextlib
import html
import re

import boto3
import pytest
from flask import Blueprint, abort, request
from moto import mock_aws

from chalicelib.aws.switches import NAMES
from chalicelib.once.lanes import LANES
from console.app import create_app
from console.backend import Options
from console.rights import Person, Right, Role, needs
from console.sign_in import SignedIn
from tests.rigs.browser import listening
from tests.rigs.ops_session import session as offline_session

HOST = "127.0.0.1:8090"
HERE = {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}
PEOPLE = {
    "jo": Person("Operators/jo", frozenset({Role.OPERATOR})),
    "kim": Person("Operators/kim", frozenset({Role.OPERATOR})),
    "vi": Person("Viewers/vi", frozenset({Role.VIEWER})),
    "lo": Person("lo@example.com", frozenset({Role.OPERATOR, Role.LEAD}), None, None, None),
    "lea": Person("lea@example.com", frozenset({Role.LEAD}), None, None, None),
    "dev": Person("dev@example.com", frozenset({Role.DEVELOPER}), built=frozenset({"ci-aaa-001"})),
    "ana": Person("ana@example.com", frozenset({Role.AGENT}), frozenset({"ci-aaa-001"})),
}


class Persons:
    """`SignIn` by a cookie that names the person."""

    def __init__(self):
        self.pages = Blueprint("sign_in", __name__)
        self.pages.add_url_rule("/sign-out", "sign_out", self._out, methods=["POST"])

    def current(self):
        name = request.cookies.get("who")
        return SignedIn(PEOPLE[name], f"form-token-of-{name}") if name in PEOPLE else None

    def begin(self, back_to):
        abort(401, f"sign in, then go to {back_to}")

    @needs(Right.ANYONE)
    def _out(self):
        return "out"


class Browser:
    """One person's browser: it sends what a browser sends, and posts the forms that it was shown."""

    def __init__(self, app, who):
        self._client, self.who = app.test_client(), who
        if who:
            self._client.set_cookie("who", who, domain="127.0.0.1")

    def get(self, path, **more):
        return self._client.get(path, base_url=f"http://{HOST}", **more)

    def post(self, path, data=None, *, token=True, headers=HERE, **more):
        fields = {"token": f"form-token-of-{self.who}"} if token else {}
        return self._client.post(
            path,
            base_url=f"http://{HOST}",
            data={**fields, **(data or {})},
            headers=headers,
            **more,
        )

    def text(self, path):
        """A page's text, without tags."""
        answer = self.get(path)
        assert answer.status_code == 200, (path, answer.status, answer.text[-600:])
        return words_of(answer)


def words_of(answer):
    """The text of an answer, without tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text)).split())


def fields(answer, **wanted):
    """The hidden fields of the form that has these values; as a browser would post them."""
    for form in re.findall(
        r"<form method=\"post\".*?</form>|<form class=\"line\" method=\"post\".*?</form>",
        answer.text,
        re.DOTALL,
    ):
        found = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', form))
        found = {name: html.unescape(value) for name, value in found.items()}
        if wanted.items() <= found.items():
            return found
    raise AssertionError(f"no form with {wanted}")


class Console:
    """The console, the services behind it, and its browsers."""

    def __init__(self, session, left_out=None, colleagues=None):
        self.session, self.services = session, session.services
        options = Options(frozenset({HOST}), left_out=left_out or {}, colleagues=colleagues or {})
        self.app = create_app(session, Persons(), options)
        self.app.testing = True

    def browser(self, who="jo"):
        return Browser(self.app, who)


def under_its_name(app):
    """The application as a server that listens on any port sees it: under the name that it answers to."""

    def called(environ, start_response):
        there = environ["HTTP_HOST"]
        environ["HTTP_HOST"] = HOST
        if "HTTP_ORIGIN" in environ:
            environ["HTTP_ORIGIN"] = environ["HTTP_ORIGIN"].replace(there, HOST)
        return app.wsgi_app(environ, start_response)

    return called


@pytest.fixture
def open_console(open_tab):
    """Opens a page of a console in a real browser, as one of the rig's persons."""
    with contextlib.ExitStack() as running:
        urls = {}

        def opened(console, who, path="/", **how):
            if console not in urls:
                urls[console] = running.enter_context(
                    listening(lambda _url: under_its_name(console.app))
                )
            tab = open_tab(**how)
            tab.url = urls[console]
            tab.page.context.add_cookies([{"name": "who", "value": who, "url": tab.url}])
            tab.page.goto(f"{tab.url}{path}")
            return tab

        yield opened


SERVICES = ("cloudwatch", "secretsmanager", "sns", "sqs", "ssm", "sts")


class Aws:
    """AWS in this process; made again only for the test after one that changed something in it."""

    def __init__(self):
        self._mock, self._is_fresh = mock_aws(), False
        session = boto3.session.Session("testing", "testing", region_name="us-east-1")
        self.clients = {name: session.client(name) for name in SERVICES}
        for client in self.clients.values():
            client.meta.events.register("before-call", self._note)

    @contextlib.contextmanager
    def running(self):
        """The clients, with the switches, the lanes' queues, and no metric."""
        self._mock.start(reset=not self._is_fresh)
        try:
            if not self._is_fresh:
                self._make()
            yield self.clients
        finally:
            self._mock.stop(remove_data=False)

    def _make(self):
        for lane in LANES:
            for queue in (lane.dead_letter_queue("dev"), f"rp-mw-{lane.queue_word}-dev.fifo"):
                self.clients["sqs"].create_queue(QueueName=queue, Attributes={"FifoQueue": "true"})
        for name in NAMES:
            value = "true" if name == "automation_enabled" else "false"
            self.clients["ssm"].put_parameter(Name=f"/rp-mw/dev/{name}", Value=value, Type="String")
        self._is_fresh = True

    def _note(self, model, **_):
        self._is_fresh &= model.name.startswith(("Get", "List", "Describe"))


@pytest.fixture(scope="session")
def _aws():
    made = Aws()
    yield made
    for client in made.clients.values():
        client.close()


@pytest.fixture
def clients(_aws, monkeypatch):
    """AWS in this process: the switches, the lanes' dead-letter queues, no metric."""
    monkeypatch.delenv("AWS_ENDPOINT_URL", raising=False)
    with _aws.running() as made:
        yield made


@pytest.fixture
def console(clients, monkeypatch):
    made = Console(offline_session(**clients))
    monkeypatch.setattr(made.services, "check_stage", lambda: None, raising=False)
    return made
