"""Waits for what another process shows only to those who look. No other Python of tests sleeps.

Whoever can be told waits for that: for the end of a thread or a task, for an event, for a line on a pipe. But
Python has nothing that waits for a file, and a server tells nobody that it has come to another state; so
these functions look again after a short pause.
"""

import asyncio
import time

PATIENCE = 60  # Seconds.
PAUSE = 0.01


def wait_until(condition, what):
    """Returns the condition's first true result. AssertionError if there is none in time."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = condition()
        if result:
            return result
        time.sleep(PAUSE)
    raise AssertionError(f"waited for {PATIENCE} s until {what}")


async def wait_until_async(condition, what):
    """The same where `condition` is to be awaited."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        result = await condition()
        if result:
            return result
        await asyncio.sleep(PAUSE)
    raise AssertionError(f"waited for {PATIENCE} s until {what}")


def wait_for_address(process, address_file, log=None):
    """The address that a server writes to its --address-file once it is ready. AssertionError, with the text
    of the file `log`, if the process ends before."""

    def address():
        if process.poll() is not None:
            raise AssertionError("the server has ended: " + (log.read_text() if log else ""))
        return address_file.exists() and address_file.read_text().strip()

    return wait_until(address, "the server was ready")
