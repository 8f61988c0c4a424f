"""Small HTML tables, which notebooks show."""

from __future__ import annotations

from html import escape
from typing import Any, Iterable, Mapping, Optional, Sequence

from slipstream.records import StudyDescription, TrialRecord, short_source_name

_MOST_ROWS = 50


def _cell(value: Any, tag: str = "td") -> str:
    if isinstance(value, float):
        value = f"{value:.6g}"
    return f"<{tag}>{escape('' if value is None else str(value))}</{tag}>"


def _row(cells: Iterable[Any], tag: str = "td") -> str:
    return "<tr>" + "".join(_cell(cell, tag) for cell in cells) + "</tr>"


def table_html(rows: Sequence[Mapping[str, Any]]) -> str:
    """The rows under their names, the last ones of many."""
    if not rows:
        return "<p>none</p>"
    shown = rows[-_MOST_ROWS:]
    note = f"<p>the last {len(shown)} of {len(rows)}</p>" if len(shown) < len(rows) else ""
    body = "".join(_row(row.values()) for row in shown)
    return f"{note}<table><thead>{_row(rows[0], 'th')}</thead><tbody>{body}</tbody></table>"


def study_html(study: StudyDescription, best: Optional[TrialRecord]) -> str:
    """What a study is and how it stands."""
    facts = [
        ("study", study.study_id),
        ("state", study.state),
        ("objective", study.objective),
        ("trials", f"{study.trial_count}, {study.succeeded_count} of them succeeded"),
        ("preset", study.preset),
        ("source tasks", ", ".join(short_source_name(name) for name in study.sources or ())),
        ("transfer", study.transfer),
        ("best", None if best is None else best.value),
    ]
    if best is not None:
        facts += [
            (f"best {name}", study.space[name].label_of(value)) for name, value in best.params.items()
        ]
    body = "".join(
        f"<tr><th>{escape(name)}</th>{_cell(value)}</tr>"
        for name, value in facts
        if value not in (None, "")
    )
    space = "".join(_row((name, repr(one))) for name, one in study.space.items())
    return (
        f"<table><tbody>{body}</tbody></table><table><thead>{_row(('parameter', 'domain'), 'th')}"
        f"</thead><tbody>{space}</tbody></table>"
    )
