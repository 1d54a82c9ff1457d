"""Which of the stage's managed policies a command needs: viewer, operator or administrator.

Each has the rights of those before it.  `python -m ops <command> --help` ends with its role.
"""

from __future__ import annotations

import typer

VIEWER, OPERATOR, ADMINISTRATOR = ROLES = ("viewer", "operator", "administrator")
"""In the order of their rights; each has those of the roles before it."""
ACCOUNT = "an administrator of the account"
"""Whose rights no policy of ours gives: they are needed before a stage has any policy."""
POLICIES = {
    VIEWER: ("viewer",),
    OPERATOR: ("operator",),
    ADMINISTRATOR: ("administrator",),
}
"""By role, the managed policies beside those of the roles before: ``rp-mw-<stage>-<policy>``."""

NEEDS = {
    **dict.fromkeys(
        (
            "unfinished",
            "journal",
            "switch get",
            "handoff list",
            "company attempts",
            "company events",
            "company usage",
            "cost",
            "desk-token list",
            "dlq count",
            "incidents list",
            "do-not-contact list",
            "do-not-contact export",
            "support-settings show",
            "support-settings history",
            "support-settings preview",
            "facts pending",
            "facts failed",
            "facts explain",
            "consent hears",
            "writer check",
            "writer revisions",
            "writer verdicts",
            "writer stops",
            "writer wrong",
            "support decide",
            "consent audit",
            "may-i-send",
        ),
        VIEWER,
    ),
    **dict.fromkeys(
        (
            "provision",
            "setup",
            "erase",
            "company put",
            "company map",
            "company key",
            "writer remove-verdict",
            "company desk-proof",
            "company event-secret",
            "desk-token issue",
            "desk-token revoke",
            "company signature-key",
            "writer remove-verdict",
            "keys list",
            "keys rotate",
        ),
        ADMINISTRATOR,
    ),
    "access": ACCOUNT,
}
"""By command; every other one needs an operator, who may write rows and ask vendors."""


def of(command: str) -> str:
    """The role that a command needs."""
    return NEEDS.get(command, OPERATOR)


def describe(app: typer.Typer, before: str = "") -> None:
    """End the help of every command with the role that it needs."""
    for command in app.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "").replace("_", "-")
        role = of(f"{before} {name}".strip())
        command.epilog = f"Needs {role if role == ACCOUNT else f'the role {role}'}."
    for group in app.registered_groups:
        if group.typer_instance is not None:
            inner = group.name if isinstance(group.name, str) else ""
            describe(group.typer_instance, f"{before} {inner}".strip())
