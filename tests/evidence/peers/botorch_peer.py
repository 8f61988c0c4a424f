"""BoTorch: Gaussian processes for mixed spaces, log expected improvement, and its search that
alternates between numbers and choices; all with their defaults. Ten Sobol points come first. Models
keep the values that were suggested for inactive parameters, as Ax does with a hierarchical space.
"""

import torch
from botorch.acquisition import LogExpectedImprovement, qLogExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import MixedSingleTaskGP, SingleTaskGP
from botorch.models.hierarchical.conditional_kernel_gp import HierarchicalConditionalKernelGP
from botorch.optim.optimize_mixed import optimize_acqf_mixed_alternating
from gpytorch.mlls import ExactMarginalLogLikelihood

from peers.flat_space import FlatSpace
from peers.told_rows import ToldRows

INITIAL = 10


def mixed_model(x, y, flat, _):
    words = [i for i, column in enumerate(flat.columns) if column.is_categorical]
    return MixedSingleTaskGP(x, y, cat_dims=words) if words else SingleTaskGP(x, y)


def dependencies_of(flat):
    """{parent's column: {its value: columns that are active then}}."""
    places = {column.parameter.name: i for i, column in enumerate(flat.columns)}
    found = {}
    for i, column in enumerate(flat.columns):
        parameter = column.parameter
        for value in parameter.when:
            parent = places[parameter.parent]
            level = flat.columns[parent].levels[
                flat.columns[parent].parameter.values.index(value)]
            found.setdefault(parent, {}).setdefault(level, []).append(i)
    return found


def conditional_model(x, y, flat, dependencies):
    """A space without conditions has the mixed model."""
    if not dependencies:
        return mixed_model(x, y, flat, dependencies)
    return HierarchicalConditionalKernelGP(x, y, hierarchical_dependencies=dependencies)


class BotorchPeer(ToldRows):
    def __init__(self, space, seed, model):
        super().__init__()
        self._flat = FlatSpace(space)
        self._dependencies = dependencies_of(self._flat)
        self._model = model
        self._seed = seed
        self._sobol = torch.quasirandom.SobolEngine(len(self._flat.columns), scramble=True,
                                                    seed=seed)
        self._asked = 0

    def suggest(self):
        self._asked += 1
        row = self._sobol_row() if self._asked <= INITIAL or not self._rows else self._best_row()
        return self._flat.configuration(row), row

    def _sobol_row(self):
        shares = self._sobol.draw(1)[0].tolist()
        return [column.at_share(share) for column, share in zip(self._flat.columns, shares)]

    def _best_row(self):
        torch.manual_seed(1000 * self._seed + self._asked)
        x = torch.tensor(self._rows, dtype=torch.double)
        y = torch.tensor(self._values, dtype=torch.double)[:, None]
        model = self._model(x, y, self._flat, self._dependencies)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        columns = self._flat.columns
        bounds = torch.tensor([[column.low for column in columns],
                               [column.high for column in columns]], dtype=torch.double)
        found, _ = optimize_acqf_mixed_alternating(
            self._improvement(model, y), bounds,
            discrete_dims={i: column.levels for i, column in enumerate(columns)
                           if column.levels is not None and not column.is_categorical},
            cat_dims={i: column.levels for i, column in enumerate(columns)
                      if column.is_categorical})
        return [column.rounded(number) for column, number in zip(columns, found[0].tolist())]

    def _improvement(self, model, y):
        if not self._open:
            return LogExpectedImprovement(model, best_f=y.max())
        pending = torch.tensor([row for _, row in self._open], dtype=torch.double)
        return qLogExpectedImprovement(model, best_f=y.max(), X_pending=pending)


def mixed(space, seed, _):
    return BotorchPeer(space, seed, mixed_model)


def conditional(space, seed, _):
    return BotorchPeer(space, seed, conditional_model)
