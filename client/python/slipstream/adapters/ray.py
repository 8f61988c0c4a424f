"""Slipstream for Ray Tune: a search algorithm.

>>> from ray import tune
>>> from slipstream.adapters.ray import SlipstreamSearch
>>> def train(config):
...     return {"loss": abs(config["lr"] - 0.01)}
>>> config = tune.TuneConfig(metric="loss", mode="min", num_samples=8,
...                          max_concurrent_trials=2, search_alg=SlipstreamSearch())
>>> tuner = tune.Tuner(train, tune_config=config, run_config=tune.RunConfig(verbose=0),
...                    param_space={"lr": tune.loguniform(1e-5, 1)})
>>> results = tuner.fit()
>>> len(results)
8

Schedulers such as ASHA are Tune's own. Tune does not tell a search whether its scheduler has
stopped a trial early; give `whole_steps`, so that the search can recognise complete trials."""

from __future__ import annotations

import math
import pickle
import uuid
import warnings
from contextlib import ExitStack
from typing import Any, Dict, Mapping, Optional

from ray.tune.search import Searcher

import slipstream
from slipstream.adapters._ray_values import Translation, nested, of_space, translate_all
from slipstream.adapters._servers import choose_server
from slipstream.parameters import Parameter, Value
from slipstream.study import Study
from slipstream.trial import Trial

_STEP = "training_iteration"


class SlipstreamSearch(Searcher):  # type: ignore[misc]
    """Suggests configurations of Tune's trials.

    `space`: parameters of Slipstream, which may have conditions; else the domains of Tune's
    `param_space`: uniform, loguniform, randint, choice and their variants.
    `whole_steps`: the training_iteration of a trial that was not stopped early, such as a
    scheduler's max_t. Without it, every trial that ends without an error counts as complete.
    `metric`, `mode`: those of TuneConfig, if it has none.
    `study_id`: the id of an existing study, or of the new one. `seed`: of every random choice.
    `address`: of the server; else SLIPSTREAM_ADDRESS, else a server of this process' own that
    forgets all when it ends. `settings` are those of slipstream.create_or_load, such as
    sources=[...], preset="scaml" and exact=True, where a configuration always gives the same
    value."""

    def __init__(
        self,
        space: Optional[Mapping[str, Parameter]] = None,
        *,
        metric: Optional[str] = None,
        mode: Optional[str] = None,
        whole_steps: Optional[int] = None,
        study_id: Optional[str] = None,
        seed: Optional[int] = None,
        address: Optional[str] = None,
        **settings: Any,
    ) -> None:
        super().__init__(metric=metric, mode=mode)
        self._metric: Optional[str] = metric
        self._mode: Optional[str] = mode
        self._translations: Dict[str, Translation] = of_space(space or {})
        self._study_id = study_id or f"tune-{uuid.uuid4().hex[:16]}"
        self._whole_steps = whole_steps
        self._seed = seed
        self._address = address
        self._settings = settings
        self._study: Optional[Study] = None
        self._held: Dict[str, Trial] = {}
        self._suggested: Dict[str, Dict[str, Value]] = {}  # By Tune's id, until completed.

    @property
    def study(self) -> Study:
        """The study, which is created with the first suggestion."""
        if self._study is None:
            self._study = self._open()
        return self._study

    def set_search_properties(
        self, metric: Optional[str], mode: Optional[str], config: Dict[str, Any], **spec: Any
    ) -> bool:
        self._metric = metric or self._metric
        self._mode = mode or self._mode
        if self._translations:
            return False  # Tune then refuses domains in its own space.
        self._translations = translate_all(config)
        return True

    def suggest(self, trial_id: str) -> Any:
        try:
            trial = self.study.suggest()
        except slipstream.CandidatesExhausted:
            return Searcher.FINISHED
        trial.__enter__()  # Renews the lease until the trial has its outcome.
        self._held[trial_id] = trial
        self._suggested[trial_id] = dict(trial)
        return nested(trial, self._translations)

    def on_trial_result(self, trial_id: str, result: Dict[str, Any]) -> None:
        value = self._value_of(result)
        held = self._held.get(trial_id)
        if held is None or value is None or not math.isfinite(value) or _STEP not in result:
            return
        try:
            held.report(int(result[_STEP]), value)
        except slipstream.SlipstreamError as error:
            warnings.warn(f"a report failed: {error}", stacklevel=2)

    def on_trial_complete(
        self, trial_id: str, result: Optional[Dict[str, Any]] = None, error: bool = False
    ) -> None:
        if result and not error:
            # Tune does not tell of the last one where it has stopped the trial.
            self.on_trial_result(trial_id, result)
        held = self._held.pop(trial_id, None)
        suggested = self._suggested.pop(trial_id, None)
        value = self._value_of(result or {})
        if held is not None:
            with ExitStack() as block:
                block.push(held)  # Which was entered when it was suggested.
                self._tell(held, value, error, result or {})
        elif suggested is not None and value is not None and not error and math.isfinite(value):
            self.study.record(suggested, value)  # Suggested before the search was restored.

    def _tell(
        self, held: Trial, value: Optional[float], error: bool, result: Mapping[str, Any]
    ) -> None:
        if error:
            held.fail("the trial ended by an error")
        elif value is None:
            held.fail(f"the result has no {self._metric!r}")
        elif not math.isfinite(value):
            held.infeasible(f"the value is {value}")
        elif self._whole_steps is None or result.get(_STEP, math.inf) >= self._whole_steps:
            held.complete(value)
        else:
            held.stop(f"stopped by Tune after {result[_STEP]} of {self._whole_steps} steps", value)

    def _value_of(self, result: Mapping[str, Any]) -> Optional[float]:
        value = result.get(self._metric or "")
        return None if value is None else float(value)

    def _open(self) -> Study:
        if not self._translations:
            raise ValueError("nothing is tuned: give param_space a domain, such as "
                             "tune.loguniform(1e-5, 1), or SlipstreamSearch a space")
        if not isinstance(self._metric, str) or self._mode not in ("min", "max"):
            raise ValueError("SlipstreamSearch takes one metric= and mode='min' or 'max'")
        goal: Dict[str, Any] = {"minimize" if self._mode == "min" else "maximize": self._metric}
        return slipstream.create_or_load(
            self._study_id, {name: one.parameter for name, one in self._translations.items()},
            seed=self._seed, address=choose_server(self._address), **goal, **self._settings,
        )

    def save(self, checkpoint_path: str) -> None:
        with open(checkpoint_path, "wb") as file:
            pickle.dump((self._study_id, self._suggested), file)

    def restore(self, checkpoint_path: str) -> None:
        with open(checkpoint_path, "rb") as file:
            self._study_id, self._suggested = pickle.load(file)
        self._study = None
