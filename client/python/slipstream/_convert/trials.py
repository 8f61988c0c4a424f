"""Trials, outcomes and source tasks."""

from __future__ import annotations

import shlex
from typing import Any, Dict, Mapping, Optional

from slipstream._convert.spaces import space_of
from slipstream._convert.studies import objective_of
from slipstream._convert.times import time_of
from slipstream._convert.values import Space, configuration_message, configuration_of, with_objects
from slipstream._wire import messages
from slipstream._wire.messages import Message
from slipstream.options import DEFAULT_ADDRESS
from slipstream.records import Explanation, SourceTask, TrialRecord

_LONGEST_REASON = 1024  # Bytes.
_PRIOR = "prior "  # With which the text of a recipe begins.


def _number_in(name: str) -> Optional[int]:
    """The number of the trial with this name; None without a name."""
    return int(name.rsplit("/", 1)[1]) if name else None


def labels_of(message: Message) -> Dict[str, str]:
    """The labels sorted by key; they arrive in no particular order."""
    return dict(sorted(message.labels.items()))


def trial_of(message: Message, space: Space, metric: str) -> TrialRecord:
    measured = message.measurement.metrics
    return TrialRecord(
        name=message.name,
        number=int(message.name.rsplit("/", 1)[1]),
        state=messages.enum_name("Trial.State", message.state).lower(),
        params=with_objects(configuration_of(message.configuration, space), space),
        value=measured.get(metric),
        reason=message.reason,
        worker=message.worker,
        host=message.worker_process.host,
        process_id=message.worker_process.process_id or None,
        candidate=message.candidate if message.HasField("candidate") else None,
        created=time_of(message, "create_time"),
        started=time_of(message, "start_time"),
        ended=time_of(message, "end_time"),
        lease_ends=time_of(message, "lease_end_time"),
        report_count=message.report_count,
        last_step=message.last_step if message.HasField("last_step") else None,
        last_value=message.last_value if message.HasField("last_value") else None,
        requeue_of=_number_in(message.requeue_of),
        requeued_as=_number_in(message.requeued_as),
        labels=labels_of(message),
        note=message.note,
    )


def _with_names(lengthscales: str, space: Space) -> str:
    """"lr=0.3 layers=1.2" for "0.3 1.2". One for all parameters stays a number."""
    parts = lengthscales.split(" ")
    if len(parts) != len(space):
        return lengthscales
    return " ".join(f"{name}={part}" for name, part in zip(space, parts))


def _without_prior(recipe: str) -> str:
    """What the recipe is in a study without source tasks, of which a prior is made."""
    prior, comma, rest = recipe.partition(",")
    name = prior[len(_PRIOR):]
    if not prior.startswith(_PRIOR) or name == "none":
        return recipe
    return f"{_PRIOR}none (the study has no source tasks, which {name} needs){comma}{rest}"


def explanation_of(
    number: int, message: Message, space: Space, has_sources: bool
) -> Optional[Explanation]:
    """What the server says of a trial's suggestion; None for a trial that was not suggested."""
    if not message.HasField("provenance"):
        return None
    provenance = message.provenance
    facts = {fact.name: getattr(fact, fact.WhichOneof("kind") or "text") for fact in provenance.facts}
    if "lengthscales" in facts:
        facts["lengthscales"] = _with_names(facts["lengthscales"], space)
    if "recipe" in facts and not has_sources:
        facts["recipe"] = _without_prior(facts["recipe"])
    return Explanation(
        trial=number,
        preset=provenance.preset,
        made_by=messages.enum_name("Provenance.Rung", provenance.rung).lower(),
        made_by_reason=provenance.rung_reason,
        last_trial_seen=provenance.last_trial_seen,
        sources={one.source_task: one.weight for one in provenance.sources},
        facts=facts,
        meanings=dict(sorted(message.fact_meanings.items())),
    )


def outcome_text(trial: TrialRecord) -> str:
    """How the trial has ended, as 'failed: "no memory"'."""
    value = "" if trial.value is None else f" with {trial.value!r}"
    reason = f': "{trial.reason}"' if trial.reason else ""
    return f"{trial.state}{value}{reason}"


def measurement_message(metric: str, value: float) -> Message:
    return messages.new("Measurement", metrics={metric: value})


def reason_text(reason: str) -> str:
    """The reason, cut to what the server takes, with its beginning and its end."""
    if not isinstance(reason, str):
        raise TypeError(f"the reason is {reason!r}, and must be a string, such as str(error)")
    encoded = reason.encode("utf-8", "replace")
    if len(encoded) <= _LONGEST_REASON:
        return encoded.decode("utf-8")
    half = _LONGEST_REASON // 2 - 4
    return " ... ".join(
        part.decode("utf-8", "ignore") for part in (encoded[:half], encoded[-half:])
    )


def outcome_message(
    kind: str, metric: str, value: Optional[float] = None, reason: str = ""
) -> Message:
    """An outcome: "measurement", "failure", "infeasibility" or "early_stop"."""
    outcome = messages.new("Outcome")
    if kind == "measurement":
        outcome.measurement.CopyFrom(measurement_message(metric, float(value or 0)))
        return outcome
    told = getattr(outcome, kind)
    told.SetInParent()
    told.reason = reason_text(reason)
    if kind == "early_stop" and value is not None:
        told.measurement.CopyFrom(measurement_message(metric, value))
    return outcome


def command_of(outcome: Message, trial: str, metric: str, address: str) -> str:
    """The command that records the outcome at the address."""
    kind = outcome.WhichOneof("kind")
    words = ["slipstream", *([] if address == DEFAULT_ADDRESS else ["--address", address])]
    words += ["observe", trial]
    if kind != "measurement":
        flag = {"failure": "--failed", "infeasibility": "--infeasible", "early_stop": "--stopped"}
        words += [flag[kind], getattr(outcome, kind).reason]
    measured = outcome.early_stop if kind == "early_stop" else outcome
    if metric in measured.measurement.metrics:
        words += ["--value", repr(measured.measurement.metrics[metric])]
    return " ".join(shlex.quote(word) for word in words)


def observation_message(
    row: Mapping[str, Any], space: Space, outcome: Optional[Message]
) -> Message:
    observation = messages.new("Observation", configuration=configuration_message(row, space))
    if outcome is not None:
        observation.outcome.CopyFrom(outcome)
    return observation


def source_task_of(message: Message) -> SourceTask:
    space = space_of(message.space)
    objective = objective_of(message.metrics[0])
    return SourceTask(
        name=message.name,
        title=message.display_name,
        version=message.version,
        space=space,
        objective=objective,
        observation_count=message.observation_count,
        measured_count=message.measured_count,
        study_count=message.study_count,
        labels=dict(message.labels),
        origin=message.origin,
        best_value=message.best.outcome.measurement.metrics.get(objective.metric),
        best_params=configuration_of(message.best.configuration, space),
        created=time_of(message, "create_time"),
    )
