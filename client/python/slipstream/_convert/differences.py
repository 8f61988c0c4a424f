"""What differs between a study that exists and what is asked for."""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Mapping, Sequence

from slipstream.parameters import Parameter
from slipstream.records import StudyDescription, duration_text

_CHANGEABLE = ("lease", "requeues")  # By Study.change.
_METHODS = ("preset", "recipe", "stopping", "stopping_options")  # Which another study may have.
_SETTINGS = (*_METHODS, "seed", *_CHANGEABLE)


def _of_spaces(
    asked: Mapping[str, Parameter], existing: Mapping[str, Parameter]
) -> Iterator[str]:
    for name, parameter in asked.items():
        if name not in existing:
            yield f"parameter {name!r}: asked for {parameter!r}, the study has none of that name"
        elif parameter != existing[name]:
            yield f"parameter {name!r}: asked for {parameter!r}, the study has {existing[name]!r}"
    for name, parameter in existing.items():
        if name not in asked:
            yield f"parameter {name!r}: not asked for, the study has {parameter!r}"


def _of_candidates(
    asked: Sequence[Dict[str, Any]], existing: Sequence[Dict[str, Any]]
) -> Iterator[str]:
    if len(asked) != len(existing):
        yield f"candidates: asked for {len(asked) or 'no list'}, the study has " + (
            f"{len(existing) or 'no list'}"
        )
        return
    for index, (wanted, there) in enumerate(zip(asked, existing)):
        if wanted != there:
            yield f"candidate {index}: asked for {wanted}, the study has {there}"
            return


def _of_sources(
    asked: Sequence[str], existing: Sequence[str], made_of: Mapping[str, str]
) -> Iterator[str]:
    for name in sorted(set(asked) - set(existing)):
        if name in made_of:
            yield (
                f"source study {made_of[name]!r}: asked for, the study uses no source task that was "
                "made of it"
            )
        else:
            yield f"source task {name}: asked for, the study does not use it"
    for name in sorted(set(existing) - set(asked)):
        yield f"source task {name}: not asked for, the study uses it"


def differences(
    asked: StudyDescription, existing: StudyDescription, made_of: Mapping[str, str]
) -> List[str]:
    """A line for each difference; none if the study is what is asked for.

    `made_of`: the studies that source tasks were made of just now, by the names of these.
    Settings that were not asked for may be anything, and so may the title and the labels."""
    found = list(_of_spaces(asked.space, existing.space))
    found += _of_candidates(asked.candidates, existing.candidates)
    if asked.candidates and asked.allow_repeats != existing.allow_repeats:
        found.append(f"allow_repeats: asked for {asked.allow_repeats}, the study has the opposite")
    if asked.objective != existing.objective:
        found.append(f"objective: asked to {asked.objective}, the study is to {existing.objective}")
    if asked.sources is not None:
        found += _of_sources(asked.sources, existing.sources or (), made_of)
    for setting in _SETTINGS:
        if _differs(setting, asked, existing):
            wanted, there = getattr(asked, setting), getattr(existing, setting)
            found.append(
                f"{setting}: asked for {_shown(setting, wanted)}, the study has "
                f"{_shown(setting, there)}"
            )
    return found


def _shown(setting: str, value: Any) -> str:
    return duration_text(value) if setting == "lease" else repr(value)


def _differs(setting: str, asked: StudyDescription, existing: StudyDescription) -> bool:
    wanted = getattr(asked, setting)
    return wanted is not None and wanted != getattr(existing, setting)


def remedies(asked: StudyDescription, existing: StudyDescription, name: str) -> str:
    """What to do about differences from the study of this name."""
    load = f"slipstream.load({name!r})"
    text = f"Use it unchanged with {load}, or choose another id."
    methods = [f"{one}=" for one in _METHODS if _differs(one, asked, existing)]
    if methods or dict(asked.space) != dict(existing.space):
        text += f" With sources=[{name!r}] the study with that id learns from the results of this one."
    if methods:
        text += f" What it has stays: create_or_load without {', '.join(methods)} goes on with it."
    changeable = [f"{one}=..." for one in _CHANGEABLE if _differs(one, asked, existing)]
    if changeable:
        text += f" {load}.change({', '.join(changeable)}) changes what this one has."
    return text
