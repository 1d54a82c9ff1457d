"""Richpanel: read tickets, change them by calls that may be repeated, answer by one that may not.

Vendor facts (developer.richpanel.com/reference, and a real tenant where it says less):
a conversation is a *ticket*; its id is an opaque text that can be an RFC 5322 Message-ID, and a
path with an unencoded id is answered 200 without any change; `add-tags` and `remove-tags` have set
semantics; one payload alone is known to close a ticket; `send-message` makes a real agent's reply
and takes no idempotency key; listing may be forbidden (403) to a key that may read single tickets.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, Literal, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from chalicelib import keys
from chalicelib.actions import Action, AddTag, Assign, RemoveTag
from chalicelib.adapters.http import Call, VendorClient
from chalicelib.adapters.richpanel_answers import (
    TagPage,
    TeamPage,
    TicketAnswer,
    TicketEnvelope,
    as_ticket,
)
from chalicelib.adapters.richpanel_answers import TicketPage as ListedTickets
from chalicelib.errors import PermanentError, ProviderError, TransientError, UncertainError
from chalicelib.ports import Clock, Comment, Ticket
from chalicelib.ports import TicketPage as OpenTickets

PROVIDER = "richpanel"
READ_DEADLINE_SECONDS = 15.0
_TAG_NAMES_LAST = timedelta(minutes=10)
_PER_PAGE = 100
_REOPEN = {"ticket": {"state": "open", "status": "OPEN"}}
_CLOSE = {"ticket": {"state": "closed", "status": "CLOSED"}}
"""The only payload known to move a ticket to CLOSED; others were answered 200 without effect."""

_AnyAction = TypeVar("_AnyAction", AddTag, RemoveTag, Assign)


def key_header(secret: Callable[[bool], str]) -> Callable[[bool], Mapping[str, str]]:
    """The header that proves who we are; the secret is fetched anew when asked with True."""
    return lambda refresh: {"x-richpanel-key": secret(refresh).strip()}


class Richpanel:
    """Implements `ports.Tickets`; its methods that take actions are `ports.Executor`s.

    Args:
        tag_mode: whether the tenant's tag calls take names or ids.
    """

    def __init__(
        self, client: VendorClient, clock: Clock, *, tag_mode: Literal["name", "id"] = "name"
    ) -> None:
        self._client = client
        self._clock = clock
        self._tag_mode = tag_mode
        self._tag_ids: dict[str, str] = {}
        self._tag_ids_read_at: datetime | None = None

    # --- reading ------------------------------------------------------------------------------

    def read_ticket(self, conversation_id: str) -> Ticket:
        """The ticket with its comments, oldest first.

        Raises:
            PermanentError: there is none (404), or the answer is about another ticket.
            ProviderError: it could not be read.
        """
        return self._read_ticket(conversation_id, READ_DEADLINE_SECONDS)

    def read_ticket_by_number(self, number: int) -> Ticket | None:
        """The ticket people see under a number (``conversation_no``); None when there is none.

        The vendor warns that it may not find tickets which were imported.
        """
        path = f"/v1/tickets/number/{number}"
        try:
            answer = self._get("read_ticket_by_number", path, {}, READ_DEADLINE_SECONDS)
        except PermanentError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return None
            raise
        raw = _parsed(TicketEnvelope, answer, "read_ticket_by_number").ticket
        return self._ticket(raw) if raw.id else None

    def open_page(self, *, since: datetime, page: int) -> OpenTickets:
        """One page of the open tickets updated since a time.

        The vendor's filters and order are asked for and not relied on.  A ticket that does not say
        when it was updated is given.

        Raises:
            AuthError: this key may not list (403).
        """
        listed = self._list(page, since)
        known = [raw for raw in listed.all if raw.id]
        recent = [raw for raw in known if raw.updated_at is None or raw.updated_at >= since]
        is_past = not recent and _is_newest_first(known)
        return OpenTickets(
            tickets=tuple(ticket for ticket in map(self._ticket, recent) if ticket.is_open),
            is_last=not listed.next_page or not known or is_past,
            fingerprint=keys.digest(*(raw.id or "" for raw in known)),
        )

    def conversations_of(self, kind: Literal["email", "phone"], address: str) -> Sequence[str]:
        """Ids of a customer's tickets, as the vendor knows them by an address."""
        path = f"/v1/tickets/{kind}/{_segment(address, 'list_customer_tickets')}"
        try:
            answer = self._get("list_customer_tickets", path, {}, READ_DEADLINE_SECONDS)
        except PermanentError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return []
            raise
        listed = _parsed(ListedTickets, answer, "list_customer_tickets")
        return [raw.id for raw in listed.all if raw.id]

    def tag_names(self) -> frozenset[str]:
        """Every tag the tenant has."""
        return frozenset(self._known_tags(READ_DEADLINE_SECONDS, refresh=True))

    def team_names(self) -> frozenset[str]:
        """Every team the tenant has."""
        answer = self._get("list_teams", "/v1/teams", {}, READ_DEADLINE_SECONDS)
        listed = _parsed(TeamPage, answer, "list_teams")
        return frozenset(team.name for team in listed.all if team.name)

    # --- executors ----------------------------------------------------------------------------

    def add_tags(self, actions: Sequence[Action], *, deadline_seconds: float) -> None:
        """Put tags on a ticket, all in one request; repeating it changes nothing."""
        conversation_id, ours = _only(AddTag, actions)
        names = {action.tag for action in ours}
        self._change_tags("add-tags", conversation_id, names, deadline_seconds)

    def remove_tags(self, actions: Sequence[Action], *, deadline_seconds: float) -> None:
        """Take tags off a ticket, all in one request; repeating it changes nothing."""
        conversation_id, ours = _only(RemoveTag, actions)
        names = {action.tag for action in ours}
        self._change_tags("remove-tags", conversation_id, names, deadline_seconds)

    def assign(self, actions: Sequence[Action], *, deadline_seconds: float) -> None:
        """Assign a ticket to the user whose id the last action names; repeating changes nothing."""
        conversation_id, ours = _only(Assign, actions)
        body = {"ticket": {"assignee_id": ours[-1].team}}
        self._put("assign", conversation_id, "", body, deadline_seconds)

    def close(self, conversation_id: str, *, deadline_seconds: float) -> Ticket:
        """Close a ticket and read it back, as a refused change is answered 200 too.

        Returns:
            The ticket as it is then; somebody may have written meanwhile.

        Raises:
            ProviderError: `TransientError` also where it is still open afterwards.
        """
        ends = self._clock.monotonic() + deadline_seconds
        self._put("close", conversation_id, "", _CLOSE, deadline_seconds)
        ticket = self._read_ticket(conversation_id, ends - self._clock.monotonic())
        if ticket.is_open:
            raise TransientError(PROVIDER, "close", reason="not_applied")
        return ticket

    def reopen(self, conversation_id: str, *, deadline_seconds: float) -> None:
        """Open a ticket again; repeating it changes nothing."""
        self._put("reopen", conversation_id, "", _REOPEN, deadline_seconds)

    def send_message(
        self, conversation_id: str, *, body: str, author_id: str, deadline_seconds: float
    ) -> str | None:
        """Send one agent reply to the customer; never repeated when its outcome is not known.

        Args:
            conversation_id: the ticket.
            body: plain text.
            author_id: id of a real agent; without one Richpanel shows no author.
            deadline_seconds: for sending and reading back.

        Returns:
            The new comment's id, or None where it was accepted and cannot be read back just now.

        Raises:
            UncertainError: also where it was accepted and the ticket does not show it.
            ProviderError: it was surely not sent.
        """
        started = self._clock.now()
        ends = self._clock.monotonic() + deadline_seconds
        message = {"body": body, "author_id": author_id}
        self._put("send_message", conversation_id, "/send-message", message, deadline_seconds)
        try:
            ticket = self._read_ticket(conversation_id, ends - self._clock.monotonic())
        except ProviderError:
            return None
        replies = [one for one in ticket.comments if _is_reply(one, author_id, started)]
        verbatim = [one for one in replies if keys.normalised(one.text) == keys.normalised(body)]
        if not replies:
            raise UncertainError(PROVIDER, "send_message", reason="not_visible")
        return (verbatim or replies)[-1].id

    # --- private ------------------------------------------------------------------------------

    def _read_ticket(self, conversation_id: str, deadline_seconds: float) -> Ticket:
        path = f"/v1/tickets/{_segment(conversation_id, 'read_ticket')}"
        answer = self._get("read_ticket", path, {}, deadline_seconds)
        raw = _parsed(TicketEnvelope, answer, "read_ticket").ticket
        if raw.id != conversation_id:
            raise PermanentError(PROVIDER, "read_ticket", reason="id_mismatch")
        return self._ticket(raw)

    def _list(self, page: int, since: datetime) -> ListedTickets:
        query = {
            "page": str(page),
            "per_page": str(_PER_PAGE),
            "status": "OPEN",
            "sortKey": "updatedAt",
            "order": "DESC",
            "updated_at": since.astimezone(UTC).date().isoformat(),
        }
        answer = self._get("list_tickets", "/v1/tickets", query, READ_DEADLINE_SECONDS)
        return _parsed(ListedTickets, answer, "list_tickets")

    def _change_tags(
        self, verb: str, conversation_id: str, names: set[str], deadline_seconds: float
    ) -> None:
        operation = verb.replace("-", "_")
        ends = self._clock.monotonic() + deadline_seconds
        tags = sorted(self._as_sent(name, operation, deadline_seconds) for name in names)
        left = ends - self._clock.monotonic()
        self._put(operation, conversation_id, f"/{verb}", {"tags": tags}, left)

    def _as_sent(self, name: str, operation: str, deadline_seconds: float) -> str:
        if self._tag_mode == "name":
            return name
        tag_id = self._known_tags(deadline_seconds).get(name)
        if tag_id is None:
            tag_id = self._known_tags(deadline_seconds, refresh=True).get(name)
        if tag_id is None:
            raise PermanentError(PROVIDER, operation, reason="unknown_tag")
        return tag_id

    def _known_tags(self, deadline_seconds: float, *, refresh: bool = False) -> Mapping[str, str]:
        """Tag ids by name, remembered for ten minutes."""
        now = self._clock.now()
        read_at = self._tag_ids_read_at
        if refresh or read_at is None or now - read_at > _TAG_NAMES_LAST:
            answer = self._get("list_tags", "/v1/tags", {}, deadline_seconds)
            listed = _parsed(TagPage, answer, "list_tags")
            self._tag_ids = {tag.name: tag.id for tag in listed.all if tag.name and tag.id}
            self._tag_ids_read_at = now
        return self._tag_ids

    def _ticket(self, raw: TicketAnswer) -> Ticket:
        return as_ticket(raw, self._tag_names(raw.tags or []))

    def _tag_names(self, tags: Sequence[str]) -> frozenset[str]:
        """Names, and ids as they came: some tenants answer with ids, some with names."""
        shown = frozenset(tags)
        if not any(_UUID.fullmatch(tag) for tag in shown):
            return shown
        try:
            known = self._known_tags(READ_DEADLINE_SECONDS)
        except ProviderError:
            known = self._tag_ids
        return shown | {name for name, tag_id in known.items() if tag_id in shown}

    def _get(
        self, operation: str, path: str, query: Mapping[str, str], deadline_seconds: float
    ) -> dict[str, Any]:
        call = Call(operation, "GET", path, is_repeatable=True, query=query)
        return self._client.send(call, deadline_seconds=deadline_seconds)

    def _put(
        self,
        operation: str,
        conversation_id: str,
        suffix: str,
        body: Mapping[str, Any],
        deadline_seconds: float,
    ) -> None:
        """Change a ticket; what the answer shows of it may be older than the change."""
        path = f"/v1/tickets/{_segment(conversation_id, operation)}{suffix}"
        is_repeatable = operation != "send_message"
        call = Call(operation, "PUT", path, is_repeatable=is_repeatable, body=body)
        answer = self._client.send(call, deadline_seconds=deadline_seconds)
        if _is_of_another(answer, conversation_id):
            kind = PermanentError if is_repeatable else UncertainError
            raise kind(PROVIDER, operation, reason="id_mismatch")


def _is_of_another(answer: Mapping[str, Any], conversation_id: str) -> bool:
    """The ticket shown is another, or none, as for an id the vendor did not understand."""
    shown = answer.get("ticket")
    if not isinstance(shown, dict):
        return False
    return not shown or shown.get("id", conversation_id) != conversation_id


def _only(kind: type[_AnyAction], actions: Sequence[Action]) -> tuple[str, Sequence[_AnyAction]]:
    """The actions, which are of one kind and one conversation."""
    ours = [action for action in actions if isinstance(action, kind)]
    (conversation_id,) = {action.conversation_id for action in actions}
    if len(ours) != len(actions):
        raise TypeError(f"only {kind.kind} actions belong here")
    return conversation_id, ours


def _is_newest_first(listed: Sequence[TicketAnswer]) -> bool:
    times = [raw.updated_at for raw in listed if raw.updated_at is not None]
    return times == sorted(times, reverse=True)


def _segment(conversation_id: str, operation: str) -> str:
    """The id as one path segment; the ids that a path has no segment for are refused."""
    if conversation_id in {"", ".", ".."}:
        raise PermanentError(PROVIDER, operation, reason="invalid_id")
    return quote(conversation_id, safe="")


def _is_reply(comment: Comment, author_id: str, since: datetime) -> bool:
    """An operator's comment of this author since then; a signature may have changed its text."""
    is_recent = comment.created_at is None or comment.created_at >= since - _CLOCK_SKEW
    return comment.is_operator and comment.author_id in {None, author_id} and is_recent


_Model = TypeVar("_Model", bound=BaseModel)


def _parsed(model: type[_Model], answer: Mapping[str, Any], operation: str) -> _Model:
    try:
        return model.model_validate(answer)
    except ValidationError:
        pass
    raise TransientError(PROVIDER, operation, reason="unexpected_answer")


_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_CLOCK_SKEW = timedelta(minutes=2)
