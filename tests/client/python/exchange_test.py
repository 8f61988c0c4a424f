"""Whole studies and source tasks as files."""

import concurrent.futures
import json
import os
import pathlib
import stat
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

    def test_what_is_no_regular_file_is_written_to_and_stays(self):
        link, pipe = self.path + ".link", self.path + ".pipe"
        os.symlink(self.path, link)
        self.study.export(link)
        self.assertTrue(os.path.islink(link))
        os.mkfifo(pipe)
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            read = pool.submit(lambda: pathlib.Path(pipe).read_text(encoding="utf-8"))
            self.study.export(pipe)
            self.assertEqual(read.result(), pathlib.Path(self.path).read_text(encoding="utf-8"))
        self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))

    def test_a_descriptor_of_this_process_is_written_to_where_it_stands(self):
        link = self.path + ".link"
        with open(self.path, "w", encoding="utf-8") as file:
            os.symlink(f"/dev/fd/{file.fileno()}", link)
            for path in (f"/dev/fd/{file.fileno()}", link):
                print("before", file=file, flush=True)
                self.study.export(path)
            print("after", file=file)
        said = pathlib.Path(self.path).read_text(encoding="utf-8")
        self.study.export(self.path)
        exported = pathlib.Path(self.path).read_text(encoding="utf-8")
        self.assertEqual(said, f"before\n{exported}before\n{exported}after\n")

    def test_a_file_that_cannot_be_made_is_named_as_it_was_given(self):
        path = self.path + "/inside.jsonl"
        with self.assertRaisesRegex(OSError, f"'{path}'$"):
            self.study.export(path)

    def test_a_study_that_exists_is_replaced_only_when_told_to(self):
        self.study.export(self.path)
        self.run_trials(1)
        with self.assertRaisesRegex(slipstream.AlreadyExists, "study_id, or replace=True"):
            slipstream.import_study(self.path)
        self.assertEqual(len(slipstream.import_study(self.path, replace=True).trials), 0)

    def test_a_study_whose_sources_are_not_there_says_how_to_bring_them_along(self):
        task = slipstream.register_source(
            [{"lr": 0.1, "loss": 1}], {"lr": log(1e-5, 1)}, minimize="loss", title=self.study_id)
        learning = slipstream.create_or_load(
            f"{self.study_id}-2", {"lr": log(1e-5, 1)}, minimize="loss", sources=[task])
        learning.export(self.path)
        slipstream.delete_study(learning.id)
        slipstream.delete_source(task)
        with self.assertRaisesRegex(
                slipstream.NotFound, rf"{task.name}; the study's source tasks have to be there first: "
                                     r"slipstream.export_source\(NAME, path\) where the study was "
                                     r"exported, then slipstream.import_source\(path\)$"):
            slipstream.import_study(self.path)

    def test_a_line_that_is_none_is_named(self):
        self.study.export(self.path)
        with open(self.path, "a", encoding="utf-8") as file:
            file.write("nonsense\n")
        with self.assertRaisesRegex(ValueError, "study.jsonl:4: "):
            slipstream.import_study(self.path, f"{self.study_id}-copy")
        for line in ("3", "[1]", "null", '"text"'):
            with open(self.path, "w", encoding="utf-8") as file:
                file.write(line + "\n")
            with self.assertRaisesRegex(ValueError, "study.jsonl:1: .*not a JSON object.*register_source"):
                slipstream.import_study(self.path, f"{self.study_id}-copy")
        with open(self.path, "wb") as file:
            file.write(b"\xff")
        with self.assertRaisesRegex(ValueError, "study.jsonl is not in UTF-8: "):
            slipstream.import_study(self.path, f"{self.study_id}-copy")

    def test_a_result_is_taken_back_and_a_completed_study_goes_on(self):
        self.run_trials(2)
        self.study.complete()
        self.study.export(self.path)
        lines = self.lines()
        lines[1]["study"]["state"] = "ACTIVE"
        wrong = lines[2]["trial"]["trial"]
        wrong["state"] = "WITHDRAWN"
        del wrong["measurement"]
        with open(self.path, "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in lines)
        study = slipstream.import_study(self.path, replace=True)
        self.assertEqual([trial.state for trial in study.trials], ["withdrawn", "succeeded"])
        self.assertEqual(study.best.number, 2)
        self.assertEqual(study.suggest().number, 3)

    def test_what_names_no_file_is_refused_at_once(self):
        with open(os.devnull) as file:
            for use in (self.study.export, slipstream.import_study, slipstream.import_source):
                with self.assertRaisesRegex(TypeError, "expected str, bytes or os.PathLike object"):
                    use(file.fileno())
            self.assertEqual(file.read(), "")
        self.study.export(os.fsencode(self.path))
        self.assertTrue(os.path.isfile(self.path))

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

    def test_a_study_of_another_project_needs_a_project(self):
        study = slipstream.create_or_load(
            self.study_id, {"x": choice("a", "b")}, minimize="loss", project="vision")
        study.export(self.path)
        copy = f"{self.study_id}-copy"
        for study_id in ("", copy):
            with self.assertRaisesRegex(slipstream.InvalidArgument, "projects/vision keeps it"):
                slipstream.import_study(self.path, study_id)
        self.assertEqual(slipstream.import_study(self.path, copy, project="default").name,
                         f"studies/{copy}")
        self.assertEqual(slipstream.import_study(self.path, copy, project="vision").project,
                         "vision")

    def test_a_file_of_a_source_task_is_no_study(self):
        task = slipstream.register_source([{"lr": 0.1, "loss": 1}], {"lr": log(1e-5, 1)},
                                          minimize="loss")
        slipstream.export_source(task, self.path)
        with self.assertRaisesRegex(ValueError, "jsonl:1: .*not a study: slipstream.import_source"):
            slipstream.import_study(self.path)


class SourceExchange(ServerTest):
    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "source.jsonl")

    def register(self, count):
        rows = [{"lr": 1 / (2 + i), "loss": float(i)} for i in range(count)]
        return slipstream.register_source(
            rows, {"lr": log(1e-5, 1)}, minimize="loss", title=f"{count} of {self.study_id}")

    def test_a_source_task_comes_back_by_its_name(self):
        # More observations than a page has.
        task = self.register(1500)
        slipstream.export_source(task, self.path)
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(len(file.readlines()), 1501)
        slipstream.delete_source(task)
        self.assertNotIn(task.name, [one.name for one in slipstream.sources()])
        again = slipstream.import_source(self.path)
        self.assertEqual(again, task)
        self.assertIn(task.name, [one.name for one in slipstream.sources()])
        copy = self.path + ".again"
        slipstream.export_source(task.name.split("/")[1][:12], copy)
        with open(self.path, encoding="utf-8") as one, open(copy, encoding="utf-8") as other:
            self.assertEqual(other.readlines()[1:], one.readlines()[1:])  # The first has its time.

    def test_projects_have_source_tasks_of_their_own(self):
        task = self.register(3)
        slipstream.export_source(task, self.path)
        elsewhere = slipstream.import_source(self.path, project="elsewhere")
        digits = task.name.split("/")[1]
        self.assertEqual(elsewhere.name, f"projects/elsewhere/sourceTasks/{digits}")
        slipstream.export_source(digits[:8], self.path + ".again", project="elsewhere")

    def test_a_file_that_is_not_whole_registers_nothing(self):
        task = self.register(4)
        slipstream.export_source(task, self.path)
        with open(self.path, encoding="utf-8") as file:
            whole = file.readlines()
        slipstream.delete_source(task)
        for lines, complaint in (
            (whole[:-1], "has 3 observations, and the source task in its first line 4: the file"),
            (whole + whole[-1:], "has 5 observations, and the source task in its first line 4$"),
            (whole[:1] + ["nonsense\n"], "jsonl:2: "),
            ([], "is empty"),
            (['{"header": {}}\n'], "jsonl:1: this is a study.*slipstream.import_study"),
        ):
            with open(self.path, "w", encoding="utf-8") as file:
                file.writelines(lines)
            with self.assertRaisesRegex(ValueError, complaint):
                slipstream.import_source(self.path)
        self.assertNotIn(task.name, [one.name for one in slipstream.sources()])

    def test_what_cannot_be_exported_leaves_no_file(self):
        for source, error in ((7, TypeError), ("nonsense", ValueError),
                              ("0123456789ab", slipstream.NotFound)):
            with self.assertRaises(error):
                slipstream.export_source(source, self.path)
        self.assertEqual(os.listdir(os.path.dirname(self.path)), [])


if __name__ == "__main__":
    unittest.main()
