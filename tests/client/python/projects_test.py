"""Studies and source tasks of projects other than "default"."""

import asyncio
import os
import tempfile
import unittest
import unittest.mock

from servers import ServerTest

import slipstream
import slipstream.aio
from slipstream import real

SPACE = {"x": real(0, 1)}


class Projects(ServerTest):
    def open(self, **settings):
        return slipstream.create_or_load(self.study_id, SPACE, minimize="loss", **settings)

    def test_a_study_of_a_project_is_tuned_and_found_there(self):
        study = self.open(project="vision")
        self.assertEqual((study.id, study.project), (self.study_id, "vision"))
        self.assertEqual(study.name, f"projects/vision/studies/{self.study_id}")
        with study.suggest() as trial:
            self.assertIn(f"<trial {study.name}/1: x=", repr(trial))
            trial.report(1, 0.75)
            trial.complete(0.5)
        self.assertEqual(study.best.value, 0.5)
        self.assertEqual(study.reports(study.best), {1: 0.75})
        for found in (slipstream.load(study.name), slipstream.load(self.study_id, project="vision"),
                      self.open(project="vision"),
                      slipstream.create_or_load(study.name, SPACE, minimize="loss")):
            self.assertEqual((found.name, len(found.trials)), (study.name, 1))
        with self.assertRaises(slipstream.NotFound):
            slipstream.load(self.study_id)

    def test_projects_have_studies_of_the_same_id(self):
        studies = [self.open(), self.open(project="default"), self.open(project="vision")]
        self.assertEqual([study.name for study in studies], [
            f"studies/{self.study_id}", f"studies/{self.study_id}",
            f"projects/vision/studies/{self.study_id}"])
        self.assertIn(f"<study {self.study_id} on", repr(studies[1]))
        slipstream.delete_study(self.study_id, project="vision")
        self.assertEqual(slipstream.load(self.study_id).name, studies[0].name)
        with self.assertRaises(slipstream.NotFound):
            slipstream.load(self.study_id, project="vision")

    def test_one_that_differs_is_told_with_its_whole_name(self):
        name = self.open(project="vision").name
        with self.assertRaisesRegex(slipstream.StudyDiffers, rf"slipstream.load\('{name}'\)"):
            slipstream.create_or_load(name, {"x": real(0, 2)}, minimize="loss")

    def test_what_a_study_learns_from_belongs_to_its_project(self):
        study = self.open(project="nlp", sources=[[{"x": 0.5, "loss": 1}]])
        (task,) = slipstream.sources(project="nlp")
        self.assertEqual(study.sources, [task.name])
        self.assertTrue(task.name.startswith("projects/nlp/sourceTasks/"))
        self.assertNotIn(task.name, [one.name for one in slipstream.sources()])
        self.assertIn(task.name, [one.name for one in slipstream.sources(project="-")])
        with study.suggest() as trial:
            trial.complete(0.5)
        self.assertEqual(slipstream.register_source(study).name.split("/")[1], "nlp")
        digits = task.name.split("/")[-1][:8]
        again = slipstream.create_or_load(f"{self.study_id}-2", SPACE, minimize="loss",
                                          project="nlp", sources=[digits])
        self.assertEqual(again.sources, [task.name])
        slipstream.delete_study(again.name)
        slipstream.delete_study(study.name)
        slipstream.delete_source(task.name)
        self.assertNotIn(task.name, [one.name for one in slipstream.sources(project="nlp")])

    def test_a_full_name_belongs_to_the_project_that_is_given(self):
        studies = [self.open(), self.open(project="vision")]
        for name, project in ((studies[0].name, "vision"), (studies[1].name, "nlp")):
            for call in (slipstream.load, slipstream.delete_study):
                with self.assertRaisesRegex(ValueError, f"{name}' is not in project '{project}'"):
                    call(name, project=project)
        for study in studies:
            self.assertEqual(slipstream.load(study.name, project=study.project).name, study.name)

    def test_a_study_is_imported_into_a_project(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "study.jsonl")
            self.open().export(path)
            self.assertEqual(slipstream.import_study(path, project="vision").name,
                             f"projects/vision/studies/{self.study_id}")
            other = slipstream.import_study(path, f"projects/nlp/studies/{self.study_id}")
            self.assertEqual(other.project, "nlp")

    def test_the_environment_names_one_too(self):
        with unittest.mock.patch.dict(os.environ, {"SLIPSTREAM_PROJECT": "vision"}):
            study = self.open(sources=[[{"x": 0.5, "loss": 1}]])
            self.assertEqual(study.project, "vision")
            self.assertIn("projects/vision/sourceTasks/", study.sources[0])
            self.assertEqual(slipstream.load(self.study_id).name, study.name)
            self.assertEqual({one.project for one in slipstream.studies()}, {"vision"})
            other = self.open(project="default")
            self.assertEqual(other.project, "default")
            self.assertEqual(slipstream.load(other.name).project, "default")
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "study.jsonl")
                other.export(path)
                copies = [slipstream.import_study(path, f"{self.study_id}-copy", project=project)
                          for project in (None, "default")]
            self.assertEqual([one.project for one in copies], ["vision", "default"])
        with unittest.mock.patch.dict(os.environ, {"SLIPSTREAM_PROJECT": "projects/vision"}):
            self.assertEqual(slipstream.load(self.study_id).name, study.name)
        with unittest.mock.patch.dict(os.environ, {"SLIPSTREAM_PROJECT": "-"}):
            with self.assertRaisesRegex(ValueError, "which project is study"):
                self.open()
            with tempfile.TemporaryDirectory() as folder:
                path = os.path.join(folder, "study.jsonl")
                study.export(path)
                for call in (
                        lambda: slipstream.import_study(path),
                        lambda: slipstream.register_source([{"x": 1, "loss": 1}], SPACE, minimize="loss"),
                        lambda: slipstream.export_source("abcdef", path),
                        lambda: slipstream.delete_source("a" * 32)):
                    with self.assertRaisesRegex(ValueError, "which project is meant"):
                        call()
            found = {(one.project, one.study_id) for one in slipstream.studies()}
            self.assertLessEqual({("vision", study.id), ("default", study.id)}, found)
        with unittest.mock.patch.dict(os.environ, {"SLIPSTREAM_PROJECT": "My Team"}):
            with self.assertRaisesRegex(ValueError, "SLIPSTREAM_PROJECT='My Team' must be"):
                self.open()

    def test_asyncio_has_them_too(self):
        async def body():
            async with await slipstream.aio.create_or_load(
                    self.study_id, SPACE, minimize="loss", project="vision") as study:
                async with await study.suggest() as trial:
                    await trial.complete(0.5)
                async with await slipstream.aio.load(study.name) as again:
                    self.assertEqual((await again.best()).value, 0.5)
                return study.name

        self.assertEqual(asyncio.run(body()), f"projects/vision/studies/{self.study_id}")

    def test_names_that_are_none_are_refused(self):
        for study_id, project in (("a/b", None), ("projects/vision/runs/a", None), ("", "vision"),
                                  ("a", "vision/nlp"), ("a", ""), ("a", "My Team"), ("a", "vision-"),
                                  ("projects//studies/a", None),
                                  ("projects/vision/studies/a", "nlp"), ("studies/a", "vision")):
            with self.assertRaises(ValueError, msg=(study_id, project)):
                slipstream.load(study_id, project=project)


if __name__ == "__main__":
    unittest.main()
