"""The commands about companies and people: `handoff`, `company` and `erase`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from chalicelib.outreach.desk.act_row import DeskAct
from chalicelib.outreach.desk.acts import ACTS
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.project.project import Project
from ops.command import CommandRun, command
from ops.companies import (
    act_options,
    api_keys,
    company,
    endpoint_events,
    erase,
    erase_again,
    erase_archive,
    erase_canaries,
    erase_remarks,
    erase_reports,
    erase_scan,
    handoff,
    put_settings,
    senders,
    signing_keys,
    usage,
)
from ops.companies.verdict_gate import VerdictGate
from ops.options import Limit
from ops.repair import dead_letters, mail_failures
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError

app = typer.Typer()
handoff_app = typer.Typer(help="Conversations waiting for a person.", no_args_is_help=True)
company_app = typer.Typer(help="Companies: settings and keys.", no_args_is_help=True)

Company = Annotated[str | None, typer.Option("--company", help="Only this company's.")]
Conversation = Annotated[str, typer.Argument(help="The id that `handoff list` prints.")]
CompanyId = Annotated[str, typer.Argument(help="A stored company.")]
ProjectId = Annotated[str | None, typer.Argument(help="Only this project of the company.")]
_EXAMPLES = {
    "approve": ["handoff approve <id>"],
    "take": ["handoff take <id> --by <name>"],
    "transfer": ["handoff transfer <id> --by <name> --to <name> --lead"],
    "reply": ['handoff reply <id> --by <name> --text "<answer>"'],
}
"""Example command lines of the `handoff` acts, as the pages of `docs` show them."""


@command(handoff_app, "handoff list", examples=["handoff list", "handoff list --show <id>"])
def handoff_list(
    run: CommandRun,
    limit: Limit = 200,
    company_id: Company = None,
    show: Annotated[
        str | None,
        typer.Option("--show", help="Show this conversation in full, with personal data."),
    ] = None,
    state: Annotated[
        str, typer.Option("--state", help="Instead of waiting ones: taken,answered,closed.")
    ] = "",
) -> object:
    """List conversations waiting for a person, and why; identifiers only."""
    session, output = run.session, run.output
    if show is not None:
        shown = handoff.show(session, show, company_id)
        facts = {
            name: value for name, value in shown.items() if name not in ("handoff", "messages")
        }
        output.facts({**facts, **shown["handoff"], "id": shown["id"]})
        output.records(("at", "role", "text", "note"), shown["messages"])
        return shown
    if state:
        entries = handoff.listed(session, states=state, company_id=company_id, limit=limit)
        listed = ("id", "company", "channel", "state", "taken_by", "waiting_since", "due_at")
        return output.records(listed, entries)
    found = handoff.waiting(session, company_id=company_id, limit=limit)
    output.records(("id", "company", "project", "channel", "held", "reason", "since"), found)
    output.say(f"{len(found)} waiting")
    return found


def handoff_command(act: DeskAct) -> Callable[..., object]:
    """Build the `handoff` command of one desk act: an option for each of its fields, and the common ones."""

    def do(
        run: CommandRun,
        conversation: Conversation,
        by: Annotated[
            str | None, typer.Option("--by", help="The acting person, as the team names them.")
        ] = None,
        company_id: Company = None,
        *,
        lead: Annotated[
            bool,
            typer.Option("--lead", help="Act as a lead, also on another person's conversation."),
        ] = False,
        **fields: str,
    ) -> object:
        return run.output.facts(
            handoff.act(
                run.session,
                act.name,
                conversation,
                run.session.identity.name if by is None else by,
                company_id,
                role=DeskRole.LEAD if lead else DeskRole.AGENT,
                fields=fields,
            )
        )

    return act_options.with_act_options(do, act)


for _act in ACTS.values():
    command(
        handoff_app,
        f"handoff {_act.name}",
        changes=True,
        says_why=False,
        examples=_EXAMPLES.get(_act.name, ()),
    )(handoff_command(_act))


@command(company_app, "company put", changes=True, examples=["company put <item.json>"])
def company_put(
    run: CommandRun,
    file: Annotated[Path, typer.Argument(help="A JSON file with the whole item.")],
    *,
    judge: Annotated[
        bool, typer.Option("--judge", help="Ask the project's judge about its verdict set too.")
    ] = False,
    despite_verdicts: Annotated[
        str,
        typer.Option(
            "--despite-verdicts", help="Why to store it although the verdict set disagrees."
        ),
    ] = "",
) -> object:
    """Create or replace a project's settings, if they are valid and its verdict set agrees."""
    item = company.read(file)
    gate = VerdictGate(asks_judge=judge, despite=despite_verdicts.strip())
    did = put_settings.put(run.session, item, because=run.because, gate=gate)
    found = [finding for finding in company.check(run.session, item) if finding.result != "ok"]
    result = {"company": item["company_id"], "project": item["project_id"], "did": did}
    run.output.facts(result)
    for finding in found:
        run.output.say(
            f"still missing or wrong: {finding.subject}: {finding.detail}", style="yellow"
        )
    return {**result, "findings": [asdict(finding) for finding in found]}


@command(company_app, "company map", changes=True)
def company_map(run: CommandRun) -> object:
    """Map every stored project's senders to its company; exit code 1 if two companies share one."""
    run.enter("companies")
    mapped, faults = senders.fill(run.session)
    for fault in faults:
        run.output.say(fault, style="yellow")
    run.output.say(f"{mapped} projects mapped")
    if faults:
        run.code = EXIT_NO
    return {"projects": mapped, "problems": faults}


@command(company_app, "company check", examples=["company check <company>"])
def company_check(
    run: CommandRun,
    company_id: Annotated[str | None, typer.Argument(help="A stored company.")] = None,
    project_id: ProjectId = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="Check the item in this JSON file instead.")
    ] = None,
) -> object:
    """Check settings, secrets and keys; exit code 1 if something is wrong or missing."""
    session = run.session
    if (file is None) == (company_id is None):
        raise OpsError("name a company, or a --file", code=EXIT_UNUSABLE)
    if file is not None:
        checked = [company.read(file)]
    else:
        checked = company.items(session, str(company_id), project_id)
    found = [
        {"project": company.shown_id(item, Project.project_id), **asdict(finding)}
        for item in checked
        for finding in company.check(session, item)
    ]
    if any(finding["result"] == "fail" for finding in found):
        run.code = EXIT_NO
    return run.output.records(("project", "subject", "result", "detail"), found)


@command(
    company_app,
    "company usage",
    examples=["company usage <company>", "company usage <company> --conversation <id>"],
)
def company_usage(
    run: CommandRun,
    company_id: CompanyId,
    project_id: ProjectId = None,
    days: Annotated[
        int, typer.Option("--days", min=1, max=365, help="The number of days, with today.")
    ] = 7,
    conversation: Annotated[
        str | None,
        typer.Option("--conversation", help="The calls for this conversation, by its id."),
    ] = None,
) -> object:
    """Show what language models have cost, by project and day, and today's budgets."""
    if conversation is not None:
        calls = usage.calls(run.session, company_id, conversation)
        return run.output.records(usage.CALL, calls)
    return run.output.records(usage.DAY, usage.by_day(run.session, company_id, project_id, days))


@command(
    company_app,
    "company key",
    changes=True,
    examples=["company key <company>", "company key <company> --finish"],
)
def company_key(
    run: CommandRun,
    company_id: CompanyId,
    *,
    finish: Annotated[
        bool, typer.Option("--finish", help="Issue no key; revoke all but the newest.")
    ] = False,
    desk: Annotated[
        DeskRole | None, typer.Option("--desk", help="A key of the company's desk, with this role.")
    ] = None,
) -> object:
    """Issue a new API key, shown only this once; the previous newest key stays active."""
    result: dict[str, object] = {"company": company_id}
    if finish:
        run.enter(f"company:{company_id}", asked="finish", desk=desk)
        result["ended"] = api_keys.finish(run.session, company_id, desk)
    else:
        issued = company.issue(run.session, company_id, desk, because=run.because)
        result["api_key"], result["active"] = issued
    run.output.facts(result)
    run.output.say("Every container has it within 5 minutes.")
    return result


@command(
    company_app,
    "company signature-key",
    changes=True,
    examples=[
        "company signature-key <company>",
        "company signature-key <company> --end <key id> --until <time>",
    ],
)
def company_signature_key(
    run: CommandRun,
    company_id: CompanyId,
    *,
    public_key: Annotated[
        Path | None, typer.Option("--public-key", help="A PEM file: ed25519, instead of a secret.")
    ] = None,
    begins: Annotated[str | None, typer.Option("--from", help="When it becomes valid.")] = None,
    end: Annotated[
        str | None, typer.Option("--end", help="End this key, instead of adding one.")
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", help="When --end takes effect; default: now.")
    ] = None,
) -> object:
    """Add a key with which a company signs its requests, or end one; its secret is shown only this once."""
    session = run.session
    company.items(session, company_id, None)
    result: dict[str, object] = {"company": company_id}
    if end is None:
        moment = signing_keys.time_of(begins, "--from")
        run.enter(f"company:{company_id}", asked="signature key")
        result["key_id"], secret = signing_keys.add(session, company_id, public_key, moment)
        result |= {} if secret is None else {"secret": secret}
    else:
        moment = signing_keys.time_of(until, "--until") or session.services.clock.now()
        run.enter(f"company:{company_id}", asked="end a signature key")
        signing_keys.end(session, company_id, end, moment)
    run.output.facts(result)
    keys = signing_keys.listed(session, company_id)
    run.output.records(signing_keys.COLUMNS, keys)
    run.output.say("Every container has it within 5 minutes.")
    return {**result, "keys": keys}


@command(
    company_app,
    "company signature-check",
    examples=["company signature-check <company> request.txt"],
)
def company_signature_check(
    run: CommandRun,
    company_id: CompanyId,
    file: Annotated[Path, typer.Argument(help="A request as HTTP/1.1 writes it.")],
) -> object:
    """Check the signature of a saved request; exit code 1 if something is wrong with it."""
    found = [
        {"problem": problem} for problem in signing_keys.problems(run.session, company_id, file)
    ]
    if found:
        run.code = EXIT_NO
    else:
        run.output.say("the signature is valid")
    return run.output.records(("problem",), found)


@command(company_app, "company events", examples=["company events <company>"])
def company_events(run: CommandRun, company_id: CompanyId, project_id: ProjectId = None) -> object:
    """Show whether a company's endpoint accepts its events, and what was kept for it."""
    found = endpoint_events.states(run.session, company_id, project_id)
    columns = ("project", "endpoint", "failing_since", "paused_at", "stopped")
    return run.output.records(columns, found)


@command(
    company_app,
    "company resume-events",
    changes=True,
    dry_run=True,
    examples=['company resume-events <company> <project> --reason "..."'],
)
def company_resume_events(
    run: CommandRun,
    company_id: CompanyId,
    project_id: Annotated[str, typer.Argument(help="The project's id.")],
) -> object:
    """Post events to a paused endpoint again, with everything that was kept for it."""
    if run.dry_run:
        (state,) = endpoint_events.states(run.session, company_id, project_id)
        return run.output.facts({**state, "conversations": state["stopped"]})
    return run.output.facts(
        endpoint_events.resume(run.session, company_id, project_id, because=run.because)
    )


@command(
    app,
    "erase",
    changes=True,
    asks="Erase for good?",
    dry_run=True,
    examples=[
        "erase --subject jane@example.com --stage prod --dry-run",
        "erase --again 2026-11-20T09:00:00Z --stage prod --dry-run",
    ],
)
def erase_command(
    run: CommandRun,
    subject: Annotated[str, typer.Option("--subject", help="E-mail, +phone, ticket id.")] = "",
    again: Annotated[
        str, typer.Option("--again", help="Instead: everybody erased since this backup's time.")
    ] = "",
    canary: Annotated[
        list[str] | None, typer.Option("--canary", help="Also look for these words afterwards.")
    ] = None,
    *,
    scan: Annotated[
        bool,
        typer.Option("--scan/--no-scan", help="Look for the person in every place afterwards."),
    ] = True,
) -> object:
    """Find a person in every table and erase them; the ledger keeps tombstones.

    Afterwards every place is searched for the person's addresses in every spelling, ids, name and
    the words of --canary.  Exit code 1 if one is found that may not stay.
    """
    session, output, dry_run = run.session, run.output, run.dry_run
    if bool(subject) == bool(again):
        raise OpsError("give --subject, or --again with a backup's time", code=EXIT_UNUSABLE)
    notes: list[str] = []
    if again:
        erased = erase_again.erased_since(session, again)
        output.say(f"erasings since {again} of which a table has a record: {erased.count}")
        notes += [] if erased.count else [erase_again.NONE_KNOWN]
        subjects = erase_again.subjects_of(session, erased.digests)
    else:
        subjects, notes = erase.subjects_of(session, subject)
    tables = erase.tables(session)
    if scan:
        cost = erase_scan.estimate(session, [name for name, _ in tables])
        output.say(
            "The scan afterwards reads {items} items, {mb} MB: about {usd} USD.".format(**cost)
        )
    if not dry_run:
        run.confirm()
        erase_again.enter(session, subject or f"again:{again}", subjects)
    done = erase.Erased(notes=notes)
    events: list[str] = []
    for table, key, item in output.following(erase.items(session, subjects), "erasing"):
        if erase.purge(session, table, key, item, subjects, done, dry_run=dry_run):
            done.tables[table.name] = done.tables.get(table.name, 0) + 1
            events += [key["event_id"]] if "event_id" in key else []
    erase_archive.purge(session, subjects, done, dry_run=dry_run)
    erase_reports.purge(session, subjects, done, dry_run=dry_run)
    done.remarks = erase_remarks.purge(session, subjects, events, dry_run=dry_run)
    for queue in (dead_letters, mail_failures):
        done.dead_letters += queue.purge(session, subjects.is_in_body, dry_run=dry_run)
    did = "would be deleted" if dry_run else "deleted"
    settings = session.services.settings
    kept = {
        settings.idempotency_table: "tombstones",
        settings.company_data_table: "entries",
        erase_archive.PLACE: "rows without them",
        erase_reports.ONELAKE: "rows without them",
        erase_reports.DATASET: "rows without them",
    }
    output.table(
        ("table", "items", ""),
        [(table, count, kept.get(table, did)) for table, count in done.tables.items()],
    )
    for warning in dict.fromkeys(done.warnings):
        output.say(warning, style="yellow")
    of_them = f"dead letters of them: {done.dead_letters}; reasons in the journal: {done.remarks}"
    output.say(f"{done.total} found; {of_them}")
    output.say("Queued message bodies expire within 14 days.")
    for note in done.notes:
        output.say(note, style="yellow")
    result = {**asdict(done), "found": done.total, "dry_run": dry_run}
    if scan and not dry_run:
        sought = erase_canaries.canaries(subjects, canary or ())
        places = output.following(erase_scan.scan(session, tables, sought), "looking")
        result["proof"] = report = erase_scan.shown(list(places))
        erase_scan.printed(output, report)
        left = sum(row["found"] for row in report)
        output.say(f"canaries looked for {len(sought)}, found after erasing {left}")
        run.code = EXIT_NO if left or any(row["has_failed"] for row in report) else run.code
    if done.notes:
        run.code = EXIT_NO
    return result
