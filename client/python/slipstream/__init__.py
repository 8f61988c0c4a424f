"""The Python client of Slipstream, a server for black-box optimisation that learns from earlier
studies.

    import slipstream
    from slipstream import integer, log

    space = {"lr": log(1e-5, 1), "layers": integer(1, 8)}
    study = slipstream.create_or_load("digits", space, maximize="accuracy")
    with study.suggest() as trial:
        trial.complete(train(**trial))

Start a server by `slipstream_server`; SLIPSTREAM_ADDRESS or `address=` says where another one is.
`slipstream.aio` is the same for asyncio.

Calls are repeated when the network or the server fails for a while. That is safe: each change
carries a request id, and the server makes it once, also across a restart.
"""

from slipstream.errors import (
    AlreadyExists,
    CandidatesExhausted,
    FailedPrecondition,
    Infeasible,
    InvalidArgument,
    NoAnswer,
    NotFound,
    ResourceExhausted,
    ServerError,
    SlipstreamError,
    StudyDiffers,
    TrialStopped,
    Violation,
)
from slipstream.functions import (
    create_or_load,
    delete_source,
    delete_study,
    load,
    register_source,
    sources,
)
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
from slipstream.records import Objective, SourceTask, StudyDescription, TrialRecord
from slipstream.study import Study
from slipstream.trial import Trial
from slipstream.trials import Trials
from slipstream.version import VERSION as __version__

__all__ = [
    "AlreadyExists",
    "CandidatesExhausted",
    "Deadlines",
    "FailedPrecondition",
    "Infeasible",
    "InvalidArgument",
    "NoAnswer",
    "NotFound",
    "Objective",
    "Options",
    "Parameter",
    "ResourceExhausted",
    "Retry",
    "ServerError",
    "SlipstreamError",
    "SourceTask",
    "Study",
    "StudyDescription",
    "StudyDiffers",
    "Trial",
    "TrialRecord",
    "TrialStopped",
    "Trials",
    "Violation",
    "__version__",
    "boolean",
    "choice",
    "create_or_load",
    "delete_source",
    "delete_study",
    "discrete",
    "integer",
    "load",
    "log",
    "real",
    "register_source",
    "reverse_log",
    "sources",
]
