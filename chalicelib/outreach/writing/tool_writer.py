"""A writer that is offered the project's tools, and checks the call that it asks for.

The arguments are checked against the tool's schema.  An irreversible tool asks the recipient first,
and is called when the next message is a plain yes.  The decision is part of the draft, which is
stored before anything is sent, so a run that resumes the message decides nothing again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from chalicelib.outreach.company_events.event_names import TELLS
from chalicelib.outreach.conversations.drafts import Drafts
from chalicelib.outreach.conversations.records import CONFIRMATION, Draft, Entry, Record
from chalicelib.outreach.languages import fixed_text, language_of
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.reasons import BAD_ARGUMENTS, TOOL_WITHOUT_ENDPOINT
from chalicelib.outreach.tools.confirmation import (
    ASK,
    CALL,
    ToolStep,
    confirmation_of,
)
from chalicelib.outreach.tools.schema import Tool
from chalicelib.outreach.writing.template_writer import Writer

QUESTION, ACKNOWLEDGEMENT = fixed_text("question"), fixed_text("acknowledgement")


class ToolWriter:
    """A writer (`template_writer.Writer`) that offers the project's tools to another writer.

    Args:
        writer: writes; it sees the tools beside the channel's functions.
        drafts: holds the drafts with the arguments that a recipient was asked to confirm.
        current: returns a record's project as it is now.
    """

    def __init__(
        self,
        *,
        writer: Writer,
        drafts: Drafts,
        current: Callable[[Record], Project],
    ) -> None:
        self._writer = writer
        self._drafts = drafts
        self._current = current

    def is_instant(self, record: Record) -> bool:
        """Whether the writer to which tools are offered needs no vendor call."""
        return self._writer.is_instant(record)

    def opening(self, record: Record) -> Draft:
        """A draft of the first message, by the writer to which tools are offered later; it calls no tool."""
        return self._writer.opening(record)

    def answer(self, record: Record, history: Sequence[Entry]) -> Draft:
        """The next message: a confirmed call, an answer to a tool's result, a new call, or a text.

        A call with wrong arguments becomes a hand-off; an irreversible one becomes a question.
        """
        if not record.ai_config.get("api_key_reference"):
            return self._writer.answer(record, history)
        tools = {
            declared_tool.name: declared_tool
            for declared_tool in self._current(record).ai_config.tools
        }
        confirmed = self._confirmed_call(record, history, tools)
        if confirmed is not None:
            return confirmed
        if history and history[-1].role == "tool":
            return self._after_result(record, history)
        written = self._writer.answer(_with_tools(record, tools) if tools else record, history)
        tool = tools.get(written.function_call or "")
        if tool is None or written.opts_out:
            return written
        try:
            tool.parsed_arguments(written.function_arguments)
        except ValueError:
            return replace(written, text="", function_call=None, hand_off_reason=BAD_ARGUMENTS)
        if tool.irreversible:
            asked = tool.question or QUESTION[language_of(record)]
            text = f"{asked}{_unnamed_arguments(asked, written.function_arguments)}"
            step = ToolStep(ASK, tool.revision, tool.confirm_within_minutes)
            return replace(written, text=text, html=None, tool=step.item())
        return _call_draft(record, tool, written)

    def _after_result(self, record: Record, history: Sequence[Entry]) -> Draft:
        """The answer to a tool's result.

        A further call of a tool becomes a hand-off, else two machines could go on for ever.
        """
        written = self._writer.answer(record, history)
        if written.function_call is None:
            return written
        reason = written.hand_off_reason or f"asked for {written.function_call} again"
        return replace(written, function_call=None, function_arguments=None, hand_off_reason=reason)

    def _confirmed_call(
        self, record: Record, history: Sequence[Entry], tools: Mapping[str, Tool]
    ) -> Draft | None:
        """The draft of the call that the newest message has confirmed.

        None where it confirms none, or the tool's declaration is another one by now.
        """
        given = confirmation_of(record.item.get(CONFIRMATION))
        newest = history[-1] if history else None
        if given is None or newest is None or given.confirmed_by != newest.entry_id:
            return None
        tool = tools.get(given.tool)
        asked = self._drafts.draft(record, given.entry_id)
        if asked is None or tool is None or tool.revision != given.revision:
            return None
        call = Draft(function_call=asked.function_call, function_arguments=asked.function_arguments)
        return _call_draft(record, tool, call, given.confirmed_by)


def _unnamed_arguments(question: str, arguments: str | None) -> str:
    """The arguments of a tool's call whose values its question does not mention, each on a new line.

    They are added to the question, as a yes agrees to all of them; empty where none is missing.
    """
    given = json.loads(arguments or "{}")
    shown = {name: _shown(value) for name, value in given.items()}
    lines = [f"{name}: {text}" for name, text in shown.items() if text not in question]
    return "".join(f"\n{line}" for line in lines)


def _shown(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _call_draft(record: Record, tool: Tool, written: Draft, by: str | None = None) -> Draft:
    """The draft that calls a tool and acknowledges the call; a hand-off where the company has no endpoint."""
    said = written.text or tool.acknowledgement or ACKNOWLEDGEMENT[language_of(record)]
    if record.item.get(TELLS):
        return replace(
            written, text=said, tool=ToolStep(CALL, tool.revision, confirmed_by=by).item()
        )
    reason = written.hand_off_reason or f"{TOOL_WITHOUT_ENDPOINT}{tool.name}"
    return replace(written, text=said, hand_off_reason=reason)


def _with_tools(record: Record, tools: Mapping[str, Tool]) -> Record:
    """A copy of a conversation's record in which the project's tools, with their schemas, are functions."""
    config = record.ai_config
    names = dict.fromkeys((*(config.get("functions") or ()), *tools))
    described = [
        {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
        for tool in tools.values()
    ]
    offered = {**config, "functions": list(names), "tools": described}
    return Record({**record.item, "ai_config": offered})
