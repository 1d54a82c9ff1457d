"""Calls of Richpanel's API: how a path names a ticket, and the checks of a response.

A request whose path holds an id that is not percent-encoded gets a 200 without any change, with
another ticket or none in it: every change checks the response for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import BaseModel, ValidationError

from chalicelib.errors import PermanentError, TransientError, UncertainError
from chalicelib.support.richpanel.responses import ListPage, TicketAnswer
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.rate_limit import Urgency
from chalicelib.vendors.reasons import ID_MISMATCH, INVALID_ID, TOO_MANY_PAGES, UNEXPECTED_ANSWER

PROVIDER = "richpanel"
READ_DEADLINE_SECONDS = 15.0
LIST_DEADLINE_SECONDS = 60.0
"""Total time for all pages of a list, for which an operator waits."""
PER_PAGE = 100
MAX_PAGES = 100
REQUESTS_PER_30_S = 50
"""The documented limit of the whole tenant, all of its integrations included."""
_OF_REPLIES = frozenset({"send_message", "close", "reopen"})

_Model = TypeVar("_Model", bound=BaseModel)
_Page = TypeVar("_Page", bound=ListPage)


def key_header(secret: Callable[[bool], str]) -> Callable[[bool], Mapping[str, str]]:
    """A function that gives the header with Richpanel's API key.

    Called with True, that function fetches the key again.
    """
    return lambda refresh: {"x-richpanel-key": secret(refresh).strip()}


class RichpanelCalls:
    """Makes calls to Richpanel's API: reads responses as models, and changes tickets."""

    def __init__(self, client: VendorClient) -> None:
        self.client = client

    def get(
        self,
        model: type[_Model],
        operation: str,
        path: str,
        deadline_seconds: float = READ_DEADLINE_SECONDS,
        *,
        query: Mapping[str, str] | None = None,
        urgency: Urgency = Urgency.NORMAL,
    ) -> _Model:
        """Read the resource at a path of Richpanel's API, as an object of the given model.

        Raises:
            TransientError: also where the response has another shape.
            ProviderError: the resource could not be read.
        """
        call = Call(operation, "GET", path, is_repeatable=True, query=query or {}, urgency=urgency)
        answer = self.client.send(call, deadline_seconds=deadline_seconds)
        return _parsed(model, answer, operation)

    def pages(
        self, model: type[_Page], operation: str, path: str, deadline_seconds: float
    ) -> Iterator[_Page]:
        """Read every page of a list of Richpanel's API, all within the deadline.

        A page that repeats ends the list.

        Raises:
            TransientError: also where the list has more than `MAX_PAGES` pages.
            ProviderError: a page could not be read.
        """
        ends = self.client.clock.monotonic() + deadline_seconds
        before = None
        for number in range(1, MAX_PAGES + 1):
            query = {"page": str(number), "per_page": str(PER_PAGE)}
            left = ends - self.client.clock.monotonic()
            page = self.get(model, operation, path, left, query=query)
            if page == before:
                return
            yield page
            if not page.next_page:
                return
            before = page
        raise TransientError(PROVIDER, operation, reason=TOO_MANY_PAGES)

    def post(self, operation: str, path: str, body: Mapping[str, Any]) -> None:
        """Create something at Richpanel that does no harm if it is created twice.

        Raises:
            ProviderError: it may not have been created.
        """
        call = Call(operation, "POST", path, is_repeatable=True, body=body)
        self.client.send(call, deadline_seconds=READ_DEADLINE_SECONDS)

    def put(
        self,
        operation: str,
        conversation_id: str,
        suffix: str,
        body: Mapping[str, Any],
        deadline_seconds: float,
    ) -> TicketAnswer | None:
        """Change a ticket at Richpanel by one PUT.

        Returns:
            The ticket in the response, which may be as it was before the change; None if there is
            none.

        Raises:
            ProviderError: also where the response holds another ticket or an empty one.
        """
        path = f"/v1/tickets/{segment(conversation_id, operation)}{suffix}"
        is_repeatable = operation != "send_message"
        urgency = Urgency.HIGH if operation in _OF_REPLIES else Urgency.NORMAL
        call = Call(operation, "PUT", path, is_repeatable=is_repeatable, body=body, urgency=urgency)
        answer = self.client.send(call, deadline_seconds=deadline_seconds)
        shown = answer.get("ticket")
        if not isinstance(shown, dict):
            return None
        if not shown or str(shown.get("id", conversation_id)) != conversation_id:
            # Richpanel answers so where it did not understand the id.
            kind = PermanentError if is_repeatable else UncertainError
            raise kind(PROVIDER, operation, reason=ID_MISMATCH)
        return TicketAnswer.model_validate(shown)


def segment(conversation_id: str, operation: str) -> str:
    """A ticket's id as one segment of a URL path, percent-encoded.

    Raises `PermanentError` for an id that cannot be a segment: an empty one, ``.`` and ``..``.
    """
    if conversation_id in {"", ".", ".."}:
        raise PermanentError(PROVIDER, operation, reason=INVALID_ID)
    return quote(conversation_id, safe="")


def _parsed(model: type[_Model], answer: Mapping[str, Any], operation: str) -> _Model:
    try:
        return model.model_validate(answer)
    except ValidationError:
        pass
    raise TransientError(PROVIDER, operation, reason=UNEXPECTED_ANSWER)
