"""Shopify: finds one order of one customer, by GraphQL.

Vendor facts (shopify.dev): ``POST /admin/api/{version}/graphql.json``; errors come with HTTP 200 in
``errors[].extensions.code``, throttling among them, with the cost bucket in ``extensions.cost``;
search is neither exact nor immediate, so results are compared again here; ``email`` and
``name`` are protected data and come null with an error where access is not granted.  Tokens are
valid for 24 hours by the client-credentials grant at ``POST /admin/oauth/access_token`` (a form).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from chalicelib.errors import AuthError, PermanentError, ProviderError, TransientError
from chalicelib.once.ports import Clock
from chalicelib.once.retry import Attempts, at_once
from chalicelib.support import reasons as why
from chalicelib.support.orders.shop_order import Lookup, Order
from chalicelib.support.orders.trouble import OrderFacts, trouble_of
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.lenient import LENIENT, as_object, as_objects
from chalicelib.vendors.reasons import THROTTLED, UNEXPECTED_ANSWER

PROVIDER = "shopify"
DEADLINE_SECONDS = 12.0
EARLY_SECONDS = 600.0
"""A token is renewed this long before it expires."""
_MAX_WAIT_SECONDS = 5.0
_TRIES = 3

ORDERS_QUERY = """\
query Orders($q: String!) {
  orders(first: 5, query: $q, sortKey: CREATED_AT, reverse: true) {
    nodes {
      id name createdAt email cancelledAt tags
      displayFinancialStatus displayFulfillmentStatus returnStatus statusPageUrl
      subtotalLineItemsQuantity currentSubtotalLineItemsQuantity
      disputes { status }
      shippingLine { title }
      fulfillments(first: 5) {
        status displayStatus createdAt
        trackingInfo(first: 5) { number url company }
      }
    }
  }
}
"""


_DISPUTES = "      disputes { status }\n"


class AccessTokens:
    """The 24-hour token of the client-credentials grant, kept in memory until it nearly expires.

    Args:
        credentials: client id and secret, fetched again when called with True.
    """

    def __init__(
        self, *, client: VendorClient, credentials: Callable[[bool], tuple[str, str]], clock: Clock
    ) -> None:
        self._client = client
        self._credentials = credentials
        self._clock = clock
        self._token = ""
        self._ends = 0.0

    def header(self, refresh: bool) -> Mapping[str, str]:  # noqa: FBT001 - `VendorClient.authorize`
        """The authentication header; with True after the token was refused."""
        if refresh or not self._token or self._clock.monotonic() >= self._ends:
            self._renew(refresh=refresh)
        return {"x-shopify-access-token": self._token}

    def _renew(self, *, refresh: bool) -> None:
        client_id, secret = self._credentials(refresh)
        call = Call(
            "get_token",
            "POST",
            "/admin/oauth/access_token",
            is_repeatable=True,
            form={
                "grant_type": "client_credentials",
                "client_id": client_id,
                "client_secret": secret,
            },
        )
        answer = self._client.send(call, deadline_seconds=DEADLINE_SECONDS)
        token, seconds = answer.get("access_token"), answer.get("expires_in")
        if not isinstance(token, str) or not isinstance(seconds, int | float):
            raise TransientError(PROVIDER, "get_token", reason=UNEXPECTED_ANSWER)
        self._token = token
        self._ends = self._clock.monotonic() + max(seconds - EARLY_SECONDS, seconds / 2)


class Shopify:
    """The shop's own orders.

    Args:
        name_prefix: the shop's prefix of order numbers, by default ``#``.
    """

    def __init__(
        self, *, client: VendorClient, clock: Clock, api_version: str, name_prefix: str = "#"
    ) -> None:
        self._client = client
        self._clock = clock
        self._path = f"/admin/api/{api_version}/graphql.json"
        self._prefix = name_prefix

    def find_order(self, number: str, *, requester_email: str) -> Lookup:
        """The order of exactly this number **and** this customer; raises `ProviderError`s.

        Args:
            number: digits, without the shop's prefix.
            requester_email: the address of the asker; another customer's order is ``not_theirs``.
        """
        name = f"{self._prefix}{number}"
        found = [node for node in self._search(f"name:{_quoted(name)}") if node.name == name]
        if not found:
            return Lookup(None, why.NOT_FOUND)
        theirs = [one for one in found if _same_address(one.email, requester_email)]
        if not theirs:
            return Lookup(None, why.NOT_THEIRS)
        return Lookup(_order(name, theirs[0]))

    def _search(self, query: str) -> Sequence[_Node]:
        """The nodes of a search; waits out a throttle that is short enough.

        An app that may not see disputes is refused the whole answer, because the field cannot be
        null.  It is asked again without them; the states of payment and return still speak.
        """
        ends = self._clock.monotonic() + DEADLINE_SECONDS
        body = {"query": ORDERS_QUERY, "variables": {"q": query}}
        plain = {**body, "query": ORDERS_QUERY.replace(_DISPUTES, "")}
        call = Call("find_order", "POST", self._path, is_repeatable=True, body=body)
        attempts = Attempts(self._clock, at_once(_TRIES), until=ends)
        while True:
            left = ends - self._clock.monotonic()
            answer = _parsed(self._client.send(call, deadline_seconds=left))
            if not answer.errors:
                return answer.data.orders.nodes
            if answer.denies_disputes and call.body != plain:
                call = replace(call, body=plain)
                continue
            error = _error(answer)
            wait = error.retry_after
            if not isinstance(error, TransientError) or wait is None or wait > _MAX_WAIT_SECONDS:
                raise error
            attempts.failed(error, at_least_seconds=wait)


def _quoted(value: str) -> str:
    """A value of the search syntax, in quotes, its own quotes and backslashes escaped."""
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _same_address(found: str | None, wanted: str) -> bool:
    return bool(found) and (found or "").strip().lower() == wanted.strip().lower()


# --- responses --------------------------------------------------------------------------------


class _Raw(BaseModel):
    model_config = LENIENT


class _Tracking(_Raw):
    number: str | None = Field(default=None, repr=False)
    url: str | None = Field(default=None, repr=False)
    company: str | None = None


class _Fulfillment(_Raw):
    status: str | None = None
    display_status: str | None = Field(default=None, validation_alias="displayStatus")
    tracking: Annotated[list[_Tracking], BeforeValidator(as_objects)] = Field(
        default=[], validation_alias="trackingInfo"
    )


class _ShippingLine(_Raw):
    title: str | None = None


class _Dispute(_Raw):
    status: str | None = None


class _Node(_Raw):
    name: str | None = Field(default=None, repr=False)
    created_at: datetime | None = Field(default=None, validation_alias="createdAt")
    email: str | None = Field(default=None, repr=False)
    cancelled_at: datetime | None = Field(default=None, validation_alias="cancelledAt")
    tags: list[str] = []
    payment_status: str | None = Field(default=None, validation_alias="displayFinancialStatus")
    return_status: str | None = Field(default=None, validation_alias="returnStatus")
    ordered_items: int | None = Field(default=None, validation_alias="subtotalLineItemsQuantity")
    current_items: int | None = Field(
        default=None, validation_alias="currentSubtotalLineItemsQuantity"
    )
    disputes: Annotated[list[_Dispute], BeforeValidator(as_objects)] = []
    fulfillment_status: str | None = Field(
        default=None, validation_alias="displayFulfillmentStatus"
    )
    status_url: str | None = Field(default=None, repr=False, validation_alias="statusPageUrl")
    shipping_line: Annotated[_ShippingLine, BeforeValidator(as_object)] = Field(
        default=_ShippingLine(), validation_alias="shippingLine"
    )
    fulfillments: Annotated[list[_Fulfillment], BeforeValidator(as_objects)] = []


class _Nodes(_Raw):
    nodes: Annotated[list[_Node], BeforeValidator(as_objects)] = []


class _Data(_Raw):
    orders: Annotated[_Nodes, BeforeValidator(as_object)] = _Nodes()


class _Extensions(_Raw):
    code: str = "unknown"


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


class _Error(_Raw):
    path: Annotated[list[Any], BeforeValidator(_as_list)] = []
    extensions: Annotated[_Extensions, BeforeValidator(as_object)] = _Extensions()


class _Throttle(_Raw):
    available: float = Field(default=0, validation_alias="currentlyAvailable")
    restore_rate: float = Field(default=0, validation_alias="restoreRate")


class _Cost(_Raw):
    requested: float = Field(default=0, validation_alias="requestedQueryCost")
    throttle: Annotated[_Throttle, BeforeValidator(as_object)] = Field(
        default=_Throttle(), validation_alias="throttleStatus"
    )


class _AnswerExtensions(_Raw):
    cost: Annotated[_Cost, BeforeValidator(as_object)] = _Cost()


class _Answer(_Raw):
    data: Annotated[_Data, BeforeValidator(as_object)] = _Data()
    errors: Annotated[list[_Error], BeforeValidator(as_objects)] = []
    extensions: Annotated[_AnswerExtensions, BeforeValidator(as_object)] = _AnswerExtensions()

    @property
    def denies_disputes(self) -> bool:
        """Every error says that the app may not see disputes."""
        return all(
            one.extensions.code == "ACCESS_DENIED" and "disputes" in one.path for one in self.errors
        )


def _parsed(raw: Mapping[str, Any]) -> _Answer:
    try:
        return _Answer.model_validate(raw)
    except ValidationError:
        pass
    raise TransientError(PROVIDER, "find_order", reason=UNEXPECTED_ANSWER)


def _error(answer: _Answer) -> ProviderError:
    """The first of an answer's errors; partial data beside it is not used."""
    code = answer.errors[0].extensions.code
    if code == "THROTTLED":
        cost = answer.extensions.cost
        missing = cost.requested - cost.throttle.available
        wait = missing / cost.throttle.restore_rate if cost.throttle.restore_rate > 0 else 1.0
        return TransientError(PROVIDER, "find_order", reason=THROTTLED, retry_after=max(wait, 0))
    kind = {"ACCESS_DENIED": AuthError, "INTERNAL_SERVER_ERROR": TransientError}.get(
        code, PermanentError
    )
    return kind(PROVIDER, "find_order", reason=code.lower())


def _order(name: str, node: _Node) -> Order:
    parcels = [one for one in node.fulfillments if (one.status or "").upper() != "CANCELLED"]
    followed = [t for parcel in parcels for t in parcel.tracking if t.number or t.url]
    tracking = followed[0] if followed else _Tracking()
    shown = next((one.display_status for one in parcels if one.display_status), None)
    return Order(
        name=name,
        created_at=node.created_at,
        status="cancelled" if node.cancelled_at else "confirmed",
        fulfillment_status=_words(shown or node.fulfillment_status),
        shipping_method=node.shipping_line.title,
        tracking_number=tracking.number,
        tracking_url=tracking.url,
        tracking_company=tracking.company,
        status_url=node.status_url,
        is_cancelled=node.cancelled_at is not None,
        is_preorder=any(tag.strip().lower() in _PREORDER_TAGS for tag in node.tags),
        trouble=trouble_of(_facts(node, parcels)),
    )


def _facts(node: _Node, parcels: Sequence[_Fulfillment]) -> OrderFacts:
    return OrderFacts(
        payment=_words(node.payment_status),
        fulfillment=_words(node.fulfillment_status),
        returning=_words(node.return_status),
        parcels=[
            _words(one.status if one.status in _BROKEN else one.display_status) for one in parcels
        ],
        is_disputed=any(one.status not in _DISPUTES_OVER for one in node.disputes),
        has_removed_lines=node.ordered_items != node.current_items,
    )


def _words(status: str | None) -> str:
    return (status or "").lower().replace("_", " ")


_BROKEN = frozenset({"ERROR", "FAILURE"})
_DISPUTES_OVER = frozenset({"WON", "ACCEPTED", "PREVENTED"})


_PREORDER_TAGS = frozenset({"preorder", "pre-order", "pre order"})
