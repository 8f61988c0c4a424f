"""A random forest over places between 0 and 1, for effects of single parameters and of pairs.

Effects are those of functional ANOVA: a tree is constant on boxes, so that its mean over all other
parameters is a sum over its leaves (Hutter, Hoos, Leyton-Brown: An Efficient Approach for
Assessing Hyperparameter Importance, ICML 2014). Needs NumPy.
"""

from __future__ import annotations

from typing import Any, List, Sequence, Tuple

try:
    import numpy
except ImportError:
    raise ImportError("this plot needs NumPy: pip install numpy") from None

TREES = 64
_FEWEST_TO_SPLIT = 4


class Tree:
    """Leaves as boxes: `low` and `high` by leaf and parameter, and their values."""

    def __init__(self, x: Any, y: Any, random: Any) -> None:
        self._random = random
        self._leaves: List[Tuple[Any, Any, float]] = []
        dimension = x.shape[1]
        self._grow(x, y, numpy.zeros(dimension), numpy.ones(dimension))
        self.low = numpy.array([leaf[0] for leaf in self._leaves])
        self.high = numpy.array([leaf[1] for leaf in self._leaves])
        self.values = numpy.array([leaf[2] for leaf in self._leaves])
        self.volumes = numpy.prod(self.high - self.low, axis=1)

    def _grow(self, x: Any, y: Any, low: Any, high: Any) -> None:
        split = self._best_split(x, y) if len(y) >= _FEWEST_TO_SPLIT else None
        if split is None:
            self._leaves.append((low, high, float(y.mean())))
            return
        axis, threshold = split
        below = x[:, axis] < threshold
        # A parameter that is not active is at -1, outside the box over which effects are computed.
        cut = min(max(threshold, low[axis]), high[axis])
        middle_high, middle_low = high.copy(), low.copy()
        middle_high[axis] = middle_low[axis] = cut
        self._grow(x[below], y[below], low, middle_high)
        self._grow(x[~below], y[~below], middle_low, high)

    def _best_split(self, x: Any, y: Any) -> Any:
        """The axis and threshold that lower the squared error most; None if nothing does."""
        best, found = 1e-12 * len(y), None  # Of values whose variance is 1, or 0.
        dimension = x.shape[1]
        count = max(1, (dimension + 1) // 2)
        for axis in self._random.permutation(dimension)[:count]:
            order = numpy.argsort(x[:, axis], kind="stable")
            places, values = x[order, axis], y[order] - y.mean()
            sums: Any = numpy.cumsum(values)[:-1]
            left = numpy.arange(1, len(y))
            gains = sums**2 / left + sums**2 / (len(y) - left)
            gains[places[1:] <= places[:-1]] = 0
            at = int(numpy.argmax(gains))
            if gains[at] > best:
                best, found = gains[at], (axis, (places[at] + places[at + 1]) / 2)
        return found

    def main_effect_shares(self) -> Any:
        """The share of each parameter's main effect in the variance; None of a constant tree."""
        mean = float(self.values @ self.volumes)
        variance = float((self.values - mean) ** 2 @ self.volumes)
        if variance <= 1e-14:
            return None
        return [self._main_effect(axis, mean) / variance for axis in range(self.low.shape[1])]

    def _main_effect(self, axis: int, mean: float) -> float:
        edges = numpy.unique(numpy.concatenate([self.low[:, axis], self.high[:, axis]]))
        middles = (edges[:-1] + edges[1:]) / 2
        effects = self.marginal([axis], middles[:, None]) - mean
        return float(effects**2 @ numpy.diff(edges))

    def marginal(self, axes: Sequence[int], places: Any) -> Any:
        """The mean over all other parameters at each of the places, one row for each."""
        low, high = self.low[:, axes], self.high[:, axes]
        sides = numpy.prod(high - low, axis=1)
        real = sides > 0
        weights = numpy.where(real, self.values * self.volumes / numpy.where(real, sides, 1), 0)
        # The upper bound itself belongs to the boxes that end there.
        inside = (places[:, None, :] >= low) & ((places[:, None, :] < high) | (high >= 1))
        return inside.all(axis=2) @ weights


class Forest:
    """Trees on resampled rows; a value of -1 is a parameter that is not active."""

    def __init__(self, rows: Sequence[Sequence[float]], values: Sequence[float]) -> None:
        x, y = numpy.array(rows, dtype=float), self._standardise(values)
        random = numpy.random.default_rng(0)
        draws = [random.integers(0, len(y), len(y)) for _ in range(TREES)]
        self._trees = [Tree(x[draw], y[draw], random) for draw in draws]
        self._dimension = x.shape[1]

    def _standardise(self, values: Sequence[float]) -> Any:
        """The values with mean 0 and variance 1; 0 where they differ by rounding alone."""
        y = numpy.array(values, dtype=float)
        self._unit = float(abs(y).max()) or 1.0  # First, so that no square overflows.
        y /= self._unit
        self._mean, deviation = float(y.mean()), float(y.std())
        self._deviation = deviation if deviation > 1e-7 else 0.0
        return (y - self._mean) / deviation if self._deviation > 0 else 0 * y

    def importances(self) -> List[float]:
        """The mean share of each parameter's main effect; what is missing to 1 are interactions."""
        shares = [tree.main_effect_shares() for tree in self._trees]
        known = [one for one in shares if one is not None]
        if not known:
            return [0.0] * self._dimension
        return [float(share) for share in numpy.mean(known, axis=0)]

    def map(
        self, first: int, second: int, across: Sequence[float], up: Sequence[float]
    ) -> List[List[float]]:
        """The mean effect of a pair of parameters: a row for each place of the second, with a value
        for each place of the first."""
        grid = numpy.array([(x, y) for y in up for x in across])
        total = sum(tree.marginal([first, second], grid) for tree in self._trees)
        mean = self._deviation * total / len(self._trees) + self._mean
        shaped = (self._unit * mean).reshape(len(up), len(across))
        return [[float(value) for value in row] for row in shaped]
