"""Names of studies and source tasks, in full and as people write them."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import Optional

DEFAULT_PROJECT = "default"
_PREFIX = "projects/"
_VARIABLE = "SLIPSTREAM_PROJECT"  # Names the project where a call does not.
EVERY_PROJECT = "-"  # Where projects are listed.
_PROJECT = re.compile("[a-z]([a-z0-9-]*[a-z0-9])?")
# The server's own rule, which it does not tell where it is asked for a study by its name.
_STUDY_ID = re.compile("[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
_STUDY_ID_RULE = (
    "1 to 63 characters of a-z, 0-9 and '-', beginning with a letter and not ending with '-'"
)


def is_project_named(project: Optional[str]) -> bool:
    """Whether a call or the environment names one."""
    return project is not None or bool(os.environ.get(_VARIABLE))


def chosen_project(project: Optional[str]) -> str:
    """The project, or the environment's, or "default". The environment may also name it in full,
    "projects/vision", as for the command line."""
    called, given = "project", project
    if given is None:
        called, given = _VARIABLE, os.environ.get(_VARIABLE) or DEFAULT_PROJECT
        given = given[len(_PREFIX):] if given.startswith(_PREFIX) else given
    if not isinstance(given, str):
        raise TypeError(f"project={given!r} must be a string, such as 'vision'")
    if given != EVERY_PROJECT and not _PROJECT.fullmatch(given):
        raise ValueError(
            f"{called}={given!r} must be the name of a project, such as 'vision': a-z, 0-9 and '-', "
            "beginning with a letter and not ending with '-'"
        )
    return given


def parent_of(project: Optional[str]) -> str:
    """The name of a project on the server; that of the project "default" may be left out."""
    name = chosen_project(project)
    return "" if name == DEFAULT_PROJECT else f"projects/{name}"


def one_project(project: Optional[str]) -> str:
    """The chosen project. ValueError for all of them, where one is meant."""
    name = chosen_project(project)
    if name == EVERY_PROJECT:
        raise ValueError(
            "which project is meant? '-' stands for all of them: give project=, such as "
            "project='vision', or a full name"
        )
    return name


def project_of(name: str) -> str:
    """The project of a full name."""
    parts = name.split("/")
    return parts[1] if parts[0] == "projects" else DEFAULT_PROJECT


@dataclass(frozen=True)
class StudyName:
    """The name of a study."""

    project: str
    study_id: str

    @property
    def full(self) -> str:
        """As the server has it: "studies/digits", or "projects/vision/studies/digits"."""
        parent = parent_of(self.project)
        return f"{parent}/studies/{self.study_id}" if parent else f"studies/{self.study_id}"

    @property
    def short(self) -> str:
        """As people write it: "digits", or "projects/vision/studies/digits"."""
        return self.study_id if self.project == DEFAULT_PROJECT else self.full


def study_name(text: str, project: Optional[str] = None) -> StudyName:
    """The name that is written in full, or as the id of a study in the project."""
    if not isinstance(text, str):
        raise TypeError(f"{text!r} is not the id of a study, which is a string, such as 'digits'")
    parts = text.split("/")
    own = None
    if len(parts) == 4 and parts[0] == "projects" and parts[1] and parts[2] == "studies":
        own, parts = parts[1], parts[3:]
    elif len(parts) == 2 and parts[0] == "studies":
        own, parts = DEFAULT_PROJECT, parts[1:]
    if own is not None and project not in (None, own):
        raise ValueError(f"{text!r} is not in project {project!r}")
    if len(parts) != 1 or not parts[0]:
        raise ValueError(f"{text!r} is not the id of a study, such as 'digits'")
    if not _STUDY_ID.fullmatch(parts[0]):
        legal = re.sub("[^a-z0-9]+", "-", parts[0].lower()).strip("-")
        example = legal if _STUDY_ID.fullmatch(legal) else "digits"
        raise ValueError(
            f"{parts[0]!r} is not the id of a study, such as {example!r}: {_STUDY_ID_RULE}"
        )
    name = StudyName(chosen_project(own or project), parts[0])
    if name.project == EVERY_PROJECT:
        raise ValueError(
            f"which project is study {parts[0]!r} in? '-' stands for all; give project= or the full "
            f"name, such as 'projects/vision/studies/{parts[0]}'"
        )
    return name
