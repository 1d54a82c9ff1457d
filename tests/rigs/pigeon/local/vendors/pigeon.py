"""A simulated dovecote: takes flights, and posts notes and reports as the real one would."""

from __future__ import annotations

import json
from typing import Any

from local.vendors import simulated
from local.vendors.wire import Request, WireAnswer

KEY, TOKEN = "dovecote-key", "dovecote-token"


class Pigeon(simulated.Vendor):
    """The server."""

    name = "pigeon"

    def _clear(self) -> None:
        self.flights: list[dict[str, Any]] = []

    def operation_of(self, request: Request) -> str:
        """See `Vendor.operation_of`."""
        return "send" if request.path == "/flights" else "unknown"

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:
        """See `Vendor.refusal`."""
        del operation
        is_known = isinstance(request.body, dict) and request.body.get("key") == KEY
        return None if is_known else WireAnswer(401, {"error": "unknown key"})

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """See `Vendor.answer`."""
        del operation
        flight = {**request.body, "id": f"f{len(self.flights) + 1}"}
        self.flights.append(flight)
        return WireAnswer(201, {"id": flight["id"]})

    def sent_to(self, loft: str) -> list[str]:
        """The notes that reached a loft, oldest first."""
        return [flight["note"] for flight in self.flights if flight["to"] == loft]

    def comes_back(self, loft: str, number: int, note: str) -> bytes:
        """The body of a note that somebody sends to the company."""
        home = self.flights[0]["from"]
        return json.dumps({"id": f"n{number}", "to": home, "from": loft, "note": note}).encode()

    def reports(self, status: str) -> list[bytes]:
        """The bodies of a report on every flight."""
        names = ("id", "to", "from", "mark")
        about = ({name: flight[name] for name in names} for flight in self.flights)
        return [json.dumps({**flight, "status": status}).encode() for flight in about]
