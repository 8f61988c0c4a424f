"""Slipstream for Hydra: `--multirun` with `hydra/sweeper=slipstream`.

    python train.py --multirun hydra/sweeper=slipstream hydra.sweeper.n_trials=30 \\
        'lr=tag(log, interval(1e-5, 1))' 'layers=range(1, 9)' 'kernel=choice(rbf, poly)'

The program's function returns the value of the metric. A value that is NaN or infinite makes the
trial infeasible. Parameters are given as `choice`, `range` or `interval`; an interval is
logarithmic with the tag "log", and has whole numbers in `int(interval(1, 8))`. Hydra finds the
sweeper in the folder hydra_plugins."""

from __future__ import annotations

import logging
import math
import uuid
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple

from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import IntervalSweep, Override, RangeSweep
from hydra.core.plugins import Plugins
from hydra.core.utils import JobReturn
from hydra.errors import HydraException
from hydra.plugins.sweeper import Sweeper
from hydra.types import HydraContext, TaskFunction
from omegaconf import DictConfig, OmegaConf

import slipstream
from slipstream._convert.words import words_of
from slipstream.adapters._servers import choose_server
from slipstream.parameters import Parameter, Value, choice, discrete, integer, log, real
from slipstream.scalars import plain
from slipstream.study import Study
from slipstream.trial import Trial

_log = logging.getLogger(__name__)
# A parameter, and the text of an override for a value of it.
Swept = Tuple[Parameter, Callable[[Value], str]]


@dataclass
class SlipstreamSweeperConf:
    """The settings below hydra.sweeper."""

    _target_: str = "hydra_plugins.slipstream_sweeper.sweeper.SlipstreamSweeper"
    direction: str = "minimize"  # Or "maximize".
    metric: str = "value"  # What the program's function returns.
    n_trials: int = 20
    n_jobs: int = 1  # How many are launched at a time.
    keep_going: bool = False  # Whether to go on after a job that failed.
    study_id: Optional[str] = None  # An existing study's, or a new one's.
    seed: Optional[int] = None
    address: Optional[str] = None  # Else SLIPSTREAM_ADDRESS, else a server of the sweep's own.
    params: Dict[str, str] = field(default_factory=dict)  # Sweeps, such as lr: interval(0, 1).
    settings: Dict[str, Any] = field(default_factory=dict)  # For slipstream.create_or_load.


def _range_of(sweep: RangeSweep) -> Swept:
    values = list(sweep.range())
    if not values:
        raise ValueError("the range is empty")
    if all(isinstance(value, int) for value in values):
        if len(values) == abs(values[-1] - values[0]) + 1:
            return integer(min(values), max(values)), str
        return discrete(*sorted(values)), lambda value: str(int(value))
    return discrete(*sorted(values)), repr


def _interval_of(sweep: IntervalSweep) -> Swept:
    scale = "log" if "log" in sweep.tags else "linear"
    if isinstance(sweep.start, int) and isinstance(sweep.end, int):
        return integer(sweep.start, sweep.end, scale=scale), str
    make = log if scale == "log" else real
    return make(float(sweep.start), float(sweep.end)), repr


def _swept(override: Override) -> Swept:
    """The parameter that an override sweeps over."""
    sweep = override.value()
    if isinstance(sweep, IntervalSweep):
        return _interval_of(sweep)
    if isinstance(sweep, RangeSweep):
        return _range_of(sweep)
    texts = list(override.sweep_string_iterator())
    words = words_of(texts)
    return choice(*words), lambda value: texts[words.index(str(value))]


class SuggestingSweeper(Sweeper):  # type: ignore[misc]
    """Launches jobs with Slipstream's suggestions, and reports what the jobs return."""

    def __init__(self, **settings: Any) -> None:
        self._given = OmegaConf.structured(SlipstreamSweeperConf(**settings))

    def setup(
        self, *, hydra_context: HydraContext, task_function: TaskFunction, config: DictConfig
    ) -> None:
        self.hydra_context = hydra_context
        self.config = config
        self._launcher = Plugins.instance().instantiate_launcher(
            hydra_context=hydra_context, task_function=task_function, config=config
        )

    def sweep(self, arguments: List[str]) -> None:
        if self._given.n_jobs < 1:
            raise HydraException(f"hydra.sweeper.n_jobs is {self._given.n_jobs}, must be at least 1")
        swept, fixed = self._parse(arguments)
        folder = Path(self.config.hydra.sweep.dir)
        folder.mkdir(parents=True, exist_ok=True)
        OmegaConf.save(self.config, folder / "multirun.yaml")
        study = self._open({name: parameter for name, (parameter, _) in swept.items()})
        _log.info("study %s", study.id)
        done = 0
        while done < self._given.n_trials:
            count = min(self._given.n_jobs, self._given.n_trials - done)
            launched = self._launch(study, count, done, swept, fixed)
            if launched == 0:
                break  # Every configuration has been tried.
            done += launched
        self._save_best(study, swept, folder)

    def _parser(self) -> OverridesParser:
        return OverridesParser.create(config_loader=self.hydra_context.config_loader)

    def _parse(self, arguments: List[str]) -> Tuple[Dict[str, Swept], List[str]]:
        """What is swept over, and the overrides that all jobs have."""
        given = [f"{name}={text}" for name, text in self._given.params.items()]
        swept: Dict[str, Swept] = {}
        fixed: Dict[str, str] = {}
        for override in self._parser().parse_overrides([*given, *arguments]):
            key = override.get_key_element()
            swept.pop(key, None)  # The command line wins.
            fixed.pop(key, None)
            if override.is_sweep_override():
                try:
                    swept[key] = _swept(override)
                except (TypeError, ValueError) as error:
                    raise HydraException(f"{override.input_line}: {error}") from None
            else:
                fixed[key] = f"{key}={override.get_value_element_as_str()}"
        if not swept:
            raise HydraException("nothing is swept over; give for example lr=interval(0.1, 1)")
        return swept, list(fixed.values())

    def _open(self, space: Mapping[str, Parameter]) -> Study:
        given = self._given
        if given.direction not in ("minimize", "maximize"):
            raise HydraException(
                f"hydra.sweeper.direction is {given.direction}, must be minimize or maximize"
            )
        return slipstream.create_or_load(
            given.study_id or f"sweep-{uuid.uuid4().hex[:16]}", space, seed=given.seed,
            address=choose_server(given.address), **{given.direction: given.metric},
            **OmegaConf.to_container(given.settings),
        )

    def _launch(
        self,
        study: Study,
        count: int,
        first: int,
        swept: Mapping[str, Swept],
        fixed: Sequence[str],
    ) -> int:
        """Launches a batch of jobs, at most `count`; how many."""
        try:
            trials = study.suggest(count)
        except slipstream.CandidatesExhausted:
            return 0
        with ExitStack() as held:  # An exception fails the trials.
            for trial in trials:
                held.enter_context(trial)
            batch = [[*fixed, *_overrides(trial, swept)] for trial in trials]
            self.validate_batch_is_legal(batch)
            returned = self._launcher.launch(batch, initial_job_idx=first)
            failures = [_tell(trial, job) for trial, job in zip(trials, returned)]
        for failure in failures:
            if failure is not None and not self._given.keep_going:
                raise failure
        return len(trials)

    def _save_best(self, study: Study, swept: Mapping[str, Swept], folder: Path) -> None:
        best = study.best
        if best is None:
            _log.warning("no job has succeeded")
            return
        overrides = _overrides(best, swept)
        _log.info("best %s: %g with %s", study.objective.metric, best.value, " ".join(overrides))
        # As Hydra reads them, and not the texts that the choices of the study are among.
        params = {one.get_key_element(): one.value() for one in self._parser().parse_overrides(overrides)}
        results = {"name": "slipstream", "study": study.id, "best_value": best.value,
                   "best_evaluated_params": params}
        OmegaConf.save(OmegaConf.create(results), folder / "optimization_results.yaml")


def _overrides(values: Mapping[str, Value], swept: Mapping[str, Swept]) -> List[str]:
    return [f"{name}={swept[name][1](value)}" for name, value in values.items()]


def _tell(trial: Trial, job: JobReturn) -> Optional[Exception]:
    """Tells what a job has returned; why it failed, if it did. One whose value is NaN or infinite has
    not: its configuration is infeasible, so that others like it are avoided."""
    try:
        value = job.return_value
        if isinstance(plain(value), float) and not math.isfinite(value):
            _log.warning("%r is infeasible: the value is %s", trial, float(value))
            trial.infeasible(f"the value is {float(value)}")
        else:
            trial.complete(value)
    except slipstream.SlipstreamError:
        raise
    except Exception as error:  # That of the job, or what it returned is no finite number.
        trial.fail(f"{type(error).__name__}: {error}")
        return error
    return None
