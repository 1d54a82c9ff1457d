"""Posts one event to its company's endpoint, and decides when a failed post is tried again.

After a failed attempt the event's ledger row waits as long as the event has been tried so far, from 5 s
up to 8 h, for three days in all.  The conversation's later events wait behind it, without rows or queue
messages of their own.  Nothing is posted while the endpoint's breaker is open (`endpoint_breaker`).

After three days, or at once after an answer 410 Gone, the conversation is listed as stopped.  An
endpoint that has accepted nothing for three days, or is gone, is paused.  An operator resumes both.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from http import HTTPStatus
from typing import NoReturn

from chalicelib.errors import (
    PacedError,
    PermanentError,
    ProviderError,
    TransientError,
    UnavailableError,
    WithdrawnError,
)
from chalicelib.once.effect import Effect
from chalicelib.once.flow import NotYet
from chalicelib.once.keyring import PurposeKeys
from chalicelib.once.ports import Clock, Log
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events import endpoint_breaker, standard_webhooks
from chalicelib.outreach.company_events.endpoint import Endpoint, signing_secrets
from chalicelib.outreach.company_events.event_bodies import EventBodies
from chalicelib.outreach.company_events.event_names import CompanyEvent, EventName
from chalicelib.outreach.company_events.outbox import EndpointState, EventRows, Head
from chalicelib.outreach.company_events.post_attempt import PostAttempt
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.lane_shares import LaneShares
from chalicelib.vendors.posting import PostAnswer, SignedPost

PROVIDER = "company"
DEADLINE_SECONDS = 10.0
"""Total time of one attempt; a receiver should answer first and work afterwards."""
FIRST_WAIT_SECONDS = 5.0
LONGEST_WAIT_SECONDS = 8 * 3600.0
GIVE_UP_AFTER = timedelta(days=3)
"""How long an event is tried, from its first failed attempt or an operator's last resumption."""


@dataclass(frozen=True, slots=True)
class _Built:
    """One event with all that is needed to post it: URL, body, signing keys, the endpoint's state."""

    head: Head
    state: EndpointState
    event: CompanyEvent
    url: str = field(repr=False)
    content: bytes = field(repr=False)
    keys: tuple[bytes, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndpointAccess:
    """The functions by which a `Teller` reaches companies' endpoints.

    Attributes:
        endpoint: a project's endpoint by its current settings, given company id and project id.
        secret: the text of a company's signing secret, given the company id; with True as the
            second argument it is read past the cache.
        post: sends one request to a public address.
        shares: limits how many workers one endpoint may hold; None: no limit.
    """

    endpoint: Callable[[str, str], Endpoint | None]
    secret: Callable[[str, bool], str]
    post: Callable[[SignedPost], PostAnswer]
    shares: LaneShares | None = None


class Teller:
    """Posts one event to its company's endpoint: performs the effect `TELL_COMPANY`.

    Args:
        signing: signs the token with which a tool's result comes back.
    """

    def __init__(
        self,
        *,
        rows: EventRows,
        conversations: Conversations,
        access: EndpointAccess,
        signing: Callable[[], PurposeKeys],
        clock: Clock,
        log: Log,
    ) -> None:
        self._rows = rows
        self._conversations = conversations
        self._bodies = EventBodies(conversations=conversations, signing=signing)
        self._access = access
        self._clock = clock
        self._log = log
        self._built: dict[str, _Built] = {}

    def prepare(self, actions: Sequence[Effect]) -> None:
        """Read the event, the endpoint and the secret, and build the request for `tell`.

        Raises:
            WithdrawnError: the conversation or the endpoint is gone, or the endpoint does not take
                this event.
            PermanentError: the endpoint is paused, or three days of attempts are over.
            NotYet: the endpoint's circuit breaker is open, or the signing secret is unusable.
        """
        (action,) = actions
        head = self._rows.head(action.conversation_id)
        number = int(action.argument)
        event = self._rows.event(action.conversation_id, number) if head else None
        if head is None or event is None:
            raise WithdrawnError(PROVIDER, "tell", reason=reasons.CONVERSATION_GONE)
        endpoint = self._access.endpoint(head.company_id, head.project_id)
        if endpoint is None:
            raise WithdrawnError(PROVIDER, "tell", reason=reasons.NO_ENDPOINT)
        state = self._rows.endpoint(head.company_id, head.project_id)
        if not state.takes(event.name):
            raise WithdrawnError(PROVIDER, "tell", reason=reasons.NOT_CHOSEN)
        if state.paused_at is not None:
            raise PermanentError(PROVIDER, "tell", reason=reasons.ENDPOINT_PAUSED)
        try:
            keys = signing_secrets(self._access.secret(head.company_id, bool(state.failing_since)))
        except UnavailableError as error:
            if state.failing_since is None:
                self._rows.note_failing(head, self._clock.now().timestamp())
            self._retry_or_give_up(action, head, state, error.code)
        content = self._bodies.render(head, event, number, endpoint)
        comes = endpoint_breaker.next_post_epoch(
            self._rows, head, state, self._clock.now().timestamp()
        )
        if comes is not None:
            raise NotYet(endpoint_breaker.OPEN, comes)  # no attempt: the event's wait does not grow
        self._built = {action.key: _Built(head, state, event, endpoint.url, content, keys)}

    def tell(self, actions: Sequence[Effect], *, deadline_seconds: float) -> str:
        """Post the event that `prepare` built; returns its id once accepted (2xx).

        Raises:
            NotYet: the event was not accepted, and is tried again.
            PermanentError: the endpoint is gone (410), or three days are over.
        """
        (action,) = actions
        built, number = self._built.pop(action.key), int(action.argument)
        now = self._clock.now().timestamp()
        reason, status, retry_after = "", None, None
        try:
            receipt = self._posted(built, min(deadline_seconds, DEADLINE_SECONDS))
            status, retry_after = receipt.status, receipt.retry_after
        except PacedError as error:  # other posts take up the endpoint's share of the workers
            raise NotYet(error.reason, now + (error.retry_after or FIRST_WAIT_SECONDS)) from None
        except ProviderError as error:
            reason = error.reason
        attempt = PostAttempt.of(built.event, built.head.opaque_id, number, status, reason)
        with suppress(TransientError):  # the record is only for people, so the event goes on
            self._rows.store_attempt(built.head.company_id, built.head.project_id, attempt)
        self._log.event(
            "vendor.company.tell",
            http_status=status,
            result="success" if attempt.is_accepted else "failed",
            reason=reason or None,
        )
        if status == HTTPStatus.GONE:
            self._rows.pause(built.head.company_id, built.head.project_id, reasons.GONE)
            raise PermanentError(PROVIDER, "tell", reason=reasons.ENDPOINT_GONE)
        if not attempt.is_accepted:
            now = self._clock.now().timestamp()
            comes = endpoint_breaker.count_failure(self._rows, built.head, now)
            comes = max(comes, now + (retry_after or 0.0))
            self._retry_or_give_up(
                action, built.head, built.state, reason or f"http_{status}", comes
            )
        if built.state.failing_since is not None:
            self._rows.clear_failures(built.head)
        if built.event.name == EventName.TOOL_CALLED:
            self._accepted(action.conversation_id, built.event)
        return built.event.id

    def _posted(self, built: _Built, deadline_seconds: float) -> PostAnswer:
        if self._access.shares is None:
            return self._access.post(self._signed(built, deadline_seconds))
        head, is_failing = built.head, built.state.failing_since is not None
        with self._access.shares.of_endpoint(
            head.company_id, head.project_id, deadline_seconds, is_failing=is_failing
        ):
            return self._access.post(self._signed(built, deadline_seconds))

    def _signed(self, built: _Built, deadline_seconds: float) -> SignedPost:
        """The signed request for an event; made right before the post, as receivers refuse old signatures."""
        now = self._clock.now().timestamp()
        headers = standard_webhooks.headers(built.keys, built.event.id, now, built.content)
        return SignedPost(built.url, headers, built.content, deadline_seconds)

    def _accepted(self, opaque_id: str, event: CompanyEvent) -> None:
        """Store in the conversation that the company accepted the event of a tool's call.

        Nothing is stored where the conversation is gone.
        """
        record = self._conversations.find(opaque_id)
        if record is not None:
            call_id = outreach_keys.call_id(opaque_id, event.facts["message_id"])
            self._conversations.accept_call(record, call_id)

    def _retry_or_give_up(
        self,
        action: Effect,
        head: Head,
        state: EndpointState,
        reason: str,
        comes_epoch: float = 0.0,
    ) -> NoReturn:
        """End a failed attempt to post an event by an error: the event is tried again, or given up.

        It is given up after three days of attempts; an endpoint that has accepted nothing for as
        long is paused.

        Raises:
            NotYet: the event is tried again, at `comes_epoch` or later.
            PermanentError: three days are over.
        """
        now = self._clock.now().timestamp()
        age = now - self._rows.tried_since(head, int(action.argument))
        limit = GIVE_UP_AFTER.total_seconds()
        self._log.metric("mw.companies.failed")
        if age < limit:
            wait = max(FIRST_WAIT_SECONDS, min(age, LONGEST_WAIT_SECONDS))
            raise NotYet(reason, max(now + wait, comes_epoch))
        if state.failing_since is not None and now - state.failing_since >= limit:
            self._rows.pause(head.company_id, head.project_id, reason)
        raise PermanentError(PROVIDER, "tell", reason=reason)
