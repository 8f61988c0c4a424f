"""Choices among objects: trials have the very objects, and the server only their labels."""

import asyncio
import enum
import io
import pathlib
import pickle
import tempfile
import typing
import unittest
import unittest.mock

import numpy
from servers import ServerTest

import slipstream
import slipstream.aio
from slipstream import choice, integer, real


class Relu:
    """What a choice is among."""


class Kernel(str, enum.Enum):
    """Members that are texts."""

    RBF = "rbf"
    POLY = "poly"


GAUSSIAN = [0.5, 0.25]


def make_space():
    """A space as a script declares it, each time that it runs."""
    return {
        "features": choice(None, "sqrt", 0.5, True),
        "layers": choice((64,), (64, 64)),
        "activation": choice(Relu, dict),
        "start": choice({"gaussian": GAUSSIAN, "array": numpy.ones(2)}),
        "depth": integer(1, 3, when={"features": None}),
        "last": choice(None, 8, "x", when={"layers": (64, 64)}),
        "rate": real(0, 1, when={"activation": [Relu]}),
        "slope": real(0, 1, when={"last": None}),
    }


FIRST = {"features": None, "layers": (64, 64), "activation": dict, "start": GAUSSIAN, "depth": 2,
         "last": None, "slope": 0.5}
LABELS = {**FIRST, "features": "None", "layers": "(64, 64)", "activation": "dict",
          "start": "gaussian", "last": "None"}
SECOND = {"features": True, "layers": (64,), "activation": Relu, "start": GAUSSIAN, "rate": 0.25}


class Categories(ServerTest):
    def open(self, **settings):
        return slipstream.create_or_load(self.study_id, make_space(), minimize="loss", **settings)

    def test_trials_have_the_very_objects(self):
        study = self.open(preset="random", seed=1)
        declared = {name: one.objects for name, one in study.space.items() if one.objects}

        def objective(trial):
            for name, objects in declared.items():
                if name in trial:
                    self.assertTrue(any(trial[name] is one for one in objects), trial)
            self.assertEqual("depth" in trial, trial.features is None)
            self.assertEqual("last" in trial, trial.layers == (64, 64))
            self.assertEqual("slope" in trial, "last" in trial and trial.last is None)
            return trial.number

        best = study.optimize(objective, trials=30, progress=False)
        self.assertEqual({trial["features"] for trial in study.trials}, {None, "sqrt", 0.5, True})
        self.assertIs(best["activation"], study.trial(1)["activation"])
        again = self.open()
        self.assertIs(type(again.best["layers"]), tuple)
        self.assertEqual(again.description.space["layers"].objects, ((64,), (64, 64)))
        self.assertEqual(again.change(title="t").space["layers"].objects, ((64,), (64, 64)))
        self.assertIsInstance(slipstream.load(self.study_id).best["layers"], str)

    def test_trials_have_the_members_of_an_enum(self):
        space = {"kernel": choice(Kernel), "degree": integer(2, 5, when={"kernel": Kernel.POLY})}
        study = slipstream.create_or_load(self.study_id, space, minimize="loss")
        study.enqueue({"kernel": Kernel.POLY, "degree": 3})
        self.assertIs(study.suggest().kernel, Kernel.POLY)
        self.assertIs(study.record({"kernel": "rbf"}, 1)["kernel"], Kernel.RBF)
        self.assertIs(study.best["kernel"], Kernel.RBF)
        self.assertIs(pickle.loads(pickle.dumps(study)).best["kernel"], Kernel.RBF)
        plain = slipstream.load(self.study_id).best["kernel"]
        self.assertEqual((plain, type(plain)), ("rbf", str))

    def test_values_may_be_anything_to_a_type_checker(self):
        hints = typing.get_type_hints(slipstream.TrialRecord)
        self.assertEqual(hints["params"], typing.Dict[str, typing.Any])
        for kind in (slipstream.TrialRecord, slipstream.Trial):
            self.assertIs(typing.get_type_hints(kind.__getitem__)["return"], typing.Any)

    def test_configurations_are_given_with_objects_or_labels(self):
        study = self.open()
        first = study.enqueue(FIRST)
        self.assertEqual(first.params, FIRST)
        self.assertIs(first["start"], GAUSSIAN)
        for again in (FIRST, LABELS, first.params, slipstream.load(self.study_id).trial(1).params):
            self.assertEqual(study.enqueue(again, unless_there=True).number, 1)
        self.assertEqual(slipstream.load(self.study_id).trial(1).params, LABELS)
        second = {**SECOND, "depth": None, "last": None, "slope": None}
        self.assertEqual(study.record(second, 1).params, SECOND)
        self.assertEqual(study.best.params, SECOND)
        with self.assertRaisesRegex(TypeError, r"features=0.7 is not a value of choice\(None, 'sqrt'"):
            study.enqueue({**FIRST, "features": 0.7})
        with self.assertRaisesRegex(TypeError, "features=1 is not a value"):
            study.enqueue({**FIRST, "features": 1})

    def test_tables_have_labels_and_can_be_sources(self):
        study = self.open()
        study.record(FIRST, 0.5)
        study.record(SECOND, 1)
        row = study.trials.to_dicts()[0]
        self.assertEqual({name: row[name] for name in LABELS}, LABELS)
        frame = study.trials.to_frame()
        self.assertEqual((frame["last"][1], frame["last"].isna().tolist()), ("None", [False, True]))
        task = slipstream.register_source(study)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "trials.csv")
            frame.to_csv(path)
            given = [{**FIRST, "loss": 0.5}, {**SECOND, "last": None, "loss": 1}]
            for number, table in enumerate((study, study.trials.to_dicts(), frame, path, given)):
                other = slipstream.create_or_load(f"{self.study_id}-{number}", make_space(),
                                                  minimize="loss", sources=[table])
                self.assertEqual(other.sources, [task.name])
        self.assertEqual(slipstream.register_source(given, like=study).name, task.name)
        self.assertEqual(slipstream.register_source(given, make_space(), minimize="loss").name, task.name)

    def test_candidates_have_objects(self):
        space = {"features": choice(None, 0.5), "layers": choice((64,), (64, 64))}
        rows = [{"features": None, "layers": (64,)}, {"features": 0.5, "layers": (64, 64)}]
        study = slipstream.create_or_load(self.study_id, space, minimize="loss", candidates=rows)
        tried = {trial.candidate: dict(trial) for trial in study.suggest(2)}
        self.assertEqual([tried[0], tried[1]], rows)
        again = slipstream.create_or_load(self.study_id, space, minimize="loss", candidates=rows)
        self.assertEqual(again.record(rows[0], 1).params, rows[0])

    def test_what_people_see_has_labels(self):
        study = self.open()
        with unittest.mock.patch("sys.stderr", io.StringIO()) as stream:
            study.enqueue({**FIRST, "start": "array"})
            study.optimize(lambda trial: 1, trials=1)
        self.assertIn("activation=dict, start=array", stream.getvalue())
        for text in (study._repr_html_(), study.trials._repr_html_()):
            self.assertIn("<td>array</td>", text)
        for value in (2, 3, 4):
            study.record(SECOND, value)
        self.assertIn("features", study.importances())

    def test_other_processes_have_them_too(self):
        study = slipstream.create_or_load(
            self.study_id, {"f": choice(None, 0.5), "g": choice(Relu, dict)}, minimize="loss")
        study.record({"f": None, "g": Relu}, 1)
        copy = pickle.loads(pickle.dumps(study))
        self.assertEqual(copy.best.params, {"f": None, "g": Relu})
        self.assertEqual(pickle.loads(pickle.dumps(copy.best)).params, {"f": None, "g": Relu})

    def test_asyncio_has_them_too(self):
        async def work():
            async with await slipstream.aio.create_or_load(
                    self.study_id, make_space(), minimize="loss") as study:
                await study.enqueue(FIRST)
                return (await study.suggest()).params

        self.assertEqual(asyncio.run(work()), FIRST)

    def test_another_choice_is_another_study(self):
        self.open()
        with self.assertRaises(slipstream.StudyDiffers) as raised:
            slipstream.create_or_load(self.study_id, {**make_space(), "activation": choice(Relu, set)},
                                      minimize="loss")
        self.assertEqual(raised.exception.differences, (
            "parameter 'activation': asked for choice(Relu, set), the study has choice('Relu', 'dict')",
        ))


if __name__ == "__main__":
    unittest.main()
