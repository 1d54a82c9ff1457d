"""Outreach on simulated carriers: its door, flows, executors and settler are the product's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from chalicelib.errors import TransientError
from chalicelib.once.allowances import Allowances
from chalicelib.once.caller_shares import CallerShares
from chalicelib.once.effect import Executor
from chalicelib.once.flow import Event
from chalicelib.once.journal import Journal
from chalicelib.once.lazy import executors_of
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.once.recovery.cursor import Sweeps
from chalicelib.outreach.company_events.endpoint import Endpoint, secret_id
from chalicelib.outreach.company_events.outbox import EventRows
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.company_events.teller import EndpointAccess, Teller
from chalicelib.outreach.consent.unsubscribe import LinkKeys, UnsubscribeDoor
from chalicelib.outreach.conversations.doubts import Doubts
from chalicelib.outreach.conversations.handoff_list import Handoffs
from chalicelib.outreach.conversations.parcels import Parcels
from chalicelib.outreach.conversations.records import Draft, Entry, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.desk.inbox import DeskInbox
from chalicelib.outreach.desk.operators import OperatorsDesk
from chalicelib.outreach.door.access import Access
from chalicelib.outreach.door.initiate import Callers, Initiate, StartIds, StartLane, StartStores
from chalicelib.outreach.door.results import ResultDoor
from chalicelib.outreach.door.shares import StartShares
from chalicelib.outreach.events.company_event import TellFlow, TellRebuilder
from chalicelib.outreach.events.flow import OutreachFlow
from chalicelib.outreach.events.handlers import (
    CompanySide,
    FlowRun,
    Incoming,
    Outgoing,
    outreach_flow,
)
from chalicelib.outreach.events.receipt import ReceiptFlow
from chalicelib.outreach.hearing.lost_replies import LostReplies
from chalicelib.outreach.hearing.lost_texts import LostTexts, TextLists
from chalicelib.outreach.hearing.ownership import Ownership
from chalicelib.outreach.messages.following import FollowUps
from chalicelib.outreach.project.admission import ConversationStores, Starts
from chalicelib.outreach.project.companies import Companies
from chalicelib.outreach.resume import ResumeRebuilder, StartRebuilder, resume_through
from chalicelib.outreach.senders import Senders
from chalicelib.outreach.sending.effects import KINDS
from chalicelib.outreach.sending.emails import EmailSender
from chalicelib.outreach.sending.hand_off import HandOffs
from chalicelib.outreach.sending.prepared import SenderParts
from chalicelib.outreach.sending.texts import TextSender
from chalicelib.outreach.sending.tool_calls import ToolCalls
from chalicelib.outreach.ses.stop_at_door import StopByMail
from chalicelib.outreach.spending.budget_limits import (
    BUDGET_REACHED,
    CONVERSATION_BUDGET_REACHED,
    BudgetReachedError,
)
from chalicelib.outreach.twilio.consent import ConsentAtTheDoor
from chalicelib.outreach.writing.composer import Composer
from chalicelib.outreach.writing.template_writer import TemplateWriter, Writer
from chalicelib.outreach.writing.tool_writer import ToolWriter
from chalicelib.vendors.level import OwnLevel
from local import company
from tests.rigs.keys import one_key
from tests.simulation import neighbours
from tests.simulation.consent import ConversationTable
from tests.simulation.faults import Port
from tests.simulation.parts import SimTable
from tests.simulation.scenario import EPOCH
from tests.simulation.support import OPAQUE
from tests.simulation.tools import AskingWriter

if TYPE_CHECKING:
    from tests.simulation.containers import Container
    from tests.simulation.world import World

TEXTS = ("send_text", "confirm_stop", "answer_help")
_JOBS = (
    *("start_conversation", "inbound_message", "outreach_resume"),
    *("handoff_release", "desk_reply", "unsubscribed"),
)
_EVENTS = (
    *("evt:reply", "evt:release", "evt:desk", "evt:follow", "evt:receipt"),
    *("evt:unsubscribe", "evt:tool", "evt:silence", "evt:lifted"),
)
_ACCESS = {
    company_id: Access(api_keys=(key,))
    for company_id, key in zip(neighbours.IDS, neighbours.KEYS, strict=True)
}


class SimModel:
    """A model behind the network that never returns the same text twice."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._words = TemplateWriter()

    def is_instant(self, record: Record) -> bool:
        """See `writers.Writer.is_instant`."""
        del record
        return False

    def opening(self, record: Record) -> Draft:
        """See `writers.Writer.opening`."""
        return self._asked(lambda: self._words.opening(record))

    def answer(self, record: Record, history: Sequence[Entry]) -> Draft:
        """See `writers.Writer.answer`."""
        return self._asked(lambda: self._words.answer(record, history))

    def _asked(self, write: Callable[[], Draft]) -> Draft:
        written: Draft = self._world.network.call(Port.VENDOR_READ, write)
        other = f"{written.text} {self._world.new_id()}" if written.text else ""
        return replace(written, text=other)


class SpendingWriter:
    """Another writer, which is asked for nothing while its budget is reached."""

    def __init__(self, world: World, writer: Writer) -> None:
        self._world = world
        self._writer = writer

    def is_instant(self, record: Record) -> bool:
        """See `template_writer.Writer`."""
        return self._writer.is_instant(record)

    def opening(self, record: Record) -> Draft:
        """See `template_writer.Writer`; a conversation that only begins has spent nothing."""
        self._check(BUDGET_REACHED)
        return self._writer.opening(record)

    def answer(self, record: Record, history: Sequence[Entry]) -> Draft:
        """See `template_writer.Writer`."""
        self._check(BUDGET_REACHED, CONVERSATION_BUDGET_REACHED)
        return self._writer.answer(record, history)

    def _check(self, *reasons: str) -> None:
        reason, begins, ends = self._world.scenario.spent
        if reason in reasons and begins <= self._world.now - EPOCH < ends:
            raise BudgetReachedError(reason)


class FailingFlow(OutreachFlow):
    """The product's flow; planning fails while the world says so."""

    world: World

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `flows.Flow.plan`."""
        if self.world.is_failing(event.facts.event_key):
            raise TransientError("conversations", "plan", reason="failing")
        return super().plan(event, switches)


class OutreachParts:
    """The outreach parts of one container."""

    def __init__(self, container: Container) -> None:
        world = self._world = container.world
        self._container = container
        clock = container.clock
        table = ConversationTable(world, world.conversations)
        conversations = self._conversations = Conversations(
            table=table, clock=clock, opaque=lambda: OPAQUE
        )  # type: ignore[arg-type]
        self._handoffs = Handoffs(table)  # type: ignore[arg-type]
        writer: Writer = SimModel(world) if world.scenario.is_written else TemplateWriter()
        if world.scenario.tools:
            writer = AskingWriter(writer)
        writer = SpendingWriter(world, writer)
        if world.scenario.tools:
            writer = ToolWriter(
                writer=writer, drafts=conversations, current=self._companies.current
            )
        composer = Composer(conversations=conversations, writer=writer, beating=nullcontext)
        clients = container.clients
        self.parcels = Parcels(table=table, clock=clock)  # type: ignore[arg-type]
        self.starts = Starts(table=container.table, ledger=container.ledger, clock=clock)  # type: ignore[arg-type]
        self._kept = ConversationStores(
            conversations=conversations, starts=self.starts, ledger=container.ledger
        )
        self.events = CompanyEvents(
            rows=EventRows(table=table, clock=clock),
            intake=container.intake,
            ledger=lambda: container.ledger,
            clock=clock,
        )  # type: ignore[arg-type]
        sending = SenderParts(
            conversations=conversations,
            composer=composer,
            clock=clock,
            links=LinkKeys(lambda: OPAQUE, one_key),
            public_base_url=company.PUBLIC_URL,
        )
        texts = TextSender(parts=sending, twilio=clients.twilio_of_companies)
        emails = EmailSender(parts=sending, ses=clients.ses)
        vendors = {"twilio": texts, "ses": emails}
        self._hand_offs = HandOffs(conversations=conversations, events=self.events)
        companies = SimTable(world, world.companies)
        senders = Senders(companies)  # type: ignore[arg-type]
        ownership = Ownership(senders, texts.account_of)
        register = Doubts(table=table, clock=clock, opaque=lambda: OPAQUE)  # type: ignore[arg-type]
        self.consent = ConsentAtTheDoor(register=register, senders=senders)
        self.stop_by_mail = StopByMail(
            register=register, conversations=conversations, senders=senders
        )
        follow_ups = FollowUps(
            kept=self._kept,
            clock=clock,
            opaque=lambda: OPAQUE,
            current=self._companies.current,
            put_later=container.later.put,
            events=self.events,
        )
        flow = outreach_flow(
            FailingFlow,
            kept=self._kept,
            company=CompanySide(
                current=self._companies.current, events=self.events, follow_ups=follow_ups
            ),
            outgoing=Outgoing(
                composer=composer,
                check_secrets=lambda record: vendors[record.channel.traits.carrier.vendor].check(
                    record
                ),
                message_id_header=emails.message_id_header,
            ),
            incoming=Incoming(
                ownership=ownership,
                allowances=Allowances(table=container.table, clock=clock),  # type: ignore[arg-type]
                opaque=lambda: OPAQUE,
            ),
            run=FlowRun(
                clock=clock, receive_count=container.receive_count, release=str(world.version)
            ),
        )
        flow.world = world
        resume = resume_through(container.intake)
        receipts = ReceiptFlow(
            kept=self._kept,
            resume=resume,
            ownership=ownership,
            events=self.events,
            follow_ups=follow_ups,
        )
        self.teller = Teller(
            rows=self.events.rows,
            conversations=conversations,
            access=EndpointAccess(
                endpoint=self._endpoint,
                secret=lambda company_id, refresh: clients.secret(
                    secret_id("sim", company_id), refresh=refresh
                ),
                post=lambda post: world.endpoints.post(container, post),
            ),
            signing=one_key,
            clock=clock,
            log=container.log,
        )
        self.flows = {
            **dict.fromkeys(_JOBS, flow),
            "delivery_receipt": receipts,
            "tell_company": TellFlow(
                events=self.events, endpoint=self._endpoint, clock=clock, log=container.log
            ),
        }
        parts = SimpleNamespace(
            texts=texts,
            emails=emails,
            hand_offs=self._hand_offs,
            teller=self.teller,
            notices=None,
            tool_calls=ToolCalls(
                conversations=conversations,
                events=self.events,
                ledger=container.ledger,
                current=self._companies.current,
                clock=clock,
            ),
        )
        self.results = ResultDoor(
            conversations=conversations,
            intake=container.intake,
            signing=one_key,
            current=self._companies.current,
            shares=CallerShares(clock=clock, log=container.log),
            log=container.log,
        )
        told = {name: kind for name, kind in KINDS.items() if name != "notify_desk"}
        self.executors = {**executors_of(told, parts), "hand_off": Executor(self._hand_off)}
        lost_replies = LostReplies(
            conversations=conversations,
            twilio=clients.twilio_of_companies,
            opaque=lambda: OPAQUE,
            log=container.log,
        )
        resumes = ResumeRebuilder(conversations)
        self.rebuilders = {
            **dict.fromkeys(_EVENTS, resumes),
            "evt:reply": lost_replies,
            "evt:start": StartRebuilder(conversations=conversations, parcels=self.parcels),
            "evt:tell": TellRebuilder(),
        }

    def lost_texts(self, sweeps: Sweeps) -> LostTexts:
        """Outreach's part of the sweep."""
        container = self._container
        return LostTexts(
            lists=TextLists(
                companies=self._companies,
                twilio=container.clients.twilio_of_companies,
                sweeps=sweeps,
            ),
            conversations=self._conversations,
            ledger=container.ledger,
            opaque=lambda: OPAQUE,
            clock=container.clock,
            log=container.log,
        )

    def _endpoint(self, company_id: str, project_id: str) -> Endpoint | None:
        project = self._companies.project(company_id, project_id)
        return project.endpoint(allows_loopback=False) if project else None

    @property
    def _companies(self) -> Companies:
        return Companies(SimTable(self._world, self._world.companies))  # type: ignore[arg-type]

    @property
    def desk(self) -> OperatorsDesk:
        """Hand-offs for operators."""
        return OperatorsDesk(inbox=self.inbox, handoffs=self._handoffs)

    @property
    def inbox(self) -> DeskInbox:
        """Persons' side of hand-off."""
        container = self._container
        audit = SimTable(self._world, self._world.audit)
        journal = Journal(table=audit, clock=container.clock, new_id=self._world.new_id)  # type: ignore[arg-type]
        return DeskInbox(
            kept=self._kept,
            handoffs=self._handoffs,
            intake=container.intake,
            journal=journal,
            clock=container.clock,
            current=self._companies.current,
        )

    @property
    def door(self) -> Initiate:
        """The Router's door."""
        container = self._container
        return Initiate(
            callers=Callers(
                access=lambda: _ACCESS,
                companies=self._companies,
                shares=CallerShares(clock=container.clock, log=container.log),
            ),
            stores=StartStores(
                starts=self.starts,
                ledger=container.ledger,
                parcels=lambda: self.parcels,
                outbox=lambda: self.events.rows,
                conversations=lambda: self._conversations,
            ),
            lane=StartLane(
                intake=container.intake,
                aside=container.aside,
                shares=StartShares(levels=lambda _: OwnLevel(), clock=container.clock, workers=2),
            ),
            ids=StartIds(opaque=lambda: OPAQUE, new=self._world.new_id),
            clock=container.clock,
            log=container.log,
        )

    @property
    def unsubscribe(self) -> UnsubscribeDoor:
        """The door behind the link in an e-mail."""
        container = self._container
        return UnsubscribeDoor(
            conversations=self._conversations,
            links=LinkKeys(lambda: OPAQUE, one_key),
            log=container.log,
            intake=container.intake,
            ledger=container.ledger,
            shares=CallerShares(clock=container.clock, log=container.log),
        )

    def _hand_off(self, actions: Sequence[Any], *, deadline_seconds: float) -> None:
        self._hand_offs.perform(actions, deadline_seconds=deadline_seconds)
        self._world.oracle.handed_off(*actions)
