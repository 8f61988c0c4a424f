"""Slipstream for scikit-learn: a search over an estimator's parameters.

>>> from sklearn.datasets import load_iris
>>> from sklearn.svm import SVC
>>> from slipstream import log
>>> from slipstream.adapters.sklearn import SlipstreamSearchCV
>>> x, y = load_iris(return_X_y=True)
>>> space = {"C": log(1e-2, 1e3), "gamma": log(1e-5, 1)}
>>> search = SlipstreamSearchCV(SVC(), space, n_iter=15, random_state=1).fit(x, y)
>>> sorted(search.best_params_)
['C', 'gamma']
>>> print(search.best_score_ > 0.9)
True

The search is used like RandomizedSearchCV, and also takes the lists and distributions of that
class."""

from __future__ import annotations

import math
import numbers
import time
import uuid
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

import numpy
from sklearn.exceptions import FitFailedWarning
from sklearn.model_selection._search import BaseSearchCV
from sklearn.utils import check_random_state

import slipstream
from slipstream.adapters._servers import choose_server
from slipstream.adapters._sklearn_values import Translation, translate_all
from slipstream.study import Study
from slipstream.trial import Trial


class SlipstreamSearchCV(BaseSearchCV):  # type: ignore[misc]
    """Searches by Slipstream for the parameters with the best cross-validated score.

    `param_distributions`: for each parameter one of Slipstream's (`log`, `integer`, `choice`, with
    `when=` where it depends on another), a list of values, or a distribution of scipy.stats
    (uniform, loguniform, randint).
    `n_iter`: how many configurations are evaluated; `batch_size` says how many of them before the
    model is asked again. With `n_jobs`, the folds of a batch are fitted at the same time.
    `study_id`: of the study on the server. Give one to continue an interrupted search, or to let
    several processes take part in one search; by default, each fit has a study of its own.
    `address`: of the server; else SLIPSTREAM_ADDRESS, else a server of this process' own that
    forgets all when it ends.
    `settings`: those of slipstream.create_or_load, such as {"sources": [...], "preset": "scaml"},
    and {"exact": True} where the same parameters always have the same score. If there are several
    scores, `refit` must name the one to optimise. The other arguments are those of
    RandomizedSearchCV, and so are the attributes of a fitted search; in addition, `study_id_` is
    the study's id. A configuration that could not be fitted is an infeasible trial of the study,
    and a row of `cv_results_` with `error_score`, ranked last if that is NaN."""

    def __init__(
        self,
        estimator: Any,
        param_distributions: Mapping[str, Any],
        *,
        n_iter: int = 30,
        batch_size: int = 1,
        scoring: Any = None,
        n_jobs: Optional[int] = None,
        refit: Union[bool, str] = True,
        cv: Any = None,
        verbose: int = 0,
        pre_dispatch: Union[int, str] = "2*n_jobs",
        random_state: Any = None,
        error_score: Any = numpy.nan,
        return_train_score: bool = False,
        study_id: Optional[str] = None,
        address: Optional[str] = None,
        settings: Optional[Mapping[str, Any]] = None,
    ) -> None:
        self.param_distributions = param_distributions
        self.n_iter = n_iter
        self.batch_size = batch_size
        self.random_state = random_state
        self.study_id = study_id
        self.address = address
        self.settings = settings
        super().__init__(
            estimator=estimator, scoring=scoring, n_jobs=n_jobs, refit=refit, cv=cv,
            verbose=verbose, pre_dispatch=pre_dispatch, error_score=error_score,
            return_train_score=return_train_score,
        )

    def fit(self, X: Any, y: Any = None, **params: Any) -> SlipstreamSearchCV:
        """See RandomizedSearchCV.fit."""
        asked: Any = self.error_score
        if isinstance(asked, numbers.Real):
            self.error_score: Any = _ErrorScore(asked)
        try:
            super().fit(X, y, **params)
        finally:
            self.error_score = asked
        return self

    def _run_search(self, evaluate_candidates: Any) -> None:
        for name in ("n_iter", "batch_size"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name}={getattr(self, name)!r} must be at least 1")
        translations = translate_all(self.param_distributions)
        study = self._open(translations)
        self.study_id_ = study.id
        batches = _Batches(self, study, translations, evaluate_candidates)
        try:
            self._evaluate_all(batches)
        finally:
            self.__dict__.pop("_evaluated", None)  # It would be copied and pickled too.

    def _evaluate_all(self, batches: _Batches) -> None:
        left = self.n_iter
        while left > 0:
            done = batches.evaluate(min(self.batch_size, left))
            if done == 0:
                break  # Every configuration has been tried.
            left -= done
        if batches.failures and batches.fitted == 0:
            raise batches.failures[-1].error
        self._complete_results(batches.failures)
        if batches.failures:
            self._warn_of(batches.failures)

    def _format_results(
        self, candidate_params: Any, n_splits: int, out: Any, more_results: Any = None
    ) -> Any:
        results = super()._format_results(candidate_params, n_splits, out, more_results)
        self._evaluated = _Evaluated(list(candidate_params), n_splits, list(out), results)
        return results

    def _complete_results(self, failures: Sequence[_Failure]) -> None:
        """Adds what could not be fitted to the results, each where it was evaluated, and gives it
        the score that was asked for. scikit-learn raises where no fit of a batch succeeded, before
        it has the batch among its results."""
        done = self._evaluated
        starts = range(0, len(done.out), done.n_splits)
        folds = [done.out[start:start + done.n_splits] for start in starts]
        candidates = list(done.candidates)
        for failure in reversed(failures):  # The places of earlier ones stay what they are.
            place, count = failure.place, len(failure.candidates)
            candidates[place:place] = failure.candidates
            fit_time = failure.seconds / (count * done.n_splits)
            failed = [_failed(fold, fit_time, self.error_score) for fold in folds[0]]
            folds[place:place] = [failed] * count
        out = [_with_plain_scores(fold) for fold in sum(folds, [])]
        whole = super()._format_results(candidates, done.n_splits, out)
        done.results.clear()
        done.results.update(whole)

    def _warn_of(self, failures: Sequence[_Failure]) -> None:
        failed = sum(len(failure.candidates) for failure in failures)
        texts = [str(one.error).split("details about the failures:\n")[-1] for one in failures]
        warnings.warn(
            f"{failed} of {len(self._evaluated.results['params'])} configurations could not be "
            f"fitted; their scores are set to {self.error_score}. error_score='raise' raises the "
            "error instead:\n" + "\n".join(dict.fromkeys(texts)),
            FitFailedWarning,
            stacklevel=2,
        )

    def _open(self, translations: Mapping[str, Translation]) -> Study:
        seed = None
        if self.random_state is not None:
            seed = int(check_random_state(self.random_state).randint(2**31 - 1))
        return slipstream.create_or_load(
            self.study_id or f"search-{uuid.uuid4().hex[:16]}",
            {name: one.parameter for name, one in translations.items()},
            maximize=self._objective(), seed=seed, address=choose_server(self.address),
            **(self.settings or {}),
        )

    def _scores(self, results: Mapping[str, Any], count: int) -> List[float]:
        """The scores of the candidates that were evaluated last."""
        name = f"mean_test_{self._objective()}"
        if name not in results:
            known = ", ".join(one[len("mean_test_"):] for one in results if "mean_test_" in one)
            raise ValueError(f"refit={self.refit!r} is not one of the scores, which are {known}")
        return [float(score) for score in results[name][-count:]]

    def _objective(self) -> str:
        """The name of the score that is searched by."""
        if callable(self.refit):
            raise ValueError(
                "refit is a function, which does not say which score to search by; give the name "
                "of a score, or True if there is one"
            )
        if isinstance(self.refit, str):
            return self.refit
        if self.scoring is None or isinstance(self.scoring, str) or callable(self.scoring):
            return "score"
        raise ValueError(f"refit={self.refit!r} must name one of several scores to search by")


class _ErrorScore(float):
    """Marks what failed while scikit-learn evaluates it: not a number, so that its mean shows the
    failure, though warnings print the score that was asked for."""

    asked: Any

    def __new__(cls, asked: Any) -> _ErrorScore:
        mark = super().__new__(cls, "nan")
        mark.asked = asked
        return mark

    def __repr__(self) -> str:
        return str(self.asked)


@dataclass(frozen=True)
class _Evaluated:
    """What scikit-learn has evaluated: a dictionary of `out` for each fold of each candidate, and
    the results that it goes on with."""

    candidates: List[Dict[str, Any]]
    n_splits: int
    out: List[Dict[str, Any]]
    results: Dict[str, Any]


@dataclass(frozen=True)
class _Failure:
    """A batch of which no fit succeeded."""

    candidates: List[Dict[str, Any]]
    place: int  # How many candidates before it are among scikit-learn's results.
    seconds: float  # That all of its fits took.
    error: ValueError


def _failed(fold: Mapping[str, Any], fit_time: float, error_score: Any) -> Dict[str, Any]:
    """A fold of a candidate that could not be fitted, like the fold of one that was evaluated."""
    failed = {**fold, "fit_time": fit_time, "score_time": 0.0}
    for name in ("test_scores", "train_scores"):
        if isinstance(fold.get(name), dict):
            failed[name] = dict.fromkeys(fold[name], error_score)
        elif name in fold:
            failed[name] = error_score
    return failed


def _with_plain_scores(fold: Mapping[str, Any]) -> Dict[str, Any]:
    """The fold with the score that was asked for in the place of each mark of a failure."""
    plain = dict(fold)
    for name in ("test_scores", "train_scores"):
        scores = plain.get(name)
        if isinstance(scores, dict):
            plain[name] = {metric: _plain_score(score) for metric, score in scores.items()}
        elif name in plain:
            plain[name] = _plain_score(scores)
    return plain


def _plain_score(score: Any) -> Any:
    return score.asked if isinstance(score, _ErrorScore) else score


class _Batches:
    """Evaluates suggestions by scikit-learn's own evaluation of candidates."""

    def __init__(
        self,
        search: SlipstreamSearchCV,
        study: Study,
        translations: Mapping[str, Translation],
        evaluate_candidates: Any,
    ) -> None:
        self._search = search
        self._study = study
        self._translations = translations
        self._evaluate_candidates = evaluate_candidates
        self.fitted = 0  # Candidates that are among scikit-learn's results.
        self.failures: List[_Failure] = []

    def evaluate(self, count: int) -> int:
        """Evaluates the next suggestions; how many there were."""
        try:
            trials = self._study.suggest(count)
        except slipstream.CandidatesExhausted:
            return 0
        with ExitStack() as held:  # An exception fails the trials.
            for trial in trials:
                held.enter_context(trial)
            for trial, score in zip(trials, self._scores(trials)):
                if math.isfinite(score):
                    trial.complete(score)
                else:
                    trial.infeasible("the estimator could not be fitted")
        return len(trials)

    def _scores(self, trials: Sequence[Trial]) -> List[float]:
        """Not a number for a trial whose fits failed, unless the search is to raise then."""
        candidates: List[Dict[str, Any]] = [
            {name: self._translations[name].to_estimator(value) for name, value in trial.items()}
            for trial in trials
        ]
        start = time.monotonic()
        try:
            results = self._evaluate_candidates(candidates)
        except ValueError as error:
            # Raised also where no fit of the batch succeeded, though those of another one may.
            if self._search.error_score == "raise" or "fits failed" not in str(error):
                raise
            seconds = time.monotonic() - start
            self.failures.append(_Failure(candidates, self.fitted, seconds, error))
            return [math.nan] * len(trials)
        self.fitted += len(candidates)
        return self._search._scores(results, len(trials))
