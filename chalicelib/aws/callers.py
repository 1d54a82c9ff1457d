"""The name of a person or a role in an AWS identity."""

from __future__ import annotations

_KINDS_WITH_SESSION = frozenset({"assumed-role", "federated-user"})


def name_of(arn: str) -> str:
    """The name of an AWS identity for the journal: ``Operators/jo@example.com``, ``jo``, ``root``.

    A text that is no ARN is returned unchanged.
    """
    if not arn.startswith("arn:"):
        return arn
    resource = arn.split(":", 5)[-1]
    kind, _, path = resource.partition("/")
    if kind in _KINDS_WITH_SESSION:
        return path
    return path.rpartition("/")[2] or kind
