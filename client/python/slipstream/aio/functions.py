"""The functions of slipstream.aio, which open studies and manage source tasks."""

from __future__ import annotations

from typing import Any, Iterable, List, Mapping, Optional, Tuple, TypeVar, Union

from slipstream._calls.awaiting import AwaitingTransport
from slipstream._calls.caller import Caller
from slipstream._calls.link import Credentials
from slipstream._calls.plan import Plan
from slipstream._calls.tls_probe import mistake_finder
from slipstream._operations import algorithms, exchange, opening, source_exchange
from slipstream._operations import sources as source_plans
from slipstream._operations import studies as study_plans
from slipstream._operations.foreign_names import OF_CREATION, with_hints
from slipstream._operations.hidden_names import warn_of_hidden_names
from slipstream._operations.lanes import given_worker, lanes_of
from slipstream._operations.meant_study import meant_study
from slipstream._operations.service import Service
from slipstream._operations.study_request import StudyRequest
from slipstream.aio.study import Study
from slipstream.aio.trial import Trial
from slipstream.options import Options, check_options, choose_address
from slipstream.parameters import Parameter
from slipstream.records import Ingredient, Lease, Preset, SourceTask, StudyDescription
from slipstream.scalars import label_texts
from slipstream.tables import Table

Result = TypeVar("Result")
Connection = Tuple[Service, AwaitingTransport]


def _connect(address: Optional[str], options: Optional[Options]) -> Connection:
    chosen = choose_address(address)
    check_options(options)
    settings = (options or Options()).with_environment(chosen)
    service = Service(Caller(chosen, settings.retry, mistake_finder(chosen, settings)), settings)
    credentials = Credentials(settings.channel_credentials)
    return service, AwaitingTransport(chosen, credentials, settings.token)


async def _open(
    connection: Connection, plan: Plan[StudyDescription], worker: Optional[str]
) -> Study:
    """The study that a plan finds or makes, which then has the connection."""
    service, transport = connection
    try:
        worker = given_worker(worker)  # Refuses it before the plan makes a study.
        description = await transport.run(plan)
        warn_of_hidden_names(description.space, Trial)
    except BaseException:
        await transport.close()
        raise
    lanes = lanes_of(worker, service.address, meant_study(description))
    return Study(service, description, transport, lanes)


async def _run(connection: Connection, plan: Plan[Result]) -> Result:
    """Performs a plan on a connection of its own."""
    try:
        return await connection[1].run(plan)
    finally:
        await connection[1].close()


@with_hints(OF_CREATION)
async def create_or_load(
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
    """The study with this id, created if there is none; see `slipstream.create_or_load`."""
    request = StudyRequest(
        study_id, space, maximize, minimize, sources, candidates, allow_repeats, exact, preset,
        recipe, seed, stopping, stopping_options, lease, requeues, title, labels, project,
    )
    connection = _connect(address, options)
    return await _open(connection, opening.open_study(connection[0], request), worker)


async def load(
    study_id: str,
    *,
    project: Optional[str] = None,
    worker: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> Study:
    """The study with this id as it is; see `slipstream.load`."""
    connection = _connect(address, options)
    return await _open(connection, study_plans.load(connection[0], study_id, project), worker)


async def studies(
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> List[StudyDescription]:
    """All studies of a project, oldest first; see `slipstream.studies`."""
    connection = _connect(address, options)
    return await _run(connection, study_plans.list_all(connection[0], project))


async def delete_study(
    study_id: str,
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> None:
    """Deletes a study with its trials, for good."""
    connection = _connect(address, options)
    await _run(connection, study_plans.delete(connection[0], study_id, project))


async def import_study(
    path: str,
    study_id: str = "",
    *,
    project: Optional[str] = None,
    replace: bool = False,
    worker: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> Study:
    """Makes a study of a file that `Study.export` has written; see `slipstream.import_study`."""
    connection = _connect(address, options)
    plan = exchange.import_study(connection[0], path, study_id, project, replace)
    return await _open(connection, plan, worker)


async def register_source(
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
    """Registers a finished run; see `slipstream.register_source`."""
    connection = _connect(address, options)
    return await _run(
        connection,
        opening.register_source(
            connection[0], source, space, like, maximize, minimize, project, missing=missing,
            title=title, version=version, origin=origin, labels=label_texts(labels),
        ),
    )


async def sources(
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> List[SourceTask]:
    """All source tasks of a project, oldest first; see `slipstream.sources`."""
    connection = _connect(address, options)
    return await _run(connection, source_plans.list_all(connection[0], project))


async def export_source(
    source: Union[SourceTask, str],
    path: str,
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> None:
    """Writes a source task to a file; see `slipstream.export_source`."""
    connection = _connect(address, options)
    await _run(connection, source_exchange.export(connection[0], source, path, project))


async def import_source(
    path: str,
    *,
    project: Optional[str] = None,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> SourceTask:
    """Registers the source task in a file; see `slipstream.import_source`."""
    connection = _connect(address, options)
    return await _run(connection, source_exchange.import_source(connection[0], path, project))


async def delete_source(
    source: Union[SourceTask, str],
    *,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> None:
    """Deletes a source task. It must not be in use by any study."""
    connection = _connect(address, options)
    await _run(connection, source_plans.delete(connection[0], source))


async def presets(
    *, address: Optional[str] = None, options: Optional[Options] = None
) -> List[Preset]:
    """See `slipstream.presets`."""
    connection = _connect(address, options)
    return await _run(connection, algorithms.presets(connection[0]))


async def ingredients(
    axis: Optional[str] = None,
    *,
    address: Optional[str] = None,
    options: Optional[Options] = None,
) -> List[Ingredient]:
    """See `slipstream.ingredients`."""
    connection = _connect(address, options)
    return await _run(connection, algorithms.ingredients(connection[0], axis))
