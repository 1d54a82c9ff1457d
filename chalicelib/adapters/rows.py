"""Executors of the fact writer's actions, over any sink."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.actions import Action
from chalicelib.fact_actions import InsertDimension, PostFacts, ReplaceDimension
from chalicelib.fact_ports import Sink
from chalicelib.ports import Executor


def append(sink: Sink) -> Executor:
    """Performs `PostFacts` and `InsertDimension`."""

    def perform(actions: Sequence[Action], *, deadline_seconds: float) -> None:
        for action in actions:
            if not isinstance(action, PostFacts | InsertDimension):
                raise TypeError("only rows to be added belong here")
            sink.append(action.table, action.number, action.rows, deadline_seconds=deadline_seconds)

    return perform


def replace(sink: Sink) -> Executor:
    """Performs `ReplaceDimension`."""

    def perform(actions: Sequence[Action], *, deadline_seconds: float) -> None:
        for action in actions:
            if not isinstance(action, ReplaceDimension):
                raise TypeError("only tables to be replaced belong here")
            sink.replace(
                action.table, action.number, action.rows, deadline_seconds=deadline_seconds
            )

    return perform
