"""What to use here in place of names that other tools have: attributes of trials and studies, arguments
and functions."""

from __future__ import annotations

import functools
import inspect
from typing import Any, Callable, Mapping, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_DECLARED = (
    "trial['x'] is the value, as the space is declared once, in slipstream.create_or_load(..., "
    "{{'x': slipstream.{}}}, ...)"
)
_SUGGEST_REAL = _DECLARED.format("real(0, 1)")
_ON_TRIAL = "trial.annotate(labels=...) writes labels on a trial"
_RECORD = "study.trial(trial.number) reads what the server knows of the trial"
_ON_STUDY = "study.change(labels=...) writes labels on a study"
_OBJECTIVE = "study.objective has the metric's name and whether it is maximized"
_AT_CREATION = "slipstream.create_or_load(..., {}) chooses it when the study is created"

OF_TRIALS: Mapping[str, str] = {
    "suggest_float": _SUGGEST_REAL,
    "suggest_uniform": _SUGGEST_REAL,
    "suggest_loguniform": _DECLARED.format("log(1e-5, 1)"),
    "suggest_int": _DECLARED.format("integer(1, 8)"),
    "suggest_discrete_uniform": _DECLARED.format("discrete(0.25, 0.5)"),
    "suggest_categorical": _DECLARED.format("choice('rbf', 'poly')"),
    "relative_params": "trial.params has all values",
    "system_attrs": "trial.labels has what was written on the trial",
    "user_attrs": "trial.labels has what was written on the trial",
    "set_system_attr": _ON_TRIAL,
    "set_user_attr": _ON_TRIAL,
    "should_prune": "trial.should_stop() gives the advice, and raise slipstream.TrialStopped follows it",
    "value": "trial.measured is the value that the trial was completed with",
    "state": _RECORD,
    "datetime_start": _RECORD,
    "datetime_complete": _RECORD,
    "duration": _RECORD,
    "last_step": _RECORD,
    "intermediate_values": "study.reports(trial.number) reads what was reported",
    "distributions": "study.space has the parameters",
}

OF_STUDIES: Mapping[str, str] = {
    "best_params": "{best}.params are those of the best trial",
    "best_value": "{best}.value is that of the best trial",
    "best_trial": "{best} is the best trial",
    "best_trials": "{best} is the best trial, as a study has one objective",
    "trials_dataframe": "{trials}.to_frame() gives a data frame",
    "get_trials": "{trials} is the list of them",
    "enqueue_trial": "study.enqueue(params) queues a configuration",
    "add_trial": "study.record(params, value) adds a result from elsewhere",
    "add_trials": "study.record(params, value) adds a result from elsewhere",
    "ask": "study.suggest() gives the next trial",
    "direction": _OBJECTIVE,
    "directions": _OBJECTIVE,
    "metric_names": _OBJECTIVE,
    "study_name": "study.id is the study's name",
    "system_attrs": "{description}.labels has what was written on the study",
    "user_attrs": "{description}.labels has what was written on the study",
    "set_system_attr": _ON_STUDY,
    "set_user_attr": _ON_STUDY,
    "sampler": _AT_CREATION.format("preset=..., recipe=..."),
    "pruner": _AT_CREATION.format("stopping=..."),
}

_CONSTRAINTS = (
    "the objective says that a configuration is not allowed, by raise slipstream.Infeasible(reason), "
    "and the model learns to avoid similar ones"
)

OF_OPTIMIZE: Mapping[str, str] = {
    "constraints": _CONSTRAINTS,
    "constraints_func": _CONSTRAINTS,
    "n_trials": "trials=30 is the number of trials, and until=30 that of the study's trials in all",
    "n_jobs": "workers=4 is the number of threads; processes that run the same script share the study",
    "show_progress_bar": "progress=True shows progress, which is the default",
    "gc_after_trial": "call gc.collect() in a callback",
}

_OBJECTIVE_AT_CREATION = "maximize='accuracy' or minimize='loss' says what is measured"

OF_CREATION: Mapping[str, str] = {
    "constraints": _CONSTRAINTS,
    "constraints_func": _CONSTRAINTS,
    "direction": _OBJECTIVE_AT_CREATION,
    "directions": f"{_OBJECTIVE_AT_CREATION}, and a study has one objective",
    "study_name": "the study's id comes first",
    "load_if_exists": "a study that exists is always opened",
    "sampler": "preset=... names the algorithm; see slipstream.presets()",
    "pruner": "stopping='median' names the rule; see slipstream.ingredients('stopping')",
    "storage": "address='host:port' names the server, and slipstream.local('tuning.db') runs one",
}

OF_PARAMETERS: Mapping[str, str] = {
    "log": "slipstream.log(1e-5, 1) and integer(1, 1024, scale='log') have a logarithmic scale",
    "step": "slipstream.discrete(0, 0.25, 0.5) has some numbers only",
}

_OPENS = "slipstream.create_or_load('digits', space, maximize='accuracy') opens or creates a study"
_PARAMETER = "slipstream.{} is such a parameter"

OF_PACKAGE: Mapping[str, str] = {
    "create_study": _OPENS,
    "load_study": "slipstream.load('digits') opens a study",
    "get_all_study_names": "slipstream.studies() describes all studies",
    "get_all_study_summaries": "slipstream.studies() describes all studies",
    "TrialPruned": "raise slipstream.TrialStopped ends a trial early",
    "samplers": "slipstream.presets() lists the algorithms",
    "pruners": "slipstream.ingredients('stopping') lists the rules of early stopping",
    "visualization": "study.plot has the plots, such as study.plot.history()",
    "importance": "study.importances() has a number for each parameter",
    "uniform": _PARAMETER.format("real(0, 1)"),
    "loguniform": _PARAMETER.format("log(1e-5, 1)"),
    "randint": _PARAMETER.format("integer(1, 8)"),
    "categorical": _PARAMETER.format("choice('rbf', 'poly')"),
}


def with_hints(of_arguments: Mapping[str, str]) -> Callable[[Function], Function]:
    """Makes a function say what to use in place of these arguments, which it does not have."""

    def decorate(function: Function) -> Function:
        def check(named: Mapping[str, Any]) -> None:
            for name in named:
                if name in of_arguments:
                    raise TypeError(
                        f"{function.__name__}() has no argument {name!r}: {of_arguments[name]}"
                    )

        @functools.wraps(function)
        def hinting(*arguments: Any, **named: Any) -> Any:
            check(named)
            return function(*arguments, **named)

        @functools.wraps(function)
        async def hinting_async(*arguments: Any, **named: Any) -> Any:
            check(named)
            return await function(*arguments, **named)

        return cast(Function, hinting_async if inspect.iscoroutinefunction(function) else hinting)

    return decorate
