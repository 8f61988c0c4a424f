"""Trains with checkpoints, so that an interrupted training run goes on where it stopped.

usage: resuming.py STUDY FOLDER

Makes one trial, and saves a checkpoint after each epoch in FOLDER, which workers share. A label of
the trial names the checkpoint. The label stays however the worker ends (pre-empted, by Ctrl-C or
`kill -9`), even if the configuration is queued again as another trial. So the worker that gets the
configuration next finds the checkpoint.
"""

import json
import os
import pathlib
import sys

import slipstream
from slipstream import log

EPOCHS = 20


def train_for_an_epoch(loss, lr):
    """Gradient descent in a bowl, in place of your training."""
    return loss * (1 - lr) ** 2 + 1e-3 * lr


def save(file, state):
    """Saves by renaming, so that a checkpoint is whole even if this process is killed."""
    partial = file.with_suffix(".partial")
    partial.write_text(json.dumps(state))
    os.replace(partial, file)


def train(trial, folder):
    label = trial.labels.get("checkpoint")
    file = folder / (label or f"{trial.number}.json")
    epoch, loss = json.loads(file.read_text()) if label else (0, 1.0)
    while epoch < EPOCHS:
        loss = train_for_an_epoch(loss, trial.lr)
        epoch += 1
        save(file, (epoch, loss))
        if epoch == 1:
            trial.annotate(labels={"checkpoint": file.name})
        print(f"trial {trial.number}, {file.name}: epoch {epoch}", flush=True)
        trial.report(epoch, loss)
        if trial.should_stop():
            return  # The trial counts as stopped.
    trial.complete(loss)


def main():
    space = {"lr": log(1e-4, 1)}
    study = slipstream.create_or_load(sys.argv[1], space, minimize="loss", stopping="median")
    folder = pathlib.Path(sys.argv[2]) / study.id
    folder.mkdir(parents=True, exist_ok=True)
    with study.suggest() as trial:
        train(trial, folder)


if __name__ == "__main__":
    main()
