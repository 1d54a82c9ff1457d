"""The sessions of signed-in persons: rows with an end, each revocable at once.

The browser holds a random token, the table only its digest, so that a copy of the table signs in
no one.  The provider's tokens are encrypted with that token, so the copy does not reveal them.
Example row of `rp_mw_console_sessions-<stage>`::

    session_id   5f2b...   SHA-256 of the token
    kind         session                       (or sign-in: state, nonce and verifier of a sign-in)
    person       jo@example.com <00u1... at login.example.com>      see `chalicelib.outreach.people.persons`
    subject      00u1...                       the provider's own id of the person
    checked_at   2026-11-20T09:05:00.000Z      when the provider last confirmed the person
    checking_at  2026-11-20T09:05:00.000Z      when the provider was last asked
    proof        gAAA...                       the provider's token, encrypted with the browser's
    grants       ["agent:ci-aaa-001"]
    id_token     eyJ...                        hint for the provider's logout; absent where too long
    created_at   2026-11-20T09:00:00.000Z
    revoked_by   Operators/jo                  absent while it is valid
    expires_at   1795251602                    its end; a row is not used after it, deleted or not
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from cryptography.fernet import Fernet, InvalidToken

from chalicelib.clock import iso
from chalicelib.once.ports import Clock
from chalicelib.once.store import ConditionFailed, Item, Store

LASTS = timedelta(hours=8)
SIGN_IN_LASTS = timedelta(minutes=10)
ASKING_LASTS = timedelta(seconds=20)
"""So long after one request has asked the provider, no other request asks it."""
TOKEN_BYTES = 32
LISTED_AT_MOST = 1_000
SHORT = 12
"""Characters of a session's id that a person types."""
_SESSION, _SIGN_IN = "session", "sign-in"


@dataclass(frozen=True, slots=True)
class ConsoleSession:
    """A session that is valid now.

    Attributes:
        session_id: digest of the browser's token.
        person: in the text form of `persons`.
        grants: the person's roles as the provider last reported them, as text.
        ends_at: when it ends by itself.
        subject: the provider's own id of the person.
        checked_at: when the provider last confirmed the person.
        id_token: the provider's; empty where none is stored.
        proof: the provider's token with which it is asked again; empty where there is none.
    """

    session_id: str
    person: str
    grants: tuple[str, ...]
    ends_at: datetime
    subject: str
    checked_at: datetime
    id_token: str = field(default="", repr=False)
    proof: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Listed:
    """A session as the command line lists it; times as ISO text."""

    session_id: str
    person: str
    grants: tuple[str, ...]
    since: str
    until: str

    @property
    def short_id(self) -> str:
        """The id as a person types it."""
        return self.session_id[:SHORT]


class Sessions:
    """Starts, finds, renews and ends sessions: the rows of the sessions' table."""

    def __init__(self, table: Store, clock: Clock, lasts: timedelta = LASTS) -> None:
        self._table = table
        self._clock = clock
        self._lasts = lasts

    def start(
        self,
        person: str,
        grants: Iterable[str],
        *,
        subject: str,
        id_token: str = "",
        proof: str = "",
    ) -> str:
        """Start a session; return the token for the browser.

        Args:
            person: in the text form of `persons`.
            grants: the person's roles, as text.
            subject: the provider's own id of the person.
            id_token: the provider's, as a hint for its logout.
            proof: the provider's token with which it is asked again.
        """
        token = secrets.token_urlsafe(TOKEN_BYTES)
        more = {"id_token": id_token} if id_token else {}
        if proof:
            more["proof"] = _sealing(token).encrypt(proof.encode()).decode()
        return self._put(
            _SESSION,
            self._lasts,
            token,
            checked_at=iso(self._clock.now()),
            person=person,
            subject=subject,
            grants=sorted(grants),
            **more,
        )

    def find(self, token: str) -> ConsoleSession | None:
        """The session of a token; None if it has ended, was revoked, or never existed."""
        row = self._row(token, _SESSION)
        if row is None:
            return None
        return ConsoleSession(
            session_id=row["session_id"],
            person=row["person"],
            grants=tuple(row["grants"]),
            ends_at=datetime.fromtimestamp(int(row["expires_at"]), UTC),
            subject=row["subject"],
            checked_at=datetime.fromisoformat(row.get("checked_at") or row["created_at"]),
            id_token=row.get("id_token", ""),
            proof=_opened(token, row.get("proof", "")),
        )

    def claims(self, session: ConsoleSession, now: datetime) -> bool:
        """Claim the next question to the provider; True for one of several concurrent requests."""
        try:
            self._table.update(
                {"session_id": session.session_id},
                set_={"checking_at": iso(now)},
                condition="attribute_not_exists(#revoked_by)"
                " AND (attribute_not_exists(#checking_at) OR #checking_at < :before)",
                reading=False,
                before=iso(now - ASKING_LASTS),
            )
        except ConditionFailed:
            return False
        return True

    def renewed(
        self,
        session: ConsoleSession,
        token: str,
        grants: tuple[str, ...],
        proof: str,
        now: datetime,
    ) -> ConsoleSession:
        """Store the provider's answer, and return the session with it."""
        sealed = _sealing(token).encrypt(proof.encode()).decode()
        kept = {"checked_at": iso(now), "grants": list(grants), "proof": sealed}
        self._table.update({"session_id": session.session_id}, set_=kept, reading=False)
        return replace(session, checked_at=now, grants=grants, proof=proof)

    def end(self, token: str, *, by: str) -> None:
        """End the session of a token: its person signs out."""
        row = self._row(token, _SESSION)
        if row is not None:
            self.revoke(row["session_id"], by=by)

    # --- the way to the provider and back -------------------------------------------------------

    def begin_sign_in(self, data: Mapping[str, Any]) -> str:
        """Store the data of a sign-in (state, nonce, verifier, page); return the token for the way back."""
        token = secrets.token_urlsafe(TOKEN_BYTES)
        return self._put(_SIGN_IN, SIGN_IN_LASTS, token, data=dict(data))

    def take_sign_in(self, token: str) -> dict[str, Any]:
        """The data that `begin_sign_in` stored, once; empty the second time and for any other token."""
        row = self._row(token, _SIGN_IN)
        if row is None:
            return {}
        used = self.revoke(row["session_id"], by="sign-in")
        return dict(row["data"]) if used else {}

    # --- the command line -----------------------------------------------------------------------

    def listed(self) -> Iterator[Listed]:
        """Every session that is valid now, unordered; scans the whole table."""
        start: Item | None = None
        while True:
            rows, start = self._table.scan_page(limit=LISTED_AT_MOST, start=start)
            for row in rows:
                if row["kind"] == _SESSION and self._is_valid(row):
                    until = datetime.fromtimestamp(int(row["expires_at"]), UTC)
                    grants = tuple(row["grants"])
                    yield Listed(
                        row["session_id"], row["person"], grants, row["created_at"], iso(until)
                    )
            if start is None:
                return

    def revoke(self, session_id: str, *, by: str) -> bool:
        """End a session; False where it had ended before."""
        try:
            self._table.update(
                {"session_id": session_id},
                set_={"revoked_by": by, "revoked_at": iso(self._clock.now())},
                condition="attribute_exists(#session_id) AND attribute_not_exists(#revoked_by)",
                reading=False,
            )
        except ConditionFailed:
            return False
        return True

    def _put(self, kind: str, lasts: timedelta, token: str, **more: Any) -> str:  # noqa: ANN401
        now = self._clock.now()
        self._table.put(
            {
                "session_id": digest(token),
                "kind": kind,
                "created_at": iso(now),
                "expires_at": int((now + lasts).timestamp()),
                **more,
            }
        )
        return token

    def _row(self, token: str, kind: str) -> Item | None:
        if not token:
            return None
        row = self._table.get({"session_id": digest(token)})
        return row if row and row["kind"] == kind and self._is_valid(row) else None

    def _is_valid(self, row: Mapping[str, Any]) -> bool:
        return "revoked_by" not in row and self._clock.now().timestamp() < int(row["expires_at"])


def digest(token: str) -> str:
    """The id of the row of a token."""
    return hashlib.sha256(token.encode()).hexdigest()


def _sealing(token: str) -> Fernet:
    """The cipher for a session's provider tokens; its key comes from the browser's token."""
    return Fernet(urlsafe_b64encode(hmac.digest(token.encode(), b"provider", hashlib.sha256)))


def _opened(token: str, sealed: str) -> str:
    """The decrypted text; empty where it cannot be decrypted."""
    try:
        return _sealing(token).decrypt(sealed.encode()).decode() if sealed else ""
    except InvalidToken:
        return ""


def form_token(token: str) -> str:
    """The token in the forms of a session, derived from the session's token, so no other page can know it."""
    return hmac.new(token.encode(), b"form", hashlib.sha256).hexdigest()
