"""The sweeper in Hydra's own programs."""

import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap

import yaml
from servers import ServerTest
from terminated import TerminatedTest

import slipstream
import slipstream.adapters.hydra
from slipstream import choice, discrete, integer, log, real

PROGRAM = """
import hydra

@hydra.main(version_base=None, config_path=None, config_name="config")
def train(config):
    if config.get("fail") and config.layers == 2:
        raise RuntimeError("two layers are broken")
    if config.get("diverge") and config.layers == 2:
        return float("nan")
    value = abs(config.lr - 0.01) + abs(config.layers - 3) + (config.kernel != "poly")
    with open("told", "w") as file:
        file.write(f"{config.lr!r} {config.layers!r} {config.kernel} {value!r}")
    return value

from hydra.core.config_store import ConfigStore
ConfigStore.instance().store("config", {"lr": 0.1, "layers": 1, "kernel": "rbf", "fail": False,
                                        "diverge": False, "other": {"size": 1}})
train()
"""
SWEEPS = ["lr=tag(log, interval(1e-5, 1))", "layers=range(1, 5)", "kernel=choice(rbf, poly)"]


class SweeperTest(ServerTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "train.py").write_text(textwrap.dedent(PROGRAM))

    def run_sweep(self, *overrides, code=0):
        command = [sys.executable, "train.py", "--multirun", "hydra/sweeper=slipstream",
                   f"hydra.sweep.dir={self.folder}/out", "hydra.job.chdir=true",
                   f"hydra.sweeper.study_id={self.study_id}",
                   *overrides]
        finished = subprocess.run(command, cwd=self.folder, text=True, timeout=200, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=os.environ)
        self.assertEqual(finished.returncode, code, finished.stdout)
        return finished.stdout

    def test_jobs_are_launched_with_suggestions_and_their_values_told(self):
        output = self.run_sweep("hydra.sweeper.n_trials=20", "hydra.sweeper.seed=1", *SWEEPS)
        study = slipstream.load(self.study_id)
        self.assertEqual(dict(study.space), {"lr": log(1e-5, 1), "layers": integer(1, 4),
                                             "kernel": choice("rbf", "poly")})
        self.assertEqual([trial.state for trial in study.trials], ["succeeded"] * 20)
        for number, trial in enumerate(study.trials):
            told = (self.folder / f"out/{number}/told").read_text().split()
            self.assertEqual(told, [repr(trial["lr"]), repr(trial["layers"]), trial["kernel"],
                                    repr(trial.value)])
        self.assertLess(study.best.value, 0.1)
        results = yaml.safe_load((self.folder / "out/optimization_results.yaml").read_text())
        self.assertEqual(results["best_value"], study.best.value)
        self.assertEqual(results["best_evaluated_params"], dict(study.best.params))
        self.assertIn("best value: ", output)

    def test_the_command_in_its_docstring_runs(self):
        text = slipstream.adapters.hydra.__doc__
        (command,) = re.findall(r"(?m)^    python (train\.py(?:.*\\\n)*.*)$", text)
        arguments = shlex.split(command.replace("\\\n", " "))
        folder = [f"hydra.sweep.dir={self.folder}/out", f"hydra.sweeper.study_id={self.study_id}"]
        finished = subprocess.run([sys.executable, *arguments, *folder], cwd=self.folder, text=True,
                                  timeout=200, check=False, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT)
        self.assertEqual(finished.returncode, 0, finished.stdout)
        self.assertEqual(len(slipstream.load(self.study_id).trials), 30)

    def test_sweeps_of_the_configuration_of_nested_names_and_other_kinds(self):
        self.run_sweep("hydra.sweeper.n_trials=3", "hydra.sweeper.n_jobs=2",
                       "hydra.sweeper.direction=maximize", "hydra.sweeper.metric=accuracy",
                       "+hydra.sweeper.params.lr='interval(0, 1)'", "layers=int(interval(1, 4))",
                       "other.size=range(2, 9, 2)", "kernel=poly")
        study = slipstream.load(self.study_id)
        self.assertEqual(dict(study.space), {"lr": real(0, 1), "layers": integer(1, 4),
                                             "other.size": discrete(2, 4, 6, 8)})
        self.assertEqual(str(study.objective), "maximize accuracy")
        self.assertEqual(len(study.trials), 3)
        self.assertIn("poly", (self.folder / "out/2/told").read_text())

    def test_the_best_values_are_saved_as_hydra_reads_them(self):
        self.run_sweep("hydra.sweeper.n_trials=2", "lr=choice(0.1,0.2)", "layers=choice(1,2)",
                       "kernel=choice('a b','x=y')", "fail=choice(false)",
                       "+sizes=choice([64,64],[128])", "+drop=null,null")
        results = yaml.safe_load((self.folder / "out/optimization_results.yaml").read_text())
        best = results["best_evaluated_params"]
        self.assertIn(best.pop("lr"), (0.1, 0.2))
        self.assertIn(best.pop("layers"), (1, 2))
        self.assertIn(best.pop("kernel"), ("a b", "x=y"))
        self.assertIn(best.pop("+sizes"), ([64, 64], [128]))
        self.assertEqual(best, {"fail": False, "+drop": None})

    def test_a_job_that_fails_ends_the_sweep_unless_it_is_to_keep_going(self):
        overrides = ["hydra.sweeper.n_trials=8", "hydra.sweeper.seed=1", "fail=true", *SWEEPS]
        self.run_sweep(*overrides, "hydra.sweeper.keep_going=true")
        trials = slipstream.load(self.study_id).trials
        self.assertEqual(len(trials), 8)
        failed = [trial for trial in trials if trial.state == "failed"]
        self.assertTrue(failed)
        self.assertTrue(all(trial["layers"] == 2 for trial in failed))
        self.assertIn("two layers are broken", failed[0].reason)
        self.study_id += "-ends"
        self.assertIn("two layers are broken", self.run_sweep(*overrides, code=1))
        self.assertEqual(slipstream.load(self.study_id).trials[-1].state, "failed")

    def test_a_value_that_is_no_number_is_infeasible_and_does_not_end_the_sweep(self):
        output = self.run_sweep("hydra.sweeper.n_trials=8", "hydra.sweeper.seed=1", "diverge=true",
                                *SWEEPS)
        trials = slipstream.load(self.study_id).trials
        self.assertEqual(len(trials), 8)
        infeasible = [trial for trial in trials if trial.state == "infeasible"]
        self.assertTrue(infeasible)
        self.assertEqual(infeasible, [trial for trial in trials if trial["layers"] == 2])
        self.assertEqual(infeasible[0].reason, "the value is nan")
        self.assertIn("is infeasible: the value is nan", output)

    def test_mistakes_are_told(self):
        self.assertIn("nothing is swept over", self.run_sweep("lr=0.1", code=1))
        refused = self.run_sweep("hydra.sweeper.direction=up", *SWEEPS, code=1)
        self.assertIn("must be minimize or maximize", refused)
        for wrong, told in (("lr=range(5, 1)", r"lr=range\(5, 1\): the range is empty"),
                            ("lr=interval(1, 0)", r"lr=interval\(1, 0\): .*bound is above"),
                            ("hydra.sweeper.n_jobs=0", "n_jobs is 0, must be at least 1")):
            refused = self.run_sweep("layers=range(1, 5)", wrong, code=1)
            self.assertRegex(refused, told)

class Terminated(TerminatedTest):
    PROGRAM = """
        import hydra

        @hydra.main(version_base=None, config_path=None)
        def train(config):
            print("at work", flush=True)
            while True:
                sum(range(100))

        train()
    """

    def test_trials_are_given_back(self):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "train.py").write_text(textwrap.dedent(self.PROGRAM))
            arguments = [sys.executable, "train.py", "--multirun", "hydra/sweeper=slipstream",
                         "hydra.sweeper.n_jobs=2", "+lr=interval(0, 1)", "hydra/job_logging=disabled",
                         "hydra/hydra_logging=disabled",
                         f"hydra.sweeper.study_id={self.study_id}", f"hydra.sweep.dir={folder}/out"]
            self.check_gives_back(f"""
                os.chdir({folder!r})
                os.execv(sys.executable, {arguments!r})
            """, 1)
