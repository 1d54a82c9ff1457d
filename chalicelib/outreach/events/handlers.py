"""Makes the flow of outreach with the handler of each kind of event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from chalicelib.once import keys
from chalicelib.once.allowances import Allowances
from chalicelib.once.ports import Clock
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.events.act import ActHandler
from chalicelib.outreach.events.approval import ApprovalHandler
from chalicelib.outreach.events.click import ClickHandler
from chalicelib.outreach.events.drafting import Drafting
from chalicelib.outreach.events.flow import OutreachFlow
from chalicelib.outreach.events.handler import HandlerParts
from chalicelib.outreach.events.held import HeldMessages
from chalicelib.outreach.events.lifted import LiftedHandler
from chalicelib.outreach.events.message import MessageHandler
from chalicelib.outreach.events.silence import SilenceHandler
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
from chalicelib.outreach.project.admission import ConversationStores
from chalicelib.outreach.project.pace import AnswerPace
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.writing.composer import Composer

_Flow = TypeVar("_Flow", bound=OutreachFlow)


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanySide:
    """What the flow needs of a conversation's company: current settings, its events, its follow-ups."""

    current: Callable[[Record], Project]
    events: CompanyEvents
    follow_ups: FollowUps


@dataclass(frozen=True, slots=True, kw_only=True)
class Outgoing:
    """What the flow needs to write and send messages.

    Attributes:
        check_secrets: raises if a company's credentials are missing or malformed.
        message_id_header: makes an e-mail's Message-ID from the vendor's id.
    """

    composer: Composer
    check_secrets: Callable[[Record], None]
    message_id_header: Callable[[str], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Incoming:
    """What the flow needs for incoming messages: their owner, and how many of a sender's are answered.

    Attributes:
        opaque: gives the maker of keyed hashes, under which pairs of sender and recipient are
            stored.
    """

    ownership: Ownership
    allowances: Allowances
    opaque: Callable[[], keys.OpaqueIds]


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowRun:
    """What the flow needs of the worker that runs it.

    Attributes:
        receive_count: gives how often the queue has delivered the current message.
        release: the version that is stored with every conversation that it opens.
    """

    clock: Clock
    receive_count: Callable[[], int]
    release: str


def outreach_flow(
    flow: type[_Flow],
    *,
    kept: ConversationStores,
    company: CompanySide,
    outgoing: Outgoing,
    incoming: Incoming,
    run: FlowRun,
) -> _Flow:
    """Make the flow of outreach with all its handlers, as an instance of the given class."""
    conversations, starts, clock = kept.conversations, kept.starts, run.clock
    current, events, message_id_header = company.current, company.events, outgoing.message_id_header
    endings = Endings(
        conversations=conversations,
        starts=starts,
        clock=clock,
        events=events,
        follow_ups=company.follow_ups,
    )
    sent = SentMessages(endings, message_id_header)
    drafting = Drafting(
        composer=outgoing.composer,
        clock=clock,
        check_secrets=outgoing.check_secrets,
        endings=endings,
        current=current,
    )
    in_order = ConversationOrder(conversations=conversations, ledger=kept.ledger, clock=clock)
    matching = Matching(
        conversations=conversations,
        ownership=incoming.ownership,
        clock=clock,
        opaque=incoming.opaque,
        message_id_header=message_id_header,
    )
    pace = AnswerPace(
        conversations=conversations,
        allowances=incoming.allowances,
        clock=clock,
        opaque=incoming.opaque,
        current=current,
    )
    parts = HandlerParts(
        conversations=conversations,
        sent=sent,
        drafting=drafting,
        held=HeldMessages(drafting),
        waiting=WaitingEvents(in_order=in_order, endings=endings, clock=clock, current=current),
        events=events,
    )
    silence = SilenceHandler(parts=parts, ledger=kept.ledger)
    handlers = {
        EventKind.START: StartHandler(
            parts=parts,
            starts=starts,
            endings=endings,
            pairs=matching.pair_hashes,
            processor_version=run.release,
        ),
        EventKind.MESSAGE: MessageHandler(parts=parts, pace=pace, silence=silence),
        EventKind.APPROVAL: ApprovalHandler(parts=parts, endings=endings),
        EventKind.ACT: ActHandler(parts),
        EventKind.STEP: StepHandler(parts),
        EventKind.TOOL: ToolResultHandler(parts=parts, clock=clock),
        EventKind.CLICK: ClickHandler(parts),
        EventKind.LIFTED: LiftedHandler(parts),
        EventKind.SILENCE: silence,
    }
    return flow(
        handlers=handlers,
        conversations=conversations,
        matching=matching,
        in_order=in_order,
        clock=clock,
        receive_count=run.receive_count,
    )
