"""Takes a tool's result: `POST /conversations/{request_id}/tools/{call_id}/result`.

The caller has the token of that one call; the company got it with the event ``tool_called``::

    {"status": "done", "text": null, "data": {"reference": "A-17"}}
    200 {"status": "done", "repeated": false}

The first result is final.  A result after the call's deadline is stored beside it, and a person
sees it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NoReturn

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chalicelib.clock import iso
from chalicelib.errors import (
    ConflictError,
    PayloadError,
    PermanentError,
    RequestError,
    SignatureError,
    TransientError,
    UnavailableError,
)
from chalicelib.once import body as bodies
from chalicelib.once import door
from chalicelib.once.caller_shares import CallerShares
from chalicelib.once.door import Answer
from chalicelib.once.intake import Intake
from chalicelib.once.job import Recovery
from chalicelib.once.keyring import PurposeKeys
from chalicelib.once.ports import Log
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.called_tools import DONE, ToolCall
from chalicelib.outreach.conversations.records import INTERNAL, Entry, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.door.initiate import TRY_AGAIN, NotFoundError
from chalicelib.outreach.field_names import shown_name
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.resume import own_event, resume_job
from chalicelib.outreach.tools.call_tokens import conversation_in

SOURCE = "tool_result"
MAX_BYTES = 8192
_BEARER = "bearer "
_CODES = {"status": "invalid_status", "text": "invalid_text", "data": "invalid_data"}


class ToolResult(BaseModel):
    """The result of a tool's call: the body of the company's request."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, strict=True)

    status: Literal["done", "failed"]
    text: Annotated[str, Field(max_length=2000)] | None = None
    data: dict[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultDoor:
    """Takes the results of tools' calls from companies.

    Attributes:
        signing: the stage's keys that sign the tokens of calls.
        current: returns a record's project as it is now.
        shares: charges the company that the token belongs to.
    """

    conversations: Conversations
    intake: Intake
    signing: Callable[[], PurposeKeys]
    current: Callable[[Record], Project]
    shares: CallerShares
    log: Log

    def result(
        self, headers: Mapping[str, str], body: bytes, request_id: str, call_id: str
    ) -> Answer:
        """Answer a company's request that returns the result of a tool's call.

        The result is stored once, and the event by which the recipient is answered is queued.
        Errors become answers too.
        """
        try:
            bodies.check_size(body, MAX_BYTES, code="payload_too_large")
            record = self._authorised(headers, request_id, call_id)
            is_repeated, given = self._kept(record, call_id, body)
        except RequestError as error:
            door.log_rejected(self.log, SOURCE, error.code)
            return door.error_answer(error.status, error.code, error.message)
        except (UnavailableError, TransientError, PermanentError) as error:
            # PermanentError: `ai_config` cannot be read, so the tool's declared data are not known.
            code = "database_error" if isinstance(error, TransientError) else "queue_error"
            door.log_failed(self.log, SOURCE, code)
            return door.error_answer(503, code, TRY_AGAIN)
        door.log_accepted(self.log, SOURCE)
        return Answer(200, {"status": given.status, "repeated": is_repeated})

    def _authorised(self, headers: Mapping[str, str], request_id: str, call_id: str) -> Record:
        low = {name.lower(): value for name, value in headers.items()}
        given = low.get("authorization", "")
        token = given[len(_BEARER) :].strip() if given.lower().startswith(_BEARER) else ""
        opaque_id = conversation_in(self.signing(), token, call_id)
        if opaque_id is None:
            raise SignatureError("invalid_token", "header authorization is not this call's token")
        record = self.conversations.find(opaque_id)
        if record is None or record.request_id != request_id:
            raise NotFoundError("call_not_found", "no such call of this conversation")
        self.shares.charge(SOURCE, record.company_id)
        return record

    def _kept(self, record: Record, call_id: str, body: bytes) -> tuple[bool, ToolResult]:
        call = self.conversations.tool_call(record, call_id)
        if call is None:
            raise NotFoundError("call_not_found", "no such call of this conversation")
        given = self._parsed(record, call.tool, body)
        text = json.dumps(given.model_dump(), sort_keys=True)
        is_known = bool(call.result)
        now = self.intake.clock.now()
        if not is_known and now > call.result_until(now):
            self.conversations.close_call(record, call_id)
        call = self.conversations.keep_result(record, call_id, text)
        if not call.result:
            self._late(record, call, given, text)
        if call.result != text:
            raise ConflictError("result_exists", "another result of this call was kept before")
        self._hasten(record, call_id)
        return is_known, given

    def _parsed(self, record: Record, tool: str, body: bytes) -> ToolResult:
        try:
            raw = bodies.parsed_json(body, parse_constant=_refused)
            json.dumps(raw, ensure_ascii=False).encode()  # half a character cannot be stored
        except ValueError:
            raise PayloadError("invalid_request", "the body is not JSON") from None
        try:
            given = ToolResult.model_validate(raw)
        except ValidationError as error:
            place = ".".join(shown_name(part) for part in error.errors()[0]["loc"]) or "body"
            code = _CODES.get(place.partition(".")[0], "invalid_request")
            raise PayloadError(code, f"field {place} is not valid") from None
        declared = {
            declared_tool.name: declared_tool
            for declared_tool in self.current(record).ai_config.tools
        }
        is_done = given.status == DONE  # a failed tool need not return its declared data
        fault = declared[tool].result_fault(given.data) if is_done and tool in declared else None
        if fault is not None:
            raise PayloadError("invalid_data", fault)
        return given

    def _late(self, record: Record, call: ToolCall, given: ToolResult, text: str) -> NoReturn:
        """Store a late result, and a note of it for the person who has the conversation; refuse the request.

        Raises:
            ConflictError: always; ``too_late``, or ``result_exists`` where another late result was
                stored before.
        """
        kept = self.conversations.keep_late_result(record, call.call_id, text)
        if kept.late_result != text:
            raise ConflictError("result_exists", "another result of this call was kept before")
        said = f"{call.tool}: {given.status}" + (f": {given.text}" if given.text else "")
        now = iso(self.intake.clock.now())
        entry = Entry(f"late-{call.call_id}", now, "note", said, note=INTERNAL, by=SOURCE)
        self.conversations.append(record, entry)
        raise ConflictError("too_late", "the time for this result was over; a person sees it")

    def _hasten(self, record: Record, call_id: str) -> None:
        event_key = outreach_keys.tool(record.opaque_id, call_id)
        facts = own_event(event_key, record.opaque_id, iso(self.intake.clock.now()), SOURCE)
        self.intake.accept(resume_job(facts, record), recovery=Recovery.SETTLED)


def _refused(constant: str) -> NoReturn:
    """Refuse NaN and the infinities, which are no JSON, though Python's parser accepts them.

    Raises:
        ValueError: always.
    """
    raise ValueError(constant)
