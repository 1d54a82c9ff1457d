"""The console on one's own machine, with the operator's own AWS credentials.

The server listens on 127.0.0.1 only.  A random link, which works once, signs in the person whom AWS
names; another program of the machine that does not know the link gets nothing.
"""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from flask import Blueprint, abort, make_response, redirect, request, url_for
from werkzeug.serving import BaseWSGIServer, make_server
from werkzeug.wrappers import Response

from chalicelib.once.ports import Clock
from console.access import Person, Right, Role, needs
from console.app import create_app
from console.backend import Options
from console.sign_in import SignedIn
from ops.session import Session

ADDRESS = "127.0.0.1"
LASTS = timedelta(hours=12)
EVERYTHING = frozenset({Role.OPERATOR, Role.LEAD})


@dataclass
class LoopbackSignIn:
    """`console.sign_in.SignIn` by a link that works once.

    Attributes:
        person: whom AWS names for the credentials in use.
        port: of the server; cookies know no ports, so their name does.
    """

    person: Person
    clock: Clock
    port: int
    link_token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _ends: dict[str, datetime] = field(default_factory=dict, repr=False)
    _form_token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def pages(self) -> Blueprint:
        """The link, and the way out."""
        made = Blueprint("sign_in", __name__)
        made.add_url_rule("/enter/<token>", "enter", self._enter)
        made.add_url_rule("/sign-out", "sign_out", self._sign_out, methods=["POST"])
        return made

    def current(self) -> SignedIn | None:
        """See `SignIn.current`."""
        ends = self._ends.get(request.cookies.get(self._cookie, ""))
        if ends is None or ends < self.clock.now():
            return None
        return SignedIn(self.person, self._form_token)

    def begin(self, back_to: str) -> Response:
        """See `SignIn.begin`; only the program that was started knows the link."""
        del back_to
        abort(401, "Open the link that `python -m ops console` printed; it works once.")

    @property
    def _cookie(self) -> str:
        return f"console-{self.port}"

    def _enter(self, token: str) -> Response:
        known, self.link_token = self.link_token, secrets.token_urlsafe(32)
        if not hmac.compare_digest(token.encode(), known.encode()):
            self.link_token = known
            abort(404, "The link has been used, or is of another console. Start it once more.")
        session_id = secrets.token_urlsafe(32)
        self._ends[session_id] = self.clock.now() + LASTS
        answer = make_response(redirect(url_for("overview.show")))
        answer.set_cookie(self._cookie, session_id, max_age=LASTS, httponly=True, samesite="Strict")
        return answer

    needs(Right.ANYONE)(_enter)

    def _sign_out(self) -> Response:
        self._ends.pop(request.cookies.get(self._cookie, ""), None)
        return redirect(url_for("overview.show"))

    needs(Right.ANYONE)(_sign_out)


@dataclass(frozen=True)
class Loopback:
    """A console that listens.

    Attributes:
        url: the link that signs in, once.
    """

    server: BaseWSGIServer
    url: str = field(repr=False)


def listen(session: Session, *, port: int, who: str) -> Loopback:
    """Make the console of a stage and its server; `server.serve_forever()` runs it.

    Args:
        session: the stage, with the operator's own credentials.
        port: 0 for any free one.
        who: the person's name, for the journal.

    Raises:
        OSError: the port is taken.
    """
    person = Person(who, EVERYTHING, companies=None)
    server = make_server(ADDRESS, port, _nothing, threaded=True)
    sign_in = LoopbackSignIn(person, session.services.clock, server.port)
    hosts = frozenset({f"{ADDRESS}:{server.port}", f"localhost:{server.port}"})
    server.app = create_app(session, sign_in, Options(hosts))
    return Loopback(server, f"http://{ADDRESS}:{server.port}/enter/{sign_in.link_token}")


def _nothing(_environ: object, _start: object) -> list[bytes]:
    """Until the port is known."""
    return []
