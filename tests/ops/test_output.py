"""Tables of the commands, as another program reads them."""

from ops.output import Output


def test_a_value_is_on_one_line_where_no_terminal_limits_it(capsys):
    values = [f"someone{number}@mail.example" for number in range(12)]
    Output().table(values, [values, ["x"] * 12])
    heads, line, _ = capsys.readouterr().out.splitlines()
    assert heads.split() == line.split() == values


def test_a_folded_column_has_at_most_sixty_characters_a_line_and_keeps_every_word(capsys):
    said = " ".join(f"word{number}" for number in range(40))
    Output().records(("key", "saw"), [{"key": "k", "saw": said}], folded=("saw",))
    lines = capsys.readouterr().out.splitlines()
    assert max(len(line.rstrip()) for line in lines) <= len("key") + 1 + 60
    assert " ".join(lines).split()[2:] == ["k", *said.split()]
