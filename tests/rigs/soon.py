"""Waits until another thread or process has done something."""

import time

PATIENCE_SECONDS = 120.0
"""Bounds a failure only, so it is long: a busy machine delays a thread by many seconds."""


def soon(condition):
    """True once the condition holds; False if it still does not when patience ends."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
