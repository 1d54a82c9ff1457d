"""Refuses every connection beyond this machine, in tests and in the Python processes they start.

`tests/conftest.py` installs it and puts this folder on ``PYTHONPATH``, where `sitecustomize`
installs it in every Python process that inherits the environment.
"""

import ipaddress
import socket

REFUSED = "tests talk to this machine only; refused:"


class NetworkRefusedError(RuntimeError):
    """Not an `OSError`: nothing that expects broken connections may take it for one."""


def install() -> None:
    """Guard this process; doing it twice changes nothing."""
    if getattr(socket, "_guarded", False):
        return
    socket._guarded = True  # type: ignore[attr-defined]
    for name in ("connect", "connect_ex"):
        setattr(socket.socket, name, _with_checked_address(getattr(socket.socket, name), 0))
    socket.socket.sendto = _with_checked_address(socket.socket.sendto, -1)  # type: ignore[method-assign]
    for name in ("getaddrinfo", "gethostbyname", "gethostbyname_ex"):
        setattr(socket, name, _with_checked_name(getattr(socket, name)))


def _with_checked_address(original, position):
    def guarded(self, *arguments):
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _check(arguments[position][0])
        return original(self, *arguments)

    return guarded


def _with_checked_name(original):
    def guarded(host, *arguments, **named):
        _check(host)
        return original(host, *arguments, **named)

    return guarded


def _check(host: object) -> None:
    name = host.decode() if isinstance(host, bytes) else host
    if name in (None, "", "localhost", "0.0.0.0", "::"):  # noqa: S104 - as a target it is this machine
        return
    try:
        if ipaddress.ip_address(str(name)).is_loopback:
            return
    except ValueError:
        pass
    raise NetworkRefusedError(f"{REFUSED} {name}")
