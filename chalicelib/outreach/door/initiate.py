"""Answers the Channel Router: a start is accepted once, and its outcome can be queried.

`POST /initiate-conversation` answers as the Router's own documents say, with two fields more::

    200 {"status": "success", "request_id": "req123", "message": "...", "queue_timestamp": "...",
         "conversation_id": "...", "duplicate": false}
    4xx/5xx {"status": "error", "error_code": "...", "message": "...", "request_id": "req123"}

A new start makes three calls to AWS: it reads the company's project, admits the start (ledger row,
parcel and limits in one transaction), and queues it.  A fourth call counts the start against the
company's share of the lane, where the company may have many starts at once.  A start beyond that
share is set aside until its time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from chalicelib.clock import iso
from chalicelib.errors import (
    ConflictError,
    PayloadError,
    RequestError,
    TooLargeError,
    TransientError,
    UnavailableError,
)
from chalicelib.once import door, keys
from chalicelib.once.aside import SettingAside
from chalicelib.once.caller_shares import CallerShares
from chalicelib.once.door import Answer, HttpRequest
from chalicelib.once.flow import NotYet
from chalicelib.once.intake import Intake
from chalicelib.once.job import facts_of, fits
from chalicelib.once.later import SOONEST_SECONDS
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock, Log
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.event_names import TELLS
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.door import access, outcomes, reading, router
from chalicelib.outreach.door.access import Access
from chalicelib.outreach.door.router import StartRequest
from chalicelib.outreach.door.shares import StartShares
from chalicelib.outreach.jobs import StartConversation
from chalicelib.outreach.project import openings
from chalicelib.outreach.project.admission import (
    AcceptedBefore,
    Admitted,
    Limited,
    ReusedId,
    StartOutcome,
    Starts,
)
from chalicelib.outreach.project.companies import Companies
from chalicelib.outreach.project.project import Project

if TYPE_CHECKING:  # loaded only where it is needed, as most starts need none of it
    from chalicelib.outreach.company_events.outbox import EventRows
    from chalicelib.outreach.conversations.parcels import Parcels
    from chalicelib.outreach.conversations.store import Conversations

ACCEPTED = "Request accepted and queued for processing."
SCHEDULED = "Request accepted and scheduled."
MAX_SCHEDULED_AHEAD = timedelta(days=21)
"""How far ahead `send_at` may be.  The start's row is kept and resumed for a week longer
(`once.recovery.unfinished.RESUMABLE_FOR`).
"""
TRY_AGAIN = "try again later"
BEYOND_SHARE = reasons.BEYOND_SHARE
"""The reason of a start that waits because its company has used up its share of the lane."""


class ForbiddenError(RequestError):
    """The caller is known, but may not make this request: status 403."""

    status = 403


class NotFoundError(RequestError):
    """The project, start, call or conversation that a request names does not exist: status 404."""

    status = 404


class LimitError(RequestError):
    """The company is over one of its rate limits: status 429, with the seconds to wait."""

    status = 429

    def __init__(self, limit: str, retry_after_seconds: int) -> None:
        super().__init__("RATE_LIMIT_EXCEEDED", f"over the company's {limit}")
        self.retry_after_seconds = retry_after_seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Callers:
    """The companies that may start conversations: their credentials and their projects.

    Attributes:
        access: reads the credentials of each company id; called for every request.
    """

    access: Callable[[], Mapping[str, Access]]
    companies: Companies
    shares: CallerShares

    def company_of(self, source: str, request: HttpRequest, now: datetime) -> str:
        """Authenticate a request at a door: its company's id; charges the company's share of the door.

        Raises:
            RequestError: the request has no valid key, or no valid signature where one is required.
            OverShareError: the company's share of the door is used up.
        """
        access.key_in(request.headers)  # a request without a key causes no read of the secret
        companies = self.access()
        company_id = access.company_of(request.headers, companies)
        access.check_request(request, companies[company_id], now)
        self.shares.charge(source, company_id)
        return company_id

    def project(self, asked: StartRequest) -> Project:
        """The project that a start names, if the project allows the start.

        Raises:
            RequestError: there is no such project, it is inactive, or it does not allow the start.
            UnavailableError: the project has no sender on the channel.
        """
        project = self.companies.project(asked.company_id, asked.project_id)
        if project is None:
            raise NotFoundError("COMPANY_NOT_FOUND", "no such company and project")
        if not project.is_active:
            raise ForbiddenError("PROJECT_INACTIVE", "the project is not active")
        is_allowed = asked.channel in project.allowed_channels
        if not is_allowed and not _has_fallback_address(project, asked):
            raise ForbiddenError("CHANNEL_NOT_ALLOWED", "the project does not allow this channel")
        if project.require_consent and not asked.attributes["comms_consent"]:
            raise ForbiddenError("CONSENT_REQUIRED", "the project asks for the recipient's consent")
        if is_allowed and not project.sender(asked.channel):
            raise UnavailableError("CONFIGURATION_ERROR")
        return project


@dataclass(frozen=True, slots=True, kw_only=True)
class StartStores:
    """The stores to which starts are written, and read when their company asks what became of them.

    Attributes:
        parcels: the jobs of starts whose conversations do not exist yet.
        outbox: the events for companies that have an endpoint.
        conversations: read only to answer questions about a start.
    """

    starts: Starts
    ledger: Ledger
    parcels: Callable[[], Parcels]
    outbox: Callable[[], EventRows]
    conversations: Callable[[], Conversations]


@dataclass(frozen=True, slots=True, kw_only=True)
class StartLane:
    """The queue of accepted starts; a start whose company has used up its share is set aside for later."""

    intake: Intake
    aside: SettingAside
    shares: StartShares

    def put(
        self, job: StartConversation, project: Project, admitted: Admitted, now: datetime
    ) -> None:
        """Queue an accepted start, or set it aside for later where its company's share is used up.

        A start that was accepted before is always queued.
        """
        wait = 0.0
        if admitted.is_new:
            wait = self.shares.seconds_to_wait(project.company_id, job.lane, project.rate_limits)
        if wait > SOONEST_SECONDS:
            self.aside.put(job, NotYet(BEYOND_SHARE, now.timestamp() + wait))
        else:
            self.intake.accept(job, admission=admitted.received_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class StartIds:
    """Makers of an accepted start's ids: `opaque` gives the maker of keyed hashes, `new` a random id."""

    opaque: Callable[[], keys.OpaqueIds]
    new: Callable[[], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Initiate:
    """Answers the Channel Router: requests to start a conversation, and questions about such starts."""

    callers: Callers
    stores: StartStores
    lane: StartLane
    ids: StartIds
    clock: Clock
    log: Log

    def start(self, request: HttpRequest) -> Answer:
        """Accept a request to begin a conversation, and queue it once; errors become answers too."""
        body, is_known = request.body, False
        try:
            router.check_size(body)
            company_id = self._authenticate(request)
            is_known = True
            return self._start(company_id, router.parse(body))
        except (RequestError, UnavailableError, TransientError) as error:
            # An unknown caller's body is not parsed, not even for its id.
            return self._error_answer(error, router.request_id_in(body) if is_known else "unknown")

    def outcome(self, request: HttpRequest, request_id: str) -> Answer:
        """Answer what became of a start, without personal data.

        A company that signs its starts signs this request as well; its body is empty.
        """
        try:
            found = self._outcome_of(request, request_id)
            record = self.stores.conversations().find(found.opaque_id)
        except (RequestError, UnavailableError, TransientError) as error:
            return self._error_answer(error, router.quotable_id(request_id))
        known = {"request_id": request_id, **outcomes.outcome_fields(found)}
        if record is None:
            return Answer(200, known)
        now, forbids = self.clock.now(), self.stores.conversations().forbids
        try:
            shown = reading.with_conversation(
                known, record, now, self.stores.ledger.unended, forbids
            )
        except TransientError as error:
            return self._error_answer(error, router.quotable_id(request_id))
        return Answer(200, shown)

    def messages(self, request: HttpRequest, request_id: str) -> Answer:
        """Answer with a page of the messages of a start's conversation; authenticated as in `outcome`."""
        try:
            found = self._outcome_of(request, request_id)
            record = self.stores.conversations().find(found.opaque_id)
            if record is None:
                raise NotFoundError("REQUEST_NOT_FOUND", "the request has no conversation")
            page = reading.messages_page(self.stores.conversations(), record, request.query)
        except (RequestError, UnavailableError, TransientError) as error:
            return self._error_answer(error, router.quotable_id(request_id))
        shown = {"request_id": request_id, "conversation": record.opaque_id, **page}
        return Answer(200, shown)

    def _outcome_of(self, request: HttpRequest, request_id: str) -> StartOutcome:
        """The outcome of the start that a request asks about.

        Raises:
            NotFoundError: the company has no such start.
            RequestError: the request is not authenticated.
        """
        company_id = self._authenticate(request)
        is_one = router.quotable_id(request_id) == request_id
        key = outreach_keys.start(company_id, request_id)
        found = self.stores.starts.outcome(key) if is_one else None
        if found is None:
            raise NotFoundError("REQUEST_NOT_FOUND", "no such request of this company")
        return found

    def _authenticate(self, request: HttpRequest) -> str:
        return self.callers.company_of(router.SOURCE, request, self.clock.now())

    def _start(self, company_id: str, asked: StartRequest) -> Answer:
        if asked.company_id != company_id:
            raise ForbiddenError("AUTHORIZATION_ERROR", "this key belongs to another company")
        project = self.callers.project(asked)
        job = self._job(asked, project)
        if not fits(job):
            raise TooLargeError("PAYLOAD_TOO_LARGE", "the request is too large for the queue")
        self._check_send_at(asked, job.event_key)
        also = [self.stores.parcels().writing(job)]
        if TELLS in job.record:
            also.append(self.stores.outbox().announcing(Record(job.record)))
        admitted = self.stores.starts.admit(facts_of(job), company_id, project.rate_limits, also)
        match admitted:
            case ReusedId():
                raise ConflictError("REQUEST_ID_REUSED", "request_id came with another payload")
            case Limited():
                raise LimitError(admitted.limit, admitted.retry_after_seconds)
            case Admitted():
                self.lane.put(job, project, admitted, self.clock.now())
            case AcceptedBefore():
                pass
        is_new = isinstance(admitted, Admitted) and admitted.is_new
        door.log_accepted(self.log, router.SOURCE, mw_trace_id=job.trace_id)
        answer = {
            "status": "success",
            "request_id": asked.request_id,
            "message": ACCEPTED,
            "queue_timestamp": admitted.received_at,
            "conversation_id": job.record["conversation_id"],
            "duplicate": not is_new,
        }
        if asked.send_at is None:
            return Answer(200, answer)
        return Answer(202, {**answer, "message": SCHEDULED, "send_at": iso(asked.send_at)})

    def _check_send_at(self, asked: StartRequest, event_key: str) -> None:
        """Refuse a start request whose `send_at` lies in the past or too far ahead.

        A repetition of an accepted request is not refused: it gets the first answer again, even
        after that time.

        Raises:
            PayloadError: ``INVALID_SEND_AT``.
        """
        now = self.clock.now()
        if asked.send_at is None or now < asked.send_at <= now + MAX_SCHEDULED_AHEAD:
            return
        if self.stores.starts.outcome(event_key) is None:
            raise PayloadError(
                "INVALID_SEND_AT",
                f"field send_at is not a time within the next {MAX_SCHEDULED_AHEAD.days} days",
            )

    def _job(self, asked: StartRequest, project: Project) -> StartConversation:
        conversation_id = asked.conversation_id or "#".join(
            (asked.company_id, asked.project_id, asked.request_id, asked.recipient.lstrip("+"))
        )
        opaque_id = self.ids.opaque().of("conversation", asked.recipient, conversation_id)
        event_key = outreach_keys.start(asked.company_id, asked.request_id)
        received_at = iso(self.clock.now())  # read once: a start is counted and freed under one day
        record = openings.attributes(
            project,
            asked.channel,
            asked.attributes,
            primary_channel=asked.recipient,
            conversation_id=conversation_id,
            opaque_id=opaque_id,
            start_event=event_key,
            company_id=asked.company_id,
            project_id=asked.project_id,
            request_id=asked.request_id,
            received_at=received_at,
            not_allowed=True if asked.channel not in project.allowed_channels else None,
        )
        return StartConversation(
            event_key=event_key,
            conversation_id=opaque_id,
            received_at=received_at,
            payload_sha256=asked.payload_sha256,
            payload_bytes=asked.payload_bytes,
            source=router.SOURCE,
            trace_id=keys.digest(self.ids.new())[:16],
            sender=Record(record).sender,
            recipient=asked.recipient,
            record=record,
        )

    def _error_answer(
        self, error: RequestError | UnavailableError | TransientError, request_id: str
    ) -> Answer:
        code = _code(error)
        if isinstance(error, RequestError):
            status = error.status
            door.log_rejected(self.log, router.SOURCE, code)
        else:
            status = 500
            door.log_failed(self.log, router.SOURCE, code)
        headers = (
            {"Retry-After": str(error.retry_after_seconds)} if isinstance(error, LimitError) else {}
        )
        if isinstance(error, PayloadError) and code == "INVALID_REQUEST":
            request_id = self.ids.new()  # an id to quote in a support request
        own_message = _MESSAGES.get(code, TRY_AGAIN)
        message = error.message if isinstance(error, RequestError) else own_message
        return Answer(status, _error_body(code, message, request_id), headers)


def _has_fallback_address(project: Project, asked: StartRequest) -> bool:
    """Whether a start's recipient can also be reached on a fallback channel that the project declares."""
    declared = project.follow_ups
    if declared is None:
        return False
    return any(project.channels_left(asked.attributes, (asked.channel,), declared.fallback))


def internal_error() -> Answer:
    """The answer, status 500, to a request that failed through no fault of its sender."""
    return Answer(500, _error_body("INTERNAL_ERROR", TRY_AGAIN, "unknown"))


def _error_body(code: str, message: str, request_id: str) -> dict[str, Any]:
    return {
        "status": "error",
        "error_code": code,
        "message": message,
        "request_id": request_id,
    }


_MESSAGES = {"CONFIGURATION_ERROR": "the project has no sender for this channel"}
"""By code, the messages of errors that no repetition of the request resolves."""


def _code(error: RequestError | UnavailableError | TransientError) -> str:
    if isinstance(error, TransientError):
        return "DATABASE_ERROR"
    if isinstance(error, UnavailableError):
        known = {"enqueue_failed": "QUEUE_ERROR", "CONFIGURATION_ERROR": "CONFIGURATION_ERROR"}
        return known.get(error.code, "INTERNAL_ERROR")
    return error.code
