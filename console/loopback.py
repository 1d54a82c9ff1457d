"""The console on the operator's own machine, with the operator's own AWS credentials.

The server listens on 127.0.0.1 only.  A random link, which works once, signs in the person whom AWS
names; a program on the machine that does not know the link gets nothing.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from flask import Blueprint, abort, make_response, redirect, request, url_for
from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.wrappers import Response

from chalicelib.once.ports import Clock
from chalicelib.outreach.people import persons
from console import settings
from console.app import create_app
from console.backend import Options
from console.rights import Person, Right, Role, needs
from console.sign_in import SignedIn
from ops.session import Session

ADDRESS = "127.0.0.1"
AWS = "aws"
"""The issuer of this console's person."""
LASTS = timedelta(hours=12)
EVERYTHING = frozenset({Role.OPERATOR, Role.LEAD})


@dataclass
class LoopbackSignIn:
    """`console.sign_in.SignIn` by a link that works once.

    Attributes:
        person: whom AWS names for the credentials in use.
        port: the server's; part of the cookie's name, as cookies are shared by all ports.
    """

    person: Person
    clock: Clock
    port: int
    link_token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    _ends: dict[str, datetime] = field(default_factory=dict, repr=False)
    _form_token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def pages(self) -> Blueprint:
        """The address of the link, and the sign-out."""
        made = Blueprint("sign_in", __name__)
        made.add_url_rule("/enter/<token>", "enter", self._enter)
        made.add_url_rule("/sign-out", "sign_out", self._sign_out, methods=["POST"])
        return made

    def current(self) -> SignedIn | None:
        """The session of the request's cookie; sessions are in memory and last `LASTS`."""
        ends = self._ends.get(request.cookies.get(self._cookie, ""))
        if ends is None or ends < self.clock.now():
            return None
        return SignedIn(self.person, self._form_token)

    def begin(self, back_to: str) -> Response:
        """Refuse with 401: only the terminal that started the console has the link."""
        del back_to
        abort(401, "Open the link that `python -m ops console` printed; it works once.")

    @property
    def _cookie(self) -> str:
        return f"console-{self.port}"

    def _enter(self, token: str) -> Response:
        known, self.link_token = self.link_token, secrets.token_urlsafe(32)
        if not hmac.compare_digest(token.encode(), known.encode()):
            self.link_token = known
            abort(404, "The link was used, or belongs to another console. Start a new one.")
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


class _Silent(WSGIRequestHandler):
    """Logs no request: an address may hold keys, and once the link."""

    def log_request(self, code: int | str = "-", size: int | str = "-") -> None:
        """Log nothing."""


@dataclass(frozen=True)
class Loopback:
    """A running console.

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
    with _bound(port) as listening:
        port = int(listening.getsockname()[1])
        sign_in = LoopbackSignIn(
            Person(
                persons.DeskPerson("", who, AWS).text,
                EVERYTHING,
                companies=None,
                led=None,
                built=None,
            ),
            session.services.clock,
            port,
        )
        hosts = frozenset({f"{ADDRESS}:{port}", f"localhost:{port}"})
        server = make_server(
            ADDRESS,
            port,
            create_app(
                session, sign_in, Options(hosts, colleagues=settings.colleagues_of(os.environ))
            ),
            threaded=True,
            request_handler=_Silent,
            fd=listening.fileno(),  # the server duplicates it
        )
    return Loopback(server, f"http://{ADDRESS}:{port}/enter/{sign_in.link_token}")


def _bound(port: int) -> socket.socket:
    """A listening socket.  Werkzeug's server would end the process where the port is taken."""
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((ADDRESS, port))
        made.listen(128)
    except OSError:
        made.close()
        raise
    return made
