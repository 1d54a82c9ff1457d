"""The port `SignIn`, which says which person makes a request.

`loopback` implements it on the operator's own machine, `openid` in the deployed console.
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
        form_token: a secret that all forms of the session carry.
    """

    person: Person
    form_token: str = field(repr=False)


class SignIn(Protocol):
    """Port: says which person makes a request, and lets people sign in."""

    @property
    def pages(self) -> Blueprint:
        """The pages of the sign-in; each names the right that it needs.

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
