"""The role, and so the managed policy, that each command needs: viewer, operator or administrator.

Each role includes those before it.  `python -m ops <command> --help` ends with the role.
"""

from __future__ import annotations

import typer

VIEWER, OPERATOR, ADMINISTRATOR = ROLES = ("viewer", "operator", "administrator")
"""The roles in the order of their rights; each includes those before it."""
ACCOUNT = "an administrator of the account"
"""Needed before a stage has any policy; no policy of ours gives these rights."""
POLICIES = {
    VIEWER: ("viewer",),
    OPERATOR: ("operator",),
    ADMINISTRATOR: ("administrator",),
}
"""The managed policies that a role has beyond earlier roles, as in ``rp-mw-<stage>-<policy>``."""

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
"""The role of each command; any other needs an operator, who may write rows and call vendors."""


def of(command: str) -> str:
    """The role that a command needs, by the command's name."""
    return NEEDS.get(command, OPERATOR)


def describe(app: typer.Typer, before: str = "") -> None:
    """Append to the help of every command the role that it needs."""
    for command in app.registered_commands:
        name = command.name or getattr(command.callback, "__name__", "").replace("_", "-")
        role = of(f"{before} {name}".strip())
        command.epilog = f"Needs {role if role == ACCOUNT else f'the role {role}'}."
    for group in app.registered_groups:
        if group.typer_instance is not None:
            inner = group.name if isinstance(group.name, str) else ""
            describe(group.typer_instance, f"{before} {inner}".strip())
