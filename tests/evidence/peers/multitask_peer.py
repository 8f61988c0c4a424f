"""BoTorch's transfer model: one Gaussian process of all tasks, whose task covariance is learnt
(MultiTaskGP, the model of Ax's transfer learning), with each task standardised alone. Five Sobol
points, or random candidates, come first. The acquisition is noisy log expected improvement, or log
expected improvement of exact results, of the target task.
"""

import random

import torch
from botorch.acquisition import LogExpectedImprovement, qLogNoisyExpectedImprovement
from botorch.fit import fit_gpytorch_mll
from botorch.models import MultiTaskGP
from botorch.models.transforms.outcome import StratifiedStandardize
from botorch.optim import optimize_acqf
from gpytorch.mlls import ExactMarginalLogLikelihood

from peers.objective import row_of
from peers.told_rows import ToldRows

INITIAL = 5
MOST_SOURCES = 10  # Drawn at random from more: the model's cost grows by the third power of results.
TARGET = 0
RESTARTS, RAW_SAMPLES = 10, 512
MOST_STEPS = 200  # A fit has at most so many; without a bound it takes thousands, and minutes.


class MultiTaskPeer(ToldRows):
    def __init__(self, space, seed, settings):
        if not settings.candidates and any(parameter.parent is not None or
                                           parameter.type != "double"
                                           for parameter in space.parameters):
            raise ValueError("without candidates only spaces of numbers are supported")
        super().__init__()
        self._space = space
        self._seed = seed
        self._noiseless = settings.noiseless
        self._random = random.Random(seed)
        self._candidates = [(configuration, row_of(space, configuration))
                            for configuration in settings.candidates]
        self._sobol = torch.quasirandom.SobolEngine(len(space.parameters), scramble=True, seed=seed)
        self._source_rows, self._source_values = self._of_sources(settings.sources)

    def _of_sources(self, sources):
        chosen = self._random.sample(sources, min(len(sources), MOST_SOURCES))
        self._tasks = 1 + len(chosen)
        rows, values = [], []
        for number, points in enumerate(chosen, start=1):
            rows += [row_of(self._space, configuration) + [float(number)]
                     for configuration, _ in points]
            values += [-loss for _, loss in points]
        return rows, values

    def suggest(self):
        if len(self._rows) + len(self._open) < INITIAL:
            return self._initial()
        torch.manual_seed(1000 * self._seed + len(self._rows))
        return self._best(self._improvement())

    def _initial(self):
        if self._candidates:
            return self._candidates.pop(self._random.randrange(len(self._candidates)))
        return self._at(self._sobol.draw(1)[0].tolist())

    def _at(self, shares):
        return ({parameter.name: parameter.at(share)
                 for parameter, share in zip(self._space.parameters, shares)}, shares)

    def _improvement(self):
        x = torch.tensor(self._source_rows + [row + [float(TARGET)] for row in self._rows],
                         dtype=torch.double)
        y = torch.tensor(self._source_values + self._values, dtype=torch.double)[:, None]
        tasks = torch.arange(self._tasks)
        model = MultiTaskGP(
            x, y, task_feature=-1, output_tasks=[TARGET], all_tasks=tasks.tolist(),
            outcome_transform=StratifiedStandardize(stratification_idx=-1, all_task_values=tasks))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model),
                         optimizer_kwargs={"options": {"maxiter": MOST_STEPS}})
        if self._noiseless:
            return LogExpectedImprovement(model, best_f=max(self._values))
        return qLogNoisyExpectedImprovement(
            model, X_baseline=torch.tensor(self._rows, dtype=torch.double), cache_root=False)

    def _best(self, improvement):
        if self._candidates:
            rows = torch.tensor([row for _, row in self._candidates], dtype=torch.double)
            with torch.no_grad():
                found = int(improvement(rows[:, None, :]).argmax())
            return self._candidates.pop(found)
        count = len(self._space.parameters)
        bounds = torch.tensor([[0.0] * count, [1.0] * count], dtype=torch.double)
        found, _ = optimize_acqf(improvement, bounds, q=1, num_restarts=RESTARTS,
                                 raw_samples=RAW_SAMPLES)
        return self._at(found[0].tolist())
