"""Who runs a command: the caller's AWS identity, which no option or variable can change.

A stored act (a mark, its lifting, an approval) names the person who did it.  With single sign-on,
an assumed role's session is named after the person; an IAM user has a name.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chalicelib.aws.callers import name_of


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
        """The person's name as stored with acts: ``Operators/jo@example.com``, ``jo``, ``root``."""
        return name_of(self.arn)


def of_caller(sts: Any) -> Identity:  # noqa: ANN401 - boto3 builds clients at run time
    """Ask AWS who the caller is; needs no permission.

    Raises:
        ClientError, BotoCoreError: there are no valid credentials.
    """
    found = sts.get_caller_identity()
    return Identity(account=str(found["Account"]), arn=str(found["Arn"]))
