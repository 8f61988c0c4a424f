"""What becomes of studies in forks of a process."""

import os
import signal
import unittest
import unittest.mock

from servers import PATIENCE, ServerTest

import slipstream
from slipstream import real


class Forks(ServerTest):
    def setUp(self):
        super().setUp()
        self.study = slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss")

    def in_fork(self, body):
        """What `body` returns in a child."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            signal.alarm(PATIENCE)
            try:
                os.write(writer, str(body()).encode())
            finally:
                os._exit(0)
        os.close(writer)
        with open(reader, encoding="utf-8") as pipe:
            told = pipe.read()
        os.waitpid(child, 0)
        return told

    def test_a_study_is_not_used_by_a_fork_of_its_process(self):
        def use():
            try:
                return self.study.suggest()
            except RuntimeError as error:
                return error

        self.assertIn("open the study in the child", self.in_fork(use))

    def test_a_fork_does_not_wait_for_the_annotations_of_its_process(self):
        def use():
            try:
                return trial.annotate(note="from a fork")
            except RuntimeError as error:
                return error

        trial, forked = self.study.suggest(), []
        attempt = self.study._transport._attempt

        def attempt_and_fork(step):
            if step.method == "UpdateTrial":
                forked.append(self.in_fork(use))
            return attempt(step)

        with unittest.mock.patch.object(self.study._transport, "_attempt", attempt_and_fork):
            trial.annotate(note="odd")
        self.assertIn("open the study in the child", forked[0])
        self.assertEqual(trial.note, "odd")

    def test_a_fork_opens_the_study_itself(self):
        def use():
            trial = slipstream.load(self.study_id).suggest()
            trial.complete(0.5)
            return trial.worker

        self.study.suggest().complete(0.25)
        worker = self.in_fork(use)
        self.assertNotEqual(worker, self.study.worker)
        self.study.suggest().complete(0.75)
        self.assertEqual([trial.worker for trial in self.study.trials],
                         [self.study.worker, worker, self.study.worker])
        self.assertEqual([trial.value for trial in self.study.trials], [0.25, 0.5, 0.75])


if __name__ == "__main__":
    unittest.main()
