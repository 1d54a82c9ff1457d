"""The commands about a company's own people: how they prove who they are, and their desk tokens."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Annotated

import typer
from pydantic import ValidationError

from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons, proof_settings
from chalicelib.outreach.people.desk_tokens import ISSUER, DeskTokens
from chalicelib.outreach.people.proof_settings import DeskProof, ProofKind, ProviderSettings
from ops.command import CommandRun, command
from ops.companies import senders
from ops.companies.commands import company_app
from ops.session import EXIT_UNUSABLE, OpsError, Session

app = typer.Typer(
    help="Tokens of persons at a company's desk, without an identity provider.",
    no_args_is_help=True,
)
CompanyId = Annotated[str, typer.Argument(help="A company.")]
MOST_DAYS = 365


def _tokens(session: Session) -> DeskTokens:
    services = session.services
    return DeskTokens(table=senders.table(session), opaque=services.opaque, clock=services.clock)


@command(
    app,
    "desk-token issue",
    changes=True,
    examples=["desk-token issue <company> <person> --role agent"],
)
def issue(
    run: CommandRun,
    company_id: CompanyId,
    person: Annotated[str, typer.Argument(help="As the team names them, such as an address.")],
    *,
    role: Annotated[DeskRole, typer.Option(help="What the token may do.")],
    days: Annotated[int, typer.Option(min=1, max=MOST_DAYS, help="Days until it ends.")] = 90,
) -> object:
    """Issue a token to one person, shown only this once."""
    name = persons.stored_name(person)
    if name is None or persons.proven_person(name, ISSUER) is None:
        raise OpsError("PERSON is not a valid name", code=EXIT_UNUSABLE)
    run.enter(f"company:{company_id}", of=name, role=role.value)
    token = _tokens(run.session).issue(company_id, name, role, timedelta(days=days))
    return run.output.facts({"company": company_id, "person": name, "token": token})


@command(app, "desk-token list", examples=["desk-token list <company>"])
def listed(run: CommandRun, company_id: CompanyId) -> object:
    """List a company's tokens, without their secrets."""
    lines = [
        {
            "id": token.short_id,
            "person": token.person,
            "role": token.role.value,
            "issued": token.issued_at,
            "until": token.until,
            "valid": token.is_valid,
        }
        for token in sorted(
            _tokens(run.session).listed(company_id), key=lambda token: token.issued_at
        )
    ]
    columns = ("id", "person", "role", "issued", "until", "valid")
    return run.output.records(columns, lines)


@command(
    app,
    "desk-token revoke",
    changes=True,
    examples=["desk-token revoke <company> <person>"],
)
def revoke(
    run: CommandRun,
    company_id: CompanyId,
    person: Annotated[str, typer.Argument(help="The person, or a token's id from the list.")],
) -> object:
    """End every token of a person, or one token, at once."""
    tokens, name = _tokens(run.session), persons.normal_name(person)
    chosen = [
        token
        for token in tokens.listed(company_id)
        if token.is_valid and name in (token.person, token.short_id)
    ]
    if not chosen:
        raise OpsError("there is no such valid token; `desk-token list` lists them")
    run.enter(f"company:{company_id}", of=name)
    ended = [token.short_id for token in chosen if tokens.revoke(company_id, token.token_id)]
    run.output.say(f"{len(ended)} revoked: {', '.join(ended)}")
    return {"revoked": ended}


@command(
    company_app,
    "company desk-proof",
    changes=True,
    examples=[
        "company desk-proof <company> --proof tokens",
        "company desk-proof <company> --proof provider --file <provider.json>",
    ],
)
def desk_proof(
    run: CommandRun,
    company_id: CompanyId,
    *,
    proof: Annotated[ProofKind, typer.Option(help="What persons show beside the desk's key.")],
    file: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="The provider, as JSON.")
    ] = None,
) -> object:
    """Set how a company's persons prove who they are; it counts from the next request on."""
    if (proof is ProofKind.PROVIDER) != (file is not None):
        raise OpsError("--file goes with --proof provider, and only with it", code=EXIT_UNUSABLE)
    provider = _provider(file) if file else None
    row = DeskProof(proof=proof, provider=provider).model_dump(mode="json", exclude_none=True)
    run.enter(f"company:{company_id}", proof=proof.value)
    senders.table(run.session).put({**proof_settings.row_key(company_id), **row})
    return run.output.facts({"company": company_id, "proof": proof.value})


def _provider(file: Path) -> ProviderSettings:
    try:
        return ProviderSettings.model_validate(json.loads(file.read_text(encoding="utf-8")))
    except ValidationError as error:
        said = "; ".join(
            f"{'.'.join(str(part) for part in fault['loc']) or 'the file'}: {fault['msg']}"
            for fault in error.errors(include_input=False, include_url=False, include_context=False)
        )
    except ValueError:
        said = "it is not JSON"
    raise OpsError(f"{file}: {said}", code=EXIT_UNUSABLE)
