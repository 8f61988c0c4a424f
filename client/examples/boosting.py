"""Tunes gradient boosting by four worker processes that learn from an earlier study.

usage: boosting.py [TRIALS]

The earlier study is of another split of the same data. One of the workers is killed while it
trains: its lease runs out, and another worker gets its configuration.
"""

import pathlib
import subprocess
import sys
import time

from boosting_worker import SPACE, accuracy_on

import slipstream

WORKER = pathlib.Path(__file__).with_name("boosting_worker.py")
WORKERS = 4


def start_worker(study, split):
    command = [sys.executable, str(WORKER), study.id, str(split)]
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
    """Returns when so many trials have succeeded, and one that repeats the lost one."""
    while study.description.succeeded_count < count or not any(
        trial.state == "succeeded" for trial in repetitions(study, lost)
    ):
        time.sleep(0.2)


def main():
    trials = int((sys.argv[1:] or ["30"])[0])
    earlier = slipstream.create_or_load("example-boosting-1", SPACE, maximize="accuracy")
    if earlier.description.succeeded_count < trials:
        earlier.optimize(accuracy_on(1), trials=trials, workers=2)
    study = slipstream.create_or_load(
        "example-boosting-2", SPACE, maximize="accuracy", sources=[earlier], lease=3
    )
    workers = [start_worker(study, split=2) for _ in range(WORKERS)]
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


if __name__ == "__main__":
    main()
