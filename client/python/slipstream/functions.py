"""The functions of the package, which open studies and keep source tasks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any, Iterable, List, Mapping, Optional, Union

from slipstream._calls.blocking import BlockingTransport
from slipstream._calls.plan import Plan
from slipstream._operations import exchange, opening, source_exchange
from slipstream._operations import sources as source_plans
from slipstream._operations import studies as study_plans
from slipstream._operations.hidden_names import warn_of_hidden_names
from slipstream._operations.lanes import Lanes, given_worker
from slipstream._operations.service import Service
from slipstream._operations.study_request import StudyRequest
from slipstream.connections import connect
from slipstream.options import Options
from slipstream.parameters import Parameter
from slipstream.records import SourceTask, StudyDescription
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
    description = transport.run(plan)
    warn_of_hidden_names(description.space, Trial)
    return Study(service, description, transport, Lanes(given_worker(worker)))


def create_or_load(
    study_id: str,
    space: Optional[Mapping[str, Parameter]] = None,
    *,
    maximize: Optional[str] = None,
    minimize: Optional[str] = None,
    sources: Optional[Iterable[Any]] = None,
    candidates: Optional[Table] = None,
    allow_repeats: bool = False,
    exact: bool = False,
    preset: Optional[str] = None,
    recipe: Optional[Mapping[str, Union[str, float]]] = None,
    seed: Optional[int] = None,
    stopping: Optional[str] = None,
    stopping_options: Optional[Mapping[str, float]] = None,
    lease: Union[float, timedelta, str, None] = None,
    requeues: Optional[int] = None,
    title: str = "",
    labels: Optional[Mapping[str, Union[str, float]]] = None,
    project: Optional[str] = None,
    worker: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> Study:
    """The study with this id, created if there is none.

    A study that exists is compared with what is asked for, and StudyDiffers says what differs;
    arguments that are left out may be anything, the space and the objective too. Its title and
    labels, which `Study.change` changes, are not compared.

    `space`: parameters by name; see slipstream.parameters. One that is called like an attribute of
    a trial's own, such as "number", is read by trial["number"] only, of which a warning tells.
    `maximize`, `minimize`: the name of what is measured; one of them.
    `sources`: finished runs to learn from, each a SourceTask or its name, a Study or its id, or a
    table (rows, a data frame or the pathlib.Path of a CSV file) with a column for each parameter
    and one for what was measured. A parameter without a column has its declared default there, or
    else the middle of its range; rows outside the space are left out, of which a warning tells. A
    table may be one of `study.trials`, such as its `to_frame()`: what it says of the trials
    themselves is no parameter, and those that failed or are infeasible are taken as such.
    `candidates`: the only configurations that may be suggested, as a table; without a space it is
    inferred from them: a column of more than a thousand numbers is a range. With `allow_repeats`
    each may be suggested more than once.
    `exact`: the same configuration always gives the same value, so that the model does not try
    again what was measured, as long as it finds something else. Without it that begins when two
    repeats have given the same value. It is part of the objective: who gives that, and not
    `exact`, asks for a study that is not exact.
    `preset`, `recipe`: the algorithm, and ingredients or options of it to replace, such as
    recipe={"acquisition": "ei", "smoothness": 3}; `slipstream presets` lists them.
    `seed`: of every random choice.
    `stopping`, `stopping_options`: the rule behind `trial.should_stop()`.
    `lease`, `requeues`: how long a worker holds a trial unless it renews its lease (seconds, a
    timedelta or a text such as "10m", math.inf for ever; an hour by default), and how often its
    configuration is queued again after that.
    `title`, `labels`: for people.
    `project`: that the study belongs to, "default" unless given; its full name,
    "projects/vision/studies/digits", may also be written as the id.
    `worker`: this trainer's own stable id. One that is restarted under the same id gets its
    unfinished trials back. Default: SLIPSTREAM_WORKER, or an id that no other process has.
    `address`: of the server, host:port or a host alone. Default: SLIPSTREAM_ADDRESS, or
    127.0.0.1:7411.

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
    Take it as it is by slipstream.load('doctest-digits'), or choose another id.
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
    """The study with this id as it is. NotFound if there is none.

    `study_id` may also be a full name, such as "projects/vision/studies/digits"."""
    service, transport = connect(address, options)
    return _open(service, study_plans.load(service, study_id, project), transport, worker)


def studies(
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> List[StudyDescription]:
    """All studies of a project, oldest first; those of all projects for "-".

    Their candidates are left out; `load` opens one of them.

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
    """Deletes a study with its trials, for good."""
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
    """Makes a study of a file that `Study.export` or `slipstream study export` has written.

    It is made whole or not at all, under the id that the study had unless another one is given, and
    in the project "default" unless another one is. AlreadyExists if there is such a study, unless
    it is to be `replace`d. Trials that workers held are queued again."""
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
    file, with a column for each parameter and one for what was measured. A missing cell is a
    parameter that does not exist in that row. A table needs a `space` and its objective, or a study
    that it is `like`.
    `missing` is what a row without a value means, "failed" or "infeasible"; in a table of
    `study.trials` the state of each trial says so, and `missing` only what a failed one means.
    `project` is that of the study unless another one is given.
    Registering the same content again gives the same source task.

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
    """All source tasks of a project, oldest first; those of all projects for "-"."""
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
    """Writes a source task with its observations to a file: a line of JSON for the task, and one
    for each observation. The file is there only once it is whole."""
    service, transport = connect(address, options)
    transport.run(source_exchange.export(service, source, path, project))


def import_source(
    path: str,
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> SourceTask:
    """Registers the source task in a file that `export_source` or `slipstream source export` has
    written. It has the same name on every server.

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
    """Deletes a source task, which no study may use."""
    service, transport = connect(address, options)
    transport.run(source_plans.delete(service, source))
