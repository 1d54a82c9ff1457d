"""Richpanel's client against a scripted vendor."""

from tests.rigs.richpanel import live, tickets  # noqa: F401 - pytest finds fixtures by name
from tests.rigs.vendor_fixtures import clock, log, vendor  # noqa: F401 - likewise
