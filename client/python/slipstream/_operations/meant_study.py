"""The study that a call is about.

Another one may have its name after it was deleted. The time of its creation keeps what is done with
this one from that one: the server answers NOT_FOUND."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, Optional

from slipstream._convert.names import study_name
from slipstream._convert.times import timestamp_of
from slipstream.records import StudyDescription


@dataclass(frozen=True)
class MeantStudy:
    """A study by its full name; any study of the name where it is not known when it was created."""

    name: str
    created: Optional[datetime]

    def time_field(self) -> Dict[str, Any]:
        """The field of a request that tells the time."""
        return {"study_create_time": timestamp_of(self.created)}

    def fields(self) -> Dict[str, Any]:
        """The fields of a request that name the study."""
        return {"study": self.name, **self.time_field()}


def meant_study(description: StudyDescription) -> MeantStudy:
    """The study that was described so."""
    name = study_name(description.study_id, description.project).full
    return MeantStudy(name, description.created)
