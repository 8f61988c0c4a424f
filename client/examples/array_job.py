"""One task of an array job: makes one trial and ends. Tasks need to know nothing of each other.

usage: array_job.py STUDY

    sbatch --array=1-50 --wrap "python3 array_job.py sines"
    for task in $(seq 50); do python3 array_job.py sines & done; wait
"""

import math
import sys

import slipstream
from slipstream import real

SPACE = {"x": real(-5, 5), "y": real(-5, 5)}


def main():
    study = slipstream.create_or_load(sys.argv[1], SPACE, minimize="height")
    with study.suggest() as trial:
        trial.complete(math.sin(trial.x) * math.cos(trial.y) + (trial.x**2 + trial.y**2) / 20)


if __name__ == "__main__":
    main()
