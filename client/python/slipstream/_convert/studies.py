"""Studies."""

from __future__ import annotations

import math
from typing import Dict, Mapping, Optional, Union

from slipstream._convert.names import project_of
from slipstream._convert.spaces import candidates_of, space_message, space_of
from slipstream._convert.times import time_of
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.records import Objective, StartComparison, StudyDescription, TransferSummary
from slipstream.scalars import plain

_AXES = ("prior", "calibration", "acquisition", "initial", "exploration")


def metric_message(objective: Objective) -> Message:
    goal = messages.enum_value("Metric.Goal", "MAXIMIZE" if objective.maximize else "MINIMIZE")
    noise = messages.enum_value("Metric.Noise", "EXACT") if objective.exact else 0
    return messages.new("Metric", name=objective.metric, goal=goal, noise=noise)


def objective_of(message: Message) -> Objective:
    return Objective(
        message.name,
        maximize=messages.enum_name("Metric.Goal", message.goal) == "MAXIMIZE",
        exact=messages.enum_name("Metric.Noise", message.noise) == "EXACT",
    )


def _fill_recipe(recipe: Message, asked: Mapping[str, Union[str, float]]) -> None:
    for name, given in asked.items():
        value = plain(given)
        if name in _AXES:
            if not isinstance(value, str):
                raise TypeError(f"recipe[{name!r}] is {value!r}, but must be an ingredient's name")
            setattr(recipe, name, value)
        elif not isinstance(value, (bool, int, float)):
            raise TypeError(
                f"recipe[{name!r}] is {value!r}, but an option must be a number, and the "
                f"ingredients are {', '.join(_AXES)}"
            )
        else:
            recipe.options[name] = value


def _fill_stopping_options(stopping: Message, asked: Mapping[str, float]) -> None:
    for name, given in asked.items():
        value = plain(given)
        if not isinstance(value, (bool, int, float)):
            raise TypeError(f"stopping_options[{name!r}] is {given!r}, but must be a number")
        stopping.options[name] = value


def recipe_of(recipe: Message) -> Dict[str, Union[str, float]]:
    """The ingredients by axis, and the options."""
    chosen: Dict[str, Union[str, float]] = {
        axis: getattr(recipe, axis) for axis in _AXES if getattr(recipe, axis)
    }
    chosen.update(sorted(recipe.options.items()))
    return chosen


def fill_lease(policy: Message, asked: StudyDescription) -> None:
    """Gives the policy what is asked for."""
    if asked.lease is not None:
        policy.duration.SetInParent()
        if math.isfinite(asked.lease):
            seconds, milliseconds = divmod(round(asked.lease * 1000), 1000)
            policy.duration.seconds, policy.duration.nanos = seconds, milliseconds * 1_000_000
    if asked.requeues is not None:
        policy.max_requeues = asked.requeues


def study_message(asked: StudyDescription) -> Message:
    """The study to create."""
    study = messages.new(
        "Study",
        display_name=asked.title,
        space=space_message(asked.space, asked.candidates, asked.allow_repeats),
        metrics=[metric_message(asked.objective)],
        source_tasks=asked.sources or (),
        labels=dict(asked.labels),
    )
    if asked.preset is not None:
        study.algorithm.preset = asked.preset
    if asked.recipe:
        _fill_recipe(study.algorithm.recipe, asked.recipe)
    if asked.seed is not None:
        study.seed = asked.seed
    if asked.stopping is not None:
        study.early_stopping.rule = asked.stopping
        _fill_stopping_options(study.early_stopping, asked.stopping_options or {})
    fill_lease(study.lease_policy, asked)
    return study


def _transfer_of(study: Message) -> Optional[TransferSummary]:
    """What the server says of the source tasks, also why they were not used; None if nothing."""
    if not study.HasField("transfer"):
        return None
    summary = study.transfer
    return TransferSummary(
        state=messages.enum_name("TransferSummary.State", summary.state).lower(),
        share=summary.share,
        results=summary.results,
        gain=summary.gain,
        gain_interval=(summary.gain_low, summary.gain_high),
        sources={one.source_task: one.weight for one in summary.sources},
        shares={one.trial: one.share for one in summary.shares},
        unused_because=summary.unused_because,
        start=_start_of(summary.start) if summary.HasField("start") else None,
        reversed=summary.reversed,
    )


def _start_of(start: Message) -> StartComparison:
    return StartComparison(start.trials, start.better, start.worse)


def study_of(message: Message) -> StudyDescription:
    """The study as it exists."""
    space = space_of(message.space)
    lease = message.lease_policy.duration.seconds + message.lease_policy.duration.nanos / 1e9
    return StudyDescription(
        study_id=message.name.rsplit("/", 1)[1],
        project=project_of(message.name),
        space=space,
        objective=objective_of(message.metrics[0]),
        candidates=candidates_of(message.space, space),
        allow_repeats=message.space.candidates.allow_repeats,
        sources=tuple(message.source_tasks),
        preset=message.algorithm.preset,
        recipe=recipe_of(message.algorithm.recipe),
        seed=message.seed,
        stopping=message.early_stopping.rule or "none",
        stopping_options=dict(message.early_stopping.options),
        lease=round(lease, 3) or math.inf,
        requeues=message.lease_policy.max_requeues,
        title=message.display_name,
        labels=dict(message.labels),
        created=time_of(message, "create_time"),
        state=messages.enum_name("Study.State", message.state).lower(),
        trial_count=message.trial_count,
        succeeded_count=message.succeeded_trial_count,
        transfer=_transfer_of(message),
    )
