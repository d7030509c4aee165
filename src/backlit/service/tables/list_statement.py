"""Pages of a list whose filter and order are SQL."""

from collections.abc import Sequence

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, RowMapping, Table, func, select

from backlit.model.filters import Filter, SortKey
from backlit.service.storage.filter_sql import Columns, condition, sort_columns


class ListStatement(Struct, frozen=True):
    """Selection and order of the rows of a table; `within` are those that the address and the caller's rights give."""

    table: Table
    columns: Columns
    within: tuple[ColumnElement[bool], ...]
    filter: Filter | None = None
    order: tuple[SortKey, ...] = ()
    usual_order: tuple[str, ...] = ()
    """Names of columns in front of the id, where no order is asked for."""

    def rows(self, connection: Connection, skip: int, top: int) -> Sequence[RowMapping]:
        usual = [] if self.order else [self.table.c[name] for name in self.usual_order]
        ordered = *usual, *sort_columns(self.order, self.columns)
        statement = select(self.table).where(*self._where()).order_by(*ordered)
        return connection.execute(statement.offset(skip).limit(top)).mappings().all()

    def count(self, connection: Connection) -> int:
        return connection.execute(select(func.count()).select_from(self.table).where(*self._where())).scalar_one()

    def _where(self) -> tuple[ColumnElement[bool], ...]:
        return self.within if self.filter is None else (*self.within, condition(self.filter, self.columns))
