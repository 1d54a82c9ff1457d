"""`python -m local.send aloware | hubspot`: post webhooks as that vendor to the running stack."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from local.stack import environment
from local.vendors import hubspot
from local.vendors.aloware import Aloware
from local.vendors.hubspot import HubSpot

if TYPE_CHECKING:
    from collections.abc import Sequence


URL = "http://127.0.0.1:8000"


def main(arguments: Sequence[str] | None = None) -> int:
    """Send the webhooks and print the responses' statuses."""
    parser = argparse.ArgumentParser(prog="python -m local.send", description=__doc__)
    parser.add_argument("sender", choices=["aloware", "hubspot"])
    parser.add_argument("--url", default=URL, help="where the app listens")
    parser.add_argument("--agent", type=int, default=101)
    parser.add_argument("--events", type=int, default=10, help="size of the HubSpot batch")
    parser.add_argument("--repeat", type=int, default=1, help="how often to send the HubSpot batch")
    options = parser.parse_args(arguments)
    hints = environment.read_hints()
    if "ALOWARE_TOKEN" not in hints:
        print("no stack is running; start it with `make run`", file=sys.stderr)
        return 2
    if options.sender == "aloware":
        calls = Aloware(f"{options.url}/webhook/aloware", token=hints["ALOWARE_TOKEN"])
        number = calls.call(owner_id=options.agent)
        print(f"call {number}: six webhooks, statuses {calls.answers}")
        return 0
    sender = HubSpot(f"{options.url}/webhook/hubspot", secret=hints["HUBSPOT_CLIENT_SECRET"])
    batch = [hubspot.event(sourceId=f"userId:{options.agent}") for _ in range(options.events)]
    for _ in range(options.repeat):
        sender.send(batch)
    print(f"{options.events} events, sent {options.repeat} times, statuses {sender.answers}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
