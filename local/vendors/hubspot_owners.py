"""A simulated HubSpot CRM: the owners of an account, page by page, to a private app's token."""

from __future__ import annotations

from typing import Any

from local.vendors import simulated
from local.vendors.wire import Request, WireAnswer

API_TOKEN = "simulated-hubspot-api-token"  # noqa: S105 - a simulated vendor's
PATH = "/crm/v3/owners"
MOST_PER_PAGE = 500


class SimulatedHubSpotOwners(simulated.Vendor):
    """The server.

    Attributes:
        tokens: the accepted ones.
        page_size: owners per page, where a request asks for more.
    """

    name = "hubspot"

    def _clear(self) -> None:
        self.tokens = [API_TOKEN]
        self.page_size = MOST_PER_PAGE
        self._owners: list[dict[str, Any]] = []

    def add_owner(
        self, owner_id: int, *, user_id: int | None, first: str, last: str, email: str
    ) -> None:
        """Add an owner; HubSpot sends ids as texts and users' ids as numbers."""
        with self.lock:
            self._owners.append(
                {
                    "id": str(owner_id),
                    "userId": user_id,
                    "email": email,
                    "firstName": first,
                    "lastName": last,
                    "archived": False,
                }
            )

    def rename_owner(self, owner_id: int, *, first: str, last: str) -> None:
        """Change an owner's name."""
        with self.lock:
            (owner,) = (owner for owner in self._owners if owner["id"] == str(owner_id))
            owner |= {"firstName": first, "lastName": last}

    def operation_of(self, request: Request) -> str:
        """``list_owners`` or ``unknown``."""
        is_list = request.method == "GET" and "/" + "/".join(request.segments) == PATH
        return "list_owners" if is_list else "unknown"

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:
        """404 for an unknown path, 401 without a valid token."""
        if operation == "unknown":
            return WireAnswer(404, self.error_body(404))
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        return None if token in self.tokens else WireAnswer(401, self.error_body(401))

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """A page of owners, and where the next one starts."""
        del operation
        start = int(request.query.get("after", "0"))
        end = start + min(int(request.query.get("limit", "100")), self.page_size)
        body: dict[str, Any] = {"results": self._owners[start:end]}
        if end < len(self._owners):
            body["paging"] = {"next": {"after": str(end), "link": f"{self.url}{PATH}?after={end}"}}
        return WireAnswer(200, body)
