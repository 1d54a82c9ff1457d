"""Sign-in by an OpenID Connect provider: code + PKCE, and a session of our own.

Authlib does discovery, PKCE (S256), state, nonce and the checks of the ID token (signature, issuer,
audience, end).  State, nonce and verifier are stored in a row that can be read once; the session
that follows is another row (`console.sessions`).  Both cookies hold a random token only.

Cookies are ``__Host-``: https, this host alone, every path.  SameSite is Lax, as Strict would lose
them on the way back from the provider.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Any, cast
from urllib.parse import urlsplit

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.flask_client import FlaskIntegration, FlaskOAuth2App
from flask import Blueprint, Flask, abort, g, redirect, render_template, request, url_for
from flask.sessions import SecureCookieSession, SessionInterface
from joserfc.errors import JoseError
from requests.exceptions import RequestException
from werkzeug.wrappers import Response

from chalicelib.once.journal import Act
from chalicelib.once.ports import Clock
from chalicelib.outreach.people import persons
from chalicelib.outreach.people.assertions import name_in
from console import grants, renewal
from console.renewal import Renewal
from console.rights import Right, needs
from console.sessions import SHORT, SIGN_IN_LASTS, ConsoleSession, Sessions, form_token
from console.settings import ConsoleSettings
from console.sign_in import SignedIn

SESSION_COOKIE = "__Host-console"
SIGN_IN_COOKIE = "__Host-console-sign-in"
TIMEOUT_SECONDS = 5.0
LONGEST_HINT = 4_000
"""Characters of an ID token at most that is stored as the logout's hint: it becomes part of an address."""
_ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "EdDSA")
_NEXT = "next"


class OpenIdSignIn:
    """`console.sign_in.SignIn` by an OpenID Connect provider.

    Args:
        settings: how people sign in.
        sessions: the rows of sessions and sign-ins.
        client_secret: reads the client's secret, at the first sign-in.
        enter_act: enters an act into the journal.
        clock: says when the provider must be asked again.
        keep_roles: stores a person's roles at companies (name, roles as text), at sign-in and
            whenever the provider reports other roles.
    """

    def __init__(
        self,
        settings: ConsoleSettings,
        sessions: Sessions,
        client_secret: Callable[[], str],
        enter_act: Callable[[Act], object],
        clock: Clock,
        keep_roles: Callable[[str, Collection[str]], object],
    ) -> None:
        self._keep_roles = keep_roles
        self._settings = settings
        self._sessions = sessions
        self._client_secret = client_secret
        self._enter_act = enter_act
        self._client: FlaskOAuth2App | None = None
        self._renewal = Renewal(
            sessions=sessions,
            provider=self._provider,
            grants_of=self._grants_if_said,
            clock=clock,
        )

    @property
    def form_targets(self) -> tuple[str, ...]:
        """The provider's origin: browsers apply form-action to the redirect of a logout too."""
        parts = urlsplit(self._settings.issuer)
        return (f"{parts.scheme}://{parts.netloc}",)

    @property
    def pages(self) -> Blueprint:
        """The redirect to the provider, the way back, and the sign-out."""
        made = Blueprint("sign_in", __name__)
        made.add_url_rule("/sign-in", "sign_in", self._sign_in)
        made.add_url_rule("/signed-in", "signed_in", self._signed_in)
        made.add_url_rule("/sign-out", "sign_out", self._sign_out, methods=["POST"])
        made.add_url_rule("/signed-out", "signed_out", self._signed_out)
        made.record_once(lambda state: _keep_sign_ins(cast("Flask", state.app), self._sessions))
        return made

    def current(self) -> SignedIn | None:
        """The session of the request's cookie, while the provider still confirms its person."""
        found = self._confirmed()
        if found is None:
            return None
        token = request.cookies.get(SESSION_COOKIE, "")
        return SignedIn(grants.person(found.person, found.grants), form_token(token))

    def begin(self, back_to: str) -> Response:
        """A redirect to the sign-in, which comes back to the page that was asked for."""
        return redirect(url_for("sign_in.sign_in", next=back_to))

    @needs(Right.ANYONE)
    def _sign_in(self) -> Response:
        """Redirect to the provider."""
        from flask import session  # noqa: PLC0415 - Flask's, whose rows are ours

        session[_NEXT] = _own_path(request.args.get(_NEXT, "/"))
        to: Response = self._asked(lambda: self._provider().authorize_redirect(self._back_address))
        return to

    @needs(Right.ANYONE)
    def _signed_in(self) -> Response | tuple[str, int]:
        """Take the provider's answer: start a session, and redirect to the page that was asked for."""
        from flask import session  # noqa: PLC0415 - likewise

        next_page = _own_path(session.get(_NEXT, "/"))
        if not session:  # an old or repeated address; its sign-in may well have worked
            return redirect(next_page if self._session() else url_for("sign_in.sign_in"))
        token = self._asked(self._provider().authorize_access_token)
        claims: Mapping[str, Any] = token.get("userinfo") or {}
        who = persons.proven_person(
            claims.get("sub"),
            persons.issuer_text(self._settings.issuer) or "",
            name=name_in(claims, self._settings.name_claim),
        )
        roles = self._grants(claims)
        if who is not None:
            self._keep_roles(who.text, roles)
        if who is None or not roles:
            session.clear()
            return render_template("no_role.html"), 403
        id_token = str(token.get("id_token") or "")
        issued = self._sessions.start(
            who.text,
            roles,
            subject=str(claims["sub"]),
            id_token=id_token if len(id_token) <= LONGEST_HINT else "",
            proof=renewal.proof_of(token),
        )
        self._enter_act(Act("console sign-in", "console:sign-in", who.text, result="signed in"))
        session.clear()
        answer = redirect(next_page)
        _set(answer, SESSION_COOKIE, issued, self._settings.session_lasts.total_seconds())
        return answer

    @needs(Right.ANYONE)
    def _sign_out(self) -> Response:
        """End the session here, then at the provider where it has a logout address."""
        found = self._session()
        answer = redirect(url_for("sign_in.signed_out"))
        if found is not None:
            self._sessions.end(request.cookies.get(SESSION_COOKIE, ""), by=found.person)
            answer = redirect(self._logout_address(found) or url_for("sign_in.signed_out"))
        answer.delete_cookie(SESSION_COOKIE, secure=True, httponly=True, samesite="Lax")
        return answer

    @needs(Right.ANYONE)
    def _signed_out(self) -> str:
        return render_template("signed_out.html")

    def _confirmed(self) -> ConsoleSession | None:
        """The session of this request, while the provider confirms its person; else None."""
        found = self._session()
        if found is None:
            return None
        try:
            now = self._renewal.current(found, request.cookies.get(SESSION_COOKIE, ""))
        except (
            renewal.GoneError
        ):  # the account is gone, or there is no proof to ask with: the row has been ended
            key = f"console-session:{found.session_id[:SHORT]}"
            self._enter_act(Act("console session end", key, found.person, result="provider"))
            return None
        except renewal.SilentError:
            abort(503, "The sign-in provider cannot be reached. Try again in a minute.")
        if now.grants != found.grants:
            self._keep_roles(now.person, now.grants)
        return now

    def _grants(self, claims: Mapping[str, Any]) -> frozenset[str]:
        """A person's roles, by the groups in their claims."""
        groups = _groups(claims, self._settings.group_claim)
        return grants.of_groups(groups, self._settings.groups)

    def _grants_if_said(self, claims: Mapping[str, Any]) -> frozenset[str] | None:
        return self._grants(claims) if self._settings.group_claim in claims else None

    def _session(self) -> ConsoleSession | None:
        """The session of this request; its row is read once."""
        if "console_session" not in g:
            g.console_session = self._sessions.find(request.cookies.get(SESSION_COOKIE, ""))
        found = g.console_session
        return found if isinstance(found, ConsoleSession) else None

    @property
    def _back_address(self) -> str:
        return f"{self._settings.url}/signed-in"

    def _logout_address(self, ended: ConsoleSession) -> str:
        """The provider's logout address; empty where it has none or cannot be reached."""
        try:
            made = self._provider().create_logout_url(
                f"{self._settings.url}/signed-out",
                id_token_hint=ended.id_token or None,
                client_id=self._settings.client_id,
            )
        except (RequestException, RuntimeError, ValueError):
            return ""
        return str(made["url"])

    def _provider(self) -> FlaskOAuth2App:
        if self._client is None:
            discovery = f"{self._settings.issuer}/.well-known/openid-configuration"
            self._client = _Provider(
                FlaskIntegration("provider"),
                "provider",
                client_id=self._settings.client_id,
                server_metadata_url=discovery,
                client_kwargs={
                    "scope": self._settings.scope,
                    "code_challenge_method": "S256",
                    "default_timeout": TIMEOUT_SECONDS,
                },
            )
        self._client.client_secret = self._client_secret() or None  # so a new secret applies soon
        return self._client

    def _asked(self, ask: Callable[[], Any]) -> Any:  # noqa: ANN401 - as the call's own
        """The provider's answer to a call; an error page where it refuses or cannot be reached."""
        try:
            return ask()
        except (AuthlibBaseError, JoseError, KeyError):
            abort(403, "The sign-in provider did not confirm who you are. Please sign in again.")
        except (RequestException, RuntimeError, ValueError):
            abort(503, "The sign-in provider cannot be reached. Try again in a minute.")


class _Provider(FlaskOAuth2App):
    """The provider's client; it accepts only ID tokens that a public key verifies."""

    def load_server_metadata(self) -> dict[str, Any]:
        """The discovery document, without unsigned algorithms and those that use the client's secret."""
        found: dict[str, Any] = super().load_server_metadata()
        name = "id_token_signing_alg_values_supported"
        found[name] = [
            algorithm for algorithm in found.get(name, _ALGORITHMS) if algorithm in _ALGORITHMS
        ]
        return found


class _SignInRows(SessionInterface):
    """Flask's `session`, which Authlib writes to, stored as a row that can be read once."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def open_session(self, app: Flask, request: Any) -> SecureCookieSession:  # noqa: ANN401
        """On the way back from the provider the stored row; elsewhere an empty session."""
        del app
        if request.path != "/signed-in":
            return SecureCookieSession()
        token = request.cookies.get(SIGN_IN_COOKIE, "")
        return SecureCookieSession(self._sessions.take_sign_in(token))

    def save_session(self, app: Flask, session: Any, response: Response) -> None:  # noqa: ANN401
        """Store a row on the way to the provider; delete the cookie on the way back."""
        del app
        if request.path == "/signed-in":
            response.delete_cookie(SIGN_IN_COOKIE, secure=True, httponly=True, samesite="Lax")
        elif session and request.path == "/sign-in":
            token = self._sessions.begin_sign_in(dict(session))
            _set(response, SIGN_IN_COOKIE, token, SIGN_IN_LASTS.total_seconds())


def _keep_sign_ins(app: Flask, sessions: Sessions) -> None:
    app.session_interface = _SignInRows(sessions)


def _set(answer: Response, name: str, token: str, seconds: float) -> None:
    answer.set_cookie(
        name, token, max_age=int(seconds), secure=True, httponly=True, samesite="Lax", path="/"
    )


def _own_path(asked: str) -> str:
    """The asked path if it is ours, else ``/``, so that no link signs somebody in and leads elsewhere."""
    is_ours = asked.startswith("/") and not asked.startswith(("//", "/\\"))
    return asked if is_ours and asked.isprintable() and "\\" not in asked else "/"


def _groups(claims: Mapping[str, Any], name: str) -> list[str]:
    """The groups of a person; an e-mail address as a group counts only where it is verified."""
    found = claims.get(name, [])
    if name == "email" and claims.get("email_verified") is not True:
        return []
    if isinstance(found, str):
        return [found]
    return [text for text in found if isinstance(text, str)] if isinstance(found, list) else []
