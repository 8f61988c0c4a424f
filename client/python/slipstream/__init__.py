"""The Python client of Slipstream, a server for black-box optimisation that learns from earlier
studies.

>>> import slipstream
>>> from slipstream import integer, log
>>> space = {"lr": log(1e-5, 1), "layers": integer(1, 8)}
>>> study = slipstream.create_or_load("doctest-net", space, maximize="accuracy")
>>> with study.suggest() as trial:
...     trial.complete(1 - trial.lr / trial.layers)  # Here you train.
>>> study.best.number
1

`slipstream.local("tuning.db")` runs a server for a script's lifetime; `slipstream serve` starts one
that keeps running. SLIPSTREAM_ADDRESS or `address=` names a server elsewhere.
`slipstream.aio` is the same for asyncio.

Calls are retried when the network or the server fails for a while. That is safe: each change
carries a request id, and the server applies it only once, even across a restart.
"""

from typing import TYPE_CHECKING, Any

from slipstream._operations.foreign_names import OF_PACKAGE
from slipstream.errors import (
    AlreadyExists,
    CandidatesExhausted,
    FailedPrecondition,
    Infeasible,
    InvalidArgument,
    LocalServerError,
    NoAnswer,
    NotFound,
    Overloaded,
    PermissionDenied,
    ProgramMissing,
    ResourceExhausted,
    ServerError,
    SlipstreamError,
    StudyDiffers,
    TrialEnded,
    TrialStopped,
    Unauthenticated,
    Violation,
)
from slipstream.functions import (
    create_or_load,
    delete_source,
    delete_study,
    export_source,
    import_source,
    import_study,
    ingredients,
    load,
    presets,
    register_source,
    sources,
    studies,
)
from slipstream.local_server import LocalServer, local
from slipstream.options import Deadlines, Options, Retry
from slipstream.parameters import (
    Parameter,
    boolean,
    choice,
    discrete,
    integer,
    log,
    real,
    reverse_log,
)
from slipstream.plotter import Plotter
from slipstream.records import (
    Explanation,
    Ingredient,
    IngredientOption,
    Objective,
    Preset,
    SourceTask,
    StartComparison,
    StudyDescription,
    StudyEvent,
    TransferSummary,
    TrialRecord,
)
from slipstream.study import Study
from slipstream.trial import Trial
from slipstream.trials import Trials
from slipstream.version import VERSION as __version__

__all__ = [
    "AlreadyExists",
    "CandidatesExhausted",
    "Deadlines",
    "Explanation",
    "FailedPrecondition",
    "Infeasible",
    "Ingredient",
    "IngredientOption",
    "InvalidArgument",
    "LocalServer",
    "LocalServerError",
    "NoAnswer",
    "NotFound",
    "Objective",
    "Options",
    "Overloaded",
    "Parameter",
    "PermissionDenied",
    "Plotter",
    "Preset",
    "ProgramMissing",
    "ResourceExhausted",
    "Retry",
    "ServerError",
    "SlipstreamError",
    "SourceTask",
    "StartComparison",
    "Study",
    "StudyDescription",
    "StudyDiffers",
    "StudyEvent",
    "TransferSummary",
    "Trial",
    "TrialEnded",
    "TrialRecord",
    "TrialStopped",
    "Trials",
    "Unauthenticated",
    "Violation",
    "__version__",
    "boolean",
    "choice",
    "create_or_load",
    "delete_source",
    "delete_study",
    "discrete",
    "export_source",
    "import_source",
    "import_study",
    "ingredients",
    "integer",
    "load",
    "local",
    "log",
    "presets",
    "real",
    "register_source",
    "reverse_log",
    "sources",
    "studies",
]

if not TYPE_CHECKING:  # A type checker would otherwise accept every attribute.

    def __getattr__(name: str) -> Any:
        hint = f": {OF_PACKAGE[name]}" if name in OF_PACKAGE else ""
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")
