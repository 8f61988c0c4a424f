"""Chooses which experiment of a laboratory's list to make next.

usage: candidates_from_csv.py next FILE                  prints the next experiment
       candidates_from_csv.py yield FILE TRIAL PERCENT   records the yield of an experiment
       candidates_from_csv.py best FILE                  prints the best one so far

The list's columns are the parameters; each row is tried at most once. Days may pass between the
calls: leases of this study never end, so a trial belongs to the laboratory until its result is
recorded.
"""

import csv
import math
import sys

import slipstream


def number(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def open_study(file):
    with open(file, newline="", encoding="utf-8") as table:
        rows = [{name: number(cell) for name, cell in row.items()} for row in csv.DictReader(table)]
    return slipstream.create_or_load(
        "example-laboratory", candidates=rows, maximize="yield", lease=math.inf, worker="laboratory"
    )


def main():
    if len(sys.argv) < 3 or sys.argv[1] not in ("next", "yield", "best"):
        sys.exit(__doc__)
    study = open_study(sys.argv[2])
    if sys.argv[1] == "next":
        try:
            trial = study.suggest()
        except slipstream.CandidatesExhausted:
            sys.exit("Every experiment of the list has been made.")
        print(f"trial {trial.number}, row {trial.candidate + 1} of the list: {dict(trial)}")
    elif sys.argv[1] == "yield":
        trial = study.suggest()  # The open trial, as the worker's id is the same.
        if trial.number != int(sys.argv[3]):
            sys.exit(f"Trial {trial.number} is the one that is under way.")
        trial.complete(float(sys.argv[4]))
    elif study.best is not None:
        print(f"{study.best.value} from {dict(study.best)}")


if __name__ == "__main__":
    main()
