"""Checks that the language models a project and its stage name are in the price catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from chalicelib.errors import PermanentError
from chalicelib.outreach.project.item import BEDROCK
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.model_catalogue import SETTING
from ops.session import Session

_VARIABLES = {
    BEDROCK: ("BEDROCK_MODEL", "BEDROCK_FALLBACK_MODEL"),
    "openai": ("OPENAI_MODEL", "OPENAI_FALLBACK_MODEL"),
}


def of_project(session: Session, item: dict[str, Any]) -> list[str]:
    """Faults of the model names in a project's settings; none if the settings cannot be read."""
    project = Project(item)
    try:
        writer, provider = project.ai_config.writer, project.provider
    except PermanentError:
        return []
    fields = [field for field in type(writer).model_fields if field.endswith("_model")]
    named = {f"ai_config.writer.{field}": getattr(writer, field) for field in fields}
    return list(_unknown(session, provider, named))


def of_stage(session: Session, project: Project) -> list[str]:
    """Faults of the stage's model names for a project's provider; its settings must be readable."""
    provider = project.provider
    providers = session.services.outreach.providers
    named = providers.bedrock if provider == BEDROCK else providers.openai
    given = zip(_VARIABLES[provider], (named.model, named.fallback), strict=True)
    return list(_unknown(session, provider, dict(given)))


def _unknown(session: Session, provider: str, named: dict[str, str | None]) -> Iterator[str]:
    catalogue = session.services.outreach.catalogue
    for place, name in named.items():
        row = catalogue.find(name) if name else None
        if name and (row is None or row.provider != provider):
            known = ", ".join(catalogue.names(provider))
            yield (
                f"{place} is no known model of {provider}, of which are known: {known};"
                f" {SETTING} of the stage declares others"
            )
