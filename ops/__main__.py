"""`python -m ops`."""

import sys

STOPPED = 130
"""Equals `ops.running.STOPPED`, which is not imported yet if Ctrl-C comes during the imports."""
UNUSABLE = 2
OLDEST = (3, 11)
INSTALL = "make .venv/.ready installs what it needs; then: .venv/bin/python -m ops"
OURS = frozenset({"chalicelib", "console", "local", "ops"})


def _run() -> int:
    if sys.version_info < OLDEST:
        return _unusable("is older than 3.11")
    try:
        from ops.cli import main

        return main()
    except KeyboardInterrupt:
        sys.stderr.write("error: stopped; run it again\n")
        return STOPPED
    except Exception as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and missing.partition(".")[0] not in OURS:
            return _unusable(f"has no package {missing}")
        from ops import bug

        return bug.report(error, sys.argv[1:])


def _unusable(why: str) -> int:
    sys.stderr.write(f"error: this Python ({sys.executable}) {why}; {INSTALL}\n")
    return UNUSABLE


sys.exit(_run())
