"""What boosting.py and perceptron.py share: four worker processes that tune on scikit-learn's
breast-cancer data.

Their study learns from an earlier one on another split of the data. One of the workers is killed
while it trains: its lease runs out, and another worker gets its configuration.
"""

import subprocess
import sys
import time

from sklearn import datasets, model_selection

import slipstream

WORKERS = 4


def accuracy_on(split, make_model):
    """An objective: the accuracy on the half of the data that is not used for training."""
    x, y = datasets.load_breast_cancer(return_X_y=True)
    parts = model_selection.train_test_split(x, y, test_size=0.5, random_state=split)
    x_train, x_test, y_train, y_test = parts

    def accuracy(trial):
        return make_model(**trial).fit(x_train, y_train).score(x_test, y_test)

    return accuracy


def work(study, accuracy):
    """What a worker does until it is killed."""
    while True:
        with study.suggest() as trial:
            print(trial.number, flush=True)
            trial.complete(accuracy(trial))


def start_worker(study):
    command = [sys.executable, sys.argv[0], "--worker", study.id]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def kill_one_at_work(worker):
    """Kills a worker that has just begun a trial, and returns the trial's number."""
    number = int(worker.stdout.readline())
    worker.kill()
    worker.wait()
    return number


def repetitions(study, number):
    """The later trials of the same configuration."""
    trials = study.trials
    return [one for one in trials[number:] if one.params == trials[number - 1].params]


def wait_for(study, count, lost):
    """Returns once `count` trials have succeeded, and one that repeats the lost trial."""
    while study.description.succeeded_count < count or not any(
        trial.state == "succeeded" for trial in repetitions(study, lost)
    ):
        time.sleep(0.2)


def tune(name, space, make_model, trials):
    earlier = slipstream.create_or_load(f"{name}-1", space, maximize="accuracy")
    if earlier.description.succeeded_count < trials:
        earlier.optimize(accuracy_on(1, make_model), trials=trials, workers=2)
    study = slipstream.create_or_load(
        f"{name}-2", space, maximize="accuracy", sources=[earlier], lease=3
    )
    workers = [start_worker(study) for _ in range(WORKERS)]
    try:
        lost = kill_one_at_work(workers[0])
        print(f"killed the worker of trial {lost}")
        wait_for(study, trials, lost)
    finally:
        for worker in workers:
            worker.kill()
            worker.communicate()
    study.complete()
    again = [trial.number for trial in repetitions(study, lost)]
    print(f"trial {lost} is {study.trials[lost - 1].state}, repeated as {again}")
    print(f"accuracy {study.best.value:.4f}; earlier split {earlier.best.value:.4f}")


def main(name, space, make_model):
    """The program of an example: `[TRIALS]` tunes, `--worker STUDY` is one of the four."""
    if sys.argv[1:2] == ["--worker"]:
        work(slipstream.load(sys.argv[2]), accuracy_on(2, make_model))
    tune(name, space, make_model, trials=int((sys.argv[1:] or ["30"])[0]))
