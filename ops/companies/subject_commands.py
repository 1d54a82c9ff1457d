"""The commands `subject show`, `link` and `unlink`."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from ops.command import CommandRun, command
from ops.companies import subject_view
from ops.companies.person_commands import Address, CompanyId

subject_app = typer.Typer(
    help="Which addresses a company takes for one person.", no_args_is_help=True
)


@command(subject_app, "subject show")
def show(run: CommandRun, company_id: CompanyId, address: Address) -> object:
    """Show the person (subject) of an address, with links and evidence; personal data."""
    found = subject_view.shown(run.session, company_id, address)
    if not run.output.as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2, default=str))
    return json.loads(json.dumps(found, default=str))


@command(subject_app, "subject link", changes=True)
def link(
    run: CommandRun,
    company_id: CompanyId,
    addresses: Annotated[
        list[str], typer.Option("--address", help="A number or an e-mail; once for each.")
    ],
) -> object:
    """Link addresses of one person, so that a refusal from one holds for all."""
    is_new = subject_view.link(run.session, company_id, addresses, because=run.because)
    did = "linked" if is_new else "were linked already"
    return run.output.facts({"company": company_id, "did": did, "by": run.session.identity.name})


@command(subject_app, "subject unlink", changes=True)
def unlink(run: CommandRun, company_id: CompanyId, address: Address) -> object:
    """Take an address out of its subject: each side keeps its own marks; starts do not link them again."""
    subject_view.unlink(run.session, company_id, address, because=run.because)
    by = run.session.identity.name
    return run.output.facts({"company": company_id, "did": "unlinked", "by": by})
