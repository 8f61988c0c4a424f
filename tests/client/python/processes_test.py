"""Many processes on one study, none of which gets an error or another one's trial.

SLIPSTREAM_PROCESSES is their number."""

import os
import subprocess
import sys
import textwrap
import unittest

from servers import SPAWN, ServerTest

import slipstream

PROCESSES = int(os.environ.get("SLIPSTREAM_PROCESSES", "8"))
TRIALS_EACH = 5

TRAINER = textwrap.dedent("""
    import sys, slipstream
    from slipstream import choice, integer, log
    space = {"lr": log(1e-5, 1), "kernel": choice("rbf", "poly"),
             "degree": integer(2, 5, when={"kernel": "poly"})}
    study = slipstream.create_or_load(sys.argv[1], space, maximize="accuracy")
    for _ in range(int(sys.argv[2])):
        with study.suggest() as trial:
            trial.report(1, trial.lr)
            print(trial.number, trial.lr)
            trial.complete(trial.lr)
""")


class Processes(ServerTest):
    def test_they_share_a_study_that_none_of_them_created_before(self):
        command = [sys.executable, "-W", "error", "-c", TRAINER, self.study_id, str(TRIALS_EACH)]
        trainers = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                     text=True, **SPAWN) for _ in range(PROCESSES)]
        told = []
        for trainer in trainers:
            output, complaints = trainer.communicate(timeout=500)
            self.assertEqual((trainer.returncode, complaints), (0, ""))
            told += [line.split() for line in output.splitlines()]
        trials = slipstream.load(self.study_id).trials
        self.assertEqual(len(trials), PROCESSES * TRIALS_EACH)
        self.assertEqual({trial.state for trial in trials}, {"succeeded"})
        self.assertEqual(sorted((int(number), float(lr)) for number, lr in told),
                         [(trial.number, trial.value) for trial in trials])
        self.assertEqual(len({trial.worker for trial in trials}), PROCESSES)


if __name__ == "__main__":
    unittest.main()
