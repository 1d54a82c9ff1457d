"""Builds the doors of outreach; each loads its own modules at its first request.

Loading one door takes 80 to 350 ms of a cold start, so the imports stay inside functions here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import TYPE_CHECKING

from chalicelib.once.keyring import KeyPurpose
from chalicelib.shared import Shared, new_id

if TYPE_CHECKING:
    from chalicelib.once.door import Answer, HttpRequest
    from chalicelib.outreach.build import Outreach
    from chalicelib.outreach.consent.unsubscribe import UnsubscribeDoor
    from chalicelib.outreach.desk.door import DeskDoor
    from chalicelib.outreach.door.access import Access
    from chalicelib.outreach.door.initiate import Initiate
    from chalicelib.outreach.door.may_send import MaySendDoor
    from chalicelib.outreach.door.results import ResultDoor
    from chalicelib.outreach.door.shares import StartShares
    from chalicelib.outreach.people.acting import People
    from chalicelib.outreach.people.company_providers import CompanyProviders
    from chalicelib.outreach.register.register_door import RegisterDoor
    from chalicelib.outreach.senders import Senders
    from chalicelib.outreach.ses.stop_at_door import StopByMail
    from chalicelib.outreach.twilio.consent import ConsentAtTheDoor
    from chalicelib.outreach.twilio.door import TwilioDoor


class OutreachDoors:
    """Every entry point that the Channel Router, companies, recipients, Twilio and SES call.

    Args:
        outreach: builds the tables; called only by doors that need them.
    """

    def __init__(self, *, shared: Shared, outreach: Callable[[], Outreach]) -> None:
        self._shared = shared
        self._outreach = outreach

    # --- the Channel Router -------------------------------------------------------------------

    def initiate(self, request: HttpRequest) -> Answer:
        """Start a conversation for the Channel Router (`POST /initiate-conversation`)."""
        return self._initiate.start(request)

    def start_outcome(self, request: HttpRequest, request_id: str) -> Answer:
        """Answer the Channel Router what became of a start that it requested."""
        return self._initiate.outcome(request, request_id)

    def start_messages(self, request: HttpRequest, request_id: str) -> Answer:
        """Answer the Channel Router with the messages of a start's conversation."""
        return self._initiate.messages(request, request_id)

    @cached_property
    def _initiate(self) -> Initiate:
        from chalicelib.outreach.company_events.outbox import EventRows
        from chalicelib.outreach.conversations.parcels import Parcels
        from chalicelib.outreach.door.initiate import (
            Callers,
            Initiate,
            StartIds,
            StartLane,
            StartStores,
        )
        from chalicelib.outreach.project.admission import Starts
        from chalicelib.outreach.project.companies import Companies

        shared, settings = self._shared, self._shared.settings
        table = shared.table(settings.conversations_table)
        return Initiate(
            callers=Callers(
                access=self._access,
                companies=Companies(shared.table(settings.company_data_table)),
                shares=shared.caller_shares,
            ),
            stores=StartStores(
                starts=Starts(
                    table=shared.table(settings.idempotency_table),
                    ledger=shared.ledger,
                    clock=shared.clock,
                ),
                ledger=shared.ledger,
                parcels=lambda: Parcels(table=table, clock=shared.clock),
                outbox=lambda: EventRows(table=table, clock=shared.clock),
                conversations=lambda: self._outreach().conversations,
            ),
            lane=StartLane(intake=shared.intake, aside=shared.aside, shares=self._shares),
            ids=StartIds(opaque=shared.opaque, new=new_id),
            clock=shared.clock,
            log=shared.log,
        )

    @cached_property
    def _shares(self) -> StartShares:
        from chalicelib.outreach.door.shares import StartShares
        from chalicelib.vendors.shared_level import SharedLevel

        shared = self._shared
        table = shared.table(shared.settings.idempotency_table)

        @cache
        def level(name: str) -> SharedLevel:
            return SharedLevel(table=table, provider=name, clock=shared.clock)

        return StartShares(
            levels=level, clock=shared.clock, workers=shared.settings.lane_concurrency
        )

    def may_send(self, request: HttpRequest) -> Answer:
        """Answer the Channel Router whether a message might be sent now, without sending one."""
        return self._may_send.ask(request)

    @cached_property
    def _may_send(self) -> MaySendDoor:
        from chalicelib.outreach.door.initiate import Callers
        from chalicelib.outreach.door.may_send import MaySendDoor
        from chalicelib.outreach.jurisdictions.start_check import StartChecks
        from chalicelib.outreach.project.companies import Companies

        shared = self._shared
        table = shared.table(shared.settings.company_data_table)
        return MaySendDoor(
            callers=Callers(
                access=self._access, companies=Companies(table), shares=shared.caller_shares
            ),
            checks=lambda: StartChecks(
                conversations=self._outreach().conversations, switches=shared.switches
            ),
            clock=shared.clock,
            log=shared.log,
        )

    # --- a company's register -----------------------------------------------------------------

    def register_lookup(self, request: HttpRequest) -> Answer:
        """Answer a company what its do-not-contact register holds about one address."""
        return self._register.lookup(request)

    def register_page(self, request: HttpRequest) -> Answer:
        """Answer a company with one page of its do-not-contact register."""
        return self._register.page(request)

    def register_import(self, request: HttpRequest) -> Answer:
        """Add a company's list of addresses to its do-not-contact register."""
        return self._register.import_lines(request)

    def register_lift(self, request: HttpRequest) -> Answer:
        """Lift an address's do-not-contact marks for its company."""
        return self._register.lift(request)

    def register_subscription(self, request: HttpRequest) -> Answer:
        """Store which events a company's endpoint is sent."""
        return self._register.subscribe(request)

    @cached_property
    def _register(self) -> RegisterDoor:
        from chalicelib.outreach.company_events.outbox import EventRows
        from chalicelib.outreach.door.initiate import Callers
        from chalicelib.outreach.door.used_signatures import UsedSignatures
        from chalicelib.outreach.project.companies import Companies
        from chalicelib.outreach.register.register_door import RegisterDoor
        from chalicelib.outreach.register.register_service import RegisterService

        shared = self._shared
        table = shared.table(shared.settings.conversations_table)
        return RegisterDoor(
            callers=Callers(
                access=self._access,
                companies=Companies(shared.table(shared.settings.company_data_table)),
                shares=shared.caller_shares,
            ),
            service=lambda: RegisterService(
                conversations=self._outreach().conversations,
                endpoints=EventRows(table=table, clock=shared.clock),
                ledger=lambda: shared.ledger,
                clock=shared.clock,
            ),
            people=self._people,
            used=UsedSignatures(
                table=shared.table(shared.settings.idempotency_table), clock=shared.clock
            ),
            clock=shared.clock,
            log=shared.log,
        )

    @cached_property
    def _people(self) -> People:
        from chalicelib.outreach.people.acting import People
        from chalicelib.outreach.people.desk_tokens import DeskTokens

        shared = self._shared
        table = shared.table(shared.settings.company_data_table)
        return People(
            table=table,
            tokens=DeskTokens(table=table, opaque=shared.opaque, clock=shared.clock),
            providers=lambda: self._providers,
        )

    @cached_property
    def _providers(self) -> CompanyProviders:
        from chalicelib.outreach.people.company_providers import CompanyProviders
        from chalicelib.vendors.documents import document

        is_here = self._shared.settings.company_webhooks_on_loopback
        return CompanyProviders(
            fetch=lambda address: document(address, allows_loopback=is_here),
            clock=self._shared.clock,
        )

    def _access(self) -> Mapping[str, Access]:
        from chalicelib.outreach.door import access

        keys = self._shared.secrets.text_or_none(self._shared.settings.router_keys_secret_id)
        return access.parse_access(keys or "")

    # --- companies ----------------------------------------------------------------------------

    def tool_result(
        self, headers: Mapping[str, str], body: bytes, request_id: str, call_id: str
    ) -> Answer:
        """Take the result of a tool's call from a company."""
        return self._results.result(headers, body, request_id, call_id)

    @cached_property
    def _results(self) -> ResultDoor:
        from chalicelib.outreach.door.results import ResultDoor

        shared, outreach = self._shared, self._outreach()
        return ResultDoor(
            conversations=outreach.conversations,
            intake=shared.intake,
            signing=shared.keys_of(KeyPurpose.TOOL_RESULTS),
            current=outreach.current_settings,
            shares=shared.caller_shares,
            log=shared.log,
        )

    def desk_list(self, request: HttpRequest) -> Answer:
        """Answer a company's desk with the conversations that wait for a person."""
        return self._desk.list_handoffs(request)

    def desk_conversation(self, request: HttpRequest, opaque_id: str) -> Answer:
        """Answer a company's desk with one conversation, by its opaque id (a keyed hash)."""
        return self._desk.show_conversation(request, opaque_id)

    def desk_act(self, request: HttpRequest, opaque_id: str) -> Answer:
        """Perform an act of a person at a company's desk: reply, take, close and the like."""
        return self._desk.act(request, opaque_id)

    @cached_property
    def _desk(self) -> DeskDoor:
        from chalicelib.outreach.desk.door import DeskDoor

        shared, inbox = self._shared, self._outreach().inbox
        return DeskDoor(
            access=self._access,
            inbox=inbox,
            people=self._people,
            shares=shared.caller_shares,
            clock=shared.clock,
            log=shared.log,
        )

    # --- Twilio and SES -----------------------------------------------------------------------

    def twilio_message(
        self, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]
    ) -> Answer:
        """Take Twilio's webhook about a message that a recipient sent."""
        return self._twilio.message(headers, body, query)

    def twilio_status(
        self, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]
    ) -> Answer:
        """Take Twilio's callback about the delivery of a message of ours."""
        return self._twilio.status(headers, body, query)

    @cached_property
    def _twilio(self) -> TwilioDoor:
        from chalicelib.outreach.twilio.door import TwilioDoor
        from chalicelib.outreach.twilio.owners import Owners

        shared = self._shared
        name = shared.settings.twilio_webhook_secret_id
        return TwilioDoor(
            intake=shared.intake,
            secret=lambda: shared.secrets.text_or_none(name),
            base_url=shared.settings.public_base_url,
            consent=lambda: self._consent,
            owners=cache(lambda: Owners(senders=self._senders, clock=shared.clock)),
        )

    @cached_property
    def _consent(self) -> ConsentAtTheDoor:
        from chalicelib.outreach.conversations.doubts import Doubts
        from chalicelib.outreach.twilio.consent import ConsentAtTheDoor

        shared = self._shared
        table = shared.table(shared.settings.conversations_table)
        return ConsentAtTheDoor(
            register=Doubts(table=table, clock=shared.clock, opaque=shared.opaque),
            senders=self._senders,
        )

    @cached_property
    def _senders(self) -> Senders:
        from chalicelib.outreach.senders import Senders

        return Senders(self._shared.table(self._shared.settings.company_data_table))

    def mail(self, message: str) -> None:
        """Take one SNS message of SES, about an e-mail received or sent.

        Raises:
            UnavailableError: the message's job or mark was not stored.
        """
        from chalicelib.outreach.doubtful import is_doubtful
        from chalicelib.outreach.ses import door

        door.receive(message, self._shared.intake, lambda: self._stop_by_mail, is_doubtful)

    @cached_property
    def _stop_by_mail(self) -> StopByMail:
        from chalicelib.outreach.conversations.doubts import Doubts
        from chalicelib.outreach.conversations.queries import Queries
        from chalicelib.outreach.ses.stop_at_door import StopByMail

        shared = self._shared
        table = shared.table(shared.settings.conversations_table)
        return StopByMail(
            register=Doubts(table=table, clock=shared.clock, opaque=shared.opaque),
            conversations=Queries(table=table, clock=shared.clock),
            senders=self._senders,
        )

    # --- recipients ---------------------------------------------------------------------------

    def unsubscribe_page(self, token: str) -> Answer:
        """Show the page of an unsubscribe link to its recipient; changes nothing."""
        return self._unsubscribe.page(token)

    def unsubscribe(self, token: str, body: bytes) -> Answer:
        """Unsubscribe the recipient of a link, allow messages again, or store the page's preferences."""
        return self._unsubscribe.unsubscribe(token, body)

    @cached_property
    def _unsubscribe(self) -> UnsubscribeDoor:
        from chalicelib.outreach.consent.unsubscribe import LinkKeys, UnsubscribeDoor

        shared = self._shared
        conversations = self._outreach().conversations
        return UnsubscribeDoor(
            conversations=conversations,
            links=LinkKeys(shared.opaque, shared.keys_of(KeyPurpose.UNSUBSCRIBE)),
            log=shared.log,
            intake=shared.intake,
            ledger=shared.ledger,
            shares=shared.caller_shares,
        )
