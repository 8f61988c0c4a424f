"""Slipstream for Optuna: a sampler, for which existing scripts change one line.

>>> import optuna
>>> from slipstream.adapters.optuna import SlipstreamSampler
>>> def objective(trial):
...     return (trial.suggest_float("x", -5, 5) - 2) ** 2
>>> study = optuna.create_study(sampler=SlipstreamSampler())
>>> study.optimize(objective, n_trials=20)
>>> study.best_value < 0.5
True

Optuna's storage stays as it was. The sampler also keeps a Slipstream study, and reports every trial
to it, including those that had a value before and those that Optuna itself chose. Processes that
work on one Optuna study share the Slipstream study if they use the same server. If each process has
a server of its own, each reports the trials of all processes to its server."""

from __future__ import annotations

import difflib
import hashlib
import inspect
import math
import re
import threading
import uuid
import warnings
from collections import Counter
from contextlib import ExitStack
from typing import (
    Any,
    Collection,
    Dict,
    Iterable,
    Mapping,
    Optional,
    Sequence,
    Set,
    Tuple,
    TypeVar,
)

import optuna
from optuna.samplers import BaseSampler, RandomSampler
from optuna.trial import FrozenTrial, TrialState

import slipstream
from slipstream._operations.define_by_run import Asked, infer_space
from slipstream._operations.termination import termination
from slipstream.adapters._optuna_values import translate_all
from slipstream.adapters._servers import choose_server
from slipstream.parameters import Parameter, Value
from slipstream.study import Study
from slipstream.trial import Trial

OneKind = TypeVar("OneKind")

_METRIC = "value"  # Unless a parameter is called that.
_LONGEST_TITLE = 256  # Bytes, as the server has it.
_GIVEN = ("study_id", "space", "maximize", "minimize")  # By the sampler, from Optuna's study.
_TOLD = "slipstream:study"  # A trial's attribute: the identity of the study that was told of it.
_MARK = "optuna-mirror"  # A label of a mirror: a random text that no other study has.
# Only these trials have asked for all that their values make active: one that was pruned, or that
# failed, may have ended before.
_WHOLE = (TrialState.COMPLETE,)


def _asked(trial: FrozenTrial) -> Asked:
    translations = translate_all(trial.distributions)
    values = {name: one.from_optuna(trial.params[name]) for name, one in translations.items()}
    grids = {name: one.grid for name, one in translations.items() if one.grid is not None}
    return Asked({name: one.parameter for name, one in translations.items()}, values, grids)


def _only(of: Mapping[str, OneKind], names: Collection[str]) -> Dict[str, OneKind]:
    return {name: one for name, one in of.items() if name in names}


def _restricted(asked: Asked, names: Collection[str]) -> Asked:
    """What the trial has asked for of these parameters."""
    return Asked(_only(asked.space, names), _only(asked.values, names), _only(asked.grids, names))


def _study_id(study: optuna.Study, space: Mapping[str, Parameter]) -> str:
    """The same in all processes for the same study and space."""
    words = re.sub(r"[^a-z0-9]+", "-", study.study_name.lower()).strip("-")[:30].strip("-")
    digest = hashlib.sha256(f"{study.study_name}\n{sorted(space.items())!r}".encode()).hexdigest()
    return f"optuna-{words}-{digest[:10]}" if words else f"optuna-{digest[:10]}"


def _title(study: optuna.Study) -> str:
    """The study's name, cut to what a title may be."""
    return str(study.study_name.encode()[:_LONGEST_TITLE].decode(errors="ignore"))


def _metric(space: Mapping[str, Parameter]) -> str:
    """A name that no parameter has, the same in all processes for the same space."""
    name = _METRIC
    while name in space:
        name += "_"
    return name


class _Mirror:
    """The study of Slipstream's that has one space, with what Optuna's has in that space."""

    def __init__(self, study: Study, distributions: Mapping[str, Any]) -> None:
        self.study = study
        self.identity = _identity(study)
        self.distributions = dict(distributions)  # Only those of the space's parameters.
        self._lock = threading.Lock()
        self._told: Set[int] = set()  # Numbers of Optuna's trials.
        self._from_before = Counter(_outcome(one.params, one.value) for one in study.trials)

    def values_in(self, asked: Asked) -> Dict[str, Value]:
        """The values of those parameters that the space has."""
        return {name: one for name, one in asked.values.items() if name in self.distributions}

    def has_been_told(self, trial: FrozenTrial) -> bool:
        """Whether some process has told this very study the outcome of a suggestion."""
        return bool(trial.system_attrs.get(_TOLD) == self.identity)

    def tell_missing(self, finished: Iterable[Tuple[FrozenTrial, Asked]]) -> None:
        """Records the results that neither this process nor another one has told."""
        with self._lock:
            new = [(one, asked) for one, asked in finished if one.number not in self._told]
            self._told.update(trial.number for trial, _ in new)
            # Trials that were told come first: they account for the results from before.
            new.sort(key=lambda pair: not self.has_been_told(pair[0]))
            for trial, asked in new:
                if trial.state == TrialState.COMPLETE and math.isfinite(trial.value):
                    self._tell(trial, asked)

    def _tell(self, trial: FrozenTrial, asked: Asked) -> None:
        values = self.values_in(asked)
        outcome = _outcome(values, trial.value)
        if self._from_before[outcome]:
            self._from_before[outcome] -= 1
        elif not self.has_been_told(trial):
            # Other processes that record the same trial give it the same id.
            request_id = f"optuna-{self.study.id}-{trial.number}"
            self.study.record(values, trial.value, request_id=request_id)


def _identity(study: Study) -> str:
    """Names one study among all those with the same id, which every server may have. A study that
    was made before mirrors were marked has no more than its id."""
    mark = study.description.labels.get(_MARK)
    return f"{study.id} {mark}" if mark else study.id


def _outcome(values: Mapping[str, Any], value: Optional[float]) -> Tuple[Any, ...]:
    return (*sorted(values.items()), value)


def _check_settings(settings: Mapping[str, Any]) -> None:
    """TypeError for what create_or_load would refuse only when the study is made."""
    legal = [name for name in inspect.signature(slipstream.create_or_load).parameters
             if name not in _GIVEN]
    for name in settings:
        if name not in legal:
            near = difflib.get_close_matches(name, [*legal, "independent_sampler"], 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise TypeError(
                f"SlipstreamSampler got an unexpected keyword argument {name!r}{hint}"
            )


class SlipstreamSampler(BaseSampler):  # type: ignore[misc]
    """A sampler for Optuna's studies with one objective.

    The space is inferred from the trials so far. If some trials lack a parameter, it depends on
    another parameter, a choice or a whole number: it is active for the values with which it was
    asked for. Some parameters fit into no such space: those whose activity depends on two others or
    on a real number, those whose range changes from trial to trial, and those beyond the server's
    limits. They are left out with a warning: `independent_sampler` draws them from then on, and
    Slipstream goes on with the others.

    A trial whose value is NaN or infinite is infeasible, so that similar ones are avoided. A trial
    that ends with an exception has failed. As this may be chance, only configurations that fail
    again and again are avoided.

    `independent_sampler`: draws parameters that the space does not have, such as all of them in the
    first trial, when nothing is known yet; by default Optuna's RandomSampler with the same seed.
    `address`: of the server; else SLIPSTREAM_ADDRESS, else a server of this process' own that
    forgets all when it ends. `seed`: of every random choice; of several processes with different
    seeds, the first one's is that of the study on the server. `settings` are those of
    slipstream.create_or_load, such as exact=True, where a configuration always gives the same
    value, preset="scaml" and sources=[...], which may also be tables or finished studies of
    Slipstream."""

    def __init__(
        self,
        *,
        address: Optional[str] = None,
        seed: Optional[int] = None,
        independent_sampler: Optional[BaseSampler] = None,
        **settings: Any,
    ) -> None:
        _check_settings(settings)
        self._address = address
        self._seed = seed
        self._independent = independent_sampler or RandomSampler(seed=seed)
        self._settings = settings
        self._begin()

    def _begin(self) -> None:
        """Begins without what this process knows and holds."""
        self._lock = threading.RLock()
        self._mirrors: Dict[Tuple[str, Any], _Mirror] = {}  # By id and direction.
        self._current = threading.local()  # Its mirror is that of the trial that begins.
        self._left_out: Set[str] = set()  # Parameters of which a warning has told.
        # One sampler may serve several studies, whose trials have the same numbers and ids.
        self._asked: Dict[Tuple[int, Any], Asked] = {}  # By a finished trial's number and start.
        self._held: Dict[Tuple[str, int], Tuple[_Mirror, Trial]] = {}  # By study and number.
        termination.stand_by()  # With n_jobs Optuna's threads hold trials.

    def __getstate__(self) -> Dict[str, Any]:
        """A copy in another process, such as that of a pickled study, learns of the trials there."""
        names = ("_address", "_seed", "_independent", "_settings")
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: Dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._begin()

    def reseed_rng(self) -> None:
        self._independent.reseed_rng()

    def infer_relative_search_space(
        self, study: optuna.Study, trial: FrozenTrial
    ) -> Dict[str, Any]:
        finished = study.get_trials(deepcopy=False, states=_WHOLE)
        with self._lock:
            asked = [self._asked_by(one) for one in finished]
            space = self._infer_space(asked)
            if not space:
                return {}
            mirror = self._mirror_of(study, finished, space)
        mirror.tell_missing(zip(finished, asked))
        self._current.mirror = mirror
        return dict(mirror.distributions)  # Wrappers such as PartialFixedSampler change it.

    def sample_relative(
        self, study: optuna.Study, trial: FrozenTrial, search_space: Dict[str, Any]
    ) -> Dict[str, Any]:
        if not search_space:
            return {}
        mirror: _Mirror = self._current.mirror
        if not mirror.distributions.keys() <= search_space.keys():
            restricted = self._restricted_mirror(study, search_space)
            if restricted is None:
                return {}
            mirror = restricted
        held = mirror.study.suggest()
        held.__enter__()  # Renews the lease until the trial has its outcome.
        with self._lock:
            self._held[study.study_name, trial.number] = (mirror, held)
        translations = translate_all(mirror.distributions)
        return {name: translations[name].to_optuna(value) for name, value in held.items()}

    def sample_independent(
        self, study: optuna.Study, trial: FrozenTrial, name: str, distribution: Any
    ) -> Any:
        return self._independent.sample_independent(study, trial, name, distribution)

    def before_trial(self, study: optuna.Study, trial: FrozenTrial) -> None:
        if len(study.directions) != 1:  # A sampler meets its study here, and no earlier.
            study._storage.set_trial_state_values(trial._trial_id, TrialState.FAIL)
            raise ValueError(
                f"SlipstreamSampler takes one objective; study {study.study_name!r} has "
                f"{len(study.directions)}: let the objective return one number, or take one of "
                "Optuna's samplers"
            )
        self._independent.before_trial(study, trial)

    def after_trial(
        self,
        study: optuna.Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Optional[Sequence[float]],
    ) -> None:
        self._independent.after_trial(study, trial, state, values)
        with self._lock:
            mirror, held = self._held.pop((study.study_name, trial.number), (None, None))
        if mirror is None or held is None:
            return
        with ExitStack() as block:
            block.push(held)  # Which was entered when it was suggested.
            if state == TrialState.FAIL and _is_interrupted():
                held.release()
            elif _is_about(dict(held), mirror.values_in(_asked(trial)), state):
                _report(held, trial)
                _tell(held, state, values)
                study._storage.set_trial_system_attr(trial._trial_id, _TOLD, mirror.identity)
            else:
                # Values were fixed, or others asked for: it is told when all is known.
                held.release()

    def _asked_by(self, trial: FrozenTrial) -> Asked:
        key = (trial.number, trial.datetime_start)
        if key not in self._asked:
            self._asked[key] = _asked(trial)
        return self._asked[key]

    def _infer_space(self, asked: Sequence[Asked]) -> Mapping[str, Parameter]:
        """The space of these trials. Warns of each parameter that it leaves out, once."""
        inferred = infer_space(asked)
        for name, reason in inferred.left_out.items():
            if name not in self._left_out:
                self._left_out.add(name)
                warnings.warn(
                    f"SlipstreamSampler leaves parameter {name!r} to "
                    f"{type(self._independent).__name__} and goes on with the others: it {reason}",
                    stacklevel=3,
                )
        return inferred.space

    def _mirror_of(
        self,
        study: optuna.Study,
        finished: Sequence[FrozenTrial],
        space: Mapping[str, Parameter],
    ) -> _Mirror:
        """The mirror for the space that these trials have, made if that is new."""
        study_id = _study_id(study, space)
        key = (study_id, study.direction)
        if key not in self._mirrors:
            opened = self._open(study, study_id, space)
            self._mirrors[key] = _Mirror(opened, _distributions(finished, space))
        return self._mirrors[key]

    def _restricted_mirror(
        self, study: optuna.Study, names: Collection[str]
    ) -> Optional[_Mirror]:
        """The mirror that has only these parameters, as PartialFixedSampler fixes the others; None
        if none of them can be suggested. In one that had the others, no trial would be about the
        configuration that was suggested."""
        finished = study.get_trials(deepcopy=False, states=_WHOLE)
        with self._lock:
            asked = [_restricted(self._asked_by(one), names) for one in finished]
            space = self._infer_space(asked)
            if not space:
                return None
            mirror = self._mirror_of(study, finished, space)
        mirror.tell_missing(zip(finished, asked))
        return mirror

    def _open(self, study: optuna.Study, study_id: str, space: Mapping[str, Parameter]) -> Study:
        maximize = study.direction == optuna.study.StudyDirection.MAXIMIZE
        metric = _metric(space)
        settings = {"title": _title(study), **self._settings}
        settings["labels"] = {**(self._settings.get("labels") or {}), _MARK: uuid.uuid4().hex}

        def open_with(seed: Optional[int]) -> Study:
            return slipstream.create_or_load(
                study_id, space, maximize=metric if maximize else None,
                minimize=None if maximize else metric, seed=seed,
                address=choose_server(self._address), **settings,
            )

        try:
            return open_with(self._seed)
        except slipstream.StudyDiffers:
            # Optuna's users give each process another seed; the study has that of the first one.
            return open_with(None)


def _distributions(
    trials: Sequence[FrozenTrial], space: Mapping[str, Parameter]
) -> Dict[str, Any]:
    return {name: one for trial in trials for name, one in trial.distributions.items()
            if name in space and not one.single()}


def _is_about(held: Mapping[str, Any], asked: Mapping[str, Any], state: TrialState) -> bool:
    """Whether what came of a trial came of the configuration that is held. One that ended early
    need not have asked for all of it."""
    if state in _WHOLE:
        return held == asked
    return asked.items() <= held.items()


def _report(held: Trial, trial: FrozenTrial) -> None:
    """Tells what the trial has reported on its way."""
    values = {step: float(value) for step, value in trial.intermediate_values.items()
              if math.isfinite(value)}
    held._transport.run(held._report_all(values))


def _tell(held: Trial, state: TrialState, values: Optional[Sequence[float]]) -> None:
    if state == TrialState.COMPLETE and values is not None:
        if math.isfinite(values[0]):
            held.complete(values[0])
        else:
            held.infeasible(f"the value is {values[0]}")
    elif state == TrialState.PRUNED:
        finite = values is not None and math.isfinite(values[0])
        held.stop("pruned", values[0] if finite and values is not None else None)
    elif _is_about_nan():
        held.infeasible("the value is nan")
    else:
        held.fail(state.name.lower())


def _is_about_nan() -> bool:
    """Whether Optuna has been told NaN as the outcome of the trial that ends. It tells a sampler
    the same as after an exception, FAIL without values; only its own frame has what it was told."""
    told = _local_of("_tell_with_warning", "value_or_values")
    for value in told if isinstance(told, Sequence) else (told,):
        try:
            if math.isnan(value):
                return True
        except TypeError:  # It is no number at all, which is a mistake of the script.
            continue
    return False


def _is_interrupted() -> bool:
    """Whether Ctrl-C has ended the trial, or the process is to end, which says nothing about the
    configuration. Optuna tells a sampler the same as after an error."""
    return termination.under_way or isinstance(_local_of("_run_trial", "func_err"), KeyboardInterrupt)


def _local_of(function: str, name: str) -> Any:
    """The local variable of the function, one of Optuna's, that has led to this call; None if no such
    function has."""
    frame = inspect.currentframe()
    while frame is not None and frame.f_code.co_name != function:
        frame = frame.f_back
    return frame.f_locals.get(name) if frame is not None else None
