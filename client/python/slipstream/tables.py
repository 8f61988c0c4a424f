"""Tables of observations and candidates, in whatever form they come: rows, or a data frame."""

from __future__ import annotations

import csv
import os
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Union

from slipstream.parameters import MOST_VALUES, Parameter, Value
from slipstream.scalars import plain

_WIDEST = 2**53  # The server's bound of an integer parameter.

Row = Mapping[str, Any]
# Rows as mappings, a frame of pandas or Polars, or a study of Optuna. A missing cell (absent, None
# or NaN) is a parameter that is not active in that row.
Table = Union[Iterable[Row], Any]


def is_missing(cell: Any) -> bool:
    """Whether there is no value: None, NaN and the like."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(cell, float) and cell != cell


def cell_of_text(text: str, parameter: Optional[Parameter]) -> Any:
    """A cell that is written as text, as the parameter's kind has it; that of an objective is a
    number."""
    if not text:
        return None
    if parameter is not None and parameter.kind == "choice":
        return text
    if parameter is not None and parameter.kind == "boolean":
        words = {"true": True, "1": True, "false": False, "0": False}
        return words.get(text.strip().lower(), text)
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _begins_like_formula(cell: str) -> bool:
    bare = cell.lstrip("'")
    return bare[:1] in ("=", "+", "-", "@", "\t", "\r") and not (bare == cell and _is_number(cell))


def _unguarded(cell: str) -> str:
    """The cell without the apostrophe that the command line puts before what a spreadsheet would take
    for a formula.

    >>> _unguarded("'-O2"), _unguarded("'quoted'"), _unguarded("-1")
    ('-O2', "'quoted'", '-1')
    """
    return cell[1:] if cell[:1] == "'" and _begins_like_formula(cell[1:]) else cell


def read_csv(
    path: "os.PathLike[str]", parameter_of: Callable[[str], Optional[Parameter]]
) -> List[Dict[str, Any]]:
    """The rows of a CSV file whose first line names the columns; an empty cell is missing.

    `parameter_of`: the parameter whose values a column has, if it is known. ValueError with the
    path for what is no such file."""
    try:
        return _read_csv(path, parameter_of)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(f"{os.fspath(path)} is not a CSV file in UTF-8: {error}") from None


def _read_csv(
    path: "os.PathLike[str]", parameter_of: Callable[[str], Optional[Parameter]]
) -> List[Dict[str, Any]]:
    rows = []
    with open(path, encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file)
        columns = [_unguarded(name) for name in next(reader, [])]
        if columns and columns[0].lstrip()[:1] in ("[", "{"):
            raise ValueError(
                f"{os.fspath(path)} looks like JSON, and a path names a CSV file: give the list that "
                "json.load returns"
            )
        if len(columns) == 1 and any(mark in columns[0] for mark in ";\t|"):
            raise ValueError(
                f"{os.fspath(path)}: the first line, {columns[0]!r}, has no comma, which separates "
                "columns: read the file with pandas.read_csv(..., sep=...) and give the frame"
            )
        for name in columns:
            if columns.count(name) > 1:
                raise ValueError(f"{os.fspath(path)}: the column {name} appears twice")
        for number, cells in enumerate(filter(None, reader), start=1):
            if len(cells) != len(columns):
                raise ValueError(
                    f"{os.fspath(path)}, row {number}: {len(cells)} cells for {len(columns)} columns")
            rows.append({
                name: cell_of_text(_unguarded(text), parameter_of(name))
                for name, text in zip(columns, cells)
            })
    return rows


def is_table(thing: Any) -> bool:
    """Whether it may be a table or the path of one."""
    if isinstance(thing, Mapping):
        return False
    is_frame = hasattr(thing, "columns") and hasattr(thing, "to_dict")
    is_other = any(hasattr(thing, one) for one in ("trials_dataframe", "to_dicts"))
    return is_frame or is_other or isinstance(thing, (os.PathLike, Iterable))


def records_of(table: Table) -> List[Row]:
    """The rows with all of their cells."""
    if isinstance(table, (str, os.PathLike)):
        raise TypeError(
            f"{table!r} is a string or a path, not a table: read the file first, for example with "
            "pandas.read_csv"
        )
    if hasattr(table, "trials_dataframe"):  # A study of Optuna.
        table = table.trials_dataframe()
    if hasattr(table, "to_dicts"):  # Polars.
        table = table.to_dicts()
    elif hasattr(table, "columns") and hasattr(table, "to_dict"):  # pandas.
        table = table.to_dict("records")
    records = list(table)
    for number, record in enumerate(records, start=1):
        if not isinstance(record, Mapping):
            raise TypeError(
                f"row {number} is {record!r}, but a table is a data frame or an iterable of "
                "mappings, such as [{'lr': 0.1, 'accuracy': 0.9}]"
            )
    return records


def rows_of(table: Table) -> List[Dict[str, Any]]:
    """The rows without missing cells.

    >>> rows_of([{"lr": 0.1, "degree": None}, {"lr": 0.2, "degree": 3}])
    [{'lr': 0.1}, {'lr': 0.2, 'degree': 3}]
    """
    rows = []
    for record in records_of(table):
        cells = {name: plain(cell) for name, cell in record.items()}
        rows.append({name: cell for name, cell in cells.items() if not is_missing(cell)})
    return rows


def _column_parameter(name: str, cells: List[Value]) -> Parameter:
    kinds = {"choice" if isinstance(cell, str) else type(cell).__name__ for cell in cells}
    if kinds == {"choice"}:
        return Parameter("choice", values=tuple(dict.fromkeys(cells)))
    if kinds == {"bool"}:
        return Parameter("boolean")
    if kinds <= {"int", "float"}:
        return _numbers_parameter(sorted(set(cells)))
    if len(kinds) == 1:
        raise TypeError(
            f"column {name!r} has cells of type {kinds.pop()}, such as {cells[0]!r}, but "
            "parameters are numbers, words or booleans: convert the column (timestamps to seconds, "
            "for example) or leave it out"
        )
    raise TypeError(f"column {name!r} has cells of several kinds: {', '.join(sorted(kinds))}")


def _numbers_parameter(numbers: List[Any]) -> Parameter:
    """The numbers that occur or, if these are too many, the range that has them all."""
    if len(numbers) <= MOST_VALUES:
        return Parameter("discrete", values=tuple(numbers))
    low, high = numbers[0], numbers[-1]
    if all(isinstance(number, int) for number in numbers) and high - low < _WIDEST:
        return Parameter("integer", low, high)
    return Parameter("real", float(low), float(high))


def infer_space(rows: List[Dict[str, Any]]) -> Dict[str, Parameter]:
    """The space of a list of candidates: words, true or false, or the numbers that occur, of which
    more than a thousand are a range.

    >>> infer_space([{"solvent": "water", "celsius": 20}, {"solvent": "ether", "celsius": 5}])
    {'solvent': choice('water', 'ether'), 'celsius': discrete(5, 20)}
    """
    names = list(dict.fromkeys(name for row in rows for name in row))
    for number, row in enumerate(rows, start=1):
        missing = [name for name in names if name not in row]
        if missing:
            raise ValueError(
                f"candidate {number} has no {missing[0]!r}: give the space too, where when= says "
                "which parameters a candidate may lack"
            )
    return {name: _column_parameter(name, [row[name] for row in rows]) for name in names}
