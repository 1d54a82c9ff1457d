"""Tables of the commands, as another program reads them."""

from ops.output import Output


def test_a_value_is_on_one_line_where_no_terminal_limits_it(capsys):
    values = [f"someone{number}@mail.example" for number in range(12)]
    Output().table(values, [values, ["x"] * 12])
    heads, line, _ = capsys.readouterr().out.splitlines()
    assert heads.split() == line.split() == values
