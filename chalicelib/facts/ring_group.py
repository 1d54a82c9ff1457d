"""Aloware's ring group: the agents whose calls count.

No public page documents the URL or the full response; known is ``testResults`` with ``id``, ``name``
and ``email`` of each member.  So the URL is configured; without one the group is not read.
"""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chalicelib.errors import TransientError
from chalicelib.facts.model import Agent
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.reasons import UNEXPECTED_ANSWER

PROVIDER = "aloware"
_DEADLINE_SECONDS = 8.0


class _Member(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True, coerce_numbers_to_str=True)

    id: str
    name: str | None = None
    email: str | None = None


class _Members(BaseModel):
    model_config = ConfigDict(hide_input_in_errors=True)

    members: list[_Member] = Field(alias="testResults")


@dataclass(frozen=True, slots=True)
class RingGroup:
    """Reads the members of one ring group of Aloware."""

    client: VendorClient
    path: str

    def members(self) -> list[Agent]:
        """Read all members of the ring group, as agents.

        Raises:
            ProviderError: the group could not be read or is empty.
        """
        call = Call("ring_group", "GET", self.path, is_repeatable=True)
        answer = self.client.send(call, deadline_seconds=_DEADLINE_SECONDS)
        try:
            listed = _Members.model_validate(answer).members
        except ValidationError:
            listed = []
        if not listed:
            raise TransientError(PROVIDER, "ring_group", reason=UNEXPECTED_ANSWER)
        return [Agent(member.id, member.name or "", member.email or "") for member in listed]
