"""`/register`, a company's do-not-contact register by API: authenticates the caller, and answers.

The Router's key and desk keys are accepted: an agent's key may only look up an address, a lead's
may do everything.  A company that signs its requests signs these too.  Where its persons must prove
who they are (`people.acting`), the requests with a desk key need the proof, and so does every
lift::

    POST /register/lookup         {"address": "+15550100001"}             what is known of an address
    GET  /register?limit=50&after=...                                     all marks, page by page
    POST /register/import         {"entries": [{"address": "..."}]}       each taken, or refused by its field
    POST /register/lift           {"address": "...", "by": "sam", "reason": "..."}
    POST /register/subscription   {"project_id": "...", "events": ["opted_out"]}

Each is idempotent: a repetition changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chalicelib.errors import PayloadError, RequestError, TransientError, UnavailableError
from chalicelib.once import body as bodies
from chalicelib.once import door
from chalicelib.once.door import Answer, HttpRequest, Query
from chalicelib.once.ports import Clock, Log
from chalicelib.outreach.door import access
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.door.initiate import TRY_AGAIN, Callers, ForbiddenError, NotFoundError
from chalicelib.outreach.door.used_signatures import UsedSignatures
from chalicelib.outreach.people.acting import People, not_proven
from chalicelib.outreach.people.persons import DeskPerson
from chalicelib.outreach.register import register_parsing as parsing
from chalicelib.outreach.register.register_service import RegisterService

SOURCE = "register"
MAX_BODY = 128 * 1024
USUAL_LIMIT, MOST_LISTED = 50, 100
_LIMIT = re.compile(r"[0-9]{1,3}")
_AFTER = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class RegisterCaller:
    """The authenticated caller of the register's API, and the company whose register it is.

    Attributes:
        role: role of the proven person or of the desk key; None for the Router's key.
        signature: the hash of what was signed, from `access.check_request`; None without one.
        person: the proven person; None where none is proven.
        takes_names: whether ``by`` may name a person, as the company's persons need no proof.
    """

    company_id: str
    role: DeskRole | None
    signature: str | None
    person: DeskPerson | None = None
    takes_names: bool = True

    @property
    def speaker(self) -> parsing.RegisterSpeaker:
        """The person who answers for the request: the proven one, and whether the request may name one."""
        return parsing.RegisterSpeaker(self.person.text if self.person else "", self.takes_names)

    @property
    def may_change(self) -> bool:
        """Whether the caller may do more than look up an address: all but an agent may."""
        return self.role is not DeskRole.AGENT


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterDoor:
    """Answers companies' API requests about their do-not-contact registers.

    Attributes:
        service: gives the service, built at the first request.
        used: stores the signatures of changing requests, each of which may be used once.
    """

    callers: Callers
    service: Callable[[], RegisterService]
    people: People
    used: UsedSignatures
    clock: Clock
    log: Log

    def lookup(self, request: HttpRequest) -> Answer:
        """Answer with what the company's register knows of one address."""

        def answer(caller: RegisterCaller) -> dict[str, Any]:
            raw = bodies.json_object(request.body, code="INVALID_REQUEST")
            parsing.check_fields(raw, ("address",))
            return self.service().known_of(caller.company_id, parsing.address_of(raw))

        return self._answered(request, answer, is_reading=True)

    def page(self, request: HttpRequest) -> Answer:
        """Answer with one page of the marks in the company's register."""

        def answer(caller: RegisterCaller) -> dict[str, Any]:
            return self.service().page(caller.company_id, *_page(request.query))

        return self._answered(request, answer)

    def import_lines(self, request: HttpRequest) -> Answer:
        """Import do-not-contact marks from a request's entries, and answer with each one's result."""

        def answer(caller: RegisterCaller) -> dict[str, Any]:
            raw = bodies.json_object(request.body, code="INVALID_REQUEST")
            author = parsing.author_of(raw, ("entries",), is_named=False, speaker=caller.speaker)
            lines = parsing.lines_of(raw, caller.company_id)
            return self.service().import_lines(caller.company_id, lines, author)

        return self._answered(request, answer)

    def lift(self, request: HttpRequest) -> Answer:
        """Lift the do-not-contact marks of an address; a person must be named or proven."""

        def answer(caller: RegisterCaller) -> dict[str, Any]:
            raw = bodies.json_object(request.body, code="INVALID_REQUEST")
            if caller.person is None and not caller.takes_names:
                raise not_proven()
            author = parsing.author_of(raw, ("address",), is_named=True, speaker=caller.speaker)
            return self.service().lift(caller.company_id, parsing.address_of(raw), author)

        return self._answered(request, answer)

    def subscribe(self, request: HttpRequest) -> Answer:
        """Choose which events a project's endpoint gets."""

        def answer(caller: RegisterCaller) -> dict[str, Any]:
            raw = bodies.json_object(request.body, code="INVALID_REQUEST")
            parsing.check_fields(raw, ("project_id", "events"))
            project_id, events = parsing.project_of(raw), parsing.choice_of(raw)
            if self.callers.companies.project(caller.company_id, project_id) is None:
                raise NotFoundError("COMPANY_NOT_FOUND", "no such project of this company")
            return self.service().choose_events(caller.company_id, project_id, events)

        return self._answered(request, answer)

    def _answered(
        self,
        request: HttpRequest,
        answer: Callable[[RegisterCaller], dict[str, Any]],
        *,
        is_reading: bool = False,
    ) -> Answer:
        """Authenticate the caller, check their rights and answer.

        Where the request is refused or fails, the answer is an error.
        """
        try:
            bodies.check_size(request.body, MAX_BODY, code="PAYLOAD_TOO_LARGE")
            caller = self._caller(request)
            if not (is_reading or caller.may_change):
                raise ForbiddenError(
                    "AUTHORIZATION_ERROR", "an agent's key may only look up an address"
                )
            if request.method == "POST" and not is_reading and caller.signature:
                self.used.claim(caller.signature)
            said = answer(caller)
        except RequestError as error:
            door.log_rejected(self.log, SOURCE, error.code)
            return door.error_answer(error.status, error.code, error.message)
        except (UnavailableError, TransientError) as error:
            code = "DATABASE_ERROR" if isinstance(error, TransientError) else "INTERNAL_ERROR"
            door.log_failed(self.log, SOURCE, code)
            return door.error_answer(500, code, TRY_AGAIN)
        door.log_accepted(self.log, SOURCE)
        return Answer(200, said, {"Cache-Control": "no-store"})

    def _caller(self, request: HttpRequest) -> RegisterCaller:
        access.key_in(request.headers)  # a request without a key causes no read of the secret
        companies = self.callers.access()
        company_id, role = access.caller_of(request.headers, companies)
        signature = access.check_request(request, companies[company_id], self.clock.now())
        proven, is_needed = self.people.person_behind(
            request.headers, company_id, is_desk=role is not None
        )
        self.callers.shares.charge(SOURCE, company_id)
        if proven is None:
            return RegisterCaller(company_id, role, signature, takes_names=not is_needed)
        return RegisterCaller(company_id, proven.role, signature, proven.person, takes_names=False)


def _page(query: Query) -> tuple[str, int]:
    """A list request's parameters: the member id after which the page begins, and the number of addresses.

    Raises:
        PayloadError: a parameter is unknown or invalid; it names the parameter, never its value.
    """
    if not query.keys() <= {"limit", "after"}:
        raise PayloadError("UNKNOWN_PARAMETER", "the register takes limit, after")
    limit = door.query_parameter(query, "limit", longest=100) or str(USUAL_LIMIT)
    if not (_LIMIT.fullmatch(limit) and 1 <= int(limit) <= MOST_LISTED):
        raise PayloadError("INVALID_LIMIT", f"parameter limit is not 1-{MOST_LISTED}")
    after = door.query_parameter(query, "after", longest=100) or ""
    if after and not _AFTER.fullmatch(after):
        raise PayloadError("INVALID_AFTER", "parameter after is not that of the page before")
    return after, int(limit)
