"""The pages; a module each, as a blueprint of the same name.

overview   what waits for a person
inbox      conversations that wait for a person, of one's own companies
bulk       one act on several of them
undoing    taking an act back
outcomes   what became of an act on each of several conversations
desk_acting  one act on one conversation: the colleague it names, why it was not done
team       who works for a company, who is away, and who holds what
inbox_views  its filters under a name, one's own and a company's
conversation_find  a conversation of one's own companies, by what a customer names
conversation  one of them: its transcript, what is held, and the acts of who answers
saved_replies  texts that a company's agents answer with
on_its_way  messages of persons that are not in it yet
desk_story  what persons did with it
desk_words  hand-offs in the words of the people who answer them
find       anything that a reader can name
story      one event: what happened, in a sentence and step by step; running it again
incidents  what holds events up, by cause; a dry run, then a mend
unknown    effects of unknown outcome: evidence, and settling one
letters    dead letters by reason; a dry run, then a redrive
parked     accepted events that are not finished, by reason
charts     the stage's metrics over time
figures    how a company's conversations go
facts      facts on their way to the report
companies  a company's settings, checked
company    which company a lead or a developer looks at
company_endpoint  where its events go, its secret, its attempts
company_keys  its API keys
company_sending  whether it may write to somebody
company_register  whom it must not write to
company_usage  what its language models have cost
stops      drafts that rules have stopped, and what people made of them
shadow     what automation would have done, or has done
trying     what would be decided about a conversation that a person types
health     the switches, and the doctor's findings
acts       the journal of what persons did
shared     a story that a link shows, to anyone who has it
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
"""The menu of every page, in groups: title, endpoint, and who sees it."""


LONGEST_ID_BYTES = 1024
"""In a path; no key of a row is longer."""


def register(app: Flask) -> None:
    """Add every page."""

    @app.url_value_preprocessor
    def known(_: str | None, values: dict[str, Any] | None) -> None:
        """404 for an id that no row can have: to ask for it would be an error of the table."""
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
