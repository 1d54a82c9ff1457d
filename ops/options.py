"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated

import typer

from ops.stage import config

Stage = Annotated[
    str,
    typer.Option(
        "--stage",
        envvar="STAGE",
        help="dev, staging or prod.",
        autocompletion=lambda: list(config.stages()),
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do it, in prod as well, without asking.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Only show what would be done.")]
Rate = Annotated[float, typer.Option("--rate", min=0.1, help="At most this many a second.")]
Because = Annotated[str, typer.Option("--because", help="Why, for the journal; no personal data.")]
Reason = Annotated[
    str, typer.Option("--reason", "--because", help="Why, for the journal; no personal data.")
]
Limit = Annotated[int, typer.Option("--limit", min=1, help="At most this many.")]
