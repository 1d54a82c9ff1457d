"""What all runs share: the engine, every simulated vendor, the proxy, the nursery, one clock."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass

from local.stack import engine as engines
from local.stack import resources
from local.vendors.powerbi import PowerBi
from local.vendors.richpanel import Richpanel
from local.vendors.ses import Ses
from local.vendors.shopify import Shopify
from local.vendors.simulated import Vendor
from local.vendors.twilio import Twilio
from tests.crash.invocations import Nursery
from tests.crash.product import SharedShift
from tests.crash.proxy import Proxy
from tests.crash.stages import Engine, Stages


@dataclass(slots=True)
class Rig:
    """The outside of every run.

    Attributes:
        shift: how far on all clocks are, the vendors' too.
    """

    engine: Engine
    stages: Stages
    richpanel: Richpanel
    shopify: Shopify
    twilio: Twilio
    ses: Ses
    powerbi: PowerBi
    nursery: Nursery
    proxy: Proxy
    shift: SharedShift

    @classmethod
    @contextlib.contextmanager
    def up(cls) -> Iterator[Rig]:
        """Start everything; ends everything."""
        with contextlib.ExitStack() as stack:
            nursery = stack.enter_context(Nursery())
            shift = SharedShift(nursery.folder / "shift")
            shift.seconds = 0.0
            ministack = stack.enter_context(engines.ministack())
            vendors: dict[str, Vendor] = {
                "richpanel": Richpanel(now=shift.now),
                "shopify": Shopify(now=shift.now),
                "twilio": Twilio(now=shift.now),
                "ses": Ses(now=shift.now),
                "powerbi": PowerBi(now=shift.now),
            }
            for vendor in vendors.values():
                stack.callback(vendor.stop)
            targets = {"aws": ministack.url} | {name: one.url for name, one in vendors.items()}
            proxy = Proxy(targets, kill=nursery.kill, stop=nursery.stop)
            stack.callback(proxy.close)
            yield cls(
                Engine(ministack.url),
                Stages(ministack.url),
                nursery=nursery,
                proxy=proxy,
                shift=shift,
                **vendors,  # type: ignore[arg-type]
            )

    @property
    def vendors(self) -> tuple[Vendor, ...]:
        """Every simulated vendor."""
        return (self.richpanel, self.shopify, self.twilio, self.ses, self.powerbi)

    def new_stage(self) -> resources.Stage:
        """A stage of its own; the vendors have forgotten everything, and it is now again."""
        self.shift.seconds = 0.0
        for vendor in self.vendors:
            vendor.reset()
        self.richpanel.set_modes(rate_limit=None)
        return self.stages.new()
