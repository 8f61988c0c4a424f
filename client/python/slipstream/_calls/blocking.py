"""Performs the steps of plans by blocking."""

from __future__ import annotations

import threading
import time
import weakref
from typing import Any, Optional

import grpc

from slipstream._calls.call_thread import CallThread
from slipstream._calls.cancellation import CalledOff, Cancellation
from slipstream._calls.forks import traffic
from slipstream._calls.link import (
    Credentials,
    Link,
    Links,
    authorization,
    channel_options,
    failure_of,
)
from slipstream._calls.plan import (
    Attempt,
    Look,
    Next,
    Pause,
    Plan,
    Reply,
    Result,
    Step,
    Stream,
    run,
)
from slipstream._calls.renewals import Renewals
from slipstream._wire.methods import METHODS


class BlockingTransport:
    """Thread-safe."""

    def __init__(
        self, address: str, credentials: Credentials, token: Optional[str] = None
    ) -> None:
        def open_channel() -> Any:
            options = channel_options(address)
            renewed = credentials.renewed()
            if renewed is None:
                return grpc.insecure_channel(address, options)
            return grpc.secure_channel(address, renewed, options)

        self._links: Links[Any] = Links(
            address, open_channel, "end a trial where it was suggested, call study.suggest() here"
        )
        self._metadata = authorization(token)
        self._lock = threading.Lock()
        self._turns: weakref.WeakValueDictionary[str, Any] = weakref.WeakValueDictionary()
        self.renewals = Renewals(self._attempt)

    def run(self, plan: Plan[Result]) -> Result:
        """Performs a plan."""
        return run(plan, self._perform)

    def run_in_turn(self, subject: str, plan: Plan[Result]) -> Result:
        """Performs a plan when no other one on the same subject is under way."""
        self._links.current()  # Complains of a fork, where a turn may never end.
        with self._lock:
            turn = self._turns.setdefault(subject, threading.Lock())
        with turn:
            return self.run(plan)

    def _perform(self, step: Step) -> Optional[Reply]:
        if isinstance(step, Pause):
            time.sleep(step.seconds)
            return None
        if isinstance(step, Look):
            return Reply(finding=step.find())
        return self._next(step.call) if isinstance(step, Next) else self._attempt(step)

    def _attempt(self, attempt: Attempt) -> Reply:
        link: Link[Any] = self._links.current()
        request = attempt.request() if callable(attempt.request) else attempt.request
        try:
            method = link.method(attempt.method)
            with traffic.call():
                if METHODS[attempt.method].gives_stream:
                    call = method(request, timeout=attempt.seconds, metadata=self._metadata)
                    response = Stream(call, next(call))
                elif attempt.cancellation is None and not _is_main():
                    response = method(request, timeout=attempt.seconds, metadata=self._metadata)
                else:
                    cancellation = attempt.cancellation or Cancellation()
                    response = self._await(method, request, attempt.seconds, cancellation)
            return Reply(response=response)
        except StopIteration:
            return Reply()
        except grpc.RpcError as error:
            failure = failure_of(error)
        self._links.replace_after(failure, link)
        return Reply(failure=failure)

    def _await(
        self, method: Any, request: Any, seconds: float, cancellation: Cancellation
    ) -> Any:
        """Returns the response of a call that other threads can cancel; raises CalledOff if one
        does. An exception ends the call, too. The call is made on a thread of its own, where no
        Ctrl-C can come between the call and what is to cancel it, or while gRPC holds a lock, which
        it would keep for ever."""

        def make() -> Any:
            call = method.future(request, timeout=seconds, metadata=self._metadata)
            cancellation.use(call.cancel)
            response = call.result()
            # So that gRPC's finalizer of the call runs here, where it loses no Ctrl-C.
            cancellation.use(None)
            return response

        thread = CallThread(make)
        cancellation.call_under_way = True
        try:
            try:
                thread.start()
            except RuntimeError:  # The interpreter ends, or the system has no more.
                return method(request, timeout=seconds, metadata=self._metadata)
            return thread.result()
        except grpc.FutureCancelledError:
            raise CalledOff from None
        except Exception:
            raise
        except BaseException:
            cancellation.request()
            thread.give_up()
            raise
        finally:
            cancellation.use(None)
            cancellation.call_under_way = False

    def _next(self, call: Any) -> Reply:
        try:
            with traffic.call():
                return Reply(response=next(call))
        except StopIteration:
            return Reply()
        except grpc.RpcError as error:
            return Reply(failure=failure_of(error))

    def close(self) -> None:
        self._links.current().channel.close()


def _is_main() -> bool:
    return threading.get_ident() == threading.main_thread().ident
