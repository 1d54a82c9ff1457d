"""Connects `chalice local` to the running stack: same engine and secrets, or a message why not.

`chalice local` serves only HTTP.  The application calls `join` when that command imports it, so
that webhooks go to the running stack's queue and never, by mistake, to a real AWS account.
"""

from __future__ import annotations

import os
import sys
import urllib.error
import urllib.request
from typing import TYPE_CHECKING

from local.stack import environment

if TYPE_CHECKING:
    from collections.abc import MutableMapping

NOTHING_RUNS = """\
chalice local: no AWS engine responds{where}, so every webhook will get a 500.
  Start it in another terminal with `make run`, then start `chalice local --port 8001` again.
"""


def is_chalice_local(environ: MutableMapping[str, str], arguments: list[str]) -> bool:
    """Whether `chalice local` imports the application, rather than another command or Lambda."""
    return "AWS_CHALICE_CLI_MODE" in environ and "local" in arguments[1:]


def join(environ: MutableMapping[str, str] = os.environ) -> bool:
    """Take over the running stack's environment; return False, with a message, if no engine responds."""
    if "AWS_ENDPOINT_URL" not in environ:
        environ.update(environment.read_hints())
    url = environ.get("AWS_ENDPOINT_URL")
    if url and answers(url):
        return True
    environ.setdefault("AWS_ENDPOINT_URL", "http://127.0.0.1:4566")  # never AWS itself
    environ.setdefault("AWS_DEFAULT_REGION", "us-east-1")
    sys.stderr.write(NOTHING_RUNS.format(where=f" at {url}" if url else ""))
    return False


def answers(url: str) -> bool:
    """Whether a local engine listens there."""
    try:
        urllib.request.urlopen(f"{url}/_ministack/health", timeout=2).close()  # noqa: S310
    except (urllib.error.URLError, OSError, ValueError):
        return False
    return True
