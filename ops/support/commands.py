"""Commands about support: `support-settings`, `support-tags` and `shadow-report`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from chalicelib.support.configuration.applied import Rules
from chalicelib.support.configuration.document import Document
from chalicelib.support.configuration.versions import Version
from chalicelib.support.settable_tags import every_tag
from ops.command import CommandRun, command, only_with
from ops.options import Limit, Rate
from ops.session import EXIT_NO, Session
from ops.support import settings_checks, settings_file
from ops.support.printed import show_report
from ops.support.rendered_texts import RenderedText, preview
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
Note = Annotated[
    str, typer.Option("--note", help="What changed, for the history; default: --because.")
]


@command(settings_app, "support-settings validate")
def validate(run: CommandRun, file: File) -> object:
    """Check a document and every text in it; changes nothing and needs no AWS account."""
    rules = Rules(0, settings_file.read(file))
    shown, warned = _rendered(run.session, rules), settings_checks.warnings(rules)
    _warn(run, warned)
    run.output.say(f"{file} is valid: {len(shown)} texts rendered on sample orders")
    if rules.assignees:
        run.output.say("whether Richpanel has its assignees is asked by put")
    return {"valid": True, "texts": len(shown), "warnings": warned}


@command(settings_app, "support-settings put", changes=True, dry_run=True)
def put(run: CommandRun, file: File, note: Note = "") -> object:
    """Publish a valid document as the next version; in use within two minutes."""
    rules = Rules(0, settings_file.read(file))
    _rendered(run.session, rules)
    unchecked = settings_checks.assignees_exist(run.session, rules)
    warned = [*settings_checks.warnings(rules), *([unchecked] if unchecked else [])]
    _warn(run, warned)
    return _publish(run, rules.document, note or run.because) | {"warnings": warned}


@command(
    settings_app,
    "support-settings restore",
    changes=True,
    dry_run=True,
    examples=["support-settings restore <version>"],
)
def restore(
    run: CommandRun,
    number: Annotated[int, typer.Argument(min=0, help="The version to go back to.")],
) -> object:
    """Publish an earlier version's content as the next version; 0 is the built-in settings."""
    rules = settings_file.rules(settings_file.version(run.session, number))
    why = f": {run.because}" if run.because else ""
    return _publish(run, rules.document, f"as version {number}{why}")


@command(settings_app, "support-settings show", examples=["support-settings show --stage $STAGE"])
def show(run: CommandRun, number: Number = None) -> object:
    """Print a version; `put` accepts its --json output unchanged."""
    found = settings_file.version(run.session, number)
    if found is None:
        run.output.say("version 0: the built-in settings")
        return {"version": 0, "document": {}}
    run.output.say(f"version {found.number}, {found.at}, by {found.by}: {found.note or '-'}")
    run.output.say(json.dumps(found.document, indent=2, ensure_ascii=False))
    return {"version": found.number, "document": found.document, **_about(found)}


@command(
    settings_app,
    "support-settings history",
    examples=["support-settings history --stage $STAGE"],
)
def history(run: CommandRun, limit: Limit = 20) -> object:
    """List the versions, newest first: who published what, and when."""
    found = run.session.services.support.versions.newest(limit=limit)
    rows = [
        (version.number, version.at, version.by, ", ".join(sorted(version.document)), version.note)
        for version in found
    ]
    run.output.table(("version", "at", "by", "changes", "note"), rows)
    run.output.say(f"{len(found)} versions; 0 is the built-in one")
    return [{"version": version.number, **_about(version)} for version in found]


@command(settings_app, "support-settings preview")
def preview_command(
    run: CommandRun,
    file: Annotated[
        Path | None, typer.Option("--file", help="A document that is not published yet.")
    ] = None,
    number: Number = None,
) -> object:
    """Render every template in every language on sample orders."""
    if file is not None:
        rules = Rules(0, settings_file.read(file))
    else:
        rules = settings_file.rules(settings_file.version(run.session, number))
    shown = _rendered(run.session, rules)
    for reply in shown:
        title = f"\n{reply.template or 'to a person'} · {reply.language} · {reply.case}"
        run.output.say(title, style="bold")
        run.output.say(reply.text or reply.person)
    return [asdict(reply) for reply in shown]


@command(
    app,
    "support-tags",
    changes=True,
    guard=only_with("create"),
    dry_run=True,
    examples=["support-tags --stage $STAGE", "support-tags --stage $STAGE --create --yes"],
)
def support_tags(
    run: CommandRun,
    *,
    create: Annotated[
        bool, typer.Option("--create", help="Create the missing ones in Richpanel.")
    ] = False,
) -> object:
    """List every tag that a plan can set, and which the tenant lacks; create those."""
    vendor = run.session.services.support.richpanel
    wanted = every_tag(run.session.services.support.rules.current())
    missing = sorted(wanted - vendor.tag_names())
    creates = create and not run.dry_run
    if creates and missing:
        run.enter("support-tags", what="support-tags --create", tags=missing)
        for tag in run.output.following(missing, "creating", total=len(missing)):
            vendor.create_tag(tag)
    if missing and not create:
        run.code = EXIT_NO
    state = "created" if creates else "would be created" if create else "missing"
    tags = [{"tag": tag, "state": state if tag in missing else "there"} for tag in sorted(wanted)]
    run.output.records(("tag", "state"), tags)
    run.output.say(f"{len(missing)} of {len(wanted)} {state}")
    return tags


@command(app, "shadow-report")
def shadow_report(
    run: CommandRun,
    since: Annotated[
        str, typer.Option("--since", help="Decided after: 24h, 14d, or an ISO time.")
    ] = "14d",
    at_most: Annotated[
        int, typer.Option("--conversations", min=1, help="At most this many, chosen at random.")
    ] = 2000,
    tickets: Annotated[
        int,
        typer.Option("--tickets", min=0, max=MOST, help="Tickets to read back from Richpanel."),
    ] = MOST,
    rate: Rate = 0.5,
) -> object:
    """Show what automation would have done, or has done, and what people did with it then."""
    found = report(
        run.session,
        since=moment(run.session.services.clock, since),
        at_most=at_most,
        tickets=tickets,
        per_second=rate,
        following=run.output.following,
    )
    show_report(run.output, found)
    return found


def _rendered(session: Session, rules: Rules) -> list[RenderedText]:
    services = session.services
    return list(preview(rules, services.settings.support.signature, services.clock.now()))


def _warn(run: CommandRun, warned: Sequence[str]) -> None:
    for warning in warned:
        run.output.say(f"warning: {warning}", style="yellow")


def _publish(run: CommandRun, document: Document, note: str) -> dict[str, object]:
    if run.dry_run:
        current = settings_file.to_replace(run.session, document)
        run.output.say(f"version {current + 1} would be published")
        return {"version": current + 1, "dry_run": True}
    stored = settings_file.publish(run.session, document, note=note, act=run.command.name)
    run.output.say(f"version {stored.number} is current; published by {stored.by}")
    return {"version": stored.number, **_about(stored)}


def _about(stored: Version) -> dict[str, str]:
    return {"at": stored.at, "by": stored.by, "note": stored.note}
