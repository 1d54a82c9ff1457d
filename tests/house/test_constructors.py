"""What is built of other parts is built of six at most, each by its name.

A part is a port, which is a `Protocol` with methods, or a class whose constructor takes a part.  So
records of data, models, enumerations, errors and callables are none.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[2]
MOST = 6
DATA = {"BaseModel", "Enum", "Exception", "NamedTuple", "StrEnum", "TypedDict"}


def classes_of(*sources):
    return {
        node.name: node
        for source in sources
        for node in ast.parse(source).body
        if isinstance(node, ast.ClassDef)
    }


def functions_of(*sources):
    return [
        node
        for source in sources
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]


def bases(node):
    return [ast.unparse(base).partition("[")[0].rpartition(".")[2] for base in node.bases]


def is_port(node):
    methods = [member.name for member in node.body if isinstance(member, ast.FunctionDef)]
    return "Protocol" in bases(node) and methods != ["__call__"]


def is_data(node):
    return any(base in DATA or base.endswith("Error") for base in bases(node))


def decorator(node):
    """A dataclass's decorator as it is written; empty for any other class."""
    written = [ast.unparse(decorator) for decorator in node.decorator_list]
    return next((text for text in written if "dataclass" in text), "")


def fields(node):
    for statement in node.body:
        is_field = isinstance(statement, ast.AnnAssign) and "ClassVar" not in ast.unparse(
            statement.annotation
        )
        if is_field and "init=False" not in ast.unparse(statement.value or ast.Constant(None)):
            yield statement.target.id, statement.annotation


def signature(function):
    """What can be given by position, and what only by its name: names and annotations."""
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    return (
        {
            argument.arg: argument.annotation
            for argument in positional
            if argument.arg not in ("self", "cls")
        },
        {kwonlyarg.arg: kwonlyarg.annotation for kwonlyarg in arguments.kwonlyargs},
    )


def constructor(node):
    """The signature of a class's own constructor; None where it has none of its own."""
    if written := decorator(node):
        given = dict(fields(node))
        return ({}, given) if "kw_only=True" in written else (given, {})
    own = [
        member
        for member in node.body
        if isinstance(member, ast.FunctionDef) and member.name == "__init__"
    ]
    return signature(own[0]) if own else None


def taken(signature, parts):
    """The parameters that are parts."""
    positional, named = signature
    return [
        name
        for name, annotation in {**positional, **named}.items()
        if annotation is not None
        and any(isinstance(part, ast.Name) and part.id in parts for part in ast.walk(annotation))
    ]


def parts_of(classes):
    """The ports, and what is built of them, of these, and so on."""
    found = {name for name, node in classes.items() if is_port(node)}
    while True:
        more = {
            name
            for name, node in classes.items()
            if name not in found
            and not is_data(node)
            and (
                taken(constructor(node) or ({}, {}), found)
                or found & set(bases(node)) - {"Protocol"}
            )
        }
        if not more:
            return found
        found |= more


def breaches(*sources):
    """Constructors and functions that take parts and break a rule: name and which."""
    classes = classes_of(*sources)
    parts = parts_of(classes)
    signatures = {
        name: constructor(node)
        for name, node in classes.items()
        if name in parts and not is_port(node) and not name.startswith("_")
    }
    builders = {function.name: signature(function) for function in functions_of(*sources)}
    for name, parameters in {**builders, **{k: v for k, v in signatures.items() if v}}.items():
        positional, named = parameters
        given = taken(parameters, parts)
        if given and len(positional) + len(named) > MOST:
            yield name, "more than six"
        if name in signatures and len(given) > 1 and positional:
            yield name, "by position"


def sources():
    return [
        path.read_text(encoding="utf-8") for path in sorted((ROOT / "chalicelib").rglob("*.py"))
    ]


def test_nothing_is_built_of_more_than_six_parts_or_of_several_without_their_names():
    assert not set(breaches(*sources()))


def test_the_check_sees_what_it_is_for():
    port = "class Clock(Protocol):\n    def now(self): ...\n"
    part = "class Rows:\n    def __init__(self, clock: Clock): ...\n"
    assert not list(breaches(port, part))
    pair = "class Pair:\n    def __init__(self, rows: Rows, clock: Clock): ...\n"
    assert list(breaches(port, part, pair)) == [("Pair", "by position")]
    record = (
        "@dataclass(frozen=True)\nclass Pair:\n    rows: Rows\n    clock: Clock | None = None\n"
    )
    assert list(breaches(port, part, record)) == [("Pair", "by position")]
    many = ", ".join(f"{letter}: Rows" for letter in "abcdefg")
    wide = f"class Wide:\n    def __init__(self, *, {many}): ...\n"
    assert list(breaches(port, part, wide)) == [("Wide", "more than six")]
    assert list(breaches(port, part, f"def wide({many}): ...\n")) == [("wide", "more than six")]
    data = "@dataclass\nclass Row:\n" + "".join(f"    {letter}: str\n" for letter in "abcdefg")
    assert not list(breaches(port, part, data))
