"""The console over tables in memory, and browsers of several persons."""

import re

import pytest
from flask import Blueprint, abort, request

from console.access import Person, Right, Role, needs
from console.app import create_app
from console.backend import Options
from console.sign_in import SignedIn
from tests.rigs.ops_session import session as offline_session

HOST = "127.0.0.1:8090"
HERE = {"Origin": f"http://{HOST}", "Sec-Fetch-Site": "same-origin"}
PEOPLE = {
    "jo": Person("Operators/jo", frozenset({Role.OPERATOR})),
    "kim": Person("Operators/kim", frozenset({Role.OPERATOR})),
    "vi": Person("Viewers/vi", frozenset({Role.VIEWER})),
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
        return " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())


class Console:
    """The console, the services behind it, and its browsers."""

    def __init__(self, session):
        self.session, self.services = session, session.services
        self.app = create_app(session, Persons(), Options(frozenset({HOST})))
        self.app.testing = True

    def browser(self, who="jo"):
        return Browser(self.app, who)


@pytest.fixture
def console():
    return Console(offline_session())
