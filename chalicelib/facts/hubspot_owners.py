"""HubSpot's owners: names and addresses of the people behind HubSpot's ids.

Vendor facts (developers.hubspot.com, CRM owners API v3): ``GET /crm/v3/owners?limit=500&after=...``
with a private app's token and the scope ``crm.objects.owners.read`` lists owners with ``id`` (the
owner), ``userId``, ``email``, ``firstName`` and ``lastName``; ``paging.next.after`` leads on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chalicelib.errors import MiddlewareError, TransientError
from chalicelib.facts.model import Agent
from chalicelib.facts.roster import CACHE_SECONDS
from chalicelib.once.ports import Clock, Log
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.reasons import UNEXPECTED_ANSWER

PROVIDER = "hubspot"
_DEADLINE_SECONDS = 8.0
_PAGES_AT_MOST = 20


class _Owner(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True, coerce_numbers_to_str=True)

    id: str
    user_id: str | None = Field(default=None, alias="userId")
    email: str | None = None
    first: str | None = Field(default=None, alias="firstName")
    last: str | None = Field(default=None, alias="lastName")

    def agents(self) -> Iterator[Agent]:
        """The owner as agents, one for each id by which a fact may name this person: owner id and user id."""
        name = " ".join(part for part in (self.first, self.last) if part)
        yield Agent(f"hubspot-owner:{self.id}", name, self.email or "")
        if self.user_id:
            yield Agent(f"hubspot:{self.user_id}", name, self.email or "")


class _Page(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    results: list[_Owner]
    paging: dict[str, dict[str, str]] = Field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class HubSpotOwners:
    """HubSpot's directory of owners, cached for five minutes; while it cannot be read, the last one applies.

    Attributes:
        is_known: the directory was read at least once.
    """

    client: VendorClient
    clock: Clock
    log: Log
    is_known: bool = field(default=False, init=False)
    _known: Mapping[str, Agent] = field(default_factory=dict, init=False, repr=False)
    _good_until: float = field(default=-1.0, init=False)

    def agents(self) -> Mapping[str, Agent]:
        """The owners as agents, by the id under which a fact names them, e.g. ``hubspot-owner:77``.

        It is empty before the first successful read.
        """
        if self.clock.monotonic() >= self._good_until:
            try:
                self._known = {agent.id: agent for agent in self._read()}
                self.is_known = True
            except MiddlewareError:
                self.log.event("facts.owners_unreadable")
                self.log.metric("mw.facts.roster_unreadable")
            self._good_until = self.clock.monotonic() + CACHE_SECONDS
        return self._known

    def _read(self) -> Iterator[Agent]:
        after: str | None = None
        for _ in range(_PAGES_AT_MOST):
            query = {"limit": "500"} | ({"after": after} if after else {})
            call = Call("owners", "GET", "/crm/v3/owners", is_repeatable=True, query=query)
            answer = self.client.send(call, deadline_seconds=_DEADLINE_SECONDS)
            try:
                page = _Page.model_validate(answer)
            except ValidationError:
                raise TransientError(PROVIDER, "owners", reason=UNEXPECTED_ANSWER) from None
            for owner in page.results:
                yield from owner.agents()
            after = page.paging.get("next", {}).get("after")
            if not after:
                return
