"""The read-only commands: `explain`, `story`, `unfinished`, `refused` and `doctor`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from ops.command import CommandRun, command
from ops.inspect import doctor, explain, refused_callers, unfinished
from ops.inspect.explain import customer, searching, state_words
from ops.options import Limit
from ops.output import Output
from ops.session import EXIT_NO

app = typer.Typer()


@command(app, "explain", examples=["explain <what you have>"])
def explain_command(
    run: CommandRun,
    pasted: Annotated[
        str,
        typer.Argument(
            metavar="subject",
            help="What you have: a ticket, company#request, evt:... or act:..., a trace id or a whole"
            " log line, a phone number, an e-mail address, an order number, a Twilio or SES id, ...",
        ),
    ],
    *,
    deep: Annotated[bool, typer.Option("--deep", help="Scan the whole ledger too.")] = False,
) -> object:
    """Show what happened to a conversation, an event or an action, and why."""
    output = run.output
    found = explain.explain(
        run.session,
        pasted,
        deep=deep,
        watch=lambda pages, total: output.following(pages, "scanning", total=total),
    )
    for report in (found, *found["also"]):
        if found["also"]:
            output.say(f"\n{report['about']}, as {report['found_as']}", style="bold underline")
        _show(output, report)
    for place in found["unasked"]:
        output.say(f"not asked: {place['place']}: {place['because']}; {place['how']}", style="dim")
    return found


def _show(output: Output, report: Mapping[str, Any]) -> None:
    """Print one finding: its events, facts, state and notes."""
    for event in report["events"]:
        _show_event(output, event)
    for fact in report.get("facts", ()):
        output.say(f"\n{fact['event_id']}", style="bold")
        output.say(fact["story"])
        output.facts({name: value for name, value in sorted(fact.items()) if name != "story"})
    for name, said in state_words.in_words(report.get("state", {})).items():
        output.say(f"{name}: {said}")
    for note in report["notes"]:
        output.say(note, style="yellow")


def _show_event(output: Output, explained: Mapping[str, Any]) -> None:
    """Print an event: in words, then step by step, then its actions."""
    output.say(f"\n{explained['event']['event_id']}", style="bold")
    if explained["story"]["why_not"]:
        output.say(explained["story"]["why_not"], style="bold yellow")
    output.say(explained["story"]["paragraph"])
    output.say(explained["verdict"])
    where = explained["where"]
    if where["place"] != "ended":
        output.facts({name: value for name, value in where.items() if value})
    output.table(
        ("when", "what", "why"),
        [(step["at"], step["what"], step["why"]) for step in explained["timeline"]],
    )
    rows = [
        (action["event_id"], action["status"], action.get("reason"), action.get("ref"))
        for action in explained["actions"]
    ]
    if rows:
        output.table(("action", "status", "reason", "ref"), rows)
    if explained["log_query"]:
        output.say(f"trace {explained['event']['trace_id']}, in the logs:")
        output.say(explained["log_query"])


@command(app, "story", examples=["story <a phone number, an address or a ticket>"])
def story_command(
    run: CommandRun,
    pasted: Annotated[
        str,
        typer.Argument(metavar="subject", help="A customer's identifier, as `explain` takes it."),
    ],
    *,
    show_texts: Annotated[
        bool,
        typer.Option(
            "--show-texts", help="Show the texts: personal data; the journal records who looked."
        ),
    ] = False,
) -> object:
    """Tell a customer's story: what is open, what was not answered and why, what was answered."""
    found = searching.look_up(run.session, pasted)
    if show_texts:
        customer.note_view(run.session, found)
    customer_story = customer.tell(run.session, found, allowed=lambda _company: show_texts)
    for title, turns in (
        ("open", customer_story.open),
        ("not answered", customer_story.unanswered),
        ("answered", customer_story.answered),
    ):
        if turns:
            run.output.say(f"\n{title}", style="bold yellow")
        for turn in turns:
            run.output.say(f"\n{turn.at}  {turn.what}", style="bold")
            run.output.say(f"{turn.became} {turn.more}".strip())
            for by, text in turn.said:
                run.output.say(f"  {by}: {text}")
            run.output.say(turn.event)
    if folded := customer_story.folded:
        run.output.say(f"\n{folded} events between machines: `explain` shows them")
    for note in (*found.notes, *customer_story.notes):
        run.output.say(note, style="yellow")
    return customer.plain(customer_story)


@command(app, "unfinished", examples=["unfinished"])
def unfinished_command(run: CommandRun, limit: Limit = 200) -> object:
    """List accepted events that are not finished, oldest first."""
    columns = ("received_at", "event", "status", "reason", "attempts", "due_at")
    listed = unfinished.events(run.session, limit=limit)
    events = [
        {name: event[name] for name in columns}
        for event in sorted(listed, key=lambda event: str(event["received_at"]))
    ]
    run.output.records(columns, events)
    number = len(events) if len(events) < limit else unfinished.count(run.session)
    shown = f", only {limit} shown" if number > len(events) else ""
    run.output.say(f"{number} unfinished{shown}")
    return events


@command(app, "refused", examples=["refused"])
def refused_command(
    run: CommandRun,
    hours: Annotated[
        int, typer.Option("--hours", min=1, max=336, help="The number of hours, at most 336.")
    ] = 24,
) -> object:
    """Show who was answered 429, and when: companies beyond their shares, and strangers."""
    found = refused_callers.refused(run.session, hours=hours)
    columns = ("door", "caller", "first", "last", "times")
    return run.output.records(columns, [asdict(refusal) for refusal in found])


@command(app, "doctor", examples=["doctor"])
def doctor_command(run: CommandRun) -> object:
    """Check a deployed stage against its declaration; exit code 1 if a check fails.

    Account, region and release come first, then what other checks depend on, then each system.  A
    line with a problem ends with the command that fixes it.
    """
    doctor.refuse_nothing(run.session)
    found = list(run.output.following(doctor.examine(run.session), "checking"))
    if any(finding.result == "fail" for finding in found):
        run.code = EXIT_NO
    columns = ("system", "check", "result", "detail", "mend")
    return run.output.records(columns, [asdict(finding) for finding in found])
