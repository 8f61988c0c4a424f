"""The methods of the service."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict

from slipstream._wire.messages import PACKAGE, POOL, class_of

_SERVICE = f"{PACKAGE}.OptimizationService"


@dataclass(frozen=True)
class Method:
    """How one method is called."""

    path: str
    takes_stream: bool  # Whether it takes a stream of requests instead of one.
    gives_stream: bool  # Whether it gives a stream of responses instead of one.
    serialize: Callable[[Any], bytes]
    parse: Callable[[bytes], Any]


def _method(descriptor: Any) -> Method:
    return Method(
        path=f"/{_SERVICE}/{descriptor.name}",
        # The runtime of Debian 12 does not tell which methods take or give a stream.
        takes_stream=descriptor.name in ("RegisterSourceTask", "ImportStudy"),
        gives_stream=descriptor.name in ("WatchStudy", "WatchStudies", "ExportStudy"),
        serialize=class_of(descriptor.input_type).SerializeToString,
        parse=class_of(descriptor.output_type).FromString,
    )


METHODS: Dict[str, Method] = {
    descriptor.name: _method(descriptor)
    for descriptor in POOL.FindServiceByName(_SERVICE).methods
}
