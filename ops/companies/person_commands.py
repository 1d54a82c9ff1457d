"""The commands `do-not-contact` (addresses that must not be contacted) and `person export`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from ops.command import CommandRun, command
from ops.companies import person, register, register_file
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError

register_app = typer.Typer(help="Addresses that a company must not contact.", no_args_is_help=True)
person_app = typer.Typer(help="What is kept of a person.", no_args_is_help=True)

CompanyId = Annotated[str, typer.Option("--company", help="The company.")]
Address = Annotated[
    str, typer.Option("--address", help="A number with country code, or an e-mail.")
]
ToFile = Annotated[Path | None, typer.Option("--to", help="Write to this file; it must be new.")]


@command(register_app, "do-not-contact list")
def register_list(
    run: CommandRun,
    company_id: CompanyId,
    address: Annotated[
        str | None, typer.Option("--address", help="Only this one; no scan is needed.")
    ] = None,
) -> object:
    """List a company's entries with reason, time and person; personal data."""
    return run.output.records(
        register_file.SHOWN, register.listed(run.session, company_id, address)
    )


@command(register_app, "do-not-contact add", changes=True)
def register_add(run: CommandRun, company_id: CompanyId, address: Address) -> object:
    """Enter an address: the company writes to it on no channel; only an operator lifts it."""
    register.add(run.session, company_id, address, because=run.because)
    return _did(run, company_id, {"did": "entered"})


@command(register_app, "do-not-contact lift", changes=True)
def register_lift(run: CommandRun, company_id: CompanyId, address: Address) -> object:
    """Lift every entry of an address, whatever its reason; those of linked addresses stay."""
    done = register.lift(run.session, company_id, address, because=run.because)
    return _did(run, company_id, done)


@command(register_app, "do-not-contact import", changes=True, dry_run=True)
def register_import(
    run: CommandRun,
    company_id: CompanyId,
    file: Annotated[
        Path, typer.Argument(help="One address a line, a CSV with `address`, or an export.")
    ],
) -> object:
    """Import every row of a file; a wrong row refuses the whole file.

    An address whose recipient has said START since is left out and counted, unless the file has a
    later time for it.
    """
    if run.dry_run:
        count = len(register.marks(run.session, company_id, file))
        return run.output.facts({"company": company_id, "would be entered": count})
    done = register.add_all(run.session, company_id, file, because=run.because)
    return _did(run, company_id, done)


@command(register_app, "do-not-contact export")
def register_export(run: CommandRun, company_id: CompanyId, to: ToFile = None) -> object:
    """Print a company's entries as CSV, which `import` takes, or as JSON; personal data."""
    found = register.listed(run.session, company_id)
    if to is None and run.output.as_json:
        return found
    return _written(_as_json(found) if run.output.as_json else register_file.as_csv(found), to)


@command(person_app, "person export")
def person_export(
    run: CommandRun,
    subject: Annotated[str, typer.Option("--subject", help="E-mail, +phone, ticket id.")],
    to: ToFile = None,
) -> object:
    """Print everything that is kept of a person as JSON; exit code 1 if a place could not be asked."""
    found = person.export(run.session, subject)
    if found["notes"]:
        run.code = EXIT_NO
    if to is None and run.output.as_json:
        return json.loads(_as_json(found))
    return _written(_as_json(found), to)


def _as_json(found: Any) -> str:  # noqa: ANN401 - JSON
    return json.dumps(found, ensure_ascii=False, indent=2, sort_keys=True, default=_plain) + "\n"


def _did(run: CommandRun, company_id: str, result: dict[str, Any]) -> object:
    by = run.session.identity.name
    return run.output.facts({"company": company_id, **result, "by": by})


def _written(text: str, to: Path | None) -> object:
    """Write to a new file that only the operator can read, or to standard output."""
    if to is None:
        typer.echo(text, nl=False)
        return None
    try:
        to.touch(mode=0o600, exist_ok=False)
        to.write_text(text, encoding="utf-8")
    except OSError as error:
        raise OpsError(f"{to} cannot be written: {error.strerror}", code=EXIT_UNUSABLE) from None
    return {"written": str(to)}


def _plain(value: Any) -> Any:  # noqa: ANN401 - any stored value
    return sorted(value) if isinstance(value, set | frozenset) else str(value)
