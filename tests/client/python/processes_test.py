"""Many processes on one study, none of which gets an error or another one's trial.

SLIPSTREAM_PROCESSES is their number."""

import asyncio
import multiprocessing
import os
import pickle
import subprocess
import sys
import textwrap
import unittest
import unittest.mock
import warnings

from servers import SPAWN, ServerTest

import slipstream
import slipstream.aio
from slipstream import real

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


def evaluate(study):
    """Evaluates a trial of a study that another process has opened."""
    with study.suggest() as trial:
        trial.complete(trial.x)
    return study.worker


class Namesakes(ServerTest):
    SCRIPT = textwrap.dedent("""
        import slipstream, sys
        trials = slipstream.load(sys.argv[1]).suggest(2)
        print(sorted(trial.number for trial in trials), flush=True)
        sys.stdin.readline()
    """)

    def start(self, **variables):
        process = subprocess.Popen(
            [sys.executable, "-c", self.SCRIPT, self.study_id], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, env={**os.environ, **variables}, **SPAWN)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        return process, process.stdout.readline()

    def test_another_process_of_the_same_worker_id_is_told_of(self):
        def suggest(worker="job-7"):
            return slipstream.load(self.study_id, worker=worker).suggest(2)

        slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss")
        process, held = self.start(SLIPSTREAM_WORKER="job-7")
        self.assertEqual(held, "[1, 2]\n")
        with self.assertWarnsRegex(UserWarning, f"process {process.pid} holds trials under the "
                                                "worker id 'job-7', too") as warned:
            self.assertEqual({trial.number for trial in suggest()}, {1, 2})
        self.assertEqual((len(warned.warnings), warned.filename), (1, __file__))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            suggest()  # This process is the holder now.
            suggest("job")
            suggest(None)

    def test_an_earlier_life_is_not(self):
        slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss")
        process, _ = self.start(SLIPSTREAM_WORKER="job-7")
        process.kill()
        process.wait()
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            trials = slipstream.load(self.study_id, worker="job-7").suggest(2)
        self.assertEqual({trial.number for trial in trials}, {1, 2})


    def test_objects_for_one_study_do_not_get_the_trials_of_each_other(self):
        def open_study(of=slipstream):
            return of.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss", worker="job-7")

        async def suggest():
            async with await open_study(slipstream.aio) as study:
                return (await study.suggest()).number

        with open_study().suggest() as first, open_study().suggest() as second:
            self.assertEqual((first.number, second.number, asyncio.run(suggest())), (1, 2, 3))
            first.complete(1)
            second.complete(1)


class Pickles(ServerTest):
    def test_a_study_is_an_argument_of_spawned_processes(self):
        study = slipstream.create_or_load(
            self.study_id, {"x": real(0, 1)}, minimize="loss", project="vision", worker="gpu-3")
        evaluate(study)
        with unittest.mock.patch.dict(os.environ, {"SLIPSTREAM_WORKER": "gpu-3"}):
            with multiprocessing.get_context("spawn").Pool(2) as pool:
                workers = pool.map(evaluate, [study] * 4, chunksize=1)
                pool.close()
                pool.join()
        self.assertEqual({trial.state for trial in study.trials}, {"succeeded"})
        self.assertEqual(len(study.trials), 5)
        self.assertNotIn("gpu-3", workers)

    def test_a_copy_knows_the_study_as_it_is(self):
        study = slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss")
        copy = pickle.loads(pickle.dumps(study))
        self.assertEqual((copy.name, copy.space, copy.objective),
                         (study.name, study.space, study.objective))
        self.assertNotEqual(copy.worker, study.worker)
        self.assertEqual([copy.suggest().number, study.suggest().number], [1, 2])

    def test_what_belongs_to_a_process_says_so(self):
        study = slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss")
        with self.assertRaisesRegex(TypeError, "this process holds it.*pass the study"):
            pickle.dumps(study.suggest())

        async def pickle_study():
            async with await slipstream.aio.load(self.study_id) as opened:
                pickle.dumps(opened)

        with self.assertRaisesRegex(TypeError, "event loop"):
            asyncio.run(pickle_study())


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
