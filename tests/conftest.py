"""What every test has: a guard on the network, and the fixtures of `engines`."""

import os
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_GUARD = str(_HERE / "netguard")
for folder in (str(_HERE.parent), _GUARD):
    if folder not in sys.path:
        sys.path.insert(0, folder)

import netguard  # noqa: E402

netguard.install()
os.environ["PYTHONPATH"] = os.pathsep.join(
    part for part in (_GUARD, os.environ.get("PYTHONPATH", "")) if part
)

import hypothesis  # noqa: E402

from tests.rigs import engines  # noqa: E402
from tests.rigs.engines import (  # noqa: E402, F401 - pytest finds fixtures by name
    _dynamo_urls,
    _richpanel_server,
    app,
    app_environment,
    aws,
    ddb,
    make_stage,
    ministack,
    no_thread_outlives_its_test,
    pump,
    richpanel,
    stage,
    table_a,
    unpaced,
)
from tests.rigs.facts import _powerbi_server, dataset, facts_folder, powerbi, rig  # noqa: E402, F401 - likewise

hypothesis.settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):  # what lands must not depend on the day's luck
    hypothesis.settings.load_profile("ci")
from tests.rigs.killing import killer  # noqa: E402, F401 - likewise
from tests.rigs.outreach import _ses_server, _twilio_server, outreach, ses, twilio  # noqa: E402, F401 - likewise
from tests.rigs.replies import clock_moves, desk, desk_environment, extra, openai, shopify, tracked  # noqa: E402, F401 - likewise
from tests.rigs.tickets import log_stream, system  # noqa: E402, F401 - likewise


def pytest_terminal_summary(terminalreporter):
    """Say at the end, where it is read, which engines this run went without."""
    for name, reason in engines.left_out().items():
        terminalreporter.write_line(f"LEFT OUT: store contracts on {name}: {reason}", yellow=True)


def pytest_sessionstart(session):
    """CI must have the second engine; elsewhere the run says that it is left out."""
    missing = engines.left_out()
    if os.environ.get("CI") and "dynoxide" in missing:
        raise RuntimeError(f"CI needs dynoxide: {missing['dynoxide']}")
