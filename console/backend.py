"""The stage behind the pages: one `ops` session for reading, and one for each person who acts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from flask import current_app

from console import rights
from console.colleagues import Colleagues
from ops.session import Session

_NAME = "console"


@dataclass(frozen=True, slots=True)
class Options:
    """What differs between the ways to run the console.

    Attributes:
        hosts: accepted values of the Host header; others get 421, so a foreign name that resolves
            to this address is of no use.
        form_targets: origins beside our own to which a form's answer may redirect.
        is_https: whether browsers reach the console by https.
        left_out: endpoints that need an operator's own rights, which the deployed console lacks,
            each with the command that does the same.
        colleagues: to whom a conversation of each company can be handed.
    """

    hosts: frozenset[str]
    form_targets: tuple[str, ...] = ()
    is_https: bool = False
    left_out: Mapping[str, str] = field(default_factory=dict)
    colleagues: Colleagues = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Backend:
    """The stage and the options that the pages work with."""

    session: Session = field(repr=False)
    options: Options


def put(found: Backend) -> None:
    """Store the stage and options in the current application."""
    current_app.extensions[_NAME] = found


def backend() -> Backend:
    """The stage and options of the current application."""
    found: Backend = current_app.extensions[_NAME]
    return found


def reading() -> Session:
    """The stage's session for reading."""
    return backend().session


def acting() -> Session:
    """A session of the stage in the name of this request's person, whom the journal then names."""
    return backend().session.acting_as(rights.person().name)
