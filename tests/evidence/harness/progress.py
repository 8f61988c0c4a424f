"""Shows progress: a bar with the time left on a terminal, occasional lines elsewhere."""

import shutil
import sys
import time

QUIET_SECONDS = 60


def duration_text(seconds):
    minutes, seconds = divmod(int(round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Progress:
    """Counts `total` cells; call `done` after each."""

    def __init__(self, total, stream=sys.stderr, clock=time.monotonic):
        self._total = total
        self._stream = stream
        self._clock = clock
        self._start = clock()
        self._told = self._start
        self._count = 0
        self._is_terminal = stream.isatty()

    def done(self, label):
        self._count += 1
        if self._is_terminal:
            self._draw(label)
        elif self._count == self._total or self._clock() - self._told >= QUIET_SECONDS:
            self._told = self._clock()
            self._write(f"{self._count} of {self._total} cells, {self._left()}\n")

    def close(self):
        if self._is_terminal and self._count > 0:
            self._write("\n")

    def _left(self):
        elapsed = self._clock() - self._start
        if self._count == self._total:
            return f"took {duration_text(elapsed)}"
        left = elapsed / self._count * (self._total - self._count)
        return f"{duration_text(left)} left"

    def _draw(self, label):
        columns = shutil.get_terminal_size().columns
        filled = 30 * self._count // self._total
        bar = "#" * filled + "." * (30 - filled)
        line = f"[{bar}] {self._count}/{self._total}  {self._left()}  {label}"
        self._write("\r\033[K" + line[:columns - 1])

    def _write(self, text):
        self._stream.write(text)
        self._stream.flush()
