"""Twilio: send one SMS or WhatsApp message, list sent and received messages, fetch a received one.

Vendor facts (https://www.twilio.com/docs/messaging/api/message-resource): creating a message takes
no idempotency key; 429 means surely not sent; after a 5xx or a missing response it may have been
sent; the list shows every message with its direction, body and time; times have whole seconds.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Generic, TypeVar
from urllib.parse import parse_qsl, quote, urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chalicelib.errors import PermanentError, TransientError, UncertainError
from chalicelib.outreach import reasons
from chalicelib.outreach.twilio.codes import CodeMeaning, meaning
from chalicelib.vendors.clock_skew import ClockSkew
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.reasons import TOO_MANY_PAGES

PROVIDER = "twilio"
ERROR_CODE_AT = ("code",)
"""Where `VendorClient` finds Twilio's own error code."""
MAX_PAGES = 20
MAX_INBOUND_PAGES = 50
INBOUND_PAGE_SIZE = 200
"""With `MAX_INBOUND_PAGES`, up to 10,000 received messages of one number are listed at a time."""
READ_DEADLINE_SECONDS = 15.0
_API = "/2010-04-01/Accounts"
_WHOLE_SECOND = timedelta(seconds=1)
"""Twilio cuts times to seconds, so a message's time may be this much before its acceptance."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """A Twilio account's credentials, from a company's secret."""

    account_sid: str
    auth_token: str = field(repr=False)
    template_sid: str | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """One SMS or WhatsApp message to send.

    Attributes:
        to: the recipient's number in E.164, with ``whatsapp:`` before it on that channel.
        sender: the company's number, in the same form.
        body: free text; empty with a template.
        template: the template's id, ``HX...``, and its variables.
        callback: the URL for status callbacks.
    """

    to: str = field(repr=False)
    sender: str = field(repr=False)
    body: str = field(default="", repr=False)
    template: tuple[str, Mapping[str, str]] | None = field(default=None, repr=False)
    callback: str | None = None

    def form(self) -> dict[str, str]:
        """The form fields of the request that sends the message."""
        form = {"To": self.to, "From": self.sender}
        if self.template is None:
            form["Body"] = self.body
        else:
            sid, variables = self.template
            form["ContentSid"] = sid
            if variables:
                form["ContentVariables"] = json.dumps(variables, ensure_ascii=True)
        if self.callback:
            form["StatusCallback"] = self.callback
        return form


class SentText(BaseModel):
    """A sent message as Twilio lists it; only the fields that we use."""

    model_config = ConfigDict(hide_input_in_errors=True, frozen=True)

    sid: str
    body: str | None = None
    direction: str = ""
    status: str = ""
    date_created: str | None = None

    @property
    def created_at(self) -> datetime | None:
        """When Twilio accepted the sent message, to the second; None where unknown."""
        return _time(self.date_created)


class ReceivedText(BaseModel):
    """A received message as Twilio lists it; only the fields that we use."""

    model_config = ConfigDict(hide_input_in_errors=True, frozen=True)

    sid: str
    direction: str = ""
    sender: str | None = Field(default=None, alias="from", repr=False)
    to: str | None = Field(default=None, repr=False)
    body: str | None = Field(default=None, repr=False)
    num_media: str | None = None
    account_sid: str | None = None
    date_created: str | None = None

    @property
    def created_at(self) -> datetime | None:
        """When Twilio received the message, to the second; None where unknown."""
        return _time(self.date_created)

    def form(self) -> dict[str, str]:
        """The form fields that the webhook of the received message has."""
        form = {"MessageSid": self.sid, "From": self.sender or "", "To": self.to or ""}
        if self.account_sid:
            form["AccountSid"] = self.account_sid
        return {**form, "Body": self.body or "", "NumMedia": self.num_media or "0"}


_Listed = TypeVar("_Listed", SentText, ReceivedText)


class _Numbers(BaseModel):
    """The numbers of an account as Twilio lists them, filtered by one number; only the field that we use."""

    model_config = ConfigDict(hide_input_in_errors=True)

    class _Number(BaseModel):
        model_config = ConfigDict(hide_input_in_errors=True)

        sms_url: str | None = None

    incoming_phone_numbers: list[_Number]


class _Page(BaseModel, Generic[_Listed]):
    model_config = ConfigDict(hide_input_in_errors=True)

    messages: list[_Listed]
    next_page_uri: str | None = None


class Twilio:
    """Calls Twilio; every account has its own secret, rate limit and circuit breaker.

    Args:
        credentials: reads a secret by its name, past the cache when called with True.
        client: makes the HTTP client of a secret's account.
    """

    def __init__(
        self,
        credentials: Callable[[str, bool], Credentials],
        client: Callable[[str], VendorClient],
    ) -> None:
        self._credentials = credentials
        self._make_client = client
        self._clients: dict[str, VendorClient] = {}

    def credentials(self, secret_id: str) -> Credentials:
        """The credentials of a Twilio account, by the name of the company's secret."""
        return self._credentials(secret_id, False)

    def send(
        self,
        secret_id: str,
        text: Text,
        *,
        deadline_seconds: float,
        guard: Callable[[], None] | None = None,
    ) -> SentText:
        """Send one SMS or WhatsApp message; returns it with Twilio's id.

        Args:
            secret_id: name of the account's secret.
            text: the message.
            deadline_seconds: total.
            guard: called right before the request leaves; if it raises, nothing is sent.

        Raises:
            TransientError: surely not sent, by HTTP status or by an error code that means "later".
            PermanentError: Twilio refused the message; the error's reason is its code, e.g. ``21610``.
            UncertainError: the message may have been sent.
            AuthError: the account's token is refused, also after reading it again.
        """
        call = Call(
            operation="create_message",
            method="POST",
            path=f"{self._path(secret_id)}/Messages.json",
            is_repeatable=False,
            form=text.form(),
            guard=guard,
        )
        try:
            answer = self._client(secret_id).send(call, deadline_seconds=deadline_seconds)
        except PermanentError as error:
            if error.provider != PROVIDER or meaning(error.reason) != CodeMeaning.LATER:
                raise
            raise TransientError(
                PROVIDER, "create_message", status=error.status, reason=error.reason
            ) from None
        try:
            return SentText.model_validate(answer)
        except ValidationError:
            raise UncertainError(
                PROVIDER, "create_message", reason=reasons.ANSWER_NOT_A_MESSAGE
            ) from None

    def list_sent(
        self, secret_id: str, to: str, sender: str, *, since: datetime, until: datetime
    ) -> Sequence[SentText]:
        """Our messages to a recipient that Twilio may have accepted between two times, oldest first.

        The two times are by our clock; the listing shows how much Twilio's differs.  Twilio's date
        filter misses messages that are still queued, so it is not used.  The list is newest first,
        and reading ends at the first message that is too old.

        Raises:
            TransientError: also where the response does not show Twilio's clock.
            ProviderError: the list could not be read.
        """
        found: list[SentText] = []
        query = {"To": to, "From": sender, "PageSize": "50"}
        for message, skew in self._listed(_Page[SentText], secret_id, query, MAX_PAGES):
            created = message.created_at
            if created is not None and created + _WHOLE_SECOND <= skew.earliest(since):
                break
            is_ours = message.direction == "outbound-api"
            if is_ours and (created is None or created <= skew.latest(until)):
                found.append(message)
        found.reverse()
        return found

    def list_received(self, secret_id: str, to: str) -> Iterator[ReceivedText]:
        """The messages that a company's number received, newest first; pages are read as needed.

        Args:
            secret_id: name of the account's secret.
            to: the number in E.164, with ``whatsapp:`` before it on that channel.

        Raises:
            ProviderError: a page could not be read, or there are too many.
        """
        query = {"To": to, "PageSize": str(INBOUND_PAGE_SIZE)}
        for message, _ in self._listed(_Page[ReceivedText], secret_id, query, MAX_INBOUND_PAGES):
            if message.direction == "inbound":
                yield message

    def fetch_received(self, secret_id: str, sid: str) -> ReceivedText | None:
        """A message that the account received, by Twilio's id of it; None if there is none with that id.

        Raises:
            ProviderError: the message could not be read.
        """
        path = f"{self._path(secret_id)}/Messages/{quote(sid, safe='')}.json"
        call = Call("fetch_message", "GET", path, is_repeatable=True)
        try:
            answer = self._client(secret_id).send(call, deadline_seconds=READ_DEADLINE_SECONDS)
        except PermanentError as error:
            if error.status != HTTPStatus.NOT_FOUND:
                raise
            return None
        try:
            found = ReceivedText.model_validate(answer)
        except ValidationError:
            raise TransientError(
                PROVIDER, "fetch_message", reason=reasons.ANSWER_NOT_A_MESSAGE
            ) from None
        return found if found.direction == "inbound" else None

    def inbound_url_of(self, secret_id: str, number: str) -> str | None:
        """The URL to which Twilio posts the messages to a number; empty where none is set.

        None where the number does not belong to the account.

        Raises:
            ProviderError: the URL could not be read.
        """
        path = f"{self._path(secret_id)}/IncomingPhoneNumbers.json"
        call = Call("read_number", "GET", path, is_repeatable=True, query={"PhoneNumber": number})
        answer = self._client(secret_id).send(call, deadline_seconds=READ_DEADLINE_SECONDS)
        try:
            found = _Numbers.model_validate(answer).incoming_phone_numbers
        except ValidationError:
            raise TransientError(
                PROVIDER, "read_number", reason=reasons.ANSWER_NOT_A_LIST
            ) from None
        return (found[0].sms_url or "") if found else None

    def _listed(
        self,
        page_type: type[_Page[_Listed]],
        secret_id: str,
        query: Mapping[str, str],
        max_pages: int,
    ) -> Iterator[tuple[_Listed, ClockSkew]]:
        """Every listed message, newest first, each with the difference of the clocks that its page shows.

        Raises:
            ProviderError: a page could not be read, or there are too many.
        """
        path = f"{self._path(secret_id)}/Messages.json"
        for _ in range(max_pages):
            call = Call("list_messages", "GET", path, is_repeatable=True, query=query)
            answer = self._client(secret_id).exchange(call, deadline_seconds=READ_DEADLINE_SECONDS)
            if answer.skew is None:
                raise TransientError(PROVIDER, "list_messages", reason=reasons.ANSWER_WITHOUT_DATE)
            try:
                page = page_type.model_validate(answer.json)
            except ValidationError:
                raise TransientError(
                    PROVIDER, "list_messages", reason=reasons.ANSWER_NOT_A_LIST
                ) from None
            for message in page.messages:
                yield message, answer.skew
            if not page.next_page_uri:
                return
            query = dict(parse_qsl(urlsplit(page.next_page_uri).query))
        raise TransientError(PROVIDER, "list_messages", reason=TOO_MANY_PAGES)

    def _path(self, secret_id: str) -> str:
        return f"{_API}/{self._credentials(secret_id, False).account_sid}"

    def _client(self, secret_id: str) -> VendorClient:
        if secret_id not in self._clients:
            self._clients[secret_id] = self._make_client(secret_id)
        return self._clients[secret_id]


def _time(text: str | None) -> datetime | None:
    """A time from one of Twilio's lists (RFC 2822), parsed; None for anything else."""
    try:
        found = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def basic_auth_header(credentials: Credentials) -> Mapping[str, str]:
    """The header of basic authentication with a Twilio account's credentials."""
    pair = f"{credentials.account_sid}:{credentials.auth_token}".encode()
    return {"authorization": f"Basic {base64.b64encode(pair).decode()}"}
