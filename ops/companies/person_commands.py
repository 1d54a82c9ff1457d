"""The commands about whom a company may write to: `do-not-contact` and `person`."""

from __future__ import annotations

import json as json_
from pathlib import Path
from typing import Annotated, Any

import typer

from ops.companies import person, register
from ops.options import Json, Reason, Stage, Yes
from ops.output import Output
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session

register_app = typer.Typer(help="Addresses that a company must not contact.", no_args_is_help=True)
person_app = typer.Typer(help="What is kept of a person.", no_args_is_help=True)

CompanyId = Annotated[str, typer.Option("--company", help="The company.")]
Address = Annotated[
    str, typer.Option("--address", help="A number with country code, or an e-mail.")
]
ToFile = Annotated[Path | None, typer.Option("--to", help="Write to this file; it must be new.")]


@register_app.command("list")
def register_list(
    company_id: CompanyId,
    stage: Stage = "dev",
    address: Annotated[
        str | None, typer.Option("--address", help="Only this one; no scan is needed.")
    ] = None,
    *,
    json: Json = False,
) -> None:
    """List a company's entries with reason, time and person; personal data."""
    session, output = Session(stage), Output(json)
    found = register.listed(session, company_id, address)
    output.show(found)
    columns = register.COLUMNS
    output.table(columns, [[one[name] for name in columns] for one in found])


@register_app.command("add")
def register_add(
    company_id: CompanyId,
    address: Address,
    stage: Stage = "dev",
    because: Reason = "",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Enter an address: the company writes to it on no channel; only an operator lifts it."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("do-not-contact add")
    register.add(session, company_id, address, because=because)
    _did(output, {"company": company_id, "did": "entered", "by": session.identity.name})


@register_app.command("lift")
def register_lift(
    company_id: CompanyId,
    address: Address,
    stage: Stage = "dev",
    because: Reason = "",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Lift every entry of an address, whatever its reason."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("do-not-contact lift")
    lifted = register.lift(session, company_id, address, because=because)
    _did(output, {"company": company_id, "lifted": lifted, "by": session.identity.name})


@register_app.command("import")
def register_import(
    company_id: CompanyId,
    file: Annotated[Path, typer.Argument(help="One address a line, or a CSV with `address`.")],
    stage: Stage = "dev",
    because: Reason = "",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Enter every address of a file; a line that is none refuses the whole file."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("do-not-contact import")
    count = register.add_all(session, company_id, file, because=because)
    _did(output, {"company": company_id, "entered": count, "by": session.identity.name})


@register_app.command("export")
def register_export(
    company_id: CompanyId, stage: Stage = "dev", to: ToFile = None, *, json: Json = False
) -> None:
    """Print a company's entries as CSV, which `import` takes, or as JSON; personal data."""
    found = register.listed(Session(stage), company_id)
    _write(_as_json(found) if json else register.as_csv(found), to)


@person_app.command("export")
def person_export(
    subject: Annotated[str, typer.Option("--subject", help="E-mail, +phone, ticket id.")],
    stage: Stage = "dev",
    to: ToFile = None,
    *,
    json: Json = False,
) -> None:
    """Print everything that is kept of a person as JSON; exit code 1 if something was not asked."""
    del json  # there is no other form
    found = person.export(Session(stage), subject)
    _write(_as_json(found), to)
    if found["notes"]:
        raise typer.Exit(EXIT_NO)


def _as_json(found: Any) -> str:  # noqa: ANN401 - JSON
    return json_.dumps(found, ensure_ascii=False, indent=2, sort_keys=True, default=_plain) + "\n"


def _did(output: Output, result: dict[str, Any]) -> None:
    output.show(result)
    output.facts(result)


def _write(text: str, to: Path | None) -> None:
    """To a new file that only the operator can read, or to standard output."""
    if to is None:
        typer.echo(text, nl=False)
        return
    try:
        to.touch(mode=0o600, exist_ok=False)
        to.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OpsError(f"{to} cannot be written: {error.strerror}", code=EXIT_UNUSABLE) from None


def _plain(value: Any) -> Any:  # noqa: ANN401 - any stored value
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
