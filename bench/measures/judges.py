"""What the judges of sentences cost a function: bytes of the bundle, and processor time at its start.

    python -m bench.measures.judges [runs]

The bundle is compared with the commit before the judges were added.  A start is a new process that
imports the decision code and decides on two conversations, one plain question and one other message.  In
turns with it runs a start whose judges are replaced by constants, so that it reads no grammar and no model.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.measures import cold, conversations

FOLDER = "chalicelib/support/intents"
FIRST = f"{FOLDER}/sentence_model.py"
"""A module that was added together with the judges."""
LIMIT_BYTES = 12_000_000
RUNS = 12
_DATA = (".toml", ".bin")
_CONSTANTS = """
import types
from dataclasses import dataclass
judges = types.ModuleType("chalicelib.support.intents.sentences")
@dataclass
class Sentence:
    text: str
    kind: str
    judges: dict
def read_sentences(own):
    return (Sentence(own, "order_question" if "order" in own else "other", {}),)
vars(judges).update(Sentence=Sentence, read_sentences=read_sentences, ORDER_QUESTION="order_question",
    OTHER="other", explained=lambda found: float(all(sentence.kind != "other" for sentence in found)))
sys.modules[judges.__name__] = judges
"""
_START = """
import json, sys, time
{libraries}
{judges}
lines, began, spent = json.loads(sys.argv[1]), time.perf_counter(), time.process_time()
from chalicelib import support_settings
from chalicelib.support.configuration.applied import BUILT_IN
from ops.support.decide import TriedSettings
from ops.support.decide_lines import conversation
settings = TriedSettings.of(support_settings.load({{}}, "dev"), BUILT_IN)
found = [settings.decided(conversation(line))["decision"] for line in lines]
ended, used = time.perf_counter(), time.process_time()
assert found == ["answer", "person"], found
memory = next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]
print(ended - began, used - spent, memory, int("chalicelib.support.intents.grammar" in sys.modules))
"""


@dataclass(frozen=True, slots=True)
class Bundled:
    """Bytes of the folder with the judges.

    Attributes:
        data: bytes of tables and models.
        modules: bytes of code.
    """

    data: int
    modules: int

    @classmethod
    def of(cls, sizes: Mapping[str, int]) -> Bundled:
        """The bytes by kind, from the sizes of the files by name."""
        data = sum(size for name, size in sizes.items() if name.endswith(_DATA))
        return cls(data, sum(size for name, size in sizes.items() if name.endswith(".py")))


def before() -> Bundled:
    """The folder's bytes in the commit before the judges; needs the repository's history."""
    added = _git("log", "--diff-filter=A", "--reverse", "--format=%H", "--", FIRST).split()[0]
    listed = _git("ls-tree", "-r", "-l", f"{added}^", "--", FOLDER).splitlines()
    rows = [line.split(maxsplit=4) for line in listed]
    return Bundled.of({name: int(size) for _, _, _, size, name in rows})


def now() -> Bundled:
    """The folder's bytes in the working tree."""
    files = (cold.ROOT / FOLDER).iterdir()
    return Bundled.of({file.name: file.stat().st_size for file in files if file.is_file()})


def starts(runs: int) -> dict[str, list[float]]:
    """Processor seconds of each start, with the judges and without, by turns."""
    argument = json.dumps(_lines())
    found: dict[str, list[float]] = {"with": [], "without": []}
    for number in range(runs + 1):
        for name, judges in (("with", ""), ("without", _CONSTANTS)):
            code = _START.format(libraries=cold.LIBRARIES, judges=judges)
            _, seconds, _, has_grammar = cold.run(code, argument)
            assert has_grammar == (name == "with")
            if number:  # the first run compiles the bytecode
                found[name].append(seconds)
    return found


def _lines() -> list[str]:
    """Two conversations: one of the samples that is answered, and the same with another message."""
    wanted = next(row for row in conversations.expected(conversations.OPEN) if row.kind == "plain")
    file: Path = conversations.SAMPLES / conversations.OPEN / "items.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    given = next(row for row in map(json.loads, lines) if row["id"] == wanted.id)
    plain = json.dumps(given)
    given["messages"][-1]["text"] = "The lamp came with a broken shade."
    return [plain, json.dumps(given)]


def _git(*arguments: str) -> str:
    done = subprocess.run(  # noqa: S603 - git on our own files
        ["git", *arguments],  # noqa: S607 - git is found by the path
        cwd=cold.ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def main(arguments: Sequence[str]) -> int:
    """Print sizes and times; returns 1 where the bundle grew by more than its limit."""
    old, new = before(), now()
    grown = new.data + new.modules - old.data - old.modules
    print("bytes of the bundle             before        now")
    print(f"  tables and models      {old.data:13,} {new.data:10,}")
    print(f"  modules                {old.modules:13,} {new.modules:10,}")
    print(f"  grown by {grown:,}   limit {LIMIT_BYTES:,}")
    found = starts(int(arguments[0]) if arguments else RUNS)
    ours, beside = (statistics.median(found[name]) for name in ("with", "without"))
    print(f"first decisions of a process, processor seconds, median of {len(found['with'])} each")
    print(
        f"  with the judges        {ours:.3f} ({min(found['with']):.3f} to {max(found['with']):.3f})"
    )
    least, most = min(found["without"]), max(found["without"])
    print(f"  without them           {beside:.3f} ({least:.3f} to {most:.3f})")
    print(f"  ratio                  {ours / beside:.2f}, {ours - beside:.3f} more")
    return int(grown > LIMIT_BYTES)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
