"""The example of the pages that signs a request, as a company's engineer would paste it."""

import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace

PAGE = Path(__file__).parents[2] / "docs" / "outreach-signed-requests.md"


@cache
def _section():
    return PAGE.read_text().partition("## Signing requests\n")[2].partition("\n## ")[0]


def python_example(now=None):
    """The function `signed` of the page; `now` gives another time than this machine's."""
    (block,) = re.findall(r"```python\n(.*?)```", _section(), re.DOTALL)
    names = {}
    exec(compile(block, str(PAGE), "exec"), names)  # noqa: S102 - the page's own words
    if now is not None:
        names["time"] = SimpleNamespace(time=now)
    return names["signed"]


def shell_example():
    """The commands of the page that sign and post a body."""
    return next(
        block
        for block in re.findall(r"```sh\n(.*?)```", _section(), re.DOTALL)
        if "openssl dgst" in block
    )
