"""The roster: whose events count, from a configured list or from somewhere that can be asked.

A configured list is JSON: ``[{"id": "101", "name": "Ada", "email": "ada@example.com",
"aliases": ["hubspot:5001"]}, {"id": "102"}]``.  An alias is the same person at another sender.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from chalicelib.errors import MiddlewareError
from chalicelib.facts.model import Agent
from chalicelib.once.ports import Clock, Log

CACHE_SECONDS = 300.0


class ListedAgent(BaseModel):
    """An entry of the configured list."""

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    id: str = Field(pattern=r"^[0-9A-Za-z-]{1,64}$")
    name: str = ""
    email: str = ""
    aliases: tuple[str, ...] = ()


LISTED: TypeAdapter[tuple[ListedAgent, ...]] = TypeAdapter(tuple[ListedAgent, ...])


def by_id_and_alias(agents: Iterable[Agent]) -> dict[str, Agent]:
    """Agents under each of their ids."""
    return {key: agent for agent in agents for key in (agent.id, *agent.aliases)}


@dataclass(frozen=True, slots=True)
class NoGate:
    """`fact_ports.Roster` where everybody counts."""

    def agents(self) -> Mapping[str, Agent] | None:
        """See `fact_ports.Roster.agents`."""
        return None


@dataclass(frozen=True, slots=True)
class ListedRoster:
    """`fact_ports.Roster` of a configured list."""

    listed: tuple[ListedAgent, ...]

    def agents(self) -> Mapping[str, Agent] | None:
        """See `fact_ports.Roster.agents`."""
        return by_id_and_alias(
            Agent(one.id, one.name, one.email, one.aliases) for one in self.listed
        )


@dataclass(slots=True)
class AskedRoster:
    """`fact_ports.Roster` that is asked for, and remembered for five minutes.

    What was known last stands in when it cannot be asked.  Where nothing was ever known there is no
    gate: a stranger's fact can be taken out of a report, one that was never counted cannot be put
    in; a metric says so.

    Attributes:
        ask: raises `MiddlewareError`s.
        listed: adds aliases to the members; who is on it alone is no member.
    """

    ask: Callable[[], Iterable[Agent]]
    clock: Clock
    log: Log
    listed: tuple[ListedAgent, ...] = ()
    _known: Mapping[str, Agent] | None = field(default=None, init=False, repr=False)
    _good_until: float = field(default=-1.0, init=False)

    def agents(self) -> Mapping[str, Agent] | None:
        """See `fact_ports.Roster.agents`."""
        if self.clock.monotonic() >= self._good_until:
            self._ask()
        return self._known

    def _ask(self) -> None:
        aliases = {one.id: one.aliases for one in self.listed}
        try:
            members = [
                Agent(one.id, one.name, one.email, aliases.get(one.id, ())) for one in self.ask()
            ]
        except MiddlewareError:
            self.log.event(
                "facts.roster_unreadable", gate="none" if self._known is None else "last"
            )
            self.log.metric("mw.facts.roster_unreadable")
        else:
            self._known = by_id_and_alias(members)
        self._good_until = self.clock.monotonic() + CACHE_SECONDS
