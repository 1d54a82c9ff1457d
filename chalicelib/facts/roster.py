"""The roster: the agents whose events count, from a configured list or a remote source.

A configured list is JSON: ``[{"id": "101", "name": "Ada", "email": "ada@example.com",
"aliases": ["hubspot:5001"]}, {"id": "102"}]``.  An alias is the same person at another sender.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError

from chalicelib.errors import MiddlewareError, SettingsError
from chalicelib.facts.model import Agent, Roster
from chalicelib.once.ports import Clock, Log

CACHE_SECONDS = 300.0


class ListedAgent(BaseModel):
    """An agent in the configured list, setting ``FACTS_ROSTER``."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )

    id: str = Field(pattern=r"^[0-9A-Za-z-]{1,64}$")
    name: str = ""
    email: str = ""
    aliases: tuple[str, ...] = ()


def listed_agents(text: str) -> tuple[ListedAgent, ...]:
    """The agents in the configured list, parsed from the JSON of ``FACTS_ROSTER``; none for an empty text.

    Raises:
        SettingsError: the text is no such list; the message does not show it.
    """
    try:
        return TypeAdapter(tuple[ListedAgent, ...]).validate_json(text) if text else ()
    except ValidationError:
        raise SettingsError("environment variable FACTS_ROSTER is no list of agents") from None


def by_id_and_alias(agents: Iterable[Agent]) -> dict[str, Agent]:
    """The agents by each of their ids: the agent's own id, and the ids at other senders (aliases)."""
    return {key: agent for agent in agents for key in (agent.id, *agent.aliases)}


@dataclass(frozen=True, slots=True)
class NoRoster:
    """The `Roster` of a deployment without one: every agent counts."""

    def agents(self) -> Mapping[str, Agent] | None:
        """Always None, which means that every agent counts."""
        return None


@dataclass(frozen=True, slots=True)
class ListedRoster:
    """The `Roster` of a deployment that lists its agents in a setting."""

    listed: tuple[ListedAgent, ...]

    def agents(self) -> Mapping[str, Agent] | None:
        """The configured agents by id and alias."""
        return by_id_and_alias(
            Agent(agent.id, agent.name, agent.email, agent.aliases) for agent in self.listed
        )


@dataclass(slots=True, kw_only=True)
class RemoteRoster:
    """A `Roster` whose members are read from a remote source and cached for five minutes.

    When the source cannot be read, the last roster applies.  If it was never read, every agent
    counts, and a metric reports it: an unwanted fact can be removed from a report, a fact that was
    never stored cannot be added.

    Attributes:
        ask: reads the members from the source; raises `MiddlewareError`s.
        listed: the configured agents, from which members get their aliases; it adds no members.
    """

    ask: Callable[[], Iterable[Agent]]
    clock: Clock
    log: Log
    listed: tuple[ListedAgent, ...] = ()
    _known: Mapping[str, Agent] | None = field(default=None, init=False, repr=False)
    _good_until: float = field(default=-1.0, init=False)

    def agents(self) -> Mapping[str, Agent] | None:
        """The members as last read, by id and alias; None where they were never read."""
        if self.clock.monotonic() >= self._good_until:
            self._ask()
        return self._known

    def _ask(self) -> None:
        aliases = {agent.id: agent.aliases for agent in self.listed}
        try:
            members = [
                Agent(agent.id, agent.name, agent.email, aliases.get(agent.id, ()))
                for agent in self.ask()
            ]
        except MiddlewareError:
            self.log.event(
                "facts.roster_unreadable", gate="none" if self._known is None else "last"
            )
            self.log.metric("mw.facts.roster_unreadable")
        else:
            self._known = by_id_and_alias(members)
        self._good_until = self.clock.monotonic() + CACHE_SECONDS


def roster_of(
    listed: tuple[ListedAgent, ...],
    ask: Callable[[], Iterable[Agent]] | None,
    clock: Clock,
    log: Log,
) -> Roster:
    """The roster of a deployment: read with `ask` if given, else the configured list, else no restriction.

    `ask` returns the members of the ring group, or raises `MiddlewareError`s.
    """
    if ask is not None:
        return RemoteRoster(ask=ask, clock=clock, log=log, listed=listed)
    return ListedRoster(listed) if listed else NoRoster()
