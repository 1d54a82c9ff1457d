"""The commands of outreach: conversations that wait for a person, and companies."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ops.companies import api_keys, company, handoff
from ops.options import Json, Limit, Stage, Yes
from ops.output import Output
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session

handoff_app = typer.Typer(help="Conversations that wait for a person.", no_args_is_help=True)
company_app = typer.Typer(help="Companies: settings and keys.", no_args_is_help=True)

Conversation = Annotated[str, typer.Argument(help="The id `handoff list` prints.")]


@handoff_app.command("list")
def handoff_list(
    stage: Stage = "dev",
    limit: Limit = 200,
    company_id: Annotated[str | None, typer.Option("--company", help="Only this one's.")] = None,
    show: Annotated[
        str | None, typer.Option("--show", help="This one whole, with personal data.")
    ] = None,
    *,
    json: Json = False,
) -> None:
    """What waits for a person, and why; identifiers only."""
    session, output = Session(stage), Output(json)
    if show is not None:
        told = handoff.show(session, show)
        output.show(told)
        facts = {name: value for name, value in told.items() if name not in ("handoff", "messages")}
        output.facts({**facts, **told["handoff"], "id": told["id"]})
        parts = ("at", "role", "text", "note")
        output.table(parts, [[one[name] for name in parts] for one in told["messages"]])
        return
    found = handoff.waiting(session, company_id=company_id, limit=limit)
    output.show(found)
    columns = ("id", "company", "project", "channel", "held", "reason", "since")
    output.table(columns, [[one[name] for name in columns] for one in found])
    output.say(f"{len(found)} wait")


@handoff_app.command("approve")
def handoff_approve(
    conversation: Conversation, stage: Stage = "dev", *, yes: Yes = False, json: Json = False
) -> None:
    """Let the machine go on: what is held is sent, once however often it is approved."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("handoff approve")
    told = handoff.approve(session, conversation)
    output.show(told)
    output.facts(told)


@handoff_app.command("take")
def handoff_take(
    conversation: Conversation,
    by: Annotated[str, typer.Option("--by", help="Who answers; the team's own name for them.")],
    stage: Stage = "dev",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """A person answers by hand from now on; nothing held is ever sent by the machine."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("handoff take")
    told = handoff.take(session, conversation, by)
    output.show(told)
    output.facts(told)


@company_app.command("put")
def company_put(
    file: Annotated[Path, typer.Argument(help="A JSON file with the whole item.")],
    stage: Stage = "dev",
    *,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Store a project's settings in place of those there are; nothing where they are not valid."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("company put")
    item = company.read(file)
    did = company.put(session, item)
    found = [one for one in company.check(session, item) if one.result != "ok"]
    told = {"company": item["company_id"], "project": item["project_id"], "did": did}
    output.show({**told, "findings": [asdict(one) for one in found]})
    output.facts(told)
    for one in found:
        output.say(f"still to be seen to: {one.subject}: {one.detail}", style="yellow")


@company_app.command("check")
def company_check(
    company_id: Annotated[str | None, typer.Argument(help="A company that is stored.")] = None,
    project_id: Annotated[str | None, typer.Argument(help="Only this project of it.")] = None,
    stage: Stage = "dev",
    file: Annotated[
        Path | None, typer.Option("--file", help="Instead: an item not stored yet.")
    ] = None,
    *,
    json: Json = False,
) -> None:
    """What is wrong or missing, secrets included; exit code 1 where something is."""
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


@company_app.command("key")
def company_key(
    company_id: Annotated[str, typer.Argument(help="A company that is stored.")],
    stage: Stage = "dev",
    *,
    finish: Annotated[
        bool, typer.Option("--finish", help="Issue none; end all but the newest.")
    ] = False,
    yes: Yes = False,
    json: Json = False,
) -> None:
    """Issue a new API key, shown this once; the newest one before it stays active beside it."""
    session, output = Session(stage, yes), Output(json)
    session.may_write("company key")
    told: dict[str, object] = {"company": company_id}
    if finish:
        told["ended"] = api_keys.finish(session, company_id)
    else:
        told["api_key"], told["active"] = company.issue(session, company_id)
    output.show(told)
    output.facts(told)
    output.say("Every container has it within 5 minutes.")
