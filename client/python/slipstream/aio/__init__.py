"""The client for asyncio: the same as `slipstream`, awaited.

>>> import asyncio
>>> from slipstream import real
>>> async def tune():
...     space = {"x": real(0, 1)}
...     study = await create_or_load("doctest-asyncio", space, minimize="loss")
...     async with study:
...         async with await study.suggest() as trial:
...             await trial.complete(trial.x**2)
...         return (await study.best()).state
>>> asyncio.run(tune())
'succeeded'

A study belongs to the event loop in which it was opened; close it by `await study.close()` or
`async with study:`. For plots, open the study with the blocking package, `slipstream`.
"""

from slipstream.aio.functions import (
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
from slipstream.aio.study import Study
from slipstream.aio.trial import Trial

__all__ = [
    "Study",
    "Trial",
    "create_or_load",
    "delete_source",
    "delete_study",
    "export_source",
    "import_source",
    "import_study",
    "ingredients",
    "load",
    "presets",
    "register_source",
    "sources",
    "studies",
]
