"""What SIGTERM and SIGHUP do while this process holds trials: it gives them back before it ends.

Batch systems and container platforms end programs by SIGTERM, and closed terminals by SIGHUP. While
trials are asked for or evaluated on the main thread, a handler raises Terminated there, a SystemExit,
so that the blocks of the user's program save what they have to save, and trials are given back on the
way. A call that asks for trials is cancelled instead, and so are tasks of asyncio. When the last block
that holds trials has ended, the process ends by the signal. If that takes long, another thread gives
the trials back meanwhile.

Python runs handlers on the main thread only, between two steps of Python code. A signal that has a
handler already, or is ignored, is left alone. Whatever is held when the program exits, by whatever
means, is given back then."""

from __future__ import annotations

import _thread
import atexit
import logging
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import Any, Callable, Collection, Dict, List, Optional, Set

from slipstream._calls.cancellation import Cancellation
from slipstream._calls.fork_hooks import at_fork, defer, is_in_hook

_SIGNALS = (signal.SIGTERM, signal.SIGHUP) if os.name == "posix" else ()
# Seconds in which blocks may still use their trials, for example to note where a checkpoint is.
_GRACE = 2.0
_log = logging.getLogger("slipstream")


class Terminated(SystemExit):
    """The process is to end, as it got a signal."""


class Block:
    """A part of the program that holds trials until it ends."""

    def __init__(
        self,
        give_back: Callable[[], None],
        tasks: Optional[Callable[[], Collection[Any]]],
        cancellation: Cancellation,
    ) -> None:
        self.give_back = give_back
        self.tasks = tasks
        self.cancellation = cancellation
        self.in_main = threading.current_thread() is threading.main_thread()


class Termination:
    """Thread-safe. Uses no locks, as a signal handler must not wait for a lock of its own
    thread."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        self._process = os.getpid()
        self._blocks: List[Block] = []
        self._signal: Optional[int] = None
        self._is_overdue = False
        self._is_exiting = False
        self._stands_by = False
        self._unheard = False
        self._last_words: List[Callable[[], None]] = []
        self._masks: Dict[int, Set[Any]] = {}  # Of threads that are forking.

    @property
    def under_way(self) -> bool:
        """Whether the process is to end, or ends already."""
        return self._signal is not None or self._is_exiting

    @property
    def unheard(self) -> bool:
        """Whether the server did not hear that a trial was given back. Others are not tried then."""
        return self._unheard

    def note_silence(self) -> None:
        """The server did not hear that a trial was given back."""
        self._unheard = self.under_way

    def check(self) -> None:
        """Raises Terminated if the process is to end: an objective may have caught it before. On other
        threads than the main one SystemExit itself, of which Python tells nobody."""
        if self.under_way:
            in_main = threading.get_ident() == threading.main_thread().ident
            code = 0 if self._signal is None else 128 + self._signal
            raise (Terminated if in_main else SystemExit)(code)

    def begin(
        self,
        give_back: Callable[[], None],
        tasks: Optional[Callable[[], Collection[Any]]] = None,
        cancellation: Optional[Cancellation] = None,
    ) -> Block:
        """A block begins, in which handlers stand if this is the main thread.

        `give_back` gives back what the block still holds, from whatever thread. `tasks` are those of
        asyncio that are to be cancelled, if that is what ends the block. `cancellation` ends a call
        that it waits for: while that is under way no exception is raised."""
        block = Block(give_back, tasks, cancellation or Cancellation())
        try:
            self._blocks.append(block)
            if block.in_main:
                self._install()
        except BaseException:  # A Ctrl-C: nobody will end the block.
            self.end(block)
            raise
        return block

    def stand_by(self) -> None:
        """Installs the handlers until the program ends, for trials that only other threads hold. A
        signal then has these given back before it ends the program as it would without handlers.
        Does nothing except on the main thread, as no other can install handlers."""
        if threading.current_thread() is threading.main_thread():
            self._stands_by = True
            self._install()

    def precede_exit_functions(self) -> None:
        """At the program's end, trials are given back before the functions run that were registered
        with atexit until now."""
        atexit.unregister(self.at_exit)
        atexit.register(self.at_exit)

    def end(self, block: Block) -> None:
        """The block ends, and with the main thread's last one the process, if it is to end."""
        if block not in self._blocks:
            return  # It was the parent's.
        if self.under_way:
            self._give_back(block)
        self._blocks.remove(block)
        if not block.in_main or self._blocks_of_main():
            return
        if self._signal is not None:
            self._end_process(self._signal)
        self._restore()

    def before_end(self, last_words: Callable[[], None]) -> Callable[[], None]:
        """Calls the function just before a signal ends the process, on whatever thread, until the one
        is called that this returns."""
        self._last_words.append(last_words)
        return lambda: self._last_words.remove(last_words) if last_words in self._last_words else None

    def at_exit(self) -> None:
        """The program ends although a block has not, such as that of a generator that nobody asks for
        more, or of a thread that nobody waits for. Nothing may be waited for once the interpreter is
        being taken down."""
        if self._process != os.getpid():
            return
        self._is_exiting = True
        self._give_all_back()
        self._is_overdue = True
        if self._signal is not None:  # It may have come meanwhile.
            self._end_process(self._signal)

    def before_fork(self) -> None:
        """Signals to a fork wait until it has handlers of its own; Python would forget them."""
        if self._blocks:
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, ())
            self._masks.setdefault(threading.get_ident(), mask)
            signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)

    def after_fork_in_parent(self) -> None:
        """Signals no longer wait."""
        mask = self._masks.get(threading.get_ident())
        if mask is not None:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            del self._masks[threading.get_ident()]

    def after_fork_in_child(self) -> None:
        """A fork of the process holds none of its trials."""
        self._restore()
        self.after_fork_in_parent()
        self._start()

    def _blocks_of_main(self) -> List[Block]:
        return [block for block in self._blocks if block.in_main]

    def _install(self) -> None:
        for number in _SIGNALS:
            if signal.getsignal(number) == signal.SIG_DFL and not _has_foreign_handler(number):
                _set(number, self._handle)

    def _restore(self) -> None:
        if self._stands_by and self._process == os.getpid():
            return
        for number in _SIGNALS:
            if signal.getsignal(number) == self._handle:
                _set(number, signal.SIG_DFL)

    def _handle(self, number: int, frame: Optional[FrameType]) -> None:
        if is_in_hook(frame):
            return defer(number)
        blocks = self._blocks_of_main()
        if self._process != os.getpid() or not self._blocks or self._is_overdue:
            self._say_last_words()
            _end_by(number)
        if self._signal is not None:
            return  # Some send the signal twice, to the process and to its group.
        self._signal = number
        if self._is_exiting:
            return  # Trials are being given back, and nothing can be raised.
        # Not by threading, whose locks this thread may hold.
        if not blocks:
            _thread.start_new_thread(self._end_process, (number,))
            return
        _thread.start_new_thread(self._oversee, ())
        is_calling = any(block.cancellation.call_under_way for block in blocks)
        tasks = {
            task
            for block in blocks if block.tasks
            for task in block.tasks() if not task.done() and task.get_loop().is_running()
        }
        if not is_calling and (not tasks or any(block.tasks is None for block in blocks)):
            self.check()
        for task in tasks:
            task.get_loop().call_soon_threadsafe(task.cancel)

    def _oversee(self) -> None:
        """Ends calls at once, gives back what is still held after a while, and lets another signal end
        the process."""
        self._cancel_calls()
        time.sleep(_GRACE)
        self._give_all_back()
        self._is_overdue = True

    def _cancel_calls(self) -> None:
        for block in list(self._blocks):
            block.cancellation.request()

    def _give_all_back(self) -> None:
        self._cancel_calls()
        for block in list(self._blocks):
            self._give_back(block)

    def _give_back(self, block: Block) -> None:
        if self._unheard:
            return
        try:
            block.give_back()
        except Exception as error:
            _log.warning("trials could not be given back: %s", error)

    def _end_process(self, number: int) -> None:
        self._give_all_back()  # Other threads may hold some.
        self._say_last_words()
        self._is_overdue = True
        _log.warning("ended by %s", signal.Signals(number).name)
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                pass  # Nobody listens any more, or there is none.
        _end_by(number)

    def _say_last_words(self) -> None:
        for say in list(self._last_words):
            try:
                say()
            except Exception:
                pass  # Nobody listens any more.


def _has_foreign_handler(number: int) -> bool:
    """Whether code that is not Python's handles the signal, of which signal.getsignal knows nothing.
    Linux alone tells."""
    try:
        with open("/proc/self/status", encoding="ascii") as status:
            caught = [line for line in status if line.startswith("SigCgt:")]
        return bool(int(caught[0].split()[1], 16) >> (number - 1) & 1)
    except (OSError, ValueError, IndexError):
        return False


def _set(number: int, handler: Any) -> None:
    try:
        signal.signal(number, handler)
    except ValueError:
        pass  # Only the main thread of the main interpreter can.


def _end_by(number: int) -> None:
    """Ends the process as the signal does by itself."""
    if threading.get_ident() != threading.main_thread().ident:
        signal.pthread_kill(threading.main_thread().ident or 0, number)  # Its handler ends it.
        time.sleep(_GRACE)  # Unless it is in a long call of compiled code.
    _set(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)  # The first process of a container outlives its own signals.


termination = Termination()
termination.precede_exit_functions()

at_fork(
    before=termination.before_fork,
    after_in_parent=termination.after_fork_in_parent,
    after_in_child=termination.after_fork_in_child,
)
