"""Commands about support: `support-settings`, `support-tags` and `shadow-report`."""

from __future__ import annotations

import json as json_module
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from chalicelib.support.configuration.applied import Rules
from chalicelib.support.configuration.versions import Version
from chalicelib.support.settable_tags import every_tag
from ops import journal
from ops.options import Json, Limit, Rate, Stage, Yes
from ops.output import Output
from ops.session import EXIT_NO, Session
from ops.support import settings_file
from ops.support.preview import Shown, preview
from ops.support.printed import show_report
from ops.support.shadow_report import report
from ops.support.tickets_now import MOST
from ops.times import moment

app = typer.Typer()
settings_app = typer.Typer(
    help="The settings document of support: texts, windows, departments, phrases.",
    no_args_is_help=True,
)

File = Annotated[Path, typer.Argument(help="The document, TOML or JSON.")]
Number = Annotated[
    int | None, typer.Option("--version", min=0, help="A stored version; default: the current one.")
]
Note = Annotated[str, typer.Option("--note", help="What changed and why, for the history.")]


@settings_app.command("validate")
def validate(file: File, stage: Stage = "dev", *, json: Json = False) -> None:
    """Check a document and every text in it; changes nothing and needs no AWS account."""
    session, output = Session(stage), Output(json)
    document = settings_file.read(file)
    shown = _rendered(session, Rules(0, document))
    output.show({"valid": True, "texts": len(shown)})
    output.say(f"{file} is valid: {len(shown)} texts rendered on sample orders")


@settings_app.command("put")
def put(
    file: File, stage: Stage = "dev", note: Note = "", *, yes: Yes = False, json: Json = False
) -> None:
    """Publish a valid document as the next version; in use within two minutes."""
    session, output = Session(stage, yes), Output(json)
    document = settings_file.read(file)
    _rendered(session, Rules(0, document))
    session.may_write("support-settings put")
    act = "support-settings put"
    _published(output, settings_file.publish(session, document, note=note, act=act))


@settings_app.command("restore")
def restore(
    number: Annotated[int, typer.Argument(min=0, help="The version to go back to.")],
    stage: Stage = "dev",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Publish what an earlier version says as the next version; 0 is the built-in settings."""
    session, output = Session(stage, yes), Output(json)
    rules = settings_file.rules(settings_file.version(session, number))
    session.may_write("support-settings restore")
    note = f"as version {number}"
    act = "support-settings restore"
    _published(output, settings_file.publish(session, rules.document, note=note, act=act))


@settings_app.command("show")
def show(stage: Stage = "dev", number: Number = None, *, json: Json = False) -> None:
    """Print a version as JSON, which `put` takes too."""
    session, output = Session(stage), Output(json)
    found = settings_file.version(session, number)
    if found is None:
        output.show({"version": 0, "document": {}})
        output.say("version 0: the built-in settings")
        return
    output.show({"version": found.number, "document": found.document, **_about(found)})
    output.say(f"version {found.number}, {found.at}, by {found.by}: {found.note or '-'}")
    output.say(json_module.dumps(found.document, indent=2, ensure_ascii=False))


@settings_app.command("history")
def history(stage: Stage = "dev", limit: Limit = 20, *, json: Json = False) -> None:
    """List the versions, newest first: who published what, and when."""
    session, output = Session(stage), Output(json)
    found = session.services.support_versions.newest(limit=limit)
    output.show([{"version": one.number, **_about(one)} for one in found])
    rows = [
        (one.number, one.at, one.by, ", ".join(sorted(one.document)), one.note) for one in found
    ]
    output.table(("version", "at", "by", "changes", "note"), rows)
    output.say(f"{len(found)} versions; 0 is the built-in one")


@settings_app.command("preview")
def preview_command(
    stage: Stage = "dev",
    file: Annotated[
        Path | None, typer.Option("--file", help="A document that is not published yet.")
    ] = None,
    number: Number = None,
    *,
    json: Json = False,
) -> None:
    """Render every template in every language on sample orders."""
    session, output = Session(stage), Output(json)
    if file is not None:
        rules = Rules(0, settings_file.read(file))
    else:
        rules = settings_file.rules(settings_file.version(session, number))
    shown = _rendered(session, rules)
    output.show([asdict(one) for one in shown])
    for one in shown:
        title = f"\n{one.template or 'to a person'} · {one.language} · {one.case}"
        output.say(title, style="bold")
        output.say(one.text or one.person)


@app.command("support-tags")
def support_tags(
    stage: Stage = "dev",
    *,
    create: Annotated[
        bool, typer.Option("--create", help="Create the missing ones in Richpanel.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """List every tag that a plan can set, and which the tenant lacks."""
    session, output = Session(stage, yes), Output(json)
    vendor = session.services.richpanel
    wanted = every_tag(session.services.support_rules.current())
    missing = sorted(wanted - vendor.tag_names())
    if create and missing:
        session.may_write("support-tags --create")
        journal.enter(session, "support-tags --create", "support-tags", tags=missing)
        for tag in output.following(missing, "creating", total=len(missing)):
            vendor.create_tag(tag)
    state = "created" if create else "missing"
    rows = [(tag, state if tag in missing else "there") for tag in sorted(wanted)]
    output.show([{"tag": tag, "state": found} for tag, found in rows])
    output.table(("tag", "state"), rows)
    output.say(f"{len(missing)} of {len(wanted)} {state}")
    if missing and not create:
        raise typer.Exit(EXIT_NO)


@app.command("shadow-report")
def shadow_report(
    since: Annotated[
        str, typer.Option("--since", help="Decided after: 24h, 14d, or an ISO time.")
    ] = "14d",
    stage: Stage = "dev",
    at_most: Annotated[
        int, typer.Option("--conversations", min=1, help="At most so many, chosen at random.")
    ] = 2000,
    tickets: Annotated[
        int,
        typer.Option("--tickets", min=0, max=MOST, help="Tickets to read back from Richpanel."),
    ] = MOST,
    rate: Rate = 0.5,
    *,
    json: Json = False,
) -> None:
    """Show what automation would have done, or has done, and what people did with it then."""
    session, output = Session(stage), Output(json)
    found = report(
        session,
        since=moment(session.services.clock, since),
        at_most=at_most,
        tickets=tickets,
        per_second=rate,
        following=output.following,
    )
    output.show(found)
    show_report(output, found)


def _rendered(session: Session, rules: Rules) -> list[Shown]:
    services = session.services
    return list(preview(rules, services.settings.support.signature, services.clock.now()))


def _published(output: Output, stored: Version) -> None:
    output.show({"version": stored.number, **_about(stored)})
    output.say(f"version {stored.number} is current; published by {stored.by}")


def _about(stored: Version) -> dict[str, str]:
    return {"at": stored.at, "by": stored.by, "note": stored.note}
