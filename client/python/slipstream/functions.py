"""The package's functions, which open studies and manage source tasks."""

from __future__ import annotations

from typing import Any, Iterable, List, Mapping, Optional, Union

from slipstream._calls.blocking import BlockingTransport
from slipstream._calls.plan import Plan
from slipstream._operations import algorithms, exchange, opening, source_exchange
from slipstream._operations import sources as source_plans
from slipstream._operations import studies as study_plans
from slipstream._operations.foreign_names import OF_CREATION, with_hints
from slipstream._operations.hidden_names import warn_of_hidden_names
from slipstream._operations.lanes import given_worker, lanes_of
from slipstream._operations.meant_study import meant_study
from slipstream._operations.service import Service
from slipstream._operations.study_request import StudyRequest
from slipstream.connections import connect
from slipstream.options import Options
from slipstream.parameters import Parameter
from slipstream.records import Ingredient, Lease, Preset, SourceTask, StudyDescription
from slipstream.scalars import label_texts
from slipstream.study import Study
from slipstream.tables import Table
from slipstream.trial import Trial


def _open(
    service: Service,
    plan: Plan[StudyDescription],
    transport: BlockingTransport,
    worker: Optional[str],
) -> Study:
    """The study that the plan describes."""
    worker = given_worker(worker)  # Refuses it before the plan makes a study.
    description = transport.run(plan)
    warn_of_hidden_names(description.space, Trial)
    lanes = lanes_of(worker, service.address, meant_study(description))
    return Study(service, description, transport, lanes)


@with_hints(OF_CREATION)
def create_or_load(
    study_id: str,
    space: Optional[Mapping[str, Parameter]] = None,
    *,
    maximize: Optional[str] = None,
    minimize: Optional[str] = None,
    sources: Union[Iterable[Any], str, None] = None,
    candidates: Optional[Table] = None,
    allow_repeats: bool = False,
    exact: bool = False,
    preset: Optional[str] = None,
    recipe: Optional[Mapping[str, Union[str, float]]] = None,
    seed: Optional[int] = None,
    stopping: Optional[str] = None,
    stopping_options: Optional[Mapping[str, float]] = None,
    lease: Lease = None,
    requeues: Optional[int] = None,
    title: str = "",
    labels: Optional[Mapping[str, Union[str, float]]] = None,
    project: Optional[str] = None,
    worker: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> Study:
    """Opens the study with this id, or creates it if there is none.

    If a study with this id exists, but differs from what the arguments ask for, StudyDiffers says
    what differs. Arguments that are left out are not compared, not even the space and the
    objective. The title and the labels are never compared; `Study.change` changes them.

    `study_id`: 1 to 63 characters of a-z, 0-9 and '-', beginning with a letter and not ending with
    '-'. The id may also be the full name, "projects/vision/studies/digits".
    `space`: parameters by name; see slipstream.parameters. If a parameter has the name of one of a
    trial's own attributes, such as "number", it can only be read as trial["number"], and a warning
    says so.
    `maximize`, `minimize`: the name of the measured quantity; give one of the two.
    `sources`: finished runs to learn from. "all" takes every source task that the project has when
    the study is created and that has the same objective and a parameter in common with the study.
    Otherwise give a list of SourceTasks or their names, Studies, their descriptions or ids, and
    tables (rows, a data frame or the pathlib.Path of a CSV file) with a column for each parameter
    and one for the measured quantity. A study that is given as a source is taken as it was when the
    study was created. A parameter without a column takes its declared default, or else the middle
    of its range. Rows outside the space are left out, with a warning. A table may come from
    `study.trials`, for example by `to_frame()`: columns that describe the trials are not taken for
    parameters, and failed or infeasible trials are recognised as such. This also holds for an
    Optuna study, and for the tables of Optuna, MLflow, Ray Tune and Ax (see `register_source`).
    `candidates`: a table of the only configurations that may be suggested. Without `space`, the
    space is inferred from it; a column of more than a thousand numbers becomes a range. With
    `allow_repeats` each candidate may be suggested more than once. The list is part of the space:
    giving a space without `candidates` asks for a study that has no list.
    `exact`: whether the same configuration always gives the same value. If so, the model does not
    repeat a configuration as long as it finds another one. Without `exact`, it avoids repeats only
    after two repeated configurations have given the same values as before. `exact` is part of the
    objective: giving an objective without `exact` asks for a study that is not exact.
    `preset`, `recipe`: the algorithm, and which of its ingredients or options to replace, such as
    recipe={"acquisition": "ei", "smoothness": 3}; `slipstream.presets()` and
    `slipstream.ingredients()` list them.
    `seed`: the seed of every random choice.
    `stopping`, `stopping_options`: the rule behind `trial.should_stop()`: "median", "percentile",
    "asha", "hyperband", "patience" or "curve". Without a rule, no trial is stopped early.
    `slipstream.ingredients("stopping")` says what each rule does, and lists its options.
    `lease`, `requeues`: how long a worker holds a trial unless it renews its lease (seconds, a
    timedelta, a text such as "10m", or math.inf for ever; an hour by default), and how often a
    configuration is queued again after its lease ran out.
    `title`, `labels`: for people to read.
    `project`: the project that the study belongs to, by default SLIPSTREAM_PROJECT, or "default".
    `worker`: a stable id for this trainer. If it restarts under the same id, it gets its unfinished
    trials back. Default: SLIPSTREAM_WORKER, or an id that no other process has.
    `address`: the server's address, host:port or a host alone. Default: SLIPSTREAM_ADDRESS, or
    127.0.0.1:7411.
    `options`: the token, certificates, deadlines and retries; see slipstream.Options.

    >>> study = create_or_load("doctest-digits", {"lr": log(1e-5, 1)}, maximize="accuracy")
    >>> with study.suggest() as trial:
    ...     trial.complete(1 - abs(trial["lr"] - 0.01))
    >>> study.best.state
    'succeeded'
    >>> create_or_load("doctest-digits", {"lr": log(1e-4, 1)}, maximize="accuracy")
    Traceback (most recent call last):
      ...
    slipstream.errors.StudyDiffers: study 'doctest-digits' on ... is not the one asked for:
      parameter 'lr': asked for log(0.0001, 1), the study has log(1e-05, 1)
    Use it unchanged with slipstream.load('doctest-digits'), or choose another id. With ...
    """
    request = StudyRequest(
        study_id, space, maximize, minimize, sources, candidates, allow_repeats, exact, preset,
        recipe, seed, stopping, stopping_options, lease, requeues, title, labels, project,
    )
    service, transport = connect(address, options)
    return _open(service, opening.open_study(service, request), transport, worker)


def load(
    study_id: str,
    *,
    project: Optional[str] = None,
    worker: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> Study:
    """Opens the study with this id without comparing it. Raises NotFound if there is none.

    `study_id` may also be a full name, such as "projects/vision/studies/digits"."""
    service, transport = connect(address, options)
    return _open(service, study_plans.load(service, study_id, project), transport, worker)


def studies(
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> List[StudyDescription]:
    """Lists all studies of a project, or of all projects for "-", oldest first.

    The descriptions have no candidates; `load` opens one of the studies.

    >>> study = create_or_load("doctest-listed", {"lr": log(1e-5, 1)}, maximize="accuracy")
    >>> [one.study_id for one in studies() if one.study_id == "doctest-listed"]
    ['doctest-listed']
    """
    service, transport = connect(address, options)
    return transport.run(study_plans.list_all(service, project))


def delete_study(
    study_id: str,
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> None:
    """Deletes a study and its trials for good."""
    service, transport = connect(address, options)
    transport.run(study_plans.delete(service, study_id, project))


def import_study(
    path: str,
    study_id: str = "",
    *,
    project: Optional[str] = None,
    replace: bool = False,
    worker: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> Study:
    """Makes a study from a file that `Study.export` or `slipstream study export` has written.

    The study is imported completely or not at all. It keeps its id unless `study_id` is given, and
    goes to the project "default" unless `project` or SLIPSTREAM_PROJECT is given. A study from
    another project needs one of these two. Raises AlreadyExists if there is such a study, unless
    `replace` is true. Trials that workers held are queued again."""
    service, transport = connect(address, options)
    plan = exchange.import_study(service, path, study_id, project, replace)
    return _open(service, plan, transport, worker)


def register_source(
    source: Union[Study, Table],
    space: Optional[Mapping[str, Parameter]] = None,
    *,
    like: Optional[Study] = None,
    maximize: Optional[str] = None,
    minimize: Optional[str] = None,
    missing: Optional[str] = None,
    title: str = "",
    version: str = "",
    origin: str = "",
    labels: Optional[Mapping[str, Union[str, float]]] = None,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> SourceTask:
    """Registers a finished run, so that new studies can learn from it.

    `source` is a study, or a table: rows as mappings, a data frame, or the pathlib.Path of a CSV
    file. A table has a column for each parameter and one for the measured quantity; a missing cell
    means that the parameter is not active in that row. A table needs a `space` and an objective, or
    a study to take both from (`like`).

    An Optuna study can be given as it is, and so can the data frames (or CSV files of these) that
    Optuna's `trials_dataframe`, MLflow's `search_runs`, Ray Tune's `get_dataframe` and Ax's
    `summarize` return. Columns that describe the runs are left out, and so are runs that have not
    ended or were stopped early. Ray Tune's table does not show which runs these are, so every run
    that has reported a value is taken, with its last value. An Optuna study needs neither a space
    nor an objective: its space is inferred from the ranges that its trials asked for, and its
    objective is called "value" unless `maximize` or `minimize` names it.

    `missing` says what a row without a finite value means, "failed" or "infeasible". In a table
    from `study.trials`, the state of each trial says this; `missing` then applies only to failed
    trials.

    `project` is the study's unless another one is given. Registering the same content again gives
    the same source task, which keeps its title, version, labels and origin, with a warning if they
    differ. To change these, delete the source task and register it again.

    >>> task = register_source(
    ...     [{"lr": 0.01, "accuracy": 0.91}, {"lr": 0.1, "accuracy": 0.78}],
    ...     {"lr": log(1e-5, 1)}, maximize="accuracy", title="last year")
    >>> task.observation_count
    2
    """
    service, transport = connect(address, options)
    return transport.run(
        opening.register_source(
            service, source, space, like, maximize, minimize, project, missing=missing,
            title=title, version=version, origin=origin, labels=label_texts(labels),
        )
    )


def sources(
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> List[SourceTask]:
    """Lists all source tasks of a project, or of all projects for "-", oldest first."""
    service, transport = connect(address, options)
    return transport.run(source_plans.list_all(service, project))


def export_source(
    source: Union[SourceTask, str],
    path: str,
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> None:
    """Writes a source task to a file: a line of JSON for the task, and one for each observation.

    The file appears only once it is complete."""
    service, transport = connect(address, options)
    transport.run(source_exchange.export(service, source, path, project))


def import_source(
    path: str,
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> SourceTask:
    """Registers a source task from a file that `export_source` or `slipstream source export` has
    written. The source task has the same name on every server.

    >>> import os, tempfile
    >>> task = register_source([{"lr": 0.1, "loss": 2}], {"lr": log(1e-5, 1)}, minimize="loss")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "source.jsonl")
    ...     export_source(task, path)
    ...     import_source(path, project="elsewhere").observation_count
    1
    """
    service, transport = connect(address, options)
    return transport.run(source_exchange.import_source(service, path, project))


def delete_source(
    source: Union[SourceTask, str],
    *,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> None:
    """Deletes a source task. It must not be in use by any study."""
    service, transport = connect(address, options)
    transport.run(source_plans.delete(service, source))


def presets(
    *, address: Optional[str] = None, options: Optional[Options] = None
) -> List[Preset]:
    """Lists the presets that `create_or_load` takes, the most useful first.

    >>> [one.name for one in presets() if one.is_default]
    ['auto']
    """
    service, transport = connect(address, options)
    return transport.run(algorithms.presets(service))


def ingredients(
    axis: Optional[str] = None,
    *,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> List[Ingredient]:
    """Lists the ingredients that `recipe=` of `create_or_load` may name, of all axes or of one.

    The axis "stopping" has the rules of early stopping, for `stopping=`:

    >>> median = ingredients("stopping")[1]
    >>> median
    <stopping median: Stops training runs that are worse than the median of the others at the same step>
    >>> print(median.options[-1])
    least_curves: How many others there must be to compare with (whole, 1 to 1000, default 5)
    """
    service, transport = connect(address, options)
    return transport.run(algorithms.ingredients(service, axis))
