"""Shared by all runs: the engine, every simulated vendor, the proxy, the fork server, one clock."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from local.stack import engine as engines
from local.stack import resources
from local.vendors.company_endpoint import CompanyEndpoint
from local.vendors.openai import SimulatedOpenAI
from local.vendors.powerbi import SimulatedPowerBi
from local.vendors.richpanel import SimulatedRichpanel
from local.vendors.ses import SimulatedSes
from local.vendors.shopify import SimulatedShopify
from local.vendors.simulated import Vendor
from local.vendors.twilio import SimulatedTwilio
from tests.crash.invocations import ForkServer
from tests.crash.product import SharedShift
from tests.crash.proxy import Proxy
from tests.crash.stages import Engine, Stages


@dataclass(slots=True)
class Rig:
    """The environment of every run.

    Attributes:
        shift: the shift of all clocks, the vendors' too.
    """

    engine: Engine
    stages: Stages
    richpanel: SimulatedRichpanel
    shopify: SimulatedShopify
    twilio: SimulatedTwilio
    ses: SimulatedSes
    powerbi: SimulatedPowerBi
    company: CompanyEndpoint
    openai: SimulatedOpenAI
    fork_server: ForkServer
    proxy: Proxy
    shift: SharedShift

    @classmethod
    @contextlib.contextmanager
    def up(cls, engine_url: str = "") -> Iterator[Rig]:
        """Start everything, or all but a running engine; stops at the end what it started."""
        with contextlib.ExitStack() as stack:
            fork_server = stack.enter_context(ForkServer())
            shift = SharedShift(fork_server.folder / "shift")
            shift.seconds = 0.0
            engine_url = engine_url or stack.enter_context(engines.ministack()).url
            vendors: dict[str, Vendor] = {
                "richpanel": SimulatedRichpanel(now=shift.now),
                "shopify": SimulatedShopify(now=shift.now),
                "twilio": SimulatedTwilio(now=shift.now),
                "ses": SimulatedSes(now=shift.now),
                "powerbi": SimulatedPowerBi(now=shift.now),
                "company": CompanyEndpoint(now=shift.now),
                "openai": SimulatedOpenAI(),
            }
            for vendor in vendors.values():
                stack.callback(vendor.stop)
            targets = {"aws": engine_url} | {name: vendor.url for name, vendor in vendors.items()}
            proxy = Proxy(targets, kill=fork_server.kill, stop=fork_server.stop, now=shift.now)
            stack.callback(proxy.close)
            yield cls(
                Engine(engine_url),
                Stages(engine_url),
                fork_server=fork_server,
                proxy=proxy,
                shift=shift,
                **vendors,  # type: ignore[arg-type]
            )

    @property
    def vendors(self) -> tuple[Vendor, ...]:
        """Every simulated vendor."""
        return (
            self.richpanel,
            self.shopify,
            self.twilio,
            self.ses,
            self.powerbi,
            self.company,
            self.openai,
        )

    def new_stage(self) -> resources.Stage:
        """A new stage; the vendors and the clock are reset."""
        self.shift.seconds = 0.0
        for vendor in self.vendors:
            vendor.reset()
        self.richpanel.set_modes(rate_limit=None)
        return self.stages.new()
