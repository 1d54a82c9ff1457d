"""Richpanel: reads tickets, changes them by repeatable calls, and replies by one that is not.

Vendor facts (developer.richpanel.com/reference, and a real tenant where it says less):
a conversation is a *ticket*; its id is an opaque text that can be an RFC 5322 Message-ID, and a
request with an unencoded id gets a 200 without any change; `add-tags` and `remove-tags` have set
semantics; one payload alone is known to close a ticket; `send-message` makes a real agent's reply
and takes no idempotency key; listing may be forbidden (403) to a key that may read single tickets.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Literal

from chalicelib.errors import (
    AuthError,
    PermanentError,
    ProviderError,
    TransientError,
    UncertainError,
)
from chalicelib.once import keys
from chalicelib.once.ports import Clock
from chalicelib.support import reasons as why
from chalicelib.support.richpanel.calls import (
    LIST_DEADLINE_SECONDS,
    PER_PAGE,
    PROVIDER,
    READ_DEADLINE_SECONDS,
    RichpanelCalls,
    segment,
)
from chalicelib.support.richpanel.responses import (
    TeamPage,
    TicketAnswer,
    TicketEnvelope,
    TicketListPage,
    UserPage,
    as_ticket,
)
from chalicelib.support.richpanel.tags import RichpanelTags
from chalicelib.support.tickets import TEAM, Comment, Ticket, TicketPage
from chalicelib.vendors.http import VendorClient
from chalicelib.vendors.rate_limit import Urgency
from chalicelib.vendors.reasons import ID_MISMATCH

_REOPEN = {"ticket": {"state": "open", "status": "OPEN"}}
_CLOSE = {"ticket": {"state": "closed", "status": "CLOSED"}}
"""The only payload known to move a ticket to CLOSED; others got a 200 without effect."""


class Richpanel:
    """The client of Richpanel's API: reads tickets, changes them and replies.

    Every method raises `ProviderError`s.

    Args:
        tag_mode: whether the tenant's tag calls take names or ids.
    """

    def __init__(
        self, *, client: VendorClient, clock: Clock, tag_mode: Literal["name", "id"] = "name"
    ) -> None:
        self._calls = RichpanelCalls(client)
        self._clock = clock
        self._tags = RichpanelTags(calls=self._calls, clock=clock, mode=tag_mode)

    # --- reading ------------------------------------------------------------------------------

    def read_ticket(self, conversation_id: str) -> Ticket:
        """Read a ticket with its comments, oldest first.

        Raises:
            PermanentError: there is no such ticket (404), or the response holds another ticket.
            ProviderError: the ticket could not be read.
        """
        return self._read_ticket(conversation_id, READ_DEADLINE_SECONDS)

    def read_ticket_by_number(self, number: int) -> Ticket | None:
        """Read the ticket with the number that people see (``conversation_no``); None when there is none.

        The vendor warns that imported tickets may not be found.
        """
        path = f"/v1/tickets/number/{number}"
        try:
            raw = self._calls.get(
                TicketEnvelope, "read_ticket_by_number", path, urgency=Urgency.LOW
            ).ticket
        except PermanentError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return None
            raise
        return self._ticket(raw) if raw.id else None

    def read_open_tickets(self, *, since: datetime, page: int) -> TicketPage:
        """Read one page of the open tickets that were updated since a time.

        The vendor's filters and order are requested but not relied on.  A ticket without a time of
        update is included.

        Raises:
            AuthError: the API key may not list tickets (403).
        """
        listed = self._list(page, since)
        known = [raw for raw in listed.all if raw.id]
        recent = [raw for raw in known if raw.updated_at is None or raw.updated_at >= since]
        is_past = not recent and _is_newest_first(known)
        return TicketPage(
            tickets=tuple(ticket for ticket in map(self._ticket, recent) if ticket.is_open),
            is_last=not listed.next_page or not known or is_past,
            fingerprint=keys.digest(*(raw.id or "" for raw in known)),
        )

    def ticket_ids_of_customer(
        self, kind: Literal["email", "phone"], address: str
    ) -> Sequence[str]:
        """The ids of all tickets of a customer, found by an e-mail address or phone number.

        It is empty if Richpanel knows no such customer.
        """
        operation = "list_customer_tickets"
        path = f"/v1/tickets/{kind}/{segment(address, operation)}"
        pages = self._calls.pages(TicketListPage, operation, path, LIST_DEADLINE_SECONDS)
        try:
            return [raw.id for page in pages for raw in page.all if raw.id]
        except PermanentError as error:
            if error.status == HTTPStatus.NOT_FOUND:
                return []
            raise

    def tag_names(self) -> frozenset[str]:
        """The names of all tags that the Richpanel tenant has."""
        return self._tags.every_name()

    def team_names(self) -> frozenset[str]:
        """The names of all teams that the Richpanel tenant has."""
        pages = self._calls.pages(TeamPage, "list_teams", "/v1/teams", LIST_DEADLINE_SECONDS)
        return frozenset(team.name for page in pages for team in page.all if team.name)

    def create_tag(self, name: str) -> None:
        """Create a tag in the Richpanel tenant; an existing one is left unchanged."""
        try:
            self._calls.post("create_tag", "/v1/tags", {"name": name})
        except PermanentError as error:
            if error.status != HTTPStatus.CONFLICT:
                raise

    def every_assignee(self) -> frozenset[str]:
        """Every assignee that `assign` accepts: the tenant's users by id, its teams by ``team:`` and id."""
        users = self._calls.pages(UserPage, "list_users", "/v1/users", LIST_DEADLINE_SECONDS)
        teams = self._calls.pages(TeamPage, "list_teams", "/v1/teams", LIST_DEADLINE_SECONDS)
        return frozenset(
            [
                *(user.id for page in users for user in page.all if user.id),
                *(f"{TEAM}{team.id}" for page in teams for team in page.all if team.id),
            ]
        )

    # --- changing -----------------------------------------------------------------------------

    def add_tags(
        self, conversation_id: str, tags: AbstractSet[str], *, deadline_seconds: float
    ) -> frozenset[str]:
        """Put tags on a ticket by one request, and check that they are there; repeating it changes nothing.

        Returns:
            The tags that were left out because the tenant has no tag of that name.

        Raises:
            UncertainError: the request was accepted, but the ticket does not show the tags; repeat
                it.
            ProviderError: the tags may not be there.
        """
        return self._change_tags(conversation_id, {"add-tags": tags}, deadline_seconds)

    def remove_tags(
        self, conversation_id: str, tags: AbstractSet[str], *, deadline_seconds: float
    ) -> None:
        """Take tags off a ticket by one request, and check that they are gone; repeating it changes nothing.

        A tag that the tenant does not have is on no ticket, so it is left out.

        Raises:
            UncertainError: the request was accepted, but the ticket still shows a tag; repeat it.
            ProviderError: the tags may still be there.
        """
        self._change_tags(conversation_id, {"remove-tags": tags}, deadline_seconds)

    def move_tags(
        self,
        conversation_id: str,
        *,
        off: AbstractSet[str],
        on: AbstractSet[str],
        deadline_seconds: float,
    ) -> frozenset[str]:
        """Take tags off a ticket, then put others on, and check both changes by one read.

        Repeating it changes nothing.

        Returns:
            The tags of `on` that the tenant does not have.

        Raises:
            PermanentError: Richpanel refused the operation that the error names: the removal, so
                that the adding was not tried, or the adding after the removal was made.
            UncertainError: as in `add_tags` and `remove_tags`, and where the removal may have been
                made without the adding; repeat it.
            ProviderError: any other one: nothing was changed.
        """
        changes = {"remove-tags": off, "add-tags": on}
        return self._change_tags(conversation_id, changes, deadline_seconds) & on

    def assign(self, conversation_id: str, to: str, *, deadline_seconds: float) -> None:
        """Assign a ticket to a user or a team, and check that it is; repeating it changes nothing.

        Args:
            conversation_id: the ticket.
            to: a user's id, or ``team:`` and a team's id; the vendor does not document teams here.
            deadline_seconds: time for the change and the check together.

        Raises:
            PermanentError: also where the tenant has no such user or team.
            UncertainError: the request was accepted, but the ticket does not show it; repeat it.
            ProviderError: the ticket is perhaps not assigned.
        """
        ends = self._clock.monotonic() + deadline_seconds
        team = to.removeprefix(TEAM)
        body = {"ticket": {"assignee_id": to} if team == to else {"team_id": team}}
        shown = self._calls.put("assign", conversation_id, "", body, deadline_seconds)
        if shown is not None and to in shown.assigned_to:
            return
        try:
            ticket = self._read_ticket(conversation_id, ends - self._clock.monotonic())
        except (TransientError, AuthError) as error:
            raise UncertainError.of(error) from None
        if to not in ticket.assigned_to:
            raise UncertainError(PROVIDER, "assign", reason=why.NOT_APPLIED)

    def close(self, conversation_id: str, *, deadline_seconds: float) -> Ticket:
        """Close a ticket and read it back, as Richpanel answers 200 even to a refused change.

        Returns:
            The ticket as read back; the customer may have written in the meantime.

        Raises:
            UncertainError: also if the change was accepted but cannot be read back now.
            TransientError: also if the ticket is still open afterwards.
        """
        ends = self._clock.monotonic() + deadline_seconds
        self._calls.put("close", conversation_id, "", _CLOSE, deadline_seconds)
        left = ends - self._clock.monotonic()
        try:
            ticket = self._read_ticket(conversation_id, left, Urgency.HIGH)
        except (TransientError, AuthError) as error:
            raise UncertainError.of(error) from None
        if ticket.is_open:
            raise TransientError(PROVIDER, "close", reason=why.NOT_APPLIED)
        return ticket

    def reopen(self, conversation_id: str, *, deadline_seconds: float) -> None:
        """Open a closed ticket again; repeating it changes nothing."""
        self._calls.put("reopen", conversation_id, "", _REOPEN, deadline_seconds)

    def send_message(
        self,
        conversation_id: str,
        *,
        body: str,
        author_id: str,
        reference: str,
        deadline_seconds: float,
    ) -> str:
        """Send one reply to a ticket's customer and read it back; never repeated when its outcome is unknown.

        A response 200 proves nothing: Richpanel was seen to give it without sending.

        Args:
            conversation_id: the ticket.
            body: the reply as plain text.
            author_id: id of a real agent; without one Richpanel shows no author.
            reference: the part of the text that no other reply has.
            deadline_seconds: time for sending and reading back together.

        Returns:
            Id of the comment that the reply has become.

        Raises:
            UncertainError: also if the reply was accepted, but the ticket does not show it or
                cannot be read now.
            ProviderError: the reply was not sent.
        """
        ends = self._clock.monotonic() + deadline_seconds
        message = {"body": body, "author_id": author_id}
        self._calls.put("send_message", conversation_id, "/send-message", message, deadline_seconds)
        left = ends - self._clock.monotonic()
        try:
            ticket = self._read_ticket(conversation_id, left, Urgency.HIGH)
        except ProviderError as error:
            raise UncertainError.of(error) from None
        sent = [
            comment.id
            for comment in ticket.comments
            if is_reply(comment, author_id, reference, body)
        ]
        if not sent:
            raise UncertainError(PROVIDER, "send_message", reason=why.NOT_VISIBLE)
        return sent[-1]

    # --- private ------------------------------------------------------------------------------

    def _read_ticket(
        self,
        conversation_id: str,
        deadline_seconds: float,
        urgency: Urgency = Urgency.NORMAL,
    ) -> Ticket:
        path = f"/v1/tickets/{segment(conversation_id, 'read_ticket')}"
        raw = self._calls.get(
            TicketEnvelope, "read_ticket", path, deadline_seconds, urgency=urgency
        ).ticket
        if raw.id != conversation_id:
            raise PermanentError(PROVIDER, "read_ticket", reason=ID_MISMATCH)
        return self._ticket(raw)

    def _list(self, page: int, since: datetime) -> TicketListPage:
        query = {
            "page": str(page),
            "per_page": str(PER_PAGE),
            "status": "OPEN",
            "sortKey": "updatedAt",
            "order": "DESC",
            "updated_at": since.astimezone(UTC).date().isoformat(),
        }
        return self._calls.get(
            TicketListPage, "list_tickets", "/v1/tickets", query=query, urgency=Urgency.LOW
        )

    def _change_tags(
        self,
        conversation_id: str,
        changes: Mapping[str, AbstractSet[str]],
        deadline_seconds: float,
    ) -> frozenset[str]:
        """Make these changes of a ticket's tags, by verb (``add-tags``, ``remove-tags``), and check them.

        Returns those of the given tags that the tenant does not have.
        """
        ends = self._clock.monotonic() + deadline_seconds
        missing: frozenset[str] = frozenset()
        unseen: dict[str, Mapping[str, str]] = {}
        for number, (verb, names) in enumerate(changes.items()):
            try:
                sent, shown = self._put_known(verb, conversation_id, names, ends)
            except (TransientError, AuthError) as error:
                raise UncertainError.of(error) if number else error from None
            missing |= names - sent.keys()
            unseen[verb] = sent
            if shown is not None and shown.tags is not None:
                unseen = _unseen(unseen, self._tags.as_shown(shown.tags))
        if not any(unseen.values()):
            return missing
        # A response may show no tags, or the ticket as it was before the change.
        try:
            tags = self._read_ticket(conversation_id, ends - self._clock.monotonic()).tags
        except (TransientError, AuthError) as error:
            raise UncertainError.of(error) from None
        for verb in _unseen(unseen, tags):
            raise UncertainError(PROVIDER, verb.replace("-", "_"), reason=why.NOT_APPLIED)
        return missing

    def _put_known(
        self, verb: str, conversation_id: str, names: AbstractSet[str], ends: float
    ) -> tuple[Mapping[str, str], TicketAnswer | None]:
        """Add or remove, by `verb`, those of the tags that the tenant has.

        Returns the form in which each tag was sent (its name or its id), and the ticket in the
        response, None without one.
        """
        sent = self._tags.as_sent(names, ends - self._clock.monotonic())
        try:
            return sent, self._put_tags(verb, conversation_id, sent, ends)
        except PermanentError as error:
            if error.status != HTTPStatus.BAD_REQUEST:
                raise
            # Richpanel refuses all tags because of one unknown tag, which may have been deleted since
            # the list was read.
            known = self._tags.as_sent(names, ends - self._clock.monotonic(), refresh=True)
            if known == sent:
                raise
            return known, self._put_tags(verb, conversation_id, known, ends)

    def _put_tags(
        self, verb: str, conversation_id: str, sent: Mapping[str, str], ends: float
    ) -> TicketAnswer | None:
        if not sent:
            return None
        body = {"tags": sorted(sent.values())}
        left = ends - self._clock.monotonic()
        return self._calls.put(verb.replace("-", "_"), conversation_id, f"/{verb}", body, left)

    def _ticket(self, raw: TicketAnswer) -> Ticket:
        return as_ticket(raw, self._tags.as_shown(raw.tags or []))


def _is_newest_first(listed: Sequence[TicketAnswer]) -> bool:
    times = [raw.updated_at for raw in listed if raw.updated_at is not None]
    return times == sorted(times, reverse=True)


def is_reply(comment: Comment, author_id: str, reference: str, body: str) -> bool:
    """Whether a comment on the ticket is the given reply.

    It is if its author is this one or not shown, and its text contains the reference or is the
    whole reply.
    """
    if not comment.is_operator or comment.author_id not in {None, author_id}:
        return False
    text = keys.normalised(comment.text)
    return keys.normalised(reference) in text or text == keys.normalised(body)


def _unseen(
    sent: Mapping[str, Mapping[str, str]], tags: AbstractSet[str]
) -> dict[str, Mapping[str, str]]:
    """Those of the sent tag changes, by verb, that a ticket with these tags does not show."""
    return {
        verb: names
        for verb, names in sent.items()
        if names and not _are_changed(names, tags, is_added=verb == "add-tags")
    }


def _are_changed(sent: Mapping[str, str], tags: AbstractSet[str], *, is_added: bool) -> bool:
    """Whether a ticket's tags are as requested: with `is_added` all of `sent` are on it, else none is.

    `sent` has for each tag its name and the form in which it was sent.
    """
    shown = {tag.casefold() for tag in tags}
    are_there = [
        name.casefold() in shown or as_sent.casefold() in shown for name, as_sent in sent.items()
    ]
    return all(are_there) if is_added else not any(are_there)
