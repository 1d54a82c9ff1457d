"""The Desk API: authenticates a company's desk, checks parameters, and answers with what `inbox` gives.

A desk key is a company's own and has a role; it is shown as ``x-api-key``, as the Router's key is,
and a company that signs its requests signs these too.  Who acts is proven beside it, see
`people.acting`. Another company's conversation is as one that does not exist::

    GET  /desk/conversations?state=waiting,taken&limit=50&after=...     the list
    GET  /desk/conversations/{id}                                      one, with its transcript
    POST /desk/conversations/{id}/acts       Idempotency-Key: ...      an act, see `asked`
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from chalicelib.errors import (
    PayloadError,
    RequestError,
    TransientError,
    UnavailableError,
)
from chalicelib.once import body as bodies
from chalicelib.once import door
from chalicelib.once.caller_shares import CallerShares
from chalicelib.once.door import Answer, HttpRequest, Query
from chalicelib.once.ports import Clock, Log
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.desk import asked as asking
from chalicelib.outreach.desk import shown
from chalicelib.outreach.desk.inbox import (
    DEFAULT_STATES,
    MOST_LISTED,
    DeskInbox,
    NoConversationError,
)
from chalicelib.outreach.door import access
from chalicelib.outreach.door.access import Access, DeskRole
from chalicelib.outreach.people import persons
from chalicelib.outreach.people.acting import People

SOURCE = "desk"
MAX_BODY_BYTES = 128 * 1024
USUAL_LIMIT = 50
_OPAQUE_ID = re.compile(r"[0-9a-f]{32}")
_LIMIT = re.compile(r"[0-9]{1,3}")
_LONGEST = {
    **dict.fromkeys(("state", "channel", "limit", "after"), 100),
    "project": 256,
    "taken_by": 4 * persons.LONGEST_PERSON,  # longer while its accents are separate
}
"""Of each parameter of the list, in characters."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls the Desk API: the company, the person if proven, and the role.

    Attributes:
        company_id: the company whose desk it is.
        role: the role that the proof gives; without a proof the role of the key.
        person: the person whom a token or an assertion proves; None where ``by`` is a mere name.
    """

    company_id: str
    role: DeskRole
    person: persons.DeskPerson | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeskDoor:
    """Answers the requests of the Desk API.

    Attributes:
        access: reads the credentials by company id; called for every request.
    """

    access: Callable[[], Mapping[str, Access]]
    inbox: DeskInbox
    people: People
    shares: CallerShares
    clock: Clock
    log: Log

    def list_handoffs(self, request: HttpRequest) -> Answer:
        """Answer with a page of the company's hand-offs: possible opt-outs, then the longest waiting."""

        def answer(caller: Caller) -> dict[str, Any]:
            page = self.inbox.list(company_id=caller.company_id, **_filters(request.query))
            return {"conversations": page.entries, "after": page.after or None}

        return self._answer(request, answer)

    def show_conversation(self, request: HttpRequest, opaque_id: str) -> Answer:
        """Answer with one conversation and its transcript."""

        def answer(caller: Caller) -> dict[str, Any]:
            return self.inbox.conversation(_id(opaque_id), company_id=caller.company_id)

        return self._answer(request, answer)

    def act(self, request: HttpRequest, opaque_id: str) -> Answer:
        """Carry out what a person asks for, and answer with the act and the conversation's new version."""

        def answer(caller: Caller) -> dict[str, Any]:
            asked = asking.parsed_act(
                bodies.json_object(request.body, code="INVALID_REQUEST"),
                conversation_id=_id(opaque_id),
                key=request.headers.get("idempotency-key", ""),
                actor=caller.company_id,
                company_id=caller.company_id,
                role=caller.role,
                who=caller.person,
            )
            done = self.inbox.act(asked)
            return {
                "status": "done",
                "act": done.act,
                "repeated": done.is_repeated,
                "version": done.version,
            }

        return self._answer(request, answer)

    def _answer(self, request: HttpRequest, answer: Callable[[Caller], dict[str, Any]]) -> Answer:
        """Authenticate the caller and answer the request.

        Where it is refused or fails, answer with the error.
        """
        try:
            bodies.check_size(request.body, MAX_BODY_BYTES, code="PAYLOAD_TOO_LARGE")
            said = answer(self._caller(request))
        except RequestError as error:
            door.log_rejected(self.log, SOURCE, error.code)
            return door.error_answer(error.status, error.code, error.message)
        except (UnavailableError, TransientError) as error:
            code = "DATABASE_ERROR" if isinstance(error, TransientError) else _code(error)
            door.log_failed(self.log, SOURCE, code)
            status = 500 if code == "INTERNAL_ERROR" else 503
            return door.error_answer(status, code, "try again later")
        door.log_accepted(self.log, SOURCE)
        return Answer(200, said, {"Cache-Control": "no-store"})

    def _caller(self, request: HttpRequest) -> Caller:
        access.key_in(request.headers)  # a request without a key reads no secret
        companies = self.access()
        company_id, role = access.desk_of(request.headers, companies)
        access.check_request(request, companies[company_id], self.clock.now())
        proven, _ = self.people.person_behind(request.headers, company_id, is_desk=True)
        self.shares.charge(SOURCE, company_id)
        return (
            Caller(company_id, proven.role, proven.person) if proven else Caller(company_id, role)
        )


def _code(error: UnavailableError) -> str:
    return "QUEUE_ERROR" if error.code == "enqueue_failed" else "INTERNAL_ERROR"


def _filters(query: Query) -> dict[str, Any]:
    """The list's filters, limit and start, from the query of a request.

    Raises:
        PayloadError: a parameter is unknown or invalid; it names the parameter, never its value.
    """
    if not query.keys() <= _LONGEST.keys():
        raise PayloadError("UNKNOWN_PARAMETER", f"the list takes {', '.join(_LONGEST)}")
    given = {
        name: door.query_parameter(query, name, longest=most) for name, most in _LONGEST.items()
    }
    states = DEFAULT_STATES if given["state"] is None else tuple(given["state"].split(","))
    if not set(states) <= set(shown.STATES):
        raise PayloadError("INVALID_STATE", f"parameter state lists {', '.join(shown.STATES)}")
    if given["channel"] not in (None, *Channel):
        raise PayloadError("INVALID_CHANNEL", "parameter channel names no known channel")
    taken_by = persons.stored_person(given["taken_by"])
    if given["taken_by"] is not None and taken_by is None:
        raise PayloadError("INVALID_TAKEN_BY", "parameter taken_by names no person of the team")
    limit = given["limit"] or str(USUAL_LIMIT)
    if not (_LIMIT.fullmatch(limit) and 1 <= int(limit) <= MOST_LISTED):
        raise PayloadError("INVALID_LIMIT", f"parameter limit is not 1-{MOST_LISTED}")
    return {
        "states": states,
        "project_id": given["project"],
        "channel": given["channel"],
        "taken_by": None if taken_by is None else partial(persons.is_same_person, taken_by),
        "limit": int(limit),
        "after": given["after"] or "",
    }


def _id(opaque_id: str) -> str:
    if not _OPAQUE_ID.fullmatch(opaque_id):
        raise NoConversationError("CONVERSATION_NOT_FOUND", "no such conversation of this company")
    return opaque_id
