"""A scripted vendor and what its clients are made of."""

from tests.rigs.vendor_fixtures import client, client_of, clock, log, vendor  # noqa: F401 - pytest finds fixtures by name
