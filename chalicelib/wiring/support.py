"""The Richpanel middleware's parts: its source, its vendor, its flow, its executors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from chalicelib.doors import Answer
from chalicelib.errors import UnavailableError
from chalicelib.ports import Executor, Preparer, Settler
from chalicelib.secrets import active_tokens
from chalicelib.sources import richpanel as richpanel_source
from chalicelib.wiring.core import Core

if TYPE_CHECKING:
    from chalicelib.adapters.http import VendorClient
    from chalicelib.adapters.richpanel import Richpanel
    from chalicelib.flows import Flow
    from chalicelib.rebuild import Rebuilder
    from chalicelib.wiring.answering import Replies


class Support(Core):
    """Richpanel tickets."""

    def richpanel_webhook(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer Richpanel's HTTP target."""
        return self.intake.receive(
            "richpanel", headers, body, self._verify_richpanel, richpanel_source.parse
        )

    @cached_property
    def richpanel(self) -> Richpanel:
        """The vendor."""
        from chalicelib.adapters.richpanel import Richpanel

        return Richpanel(
            self._richpanel_client, self.clock, tag_mode=self.settings.richpanel_tag_mode
        )

    @cached_property
    def _richpanel_client(self) -> VendorClient:
        """Under this container's share of the tenant's rate limit."""
        from chalicelib.adapters.richpanel_calls import PROVIDER, key_header

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
        from chalicelib.flows.support import SupportFlow
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
        from chalicelib.wiring.answering import Replies

        return Replies(self.richpanel, self.clock)

    def support_settlers(self) -> Mapping[str, Settler]:
        """Who learns whether an action of a kind happened; tags are simply repeated."""
        from chalicelib.flows.support.read_back import ReplyReadBack

        return {"reply": ReplyReadBack(self.richpanel, lambda: self.opaque_ids)}

    def support_rebuilders(self) -> Mapping[str, Rebuilder]:
        """Who makes a job from a row of Richpanel's events."""
        from chalicelib.rebuild import ticket_job

        return {"evt:rp": ticket_job}

    def _verify_richpanel(self, headers: Mapping[str, str]) -> None:
        tokens = active_tokens(self.secrets.text(self.settings.webhook_secret_id))
        if not tokens:
            raise UnavailableError("no_webhook_token_configured")
        richpanel_source.verify(headers, tokens)
