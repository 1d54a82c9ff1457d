"""What every test has: a guard on the network, and the fixtures of `engines`."""

import os
import sys
from pathlib import Path

_HERE = Path(__file__).resolve().parent
_GUARD = str(_HERE / "netguard")
for folder in (str(_HERE), str(_HERE.parent), _GUARD):
    if folder not in sys.path:
        sys.path.insert(0, folder)

import netguard  # noqa: E402

netguard.install()
os.environ["PYTHONPATH"] = os.pathsep.join(
    part for part in (_GUARD, os.environ.get("PYTHONPATH", "")) if part
)

import engines  # noqa: E402
import hypothesis  # noqa: E402
from engines import (  # noqa: E402, F401 - pytest finds fixtures by name
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
from fact_rig import (  # noqa: E402, F401 - likewise
    _powerbi_server,
    dataset,
    facts_folder,
    powerbi,
    rig,
)

hypothesis.settings.register_profile("ci", derandomize=True)
if os.environ.get("CI"):  # what lands must not depend on the day's luck
    hypothesis.settings.load_profile("ci")
from killing import killer  # noqa: E402, F401 - likewise
from outreach_system import (  # noqa: E402, F401 - likewise
    _ses_server,
    _twilio_server,
    outreach,
    ses,
    twilio,
)
from pipeline_system import log_stream, system  # noqa: E402, F401 - likewise
from support_system import (  # noqa: E402, F401 - likewise
    clock_moves,
    desk,
    desk_environment,
    extra,
    openai,
    shopify,
    tracked,
)


def pytest_terminal_summary(terminalreporter):
    """Say at the end, where it is read, which engines this run went without."""
    for name, reason in engines.left_out().items():
        terminalreporter.write_line(f"LEFT OUT: store contracts on {name}: {reason}", yellow=True)


def pytest_sessionstart(session):
    """CI must have the second engine; elsewhere the run says that it is left out."""
    missing = engines.left_out()
    if os.environ.get("CI") and "dynoxide" in missing:
        raise RuntimeError(f"CI needs dynoxide: {missing['dynoxide']}")
