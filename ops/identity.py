"""Who runs a command: the caller's AWS identity, which no option or variable can change.

An act that is kept (a mark, its lifting, an approval) names the person who did it.  With single
sign-on the session of an assumed role is named after the person; a user of IAM has a name of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

_KINDS_WITH_SESSION = frozenset({"assumed-role", "federated-user"})


@dataclass(frozen=True, slots=True)
class Identity:
    """The caller, as AWS STS knows it.

    Attributes:
        account: the AWS account's id.
        arn: e.g. ``arn:aws:sts::123456789012:assumed-role/Operators/jo@example.com``.
    """

    account: str
    arn: str

    @property
    def name(self) -> str:
        """The person's name as acts keep it: ``Operators/jo@example.com``, ``jo``, ``root``."""
        resource = self.arn.split(":", 5)[-1]
        kind, _, path = resource.partition("/")
        if kind in _KINDS_WITH_SESSION:
            return path
        return path.rpartition("/")[2] or kind


def of_caller(sts: Any) -> Identity:  # noqa: ANN401 - boto3 builds clients at run time
    """Ask AWS who the caller is; every identity may do so.

    Raises:
        ClientError, BotoCoreError: there are no valid credentials.
    """
    found = sts.get_caller_identity()
    return Identity(account=str(found["Account"]), arn=str(found["Arn"]))
