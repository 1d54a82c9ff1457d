"""The options of an act's command, as its row says them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from inspect import Parameter
from typing import Annotated

import typer

from chalicelib.outreach.desk.acts import APPROVE
from chalicelib.outreach.desk.row import ActField, DeskAct


def added(do: Callable[..., object], act: DeskAct) -> Callable[..., object]:
    """The function with an option for each of the act's fields in place of its ``**fields``, and help.

    An approval is the operator's own unless ``--by`` names a person; every other act has to name one.
    """
    *common, _ = inspect.signature(do, eval_str=True).parameters.values()
    if act.name != APPROVE:
        common = [
            one.replace(default=Parameter.empty) if one.name == "by" else one for one in common
        ]
    given = [*common, *(_option(one) for one in act.fields)]
    do.__signature__ = inspect.Signature(given)  # type: ignore[attr-defined]
    do.__doc__ = help_of(act)
    return do


def help_of(act: DeskAct) -> str:
    """What the act does, as a sentence."""
    does = act.words.does.replace("`", "")
    return f"{does[0].upper()}{does[1:]}."


def _option(one: ActField) -> Parameter:
    option = typer.Option(f"--{one.name}", help=f"{one.hint[0].upper()}{one.hint[1:]}.")
    default = Parameter.empty if one.is_needed else ""
    return Parameter(
        one.name, Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[str, option]
    )
