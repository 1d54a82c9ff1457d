"""Parts by kind: each is built, or its system loaded, when its kind first occurs."""

from chalicelib.once.lazy import Lazy, part_makers


def test_lazy_parts_are_built_once_on_first_use():
    built = []

    def factory(name):
        return lambda: (built.append(name), name.upper())[1]

    lazy = Lazy({"a": factory("a"), "b": factory("b")})

    assert (list(lazy), len(lazy), "a" in lazy, "c" in lazy) == (["a", "b"], 2, True, False)
    assert lazy.get("c") is None
    assert built == []
    assert (lazy["b"], lazy.get("b"), built) == ("B", "B", ["b"])
    assert dict(lazy) == {"a": "A", "b": "B"}
    assert built == ["b", "a"]


def test_a_late_system_is_loaded_by_its_first_kind_and_asked_for_each():
    loaded = []

    def system():
        loaded.append("now")
        return {"a": "A", "b": "B"}

    lazy = Lazy(part_makers(["a", "b"], system))

    assert (set(lazy), loaded) == ({"a", "b"}, [])
    assert (lazy["b"], lazy["b"], loaded) == ("B", "B", ["now"])
    assert (lazy["a"], loaded) == ("A", ["now", "now"])
