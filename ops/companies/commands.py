"""The commands about companies and people: `handoff`, `company` and `erase`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from chalicelib.outreach.desk.acts import ACTS
from chalicelib.outreach.desk.row import DeskAct
from chalicelib.outreach.door.access import DeskRole
from ops import journal
from ops.companies import act_options, api_keys, company, erase, events, handoff, senders, usage
from ops.options import DryRun, Json, Limit, Reason, Stage, Yes
from ops.output import Output
from ops.repair import dead_letters, mail_failures
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session

app = typer.Typer()
handoff_app = typer.Typer(help="Conversations waiting for a person.", no_args_is_help=True)
company_app = typer.Typer(help="Companies: settings and keys.", no_args_is_help=True)

Company = Annotated[str | None, typer.Option("--company", help="Only of this company.")]
Conversation = Annotated[str, typer.Argument(help="The id that `handoff list` prints.")]


@handoff_app.command("list")
def handoff_list(
    stage: Stage = "dev",
    limit: Limit = 200,
    company_id: Company = None,
    show: Annotated[
        str | None, typer.Option("--show", help="Show this one in full, with personal data.")
    ] = None,
    state: Annotated[
        str, typer.Option("--state", help="Other states than waiting: taken,answered,closed.")
    ] = "",
    *,
    json: Json = False,
) -> None:
    """List conversations waiting for a person, and why; identifiers only."""
    session, output = Session(stage), Output(json)
    if show is not None:
        shown = handoff.show(session, show, company_id)
        output.show(shown)
        facts = {name: one for name, one in shown.items() if name not in ("handoff", "messages")}
        output.facts({**facts, **shown["handoff"], "id": shown["id"]})
        parts = ("at", "role", "text", "note")
        output.table(parts, [[one[name] for name in parts] for one in shown["messages"]])
        return
    if state:
        entries = handoff.listed(session, states=state, company_id=company_id, limit=limit)
        output.show(entries)
        listed = ("id", "company", "channel", "state", "taken_by", "waiting_since", "due_at")
        output.table(listed, [[one[name] for name in listed] for one in entries])
        return
    found = handoff.waiting(session, company_id=company_id, limit=limit)
    output.show(found)
    columns = ("id", "company", "project", "channel", "held", "reason", "since")
    output.table(columns, [[one[name] for name in columns] for one in found])
    output.say(f"{len(found)} waiting")


def handoff_command(act: DeskAct) -> Callable[..., None]:
    """The command of an act: its fields are options, beside those that all acts have."""

    def do(
        conversation: Conversation,
        by: Annotated[
            str | None, typer.Option("--by", help="Who does it, as the team names them.")
        ] = None,
        stage: Stage = "dev",
        company_id: Company = None,
        *,
        lead: Annotated[
            bool, typer.Option("--lead", help="As a lead: also what another person has.")
        ] = False,
        yes: Yes = False,
        json: Json = False,
        **fields: str,
    ) -> None:
        session, output = Session(stage, yes), Output(json)
        session.may_write(f"handoff {act.name}")
        result = handoff.act(
            session,
            act.name,
            conversation,
            session.identity.name if by is None else by,
            company_id,
            role=DeskRole.LEAD if lead else DeskRole.AGENT,
            fields=fields,
        )
        output.show(result)
        output.facts(result)

    return act_options.added(do, act)


for _act in ACTS.values():
    handoff_app.command(_act.name, help=act_options.help_of(_act))(handoff_command(_act))


@company_app.command("put")
def company_put(
    file: Annotated[Path, typer.Argument(help="A JSON file with the whole item.")],
    stage: Stage = "dev",
    *,
    reason: Reason = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Create or replace a project's settings; invalid settings are not stored."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("company put")
    item = company.read(file)
    did = company.put(session, item, because=reason)
    found = [one for one in company.check(session, item) if one.result != "ok"]
    result = {"company": item["company_id"], "project": item["project_id"], "did": did}
    output.show({**result, "findings": [asdict(one) for one in found]})
    output.facts(result)
    for one in found:
        output.say(f"still missing or wrong: {one.subject}: {one.detail}", style="yellow")


@company_app.command("map")
def company_map(stage: Stage = "dev", *, yes: Yes = False, json: Json = False) -> None:
    """Map every stored project's senders to its company; exit code 1 where two companies share one."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("company map")
    journal.enter(session, "company map", "companies")
    mapped, wrong = senders.fill(session)
    output.show({"projects": mapped, "problems": wrong})
    for one in wrong:
        output.say(one, style="yellow")
    output.say(f"{mapped} projects mapped")
    if wrong:
        raise typer.Exit(EXIT_NO)


@company_app.command("check")
def company_check(
    company_id: Annotated[str | None, typer.Argument(help="A stored company.")] = None,
    project_id: Annotated[str | None, typer.Argument(help="Only this project of it.")] = None,
    stage: Stage = "dev",
    file: Annotated[
        Path | None, typer.Option("--file", help="Check this item instead, not stored yet.")
    ] = None,
    *,
    json: Json = False,
) -> None:
    """Check settings, secrets and keys; exit code 1 if something is wrong or missing."""
    session, output = Session(stage), Output(json)
    if (file is None) == (company_id is None):
        raise OpsError("name a company, or a --file", code=EXIT_UNUSABLE)
    if file is not None:
        checked = [company.read(file)]
    else:
        checked = company.items(session, str(company_id), project_id)
    found = [
        {"project": item.get("project_id"), **asdict(one)}
        for item in checked
        for one in company.check(session, item)
    ]
    output.show(found)
    columns = ("project", "subject", "result", "detail")
    output.table(columns, [[one[name] for name in columns] for one in found])
    if any(one["result"] == "fail" for one in found):
        raise typer.Exit(EXIT_NO)


@company_app.command("usage")
def company_usage(
    company_id: Annotated[str, typer.Argument(help="A stored company.")],
    project_id: Annotated[str | None, typer.Argument(help="Only this project of it.")] = None,
    stage: Stage = "dev",
    days: Annotated[int, typer.Option("--days", min=1, max=365, help="So many, today too.")] = 7,
    conversation: Annotated[
        str | None, typer.Option("--conversation", help="The calls for this one, by its id.")
    ] = None,
    *,
    json: Json = False,
) -> None:
    """Show what language models have cost, by project and day, and today's budgets."""
    session, output = Session(stage), Output(json)
    if conversation is not None:
        calls = usage.calls(session, company_id, conversation)
        output.show(calls)
        output.table(usage.CALL, [[one.get(name) for name in usage.CALL] for one in calls])
        return
    found = usage.by_day(session, company_id, project_id, days)
    output.show(found)
    output.table(usage.DAY, [[one[name] for name in usage.DAY] for one in found])


@company_app.command("key")
def company_key(
    company_id: Annotated[str, typer.Argument(help="A stored company.")],
    stage: Stage = "dev",
    *,
    finish: Annotated[
        bool, typer.Option("--finish", help="Issue no key; revoke all but the newest.")
    ] = False,
    desk: Annotated[
        DeskRole | None, typer.Option("--desk", help="A key of the company's desk, with this role.")
    ] = None,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Issue a new API key, shown only this once; the previous newest key stays active."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("company key")
    result: dict[str, object] = {"company": company_id}
    if finish:
        journal.enter(session, "company key", f"company:{company_id}", asked="finish", desk=desk)
        result["ended"] = api_keys.finish(session, company_id, desk)
    else:
        result["api_key"], result["active"] = company.issue(session, company_id, desk)
    output.show(result)
    output.facts(result)
    output.say("Every container has it within 5 minutes.")


@company_app.command("events")
def company_events(
    company_id: Annotated[str, typer.Argument(help="A stored company.")],
    project_id: Annotated[str | None, typer.Argument(help="Only this project of it.")] = None,
    stage: Stage = "dev",
    *,
    json: Json = False,
) -> None:
    """Show whether a company's endpoint accepts its events, and what was kept for it."""
    session, output = Session(stage), Output(json)
    found = events.states(session, company_id, project_id)
    output.show(found)
    columns = ("project", "endpoint", "failing_since", "paused_at", "stopped")
    output.table(columns, [[one[name] for name in columns] for one in found])


@company_app.command("resume-events")
def company_resume_events(
    company_id: Annotated[str, typer.Argument(help="A stored company.")],
    project_id: Annotated[str, typer.Argument(help="Its project.")],
    stage: Stage = "dev",
    *,
    reason: Reason = "",
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Send events to a paused endpoint again, and everything that was kept for it."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("company resume-events")
    result = events.resume(session, company_id, project_id, because=reason)
    output.show(result)
    output.facts(result)


@app.command("erase")
def erase_command(
    subject: Annotated[str, typer.Option("--subject", help="E-mail, +phone, ticket id.")],
    stage: Stage = "dev",
    *,
    reason: Reason = "",
    dry_run: DryRun = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Find a person in every table and erase them; the ledger keeps tombstones."""
    session, output = Session(stage, yes), Output(json)
    if not dry_run:
        session.may_write("erase")
    subjects, notes = erase.subjects_of(session, subject)
    if not dry_run and not yes and not typer.confirm("Erase for good?", err=True):
        raise OpsError("not done")
    done = erase.Erased(notes=notes)
    if not dry_run:
        erase.enter(session, subject, because=reason)
    for table, key, item in output.following(erase.items(session, subjects), "erasing"):
        if dry_run or erase.purge(session, table, key, item, subjects, done):
            done.tables[table.name] = done.tables.get(table.name, 0) + 1
    if not dry_run:
        done.dead_letters = dead_letters.purge(session, subjects.in_body)
        done.dead_letters += mail_failures.purge(session, subjects.in_body)
    output.show({**asdict(done), "found": done.total, "dry_run": dry_run})
    did = "would be deleted" if dry_run else "deleted"
    settings = session.services.settings
    kept = {settings.idempotency_table: "tombstones", settings.company_data_table: "entries"}
    output.table(("table", "items", ""), [(n, c, kept.get(n, did)) for n, c in done.tables.items()])
    for warning in dict.fromkeys(done.warnings):
        output.say(warning, style="yellow")
    output.say(f"{done.total} found; dead letters deleted: {done.dead_letters}")
    output.say("Queued message bodies expire within 14 days.")
    for note in done.notes:
        output.say(note, style="yellow")
    if done.notes:
        raise typer.Exit(EXIT_NO)
