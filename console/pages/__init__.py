"""The pages; each module holds a blueprint of the same name.

overview           what waits for a person, for operators
inbox              conversations that wait for a person, of the reader's companies
bulk               one act on several conversations
undoing            takes an act back
outcomes           the result of an act on each of several conversations
desk_acting        one act on one conversation: its colleague, and why it was not done
team               who works for a company, who is away, and how much each one holds
inbox_views        the inbox's filters, saved under a name
conversation_find  finds a conversation by what a customer names
conversation       one conversation: transcript, held message, and the agent's acts
saved_replies      texts that a company's agents answer with
on_its_way         messages of persons that are not in the transcript yet
desk_story         what persons did with a conversation
desk_words         hand-offs in the words of the people who answer them
find               finds anything that a reader can name
story              one event: what happened, step by step; replaying it
incidents          what holds events up, by cause; a dry run, then a mend
unknown            effects of unknown outcome: evidence, and settling one
letters            dead letters by reason; a dry run, then a redrive
parked             accepted events that are not finished, by reason
charts             the stage's metrics over time
figures            counts, speed and cost of a company's conversations
facts              facts that the report does not have yet
companies          a company's settings, checked
company            which company a lead or a developer looks at
company_endpoint   a company's endpoint, its secret and its attempts
company_keys       a company's API keys
company_sending    whether a company may write to somebody
company_register   whom a company must not write to
company_usage      what a company's language models have cost
stops              drafts that rules have stopped, and what people did with them
shadow             what automation would have done, or has done
trying             what would be decided about a conversation that a person types
health             the switches, and the doctor's findings
acts               the journal of what persons did
shared             an event's story for anyone who has its link
"""

from __future__ import annotations

from typing import Any

from flask import Flask, abort

from console.pages import (
    acts,
    bulk,
    charts,
    companies,
    company,
    company_endpoint,
    company_keys,
    company_register,
    company_sending,
    company_usage,
    conversation,
    conversation_find,
    facts,
    figures,
    find,
    health,
    inbox,
    inbox_views,
    incidents,
    letters,
    overview,
    parked,
    saved_replies,
    shadow,
    shared,
    stops,
    story,
    team,
    trying,
    undoing,
    unknown,
)
from console.rights import Right

NAVIGATION: tuple[tuple[str, tuple[tuple[str, str, Right], ...]], ...] = (
    (
        "Work",
        (
            ("Overview", "overview.show", Right.LOOK),
            ("Inbox", "inbox.show", Right.CONVERSE),
            ("Team", "team.show", Right.CONVERSE),
            ("Find a conversation", "conversation_find.show", Right.CONVERSE),
            ("Find", "find.show", Right.LOOK),
            ("Incidents", "incidents.show", Right.LOOK),
            ("Unknown effects", "unknown.show", Right.LOOK),
            ("Dead letters", "letters.show", Right.LOOK),
        ),
    ),
    (
        "Watch",
        (
            ("Not finished", "parked.show", Right.LOOK),
            ("Figures", "figures.show", Right.BUILD),
            ("Charts", "charts.show", Right.LOOK),
            ("Facts", "facts.show", Right.LOOK),
            ("Stopped drafts", "stops.show", Right.LOOK),
            ("Shadow report", "shadow.show", Right.LOOK),
            ("Journal", "acts.show", Right.LOOK),
        ),
    ),
    (
        "Set up",
        (
            ("Companies", "companies.show", Right.LOOK),
            ("Company", "company.show", Right.BUILD),
            ("Saved replies", "saved_replies.show", Right.GUIDE),
            ("Try a message", "trying.show", Right.LOOK),
            ("Health", "health.show", Right.LOOK),
        ),
    ),
)
"""The menu of every page, in groups: title, endpoint, and the right that an entry needs."""


LONGEST_ID_BYTES = 1024
"""Bytes of an id in a path at most; no key of a row is longer."""


def register(app: Flask) -> None:
    """Register the blueprint of every page."""

    @app.url_value_preprocessor
    def known(_: str | None, values: dict[str, Any] | None) -> None:
        """Answer 404 for an id that is too long for a row's key: reading it would be an error of DynamoDB."""
        if any(len(str(given).encode()) > LONGEST_ID_BYTES for given in (values or {}).values()):
            abort(404)

    for module in (
        overview,
        inbox,
        bulk,
        undoing,
        team,
        inbox_views,
        conversation_find,
        conversation,
        saved_replies,
        find,
        story,
        shared,
        incidents,
        unknown,
        letters,
        parked,
        charts,
        figures,
        facts,
        companies,
        company,
        company_endpoint,
        company_keys,
        company_register,
        company_sending,
        company_usage,
        stops,
        shadow,
        trying,
        health,
        acts,
    ):
        app.register_blueprint(module.pages)
