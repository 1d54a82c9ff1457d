"""The port by which a request's person is known.

On one's own machine `loopback` implements it; deployed, sign-in with an OpenID Connect provider does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from flask import Blueprint
from werkzeug.wrappers import Response

from console.rights import Person


@dataclass(frozen=True, slots=True)
class SignedIn:
    """A request's valid session.

    Attributes:
        form_token: a secret of this session, the same in all of its forms.
    """

    person: Person
    form_token: str = field(repr=False)


class SignIn(Protocol):
    """Who makes a request, and the way in."""

    @property
    def pages(self) -> Blueprint:
        """Its own pages; each names the right that it needs.

        An endpoint `sign_out` takes a POST and ends the session.
        """
        ...

    def current(self) -> SignedIn | None:
        """The session of the current request; None where there is none, or it has ended."""
        ...

    def begin(self, back_to: str) -> Response:
        """The answer to a visitor without a session.

        Args:
            back_to: path and query of the page that was asked for.
        """
        ...
