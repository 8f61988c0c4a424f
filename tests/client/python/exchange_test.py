"""Whole studies as files."""

import concurrent.futures
import json
import os
import tempfile
import unittest

from servers import ServerTest

import slipstream
from slipstream import choice, log


class Exchange(ServerTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "study.jsonl")
        space = {"lr": log(1e-5, 1), "kernel": choice("rbf", "poly")}
        self.study = slipstream.create_or_load(self.study_id, space, minimize="loss")

    def run_trials(self, count):
        for i in range(count):
            with self.study.suggest() as trial:
                trial.report(1, 2.0)
                trial.complete(i / 3)

    def lines(self):
        with open(self.path, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def test_a_study_comes_back_as_it_was(self):
        self.run_trials(3)
        self.study.enqueue({"lr": 0.1, "kernel": "rbf"})
        self.study.export(self.path)
        first = self.lines()
        self.assertEqual(len(first), 7)
        self.assertEqual(first[-1], {"end": {"trialCount": "4"}})
        copy = slipstream.import_study(self.path, f"{self.study_id}-copy")
        self.assertEqual(copy.id, f"{self.study_id}-copy")
        self.assertEqual([trial.value for trial in copy.trials], [0, 1 / 3, 2 / 3, None])
        self.assertEqual(dict(copy.reports(copy.trials[0])), {1: 2.0})
        copy.export(self.path)
        again = self.lines()
        again[1]["study"]["name"] = first[1]["study"]["name"]
        self.assertEqual(again, first)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), ["study.jsonl"])

    def test_no_other_study_of_the_name_is_exported(self):
        slipstream.delete_study(self.study_id)
        slipstream.create_or_load(self.study_id, {"x": choice("a", "b")}, minimize="loss")
        with self.assertRaisesRegex(slipstream.NotFound, "is not the study that"):
            self.study.export(self.path)
        self.assertFalse(os.path.exists(self.path))

    def test_exports_to_one_path_at_the_same_time_are_whole_each(self):
        self.run_trials(3)
        with open(self.path + ".partial", "w", encoding="utf-8") as file:
            file.write("another's")
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for done in [pool.submit(self.study.export, self.path) for _ in range(12)]:
                done.result()
        self.assertEqual(self.lines()[-1], {"end": {"trialCount": "3"}})
        with open(self.path + ".partial", encoding="utf-8") as file:
            self.assertEqual(file.read(), "another's")
        self.assertEqual(len(os.listdir(os.path.dirname(self.path))), 2)

    def test_a_study_that_exists_is_replaced_only_when_told_to(self):
        self.study.export(self.path)
        self.run_trials(1)
        with self.assertRaises(slipstream.AlreadyExists):
            slipstream.import_study(self.path)
        self.assertEqual(len(slipstream.import_study(self.path, replace=True).trials), 0)

    def test_a_line_that_is_none_is_named(self):
        self.study.export(self.path)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write("nonsense\n")
        with self.assertRaisesRegex(ValueError, "study.jsonl:4: "):
            slipstream.import_study(self.path, f"{self.study_id}-copy")

    def test_a_file_that_was_cut_off_is_refused(self):
        self.run_trials(2)
        self.study.export(self.path)
        with open(self.path, encoding="utf-8") as file:
            whole = file.readlines()
        with open(self.path, "w", encoding="utf-8") as file:
            file.writelines(whole[:-1])
        with self.assertRaisesRegex(slipstream.InvalidArgument, "line 5"):
            slipstream.import_study(self.path, f"{self.study_id}-copy")

    def test_a_file_that_was_there_stays_when_the_export_fails(self):
        self.study.export(self.path)
        before = self.lines()
        slipstream.delete_study(self.study_id)
        with self.assertRaises(slipstream.NotFound):
            self.study.export(self.path)
        self.assertEqual(self.lines(), before)


if __name__ == "__main__":
    unittest.main()
