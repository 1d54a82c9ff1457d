"""`make aws-acceptance STAGE=dev`: sets a stage up, uses it, breaks it, measures it, and removes it.

It runs as an administrator in the account of the environment's credentials, or with ``--local`` on
the local engine.  It refuses a stage that exists.  At the end it removes everything, unless
``--keep`` is given.  It compares its figures with those of the last local run on this machine.  The
exit code is 0 only if every step succeeded and nothing is left.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from local import aligned
from local.acceptance import billed, day, removal
from local.acceptance.account import Account
from local.acceptance.remote_vendors import RemoteVendors
from local.acceptance.stage_day import StageDay
from local.deploy import deployment
from local.stack import environment, resources

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

STAGES = ("dev", "staging")
FIGURES = environment.RUN / "acceptance.json"
"""The figures of the last local run."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run every step; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m local.acceptance", description=__doc__)
    parser.add_argument("--stage", choices=STAGES, default="dev")
    parser.add_argument("--local", action="store_true", help="on the local engine")
    parser.add_argument("--keep", action="store_true", help="leave everything as it is at the end")
    options = parser.parse_args(arguments)
    with contextlib.ExitStack() as opened:
        if options.local:
            opened.enter_context(_engine())
        folder = Path(opened.enter_context(tempfile.TemporaryDirectory()))
        account = Account()
        vendors = RemoteVendors(account, options.stage)
        stage_day = StageDay(account, options.stage, folder, vendors)
        return 0 if _lived(stage_day, keep=options.keep) else 1


def _lived(stage_day: StageDay, *, keep: bool) -> bool:
    seconds: dict[str, float] = {}
    if not _step(stage_day, day.STEPS[0], seconds):
        return False
    is_well = is_gone = False
    try:
        is_well = all(_step(stage_day, step, seconds) for step in day.STEPS[1:])
        figures = _figures(stage_day, seconds)
        print(figures["table"], flush=True)
        if is_well and stage_day.account.is_local:
            FIGURES.parent.mkdir(exist_ok=True)
            FIGURES.write_text(json.dumps(figures["seconds"]))
    finally:
        is_gone = keep or _step(stage_day, removal.removed, seconds)
    return is_well and is_gone


def _step(stage_day: StageDay, step: Callable[[StageDay], str], seconds: dict[str, float]) -> bool:
    began = time.monotonic()
    name = step.__name__.replace("_", " ")
    try:
        said, is_well = step(stage_day), True
    except Exception as error:  # noqa: BLE001 - whatever the error, the stage is removed
        said, is_well = f"FAILED: {type(error).__name__}: {error}", False
    seconds[name] = round(time.monotonic() - began, 1)
    print(f"{name:<10} {seconds[name]:>6.0f} s  {said}", flush=True)
    return is_well


def _figures(stage_day: StageDay, seconds: dict[str, float]) -> dict[str, Any]:
    """The seconds of each step, and from a webhook to its effect, beside the last local run's."""
    found = {**seconds}
    if stage_day.latencies:
        found["webhook to effect"] = round(min(stage_day.latencies), 1)
    local = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    lines = [(name, value, local.get(name)) for name, value in found.items()]
    tables = [aligned.aligned(("seconds", "here", "last local run"), lines)]
    if stage_day.firsts:
        tables.append(aligned.shown(stage_day.firsts, tuple(stage_day.firsts[0])))
    with contextlib.suppress(BotoCoreError, ClientError):
        rows = billed.rows(stage_day)
        tables += [aligned.shown(rows, tuple(rows[0]))] if rows else ["no function was billed"]
    return {"seconds": found, "table": "\n" + "\n\n".join(tables) + "\n"}


@contextlib.contextmanager
def _engine() -> Iterator[None]:
    """Start the local engine and put its empty account into the environment."""
    before = dict(os.environ)
    with deployment.engine(log=environment.RUN / "acceptance-engine.log") as running:
        environment.enter(resources.Aws(running.url).environment)
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(before)


if __name__ == "__main__":
    sys.exit(main())
