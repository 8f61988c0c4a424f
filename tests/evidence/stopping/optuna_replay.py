"""Replays recorded trainings through Optuna's pruners, in the same orders as stopping_replay.

The events are those of replay.h: workers take trainings one after the other, each training takes
its own time for a step, and the pruner is asked after each report but that of the last step.
"""

import csv
import pathlib
import warnings

import optuna

# That WilcoxonPruner may change, and that few steps make its test approximate.
warnings.filterwarnings("ignore")

CURVES = pathlib.Path(__file__).resolve().parent / "curves"
PRUNERS = {
    "optuna median": lambda: optuna.pruners.MedianPruner(),
    "optuna hyperband": lambda: optuna.pruners.HyperbandPruner(),
    "optuna wilcoxon": lambda: optuna.pruners.WilcoxonPruner(),
}


def read_csv(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def read_tasks():
    """{task: (goal, [values of each curve])}."""
    tasks = {}
    for row in read_csv(CURVES / "tasks.csv"):
        steps = [str(step) for step in range(1, int(row["steps"]) + 1)]
        curves = [[float(curve[step]) for step in steps]
                  for curve in read_csv(CURVES / f"{row['task']}.csv")]
        tasks[row["task"]] = row["goal"], curves
    return tasks


class Replay:
    """One study; `order` has pairs of a curve and the duration of its steps."""

    def __init__(self, name, pruner, goal, curves, order, workers):
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        # Optuna deals trials to Hyperband's brackets by the study's name.
        self.study = optuna.create_study(study_name=name, direction=goal, pruner=pruner,
                                         sampler=optuna.samplers.RandomSampler(seed=0))
        self.curves = curves
        self.better = min if goal == "minimize" else max
        self.waiting = list(reversed(order))
        self.busy = []
        self.steps = self.stopped = 0
        self.best_reported = self.best_finished = None
        for _ in range(workers):
            self.busy.append(self.next_trial(0))

    def next_trial(self, time):
        """[time of the next report, trial, values, duration, steps done]; None if none is left."""
        if not self.waiting:
            return None
        curve, duration = self.waiting.pop()
        return [time + duration, self.study.ask(), self.curves[curve], duration, 0]

    def run(self):
        while any(self.busy):
            worker = min((i for i, each in enumerate(self.busy) if each),
                         key=lambda i: self.busy[i][0])
            if self.report(self.busy[worker]):
                self.busy[worker] = self.next_trial(self.busy[worker][0])
        return self

    def report(self, event):
        """Whether the training is over."""
        time, trial, values, duration, step = event
        value = values[step]
        trial.report(value, step + 1)
        self.steps += 1
        self.best_reported = self.best(self.best_reported, value)
        if step + 1 == len(values):
            self.study.tell(trial, value)
            self.best_finished = self.best(self.best_finished, value)
            return True
        if trial.should_prune():
            self.study.tell(trial, state=optuna.trial.TrialState.PRUNED)
            self.stopped += 1
            return True
        event[0], event[4] = time + duration, step + 1
        return False

    def best(self, known, value):
        return value if known is None else self.better(known, value)


def replay(task, goal, curves, seed, order, pruner, workers):
    """A row like those of stopping_replay, without what is known of the whole."""
    done = Replay(f"{task} {seed}", PRUNERS[pruner](), goal, curves, order, workers).run()
    return {"task": task, "goal": goal, "rule": pruner, "seed": seed, "steps": done.steps,
            "stopped": done.stopped, "best_reported": done.best_reported,
            "best_finished": "" if done.best_finished is None else done.best_finished}
