"""The list of prices, as it is shipped."""

from datetime import UTC, datetime

from chalicelib.outreach.spending.prices import FILE, LISTED, PriceLists
from chalicelib.tables import read


def test_every_price_is_positive_and_of_a_list_with_its_year_and_source():
    lists = read(FILE, PriceLists).lists
    assert lists
    for one in lists:
        assert one.source.startswith("https://")
        assert 2024 < one.year <= datetime.now(UTC).year
        assert one.models
        for name, price in one.models.items():
            assert 0 < price.input < price.output, name


def test_a_model_has_one_price():
    assert len(LISTED) == sum(len(one.models) for one in read(FILE, PriceLists).lists)
