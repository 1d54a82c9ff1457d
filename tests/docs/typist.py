"""`python -m ops ...` as a shell reads it, run by one process of the outside tests' operator.

The shell splits the words, expands its variables and drops its comments; the command itself then
takes hundredths of a second, by the clock of the trial stack.
"""

from __future__ import annotations

import socketserver
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.outside.commands import Operator

_END = b"\0-- end --\0"
FUNCTION = """\
python() {{ local status; [ "$1 $2" = "-m ops" ] || {{ command python "$@"; return; }}; \
exec 3<>/dev/tcp/127.0.0.1/{port}; printf '%s\\0' "${{@:3}}" '-- end --' >&3; \
read -r status <&3; cat <&3; exec 3>&-; return "$status"; }}
"""


@contextmanager
def typist(operator: Operator, folder: Path) -> Iterator[str]:
    """Serves an operator; yields the line that makes a bash in this folder ask it."""

    class Asked(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            received = b""
            while not received.endswith(_END):
                received += self.request.recv(65_536)
            typed = received.removesuffix(_END).decode().split("\0")
            words = [str(folder / word) if (folder / word).is_file() else word for word in typed]
            ended = operator.types(*words, code=None, typed="y\n")
            self.wfile.write(f"{ended.code}\n{ended.out}{ended.err}".encode())

    with socketserver.TCPServer(("127.0.0.1", 0), Asked) as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        try:
            yield FUNCTION.format(port=server.server_address[1])
        finally:
            server.shutdown()
