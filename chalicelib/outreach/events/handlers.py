"""The flow of outreach with the handler of each kind of event."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from chalicelib.once import keys
from chalicelib.once.allowances import Allowances
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.events.act import ActHandler
from chalicelib.outreach.events.approval import ApprovalHandler
from chalicelib.outreach.events.click import ClickHandler
from chalicelib.outreach.events.drafting import Drafting
from chalicelib.outreach.events.flow import OutreachFlow
from chalicelib.outreach.events.handler import HandlerParts
from chalicelib.outreach.events.held import HeldMessages
from chalicelib.outreach.events.message import MessageHandler
from chalicelib.outreach.events.start import StartHandler
from chalicelib.outreach.events.step import StepHandler
from chalicelib.outreach.events.tool_result import ToolResultHandler
from chalicelib.outreach.events.waiting import ConversationOrder, WaitingEvents
from chalicelib.outreach.hearing.matching import Matching
from chalicelib.outreach.hearing.ownership import Ownership
from chalicelib.outreach.keys import EventKind
from chalicelib.outreach.messages.ending import Endings
from chalicelib.outreach.messages.following import FollowUps
from chalicelib.outreach.messages.sent import SentMessages
from chalicelib.outreach.project.admission import Starts
from chalicelib.outreach.project.pace import AnswerPace
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.writing.composer import Composer

_Flow = TypeVar("_Flow", bound=OutreachFlow)


def outreach_flow(
    flow: type[_Flow],
    conversations: Conversations,
    composer: Composer,
    starts: Starts,
    ledger: Ledger,
    clock: Clock,
    ownership: Ownership,
    allowances: Allowances,
    *,
    opaque: Callable[[], keys.OpaqueIds],
    check_secrets: Callable[[Record], None],
    current: Callable[[Record], Project],
    message_id_header: Callable[[str], str],
    receive_count: Callable[[], int],
    processor_version: str,
    events: CompanyEvents,
    follow_ups: FollowUps,
) -> _Flow:
    """The flow, as the class that is asked for.

    `opaque` gives keyed hashes, for what is kept of a sender and a recipient; `check_secrets` raises if
    a company's credentials are missing or malformed; `current` gives a project's settings as they are
    now; `message_id_header` makes an e-mail's Message-ID from the vendor's id.
    """
    endings = Endings(conversations, starts, clock, events, follow_ups)
    sent = SentMessages(endings, message_id_header)
    drafting = Drafting(composer, clock, check_secrets, endings, current)
    in_order = ConversationOrder(conversations, ledger, clock)
    matching = Matching(conversations, ownership, clock, opaque, message_id_header)
    pace = AnswerPace(conversations, allowances, clock, opaque, current)
    parts = HandlerParts(
        conversations=conversations,
        sent=sent,
        drafting=drafting,
        held=HeldMessages(drafting),
        waiting=WaitingEvents(in_order, endings, clock, current),
        events=events,
    )
    handlers = {
        EventKind.START: StartHandler(
            parts,
            starts=starts,
            endings=endings,
            pairs=matching.pairs,
            processor_version=processor_version,
        ),
        EventKind.MESSAGE: MessageHandler(parts, pace=pace),
        EventKind.APPROVAL: ApprovalHandler(parts, endings=endings),
        EventKind.ACT: ActHandler(parts),
        EventKind.STEP: StepHandler(parts),
        EventKind.TOOL: ToolResultHandler(parts, clock=clock),
        EventKind.CLICK: ClickHandler(parts),
    }
    return flow(handlers, conversations, matching, in_order, clock, receive_count)
