"""A stage on the local engine, and the functions in this process, for a command."""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Iterator
from types import ModuleType

from local import company
from local.stack import engine, environment, resources
from local.vendors.hubspot import TARGET_URL


@contextlib.contextmanager
def stage() -> Iterator[tuple[resources.Stage, dict[str, str]]]:
    """A stage with an invented company, and the environment of its functions."""
    with engine.ministack() as running:
        made = resources.create(resources.Aws(running.url), "dev")
        company.create(made)
        company.open_desk(made)
        more = {"PUBLIC_BASE_URL": company.PUBLIC_URL, "HUBSPOT_WEBHOOK_URL": TARGET_URL}
        yield made, environment.local("dev", made.aws, richpanel_url=running.url, **more)


def functions(variables: dict[str, str]) -> ModuleType:
    """The module `app` in this process, under those variables."""
    environment.enter(variables)
    return importlib.import_module("app")
