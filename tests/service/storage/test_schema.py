"""The service's tables as a start of either database loads them."""

from backlit.service.storage.columns import METADATA


def test_no_index_makes_sqlalchemy_load_the_dialect_of_the_other_database() -> None:
    indexes = [index for table in METADATA.tables.values() for index in table.indexes]

    assert indexes
    assert not [each.name for each in indexes if any(key.startswith("postgresql") for key in each.dialect_kwargs)]
