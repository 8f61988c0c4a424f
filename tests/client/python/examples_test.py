"""Each example does what it says. SLIPSTREAM_CLI is the command line tool's path."""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
from concurrent.futures import ThreadPoolExecutor

from servers import SPAWN, ServerTest
from waiting import wait_until

import slipstream
from slipstream import log

EXAMPLES = pathlib.Path(os.environ["SLIPSTREAM_SOURCE"]) / "client/examples"


def run(*command, code=0):
    tools = str(pathlib.Path(os.environ["SLIPSTREAM_CLI"]).parent)
    variables = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
    finished = subprocess.run([str(part) for part in command], text=True, env=variables,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200,
                              check=False, **SPAWN)
    assert finished.returncode == code, finished.stdout + finished.stderr
    return finished.stdout + finished.stderr


class Examples(ServerTest):
    def test_the_laboratory_makes_each_experiment_once(self):
        command = [sys.executable, EXAMPLES / "candidates_from_csv.py"]
        file = EXAMPLES / "laboratory.csv"
        for number in range(1, 13):
            self.assertIn(f"trial {number}, row ", run(*command, "next", file))
            self.assertIn(f"trial {number}, row ", run(*command, "next", file))
            run(*command, "yield", file, number, 50 + number)
        self.assertIn("Every experiment", run(*command, "next", file, code=1))
        self.assertIn("62.0 from {", run(*command, "best", file))
        trials = slipstream.load("example-laboratory").trials
        self.assertEqual(sorted(trial.candidate for trial in trials), list(range(12)))

    def test_fifty_tasks_of_an_array_job_share_a_study(self):
        command = [sys.executable, EXAMPLES / "array_job.py", self.study_id]
        # As a scheduler has them: the next task starts when a place is free.
        with ThreadPoolExecutor(4 * (os.cpu_count() or 1)) as places:
            said = list(places.map(lambda _: run(*command), range(50)))
        self.assertEqual(said, [""] * 50)
        trials = slipstream.load(self.study_id).trials
        self.assertEqual([trial.state for trial in trials], ["succeeded"] * 50)
        self.assertEqual(len({trial.worker for trial in trials}), 50)

    def test_a_training_goes_on_from_its_checkpoint(self):
        # Ends itself by a signal once it has saved its third checkpoint since it was started.
        interrupted = textwrap.dedent("""
            import os, runpy, signal, sys
            sys.argv[:2] = []
            replace, left, signal_number = os.replace, 3, int(sys.argv.pop())
            def replace_and_end(*names):
                global left
                replace(*names)
                left -= 1
                if left == 0:
                    os.kill(os.getpid(), signal_number)
            os.replace = replace_and_end
            runpy.run_path(sys.argv[0], run_name="__main__")
        """)
        study = slipstream.create_or_load(self.study_id, {"lr": log(1e-4, 1)}, minimize="loss",
                                          stopping="median", lease=1)
        with tempfile.TemporaryDirectory() as folder:
            command = [EXAMPLES / "resuming.py", self.study_id, folder]
            end = [sys.executable, "-c", interrupted, "", *command]
            run(*end, int(signal.SIGTERM), code=-signal.SIGTERM)
            run(*end, int(signal.SIGKILL), code=-signal.SIGKILL)
            wait_until(lambda: study.trials[0].state == "stale", "the lease ran out")
            output = run(sys.executable, *command)
        self.assertEqual(output.splitlines(),
                         [f"trial 2, 1.json: epoch {epoch}" for epoch in range(7, 21)])
        self.assertEqual([trial.state for trial in study.trials], ["stale", "succeeded"])
        self.assertEqual(study.best.labels["checkpoint"], "1.json")

    def test_the_shell_trains(self):
        output = run(EXAMPLES / "shell_trainer", self.study_id, 12)
        trials = slipstream.load(self.study_id).trials
        self.assertEqual([trial.state for trial in trials], ["succeeded"] * 12)
        self.assertIn(f"{self.study_id}/{slipstream.load(self.study_id).best.number} ", output)
        slipstream.load(self.study_id).complete()
        self.assertIn(" is COMPLETED ", run(EXAMPLES / "shell_trainer", self.study_id, 12))
        self.assertEqual(len(slipstream.load(self.study_id).trials), 12)


if __name__ == "__main__":
    unittest.main()
