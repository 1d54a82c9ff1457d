"""A tool that the model asks for: every request reaches its company under one id, or a person.

The recipients' messages and the acknowledgements that their carriers took are the truth: what a recipient
has read as done is on the company's side once; the company never sees two ids for one message.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chalicelib.outreach.conversations.records import Draft, Entry, Record
from chalicelib.outreach.writing.template_writer import Writer
from local import company

if TYPE_CHECKING:
    from tests.simulation.world import World

REQUEST = "please submit my application"
ACKNOWLEDGED = "It is submitted."
QUESTION = "Shall I submit it?"
AGREED = "yes please"
TOOL = "submit"
ARGUMENTS = {"job_ref": "JR1"}
_CALL = Draft(function_call=TOOL, function_arguments='{"job_ref": "JR1"}')


def setting(kind: str) -> dict[str, Any]:
    """The setting of a project that declares the tool; `kind` as in `Scenario.tools`."""
    if not kind:
        return {}
    tool = {
        "name": TOOL,
        "irreversible": kind == "confirmed",
        "question": QUESTION,
        "acknowledgement": ACKNOWLEDGED,
        "result_within_minutes": 20,
        "parameters": {
            "type": "object",
            "required": ["job_ref"],
            "properties": {"job_ref": {"type": "string", "maxLength": 8}},
        },
    }
    return {"ai_config": {**company.ai_config_of_models("sim"), "tools": [tool]}}


class AskingWriter:
    """Asks for the tool where the newest message does; another writer says the rest."""

    def __init__(self, writer: Writer) -> None:
        self._writer = writer

    def is_instant(self, record: Record) -> bool:
        """See `template_writer.Writer`."""
        return self._writer.is_instant(record)

    def opening(self, record: Record) -> Draft:
        """See `template_writer.Writer`."""
        return self._writer.opening(record)

    def answer(self, record: Record, history: Sequence[Entry]) -> Draft:
        """See `template_writer.Writer`."""
        is_asked = bool(history) and history[-1].content.strip() == REQUEST
        return _CALL if is_asked else self._writer.answer(record, history)


def judge(world: World, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """P1 and P2: each acknowledged request under one id at its company, or a person has it."""
    if not world.scenario.tools:
        return
    broken = world.oracle.broken
    called = world.endpoints.calls()
    for (opaque_id, entry_id), events in called.items():
        world.happened["tool_called"] += 1
        if len(events) > 1:
            broken("P1", f"{opaque_id} called the tool for {entry_id} under {len(events)} ids")
        if any(event != (TOOL, ARGUMENTS) for event in events.values()):
            broken("P2", f"{opaque_id} called another tool than was asked for")
    _judge_number(world, called)
    acknowledged = {key for key, text in _landed(world) if ACKNOWLEDGED in text}
    for key in acknowledged:
        row = rows[key]
        is_told = (row["conversation_id"], row["probe"]["entry_id"]) in called
        if row["status"] != "done":
            continue  # its event has ended otherwise, which is judged there
        world.happened["tool_acknowledged"] += 1
        if not is_told and not _has_person(world, row["conversation_id"]):
            broken("P2", f"{key} was acknowledged and neither its company nor a person has it")


def _judge_number(world: World, called: Mapping[tuple[str, str], Mapping[str, Any]]) -> None:
    """P1: the company of a recipient gets no more calls than they have sent messages that ask."""
    asked: dict[str, set[int]] = defaultdict(set)
    agreed: dict[str, set[int]] = defaultdict(set)
    for said in world.scenario.says:
        if said.text == REQUEST:
            asked[said.recipient].add(said.message)
        elif said.text == AGREED:
            agreed[said.recipient].add(said.message)
    got: dict[str, int] = defaultdict(int)
    recipients = {
        row["opaque_id"]: row["primary_channel"]
        for row in world.conversations.rows.values()
        if "start_event" in row
    }
    for (opaque_id, _), events in called.items():
        got[recipients[opaque_id]] += len(events)
    for recipient, number in got.items():
        if number > len(asked[recipient]):
            world.oracle.broken(
                "P1", f"{number} calls of a tool for {len(asked[recipient])} messages that ask"
            )
        if world.scenario.tools == "confirmed" and number > len(agreed[recipient]):
            world.oracle.broken(
                "P1", f"{number} calls of a tool after {len(agreed[recipient])} that agree"
            )


def _landed(world: World) -> list[tuple[str, str]]:
    """The action and the text of every message that a carrier took."""
    texts, mails = world.twilio, world.ses
    return [
        *((texts.keys_by_id[message["sid"]], message["body"]) for message in texts.messages),
        *((mails.keys_by_id[email["message_id"]], email["text"] or "") for email in mails.emails),
    ]


def _has_person(world: World, opaque_id: str) -> bool:
    """Whether the conversation is, or was, handed off."""
    return any(
        "handoff_state" in row or row.get("conversation_status") == "handed_off"
        for row in world.conversations.rows.values()
        if row.get("opaque_id") == opaque_id
    )
