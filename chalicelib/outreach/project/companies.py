"""The `company-data` table: a company's settings of one project.

Example item (origin's names)::

    company_id        ci-aaa-001         project_id      pi-aaa-001
    company_name      Cucumber Recruitment               project_name   Clarify CV
    project_status    active             allowed_channels  ["whatsapp", "email"]
    rate_limits       {"requests_per_minute": 60, "requests_per_day": 2000,
                       "concurrent_conversations": 30, "max_message_length": 4096}
    auto_queue_initial_message false     auto_queue_initial_message_from_number [...]  ...
    company_rep       {"company_rep_1": "Ana"}
    ai_config         {"openai_config": {"whatsapp": {"api_key_reference": "ai-multi-comms/..."}},
                       "writer": {...}}               see `ai_config`
    channel_config    {"whatsapp": {"company_whatsapp_number": "+15550100", ...}, ...}
    require_consent   true               quiet_hours   {"from": "21:00", "until": "08:00",
                                                        "zone": "Europe/London"}
    answering         {"quiet_period_seconds": 10}
    follow_ups        {"reminder": {...}, "end": {...}, "fallback": ["sms"]}   see `follow_up_settings`
    language          en                 company_contact  "+1 555 010 9000"

Without `require_consent` consent is required, without `quiet_hours` the default ones of `rules` apply;
false turns either off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chalicelib.once.ports import Clock
from chalicelib.once.store import Item, Store
from chalicelib.outreach.conversations.records import Record


@dataclass(frozen=True, slots=True)
class RateLimits:
    """`rate_limits`; origin's defaults apply where a value is missing."""

    requests_per_minute: int = 60
    requests_per_day: int = 2000
    concurrent_conversations: int = 30
    max_message_length: int = 4096


@dataclass(frozen=True, slots=True)
class Project:
    """One item."""

    item: Mapping[str, Any] = field(repr=False)

    @property
    def is_active(self) -> bool:
        """`project_status`."""
        return bool(self.item.get("project_status") == "active")

    @property
    def allowed_channels(self) -> frozenset[str]:
        """`allowed_channels`, in lower case."""
        return frozenset(str(one).lower() for one in self.item.get("allowed_channels") or ())

    @property
    def requires_consent(self) -> bool:
        """A start without consent is refused, unless the project explicitly does without."""
        return self.item.get("require_consent") is not False

    @property
    def rate_limits(self) -> RateLimits:
        """The limits set; the default applies for a value that is no positive whole number."""
        raw = self.item.get("rate_limits") or {}
        names = RateLimits.__slots__
        given = {n: raw[n] for n in names if isinstance(raw.get(n), int) and raw[n] > 0}
        return RateLimits(**given)

    def channel_config(self, channel: str) -> Mapping[str, Any]:
        """The settings of one channel; empty where there are none."""
        return dict((self.item.get("channel_config") or {}).get(channel) or {})

    def ai_config(self, channel: str) -> Mapping[str, Any]:
        """The AI settings of one channel; empty where there are none."""
        config = (self.item.get("ai_config") or {}).get("openai_config") or {}
        return dict(config.get(channel) or {})


SCAN_PAGE = 200
CACHED_SECONDS = 30.0


class Companies:
    """Read-only look-ups."""

    def __init__(self, table: Store) -> None:
        self._table = table

    def project(self, company_id: str, project_id: str) -> Project | None:
        """A company's project, read from the table; None when there is none.

        Raises:
            TransientError: the table could not be read.
        """
        key = {"company_id": company_id, "project_id": project_id}
        item = self._table.get(key, consistent=False)
        return Project(item) if item else None

    def current(self, record: Record) -> Mapping[str, Any]:
        """The settings of a conversation's project as they are now; empty where it is gone.

        Raises:
            TransientError: the table could not be read.
        """
        project = self.project(record.company_id, record.project_id)
        return project.item if project else {}

    def channel_settings(self) -> Iterator[Mapping[str, Any]]:
        """`channel_config` of every project, whether it is active or not.

        Raises:
            TransientError: the table could not be read.
        """
        start: Item | None = None
        while True:
            items, start = self._table.scan_page(limit=SCAN_PAGE, start=start)
            for item in items:
                settings = item.get("channel_config")
                if isinstance(settings, Mapping):
                    yield settings
            if start is None:
                return


@dataclass(frozen=True, slots=True)
class CachedSettings:
    """The settings of conversations' projects as they are now, or were up to `CACHED_SECONDS` ago.

    Args:
        read: reads those of one project; see `Companies.current`.
    """

    read: Callable[[Record], Mapping[str, Any]]
    clock: Clock
    _seen: dict[tuple[str, str], tuple[float, Mapping[str, Any]]] = field(
        default_factory=dict, repr=False
    )

    def __call__(self, record: Record) -> Mapping[str, Any]:
        """A project's settings; empty where it is gone.

        Raises:
            TransientError: the table could not be read.
        """
        key, now = (record.company_id, record.project_id), self.clock.monotonic()
        at, item = self._seen.get(key, (float("-inf"), {}))
        if now - at > CACHED_SECONDS:
            item = self.read(record)
            self._seen[key] = now, item
        return item
