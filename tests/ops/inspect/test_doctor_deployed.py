"""`ops doctor` on a stage's own address."""

import re
import socket

from ops.inspect import doctor_deployed


def test_an_address_that_names_no_stage_is_said_with_what_was_answered_and_when():
    with socket.create_server(("127.0.0.1", 0)) as held:
        closed = f"http://127.0.0.1:{held.getsockname()[1]}"
    stage, said = doctor_deployed._stage_at(closed)
    assert stage == ""
    assert re.fullmatch(r"ConnectionError after \d+\.\d s", said)
