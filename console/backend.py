"""The stage behind the pages: one session of `ops` for reading, one for each person who acts."""

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
        hosts: values of the Host header that are answered; others get 421, so that a foreign name
            that leads to this address is of no use.
        form_targets: origins that a form's answer may redirect to, beside our own.
        is_https: whether browsers reach it by https.
        left_out: endpoints that need rights of an operator's own, which the deployed console lacks,
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
    """What the pages work on."""

    session: Session = field(repr=False)
    options: Options


def put(found: Backend) -> None:
    """Make it the current application's."""
    current_app.extensions[_NAME] = found


def backend() -> Backend:
    """The current application's."""
    found: Backend = current_app.extensions[_NAME]
    return found


def reading() -> Session:
    """The stage, to read from it."""
    return backend().session


def acting() -> Session:
    """The stage, for the person of this request: the journal names them."""
    return backend().session.acting_as(rights.person().name)
