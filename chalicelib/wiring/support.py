"""The Richpanel middleware's parts: its source, its vendor, its flow, its executors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from chalicelib.aws.secrets import active_tokens
from chalicelib.errors import UnavailableError
from chalicelib.once.action import Executor, Preparer, Settler
from chalicelib.once.door import Answer
from chalicelib.once.intake import listed
from chalicelib.support import webhook as richpanel_webhook
from chalicelib.wiring.core import Core

if TYPE_CHECKING:
    from chalicelib.once.flow import Flow
    from chalicelib.once.recovery.rebuild import Rebuilder
    from chalicelib.once.recovery.sweep import SweepPart
    from chalicelib.support.replies.performing import Replies
    from chalicelib.support.richpanel.client import Richpanel
    from chalicelib.vendors.http import VendorClient


class Support(Core):
    """Richpanel tickets."""

    def richpanel_webhook(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer Richpanel's HTTP target."""
        return self.intake.receive(
            "richpanel", headers, body, self._verify_richpanel, listed(richpanel_webhook.parse)
        )

    @cached_property
    def richpanel(self) -> Richpanel:
        """The vendor."""
        from chalicelib.support.richpanel.client import Richpanel

        return Richpanel(
            self._richpanel_client, self.clock, tag_mode=self.settings.richpanel_tag_mode
        )

    @cached_property
    def _richpanel_client(self) -> VendorClient:
        """Under this container's share of the tenant's rate limit."""
        from chalicelib.support.richpanel.calls import PROVIDER, key_header

        settings = self.settings
        secret_id = settings.richpanel_api_key_secret_id
        shares = settings.worker_concurrency + 1  # one is reconciliation's
        return self.vendor(
            PROVIDER,
            settings.richpanel_base_url,
            key_header(lambda refresh: self.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=settings.richpanel_requests_per_30_s / shares,
        )

    def support_flows(self) -> Mapping[str, Flow]:
        """The flow of each kind of job."""
        from chalicelib.support.flow import SupportFlow
        from chalicelib.wiring.answering import answering

        flow = SupportFlow(
            self.richpanel,
            self.state,
            self.ledger,
            self.clock,
            answering(self, self._richpanel_client),
            max_event_age=self.settings.max_event_age,
        )
        return {"ticket_message": flow, "ticket_notification": flow}

    def support_executors(self) -> Mapping[str, Executor]:
        """Who performs each kind of action."""
        return {
            "reply": self._replies.send,
            "close": self._replies.close,
            "add_tag": self.richpanel.add_tags,
            "remove_tag": self.richpanel.remove_tags,
            "assign": self.richpanel.assign,
        }

    def support_preparers(self) -> Mapping[str, Preparer]:
        """Who reads what a request needs."""
        return {"reply": self._replies.prepare}

    @cached_property
    def _replies(self) -> Replies:
        from chalicelib.support.replies.performing import Replies

        return Replies(self.richpanel, self.clock)

    def support_settlers(self) -> Mapping[str, Settler]:
        """Who learns whether an action of a kind happened; tags are simply repeated."""
        from chalicelib.support.read_back import ReplyReadBack

        return {"reply": ReplyReadBack(self.richpanel, lambda: self.opaque_ids)}

    def support_sweeps(self) -> Sequence[SweepPart]:
        """What reconciliation looks for at Richpanel."""
        from chalicelib.support.lost_tickets import LostTickets

        found = LostTickets(
            self.richpanel, self.ledger, self.state, self.sweeps, self.clock, self.log
        )
        return (found,)

    def support_rebuilders(self) -> Mapping[str, Rebuilder]:
        """Who makes a job from a row of Richpanel's events."""
        from chalicelib.support.jobs import ticket_job

        return {"evt:rp": ticket_job}

    def _verify_richpanel(self, headers: Mapping[str, str]) -> None:
        tokens = active_tokens(self.secrets.text(self.settings.webhook_secret_id))
        if not tokens:
            raise UnavailableError("no_webhook_token_configured")
        richpanel_webhook.verify(headers, tokens)
