"""Builds the tables that a bundle holds ready (`chalicelib/ready.py`), from the bundle's own sources.

A separate process with a fixed hash seed builds them, so that the same sources give the same bytes.  The
process uses the packages of this machine, because those of the bundle are for Linux.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

BUILDERS = (
    "chalicelib.redaction.vocabulary.vocabulary",
    "chalicelib.support.conversation.conversation_words._questions",
    "chalicelib.support.conversation.conversation_words._requests",
    "chalicelib.support.conversation.conversation_words._subjects",
    "chalicelib.support.conversation.conversation_words._withdrawals",
    "chalicelib.support.intents.grammar.grammars",
    "chalicelib.support.intents.harmless._phrases",
    "chalicelib.support.intents.harmless._words",
    "chalicelib.support.intents.phrases.of_complaints",
    "chalicelib.support.intents.phrases.of_intents",
    "chalicelib.support.intents.phrases.of_risks",
    "chalicelib.support.intents.spelling._index",
    "chalicelib.support.intents.spelling._real",
    "chalicelib.vendors.machine_mail.words_of_machines",
)
"""Every builder that is marked `ready`."""
BUILD_SECONDS = 120
_PROGRAM = """
import importlib, pickle, sys
sys.path.insert(0, sys.argv[1])
from chalicelib.ready import FOLDER, name_of
FOLDER.mkdir()
for builder in sys.argv[2:]:
    module, _, name = builder.rpartition(".")
    build = getattr(importlib.import_module(module), name)
    (FOLDER / name_of(build)).write_bytes(pickle.dumps(build(), pickle.HIGHEST_PROTOCOL))
"""


def build(folder: Path) -> None:
    """Add the built tables to a folder with `chalicelib`.

    Raises:
        subprocess.CalledProcessError: a builder fails.
    """
    subprocess.run(  # noqa: S603 - the command is ours
        [sys.executable, "-B", "-c", _PROGRAM, str(folder), *BUILDERS],
        check=True,
        capture_output=True,
        timeout=BUILD_SECONDS,
        cwd=folder,
        env={"PATH": os.environ.get("PATH", ""), "PYTHONHASHSEED": "0"},
    )
