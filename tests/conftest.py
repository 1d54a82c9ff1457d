"""What every test has: a guard on the network, and the fixtures of the rigs."""

import os
import shlex
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_GUARD = str(_HERE / "netguard")
for folder in (str(_HERE.parent), _GUARD):
    if folder not in sys.path:
        sys.path.insert(0, folder)

import netguard  # noqa: E402 - found by the path set above

netguard.install()
os.environ["PYTHONPATH"] = os.pathsep.join(
    part for part in (_GUARD, os.environ.get("PYTHONPATH", "")) if part
)

import hypothesis  # noqa: E402 - after the guard, as everything that could open a connection
import pytest  # noqa: E402 - likewise

# What lands must not depend on the day's luck, and no test on how busy its machine is.
hypothesis.settings.register_profile("rp-mw", deadline=None, derandomize=bool(os.environ.get("CI")))
hypothesis.settings.load_profile("rp-mw")

pytest.register_assert_rewrite("tests.rigs")  # before one rig imports another
pytest_plugins = [
    "tests.rigs.browser",
    "tests.rigs.console",
    "tests.rigs.engines",
    "tests.rigs.desk",
    "tests.rigs.desk_console",
    "tests.rigs.effects",
    "tests.rigs.following",
    "tests.rigs.facts",
    "tests.rigs.fact_writer",
    "tests.rigs.answered_in_memory",
    "tests.rigs.company_endpoint",
    "tests.rigs.crash_injection",
    "tests.rigs.http_calls",
    "tests.rigs.ledger",
    "tests.rigs.memory_stage",
    "tests.rigs.neighbour",
    "tests.rigs.openapi",
    "tests.rigs.openid",
    "tests.rigs.outreach",
    "tests.rigs.outreach_parts",
    "tests.rigs.replies",
    "tests.rigs.richpanel",
    "tests.rigs.sdk_models",
    "tests.rigs.tickets",
    "tests.rigs.vendor_fixtures",
    "tests.rigs.waiting",
    "tests.rigs.worker",
]
"""Rigs whose fixtures every test may ask for."""


def pytest_terminal_summary(terminalreporter):
    """Print last how to repeat what failed, and which engines this run went without."""
    failed = [*terminalreporter.stats.get("failed", ()), *terminalreporter.stats.get("error", ())]
    case = f"CASE={os.environ['CASE']} " if "CASE" in os.environ else ""
    for one in failed[:5]:
        marked = "-m long " if "long" in getattr(one, "keywords", ()) else ""
        terminalreporter.write_line(
            f"to repeat it: {case}.venv/bin/python -m pytest -n0 {marked}{shlex.quote(one.nodeid)}"
        )
    for name, reason in _engines_left_out().items():
        terminalreporter.write_line(f"LEFT OUT: store contracts on {name}: {reason}", yellow=True)
    if _browser_left_out():
        terminalreporter.write_line(
            f"LEFT OUT: pages in a browser: {_browser_left_out()}", yellow=True
        )


def pytest_sessionstart(session):
    """CI must have the second engine; elsewhere the run reports that it is left out."""
    missing = _engines_left_out()
    if os.environ.get("CI") and "dynoxide" in missing:
        raise RuntimeError(f"CI needs dynoxide: {missing['dynoxide']}")


def _browser_left_out():
    from tests.rigs import browser  # noqa: PLC0415 - as below

    return browser.left_out()


def _engines_left_out():
    from tests.rigs import engines  # noqa: PLC0415 - loaded by pytest first, as a plugin

    return engines.left_out()
