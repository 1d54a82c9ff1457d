"""One version of the settings document as flows read it: over the built-in words and windows; pure."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cached_property

from chalicelib.support.configuration.document import (
    WEEKDAYS,
    Department,
    Document,
    built_in_document,
)
from chalicelib.support.intents.departments import DEFAULT_ROUTE, ROUTES
from chalicelib.support.intents.phrases import HINT, LIKELY, SURE, Phrases
from chalicelib.support.intents.words import SETS
from chalicelib.support.orders.delivery_time import DeliveryCalendar
from chalicelib.support.orders.order_rules import WindowRow
from chalicelib.support.tickets import TEAM

_UNSET = Department()


@dataclass(frozen=True)
class Rules:
    """One version of the settings document as flows read it: the shop's values, else the built-in ones.

    Attributes:
        version: number of the version, which plans store; 0 means the built-in values alone.
    """

    version: int
    document: Document

    # --- departments --------------------------------------------------------------------------

    def department_of(self, intent: str) -> str:
        """The name of the department that gets messages with an intent."""
        return self.document.routes.get(intent) or ROUTES.get(intent, DEFAULT_ROUTE)

    def department_of_language(self, code: str) -> str | None:
        """The department that gets messages in a language; None where the settings name none."""
        return self.document.languages.get(code)

    @cached_property
    def departments(self) -> frozenset[str]:
        """The names of all departments, built-in and the shop's own."""
        return frozenset({DEFAULT_ROUTE, *ROUTES.values(), *self.document.departments})

    def tag_of(self, department: str) -> str | None:
        """The tag that moves a ticket to a department, by a rule at Richpanel.

        Returns None where the department has none.
        """
        tag = self._settings_of(department).tag
        return department if tag is None else tag or None

    def assignee_of(self, department: str) -> str | None:
        """To whom a department's tickets are assigned: a user's id, ``team:`` and a team's id, or None."""
        found = self._settings_of(department)
        return f"{TEAM}{found.team}" if found.team else found.assignee

    def current_department(
        self, tags: AbstractSet[str], assignees: AbstractSet[str] = frozenset()
    ) -> str | None:
        """The department that has a ticket now, by the ticket's tags, else by its assignees.

        Returns None where no department has it.
        """
        routes = sorted(tag for tag in tags if tag.startswith("route-"))
        if routes:
            return self._by_tag.get(routes[0], routes[0])
        return next(
            (
                self._by_assignee[assignee]
                for assignee in assignees
                if assignee in self._by_assignee
            ),
            None,
        )

    @cached_property
    def assignees(self) -> frozenset[str]:
        """The users and teams to whom departments' tickets are assigned, in the form of `assignee_of`."""
        return frozenset(self._by_assignee)

    def _settings_of(self, department: str) -> Department:
        return self.document.departments.get(department, _UNSET)

    @cached_property
    def _by_tag(self) -> Mapping[str, str]:
        tagged = ((self.tag_of(department), department) for department in sorted(self.departments))
        return {tag: department for tag, department in tagged if tag is not None}

    @cached_property
    def _by_assignee(self) -> Mapping[str, str]:
        assigned = (
            (self.assignee_of(department), department) for department in sorted(self.departments)
        )
        return {who: department for who, department in assigned if who is not None}

    # --- automatic answers --------------------------------------------------------------------

    @property
    def stop_tags(self) -> frozenset[str]:
        """The tags by which people stop automatic answers on a ticket."""
        return frozenset(self.document.answers.stop_tags)

    @cached_property
    def queues(self) -> frozenset[str]:
        """The ids of users that are not persons: listed queues and bots, and departments' assignees."""
        return frozenset(self.document.answers.queues) | self.assignees

    def answers(self, department: str, intent: str) -> bool:
        """Whether the settings switch automatic answers on for a message of this department and intent."""
        on = self.document.answers
        if on.departments is None and on.intents is None:
            return True
        return department in (on.departments or ()) or intent in (on.intents or ())

    # --- words --------------------------------------------------------------------------------

    @property
    def texts(self) -> Mapping[str, Mapping[str, str]]:
        """The shop's own texts in place of built-in templates, by template and language."""
        return self.document.templates

    @property
    def closings(self) -> Mapping[str, str]:
        """The shop's own last lines, with which every text ends, by language."""
        return self.document.closing

    @cached_property
    def phrases(self) -> Phrases | None:
        """The shop's own phrases of intents, ready to search; None where it has none."""
        listed = [
            (phrase, intent, weight)
            for intent, given in self.document.phrases.items()
            for weight, some in ((SURE, given.sure), (LIKELY, given.likely), (HINT, given.hint))
            for phrase in some
        ]
        return Phrases(listed, SETS) if listed else None

    # --- delivery -----------------------------------------------------------------------------

    @cached_property
    def calendar(self) -> DeliveryCalendar:
        """The shop's business days and delivery windows."""
        shop, delivery = self.document.shop, self.document.delivery
        given = (
            WindowRow(window.pattern, window.low, window.high, window.countries)
            for window in delivery.windows
        )
        return DeliveryCalendar(
            zone=shop.time_zone,
            cut_off_hour=shop.cut_off_hour,
            weekend=frozenset(WEEKDAYS.index(day) for day in shop.weekend),
            holidays=shop.holidays,
            own_windows=tuple(given),
            own_home=frozenset(shop.countries),
            own_handling_days=delivery.handling_days,
            preorder_days=delivery.preorder_days,
        )


BUILT_IN = Rules(0, built_in_document())
"""Version 0: the settings of a stage without a document."""
