"""The guard refuses every connection off this machine, also in child processes."""

import socket
import subprocess
import sys

import netguard
import pytest
import requests


@pytest.mark.parametrize("address", ["192.0.2.1", "10.0.0.1", "2001:db8::1", "example.org"])
def test_a_public_address_is_refused(address):
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family) as sock, pytest.raises(netguard.NetworkRefusedError, match=address):
        sock.connect((address, 80))
    with socket.socket(family) as sock, pytest.raises(netguard.NetworkRefusedError):
        sock.connect_ex((address, 80))
    with pytest.raises(netguard.NetworkRefusedError):
        socket.create_connection((address, 80))


def test_a_datagram_to_a_public_address_is_refused():
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock,
        pytest.raises(netguard.NetworkRefusedError),
    ):
        sock.sendto(b"x", ("192.0.2.1", 53))


def test_an_http_client_does_not_treat_the_refusal_as_a_broken_connection():
    with pytest.raises(netguard.NetworkRefusedError):
        requests.get("http://example.org", timeout=1)


def test_connections_to_this_machine_are_allowed():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
        socket.create_connection(("localhost", server.getsockname()[1])).close()


def test_a_unix_socket_is_allowed():
    left, right = socket.socketpair(socket.AF_UNIX)
    with left, right:
        left.sendall(b"x")
        assert right.recv(1) == b"x"


def test_a_python_process_started_by_a_test_is_guarded_too():
    code = "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)"
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert ended.returncode == 1
    assert "NetworkRefusedError" in ended.stderr
