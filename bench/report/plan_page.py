"""Writes the tables of `docs/capacity-plan.md`: `python -m bench.report.plan_page`."""

from __future__ import annotations

from bench.load import plan
from bench.load.assumptions import PER_MINUTE
from bench.report import marked
from ops.cost.bill import Gateway, Terms
from ops.cost.prices import per_million, unit_price

PAGE = marked.ROOT / "docs" / "capacity-plan.md"


def page() -> str:
    """The new text of the page."""
    text = PAGE.read_text()
    for mark, lines in (
        ("limits", _limits()),
        ("steps", _steps()),
        ("bill", _bill()),
        ("capacity", _capacity()),
    ):
        text = marked.replaced(
            text, f"<!-- {mark} -->", f"<!-- end of {mark} -->", ["", *lines, ""]
        )
    return text


def _limits() -> list[str]:
    rows = [
        (
            limit.what,
            _shown(limit.now),
            _shown(limit.most),
            _shown(limit.factor),
            limit.why,
            limit.then,
        )
        for limit in plan.limits()
    ]
    heads = ("what", "now", "at most", "times", "because", "before it is met")
    return marked.table(heads, rows)


def _shown(figure: float) -> str:
    return f"{figure:,.0f}" if figure >= 100 else f"{figure:.2g}"  # noqa: PLR2004 - two digits tell


def _steps() -> list[str]:
    rows, limits = [], plan.limits()
    for last, factor in zip(plan.FACTORS, plan.FACTORS[1:], strict=False):
        broken = [limit.what for limit in limits if last <= limit.factor < factor]
        events = sum(map(plan.at_noon, PER_MINUTE)) * factor
        rows.append((f"{factor:,}", f"{events:,.0f}", "; ".join(broken) or "nothing more"))
    return marked.table(
        ("times", "events a second at noon", "what breaks since the step before"), rows
    )


def _bill() -> list[str]:
    rows = []
    for factor in plan.FACTORS:
        totals = []
        for gateway in Gateway:
            by_lane = plan.dollars_a_month(factor, Terms(gateway))
            totals.append(f"{sum(by_lane.values()):,.0f}")
        lanes = plan.dollars_a_month(factor, Terms(Gateway.HTTP_API))
        rows.append((f"{factor:,}", *(f"{usd:,.0f}" for usd in lanes.values()), *reversed(totals)))
    return marked.table(("times", *PER_MINUTE, "all, HTTP API", "all, REST API"), rows)


def _capacity() -> list[str]:
    """When provisioned capacity is the cheaper one."""
    hour, million = unit_price("dynamodb_write_hour"), per_million("dynamodb_writes")
    line = (
        f"Provisioned capacity costs ${hour:g} for a write unit a second and hour, on-demand"
        f" ${million:g} for a million: it is cheaper where more than {plan.break_even():.1%} of what"
        " is provisioned is used, day and night; today's noon is 1.6 times the mean."
    )
    return [line]


if __name__ == "__main__":
    PAGE.write_text(page())
