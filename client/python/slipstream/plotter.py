"""Plots of a study as its methods."""
from __future__ import annotations
from typing import Any
class Plotter:
    def __init__(self, study: Any) -> None:
        self._study = study
