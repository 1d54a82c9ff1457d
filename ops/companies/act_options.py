"""Builds the options of a desk act's command from the act's declaration."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Annotated

import typer

from chalicelib.outreach.desk.act_row import ActField, DeskAct
from chalicelib.outreach.desk.acts import APPROVE


def with_act_options(do: Callable[..., object], act: DeskAct) -> Callable[..., object]:
    """Give a command function its help, and for ``**fields`` an option for each of the act's fields.

    ``--by`` is optional for an approval, which is the operator's own by default; other acts require
    it.
    """
    *common, _ = inspect.signature(do, eval_str=True).parameters.values()
    if act.name != APPROVE:
        common = [
            parameter.replace(default=Parameter.empty) if parameter.name == "by" else parameter
            for parameter in common
        ]
    given = [*common, *(_option(field) for field in act.fields)]
    do.__signature__ = inspect.Signature(given)  # type: ignore[attr-defined]
    do.__doc__ = help_of(act)
    return do


def help_of(act: DeskAct) -> str:
    """A sentence that says what the act does."""
    does = act.words.does.replace("`", "")
    return f"{does[0].upper()}{does[1:]}."


def _option(field: ActField) -> Parameter:
    option = typer.Option(f"--{field.name}", help=f"{field.hint[0].upper()}{field.hint[1:]}.")
    default = Parameter.empty if field.is_needed else ""
    return Parameter(
        field.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[str, option]
    )
