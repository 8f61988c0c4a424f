"""Opening studies, comparing them, reading them, and learning from earlier ones."""

import asyncio
import datetime
import decimal
import fractions
import html
import inspect
import math
import os
import pathlib
import pickle
import tempfile
import time
import unittest
import unittest.mock
import warnings

import numpy
import pandas
from servers import ServerTest

import slipstream
import slipstream.aio
from slipstream import boolean, choice, discrete, integer, log, real, register_source, reverse_log
from slipstream._operations import foreign_names
from slipstream._operations.service import Service

EVERY_KIND = {
    "lr": log(1e-5, 1, default=0.01),
    "momentum": reverse_log(0.9, 0.9999),
    "dropout": real(0, 0.5),
    "layers": integer(1, 8, default=2),
    "width": integer(16, 1024, scale="log"),
    "batch": discrete(64, 16, 32, scale="log", default=32),
    "step": discrete(0.5, 0.25),
    "kernel": choice("rbf", "poly", "sigmoid", default="rbf"),
    "degree": integer(2, 5, when={"kernel": "poly"}),
    "shift": real(-1, 1, when={"kernel": ["poly", "sigmoid"]}),
    "bias": boolean(default=True),
    "scale": real(0, 1, when={"bias": True}),
}


class Opening(ServerTest):
    def open(self, space=None, **settings):
        settings.setdefault("maximize", "accuracy")
        return slipstream.create_or_load(self.study_id, space or EVERY_KIND, **settings)

    def test_every_kind_of_parameter_comes_back_as_it_was(self):
        self.open()
        self.assertEqual(dict(slipstream.load(self.study_id).space), EVERY_KIND)
        self.assertEqual(repr(slipstream.load(self.study_id).space["batch"]),
                         "discrete(16, 32, 64, scale='log', default=32)")

    def test_a_study_that_is_the_same_is_loaded(self):
        settings = dict(seed=7, preset="gp_ucb", recipe={"acquisition": "ei", "smoothness": 1},
                        stopping="median", lease=datetime.timedelta(minutes=10), requeues=2,
                        exact=True)
        self.open(**settings).record(dict(self.open(**settings).suggest()), 0.5)
        again = self.open(**settings)
        self.assertEqual(again.description.trial_count, 2)
        self.assertEqual(self.open(exact=True).id, again.id)
        reordered = dict(reversed(EVERY_KIND.items()))
        self.assertEqual(self.open(reordered, exact=True).id, again.id)

    def test_lists_show_each_study_and_source_task_in_short(self):
        study = slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss")
        study.record({"x": 0.5}, 0.25)
        study.record({"x": 0.5}, failed="broke")
        self.assertEqual(repr(study.description),
                         f"<study {study.id}, active: minimize loss, 1 of 2 trials succeeded>")
        self.assertIn(repr(study.description), repr(slipstream.studies()))
        for title, loss, end in (
                ("", None, ": minimize loss, 0 of 1 measured>"),
                ("last year", 0.25, " (last year): minimize loss, 1 of 1 measured, best 0.25>")):
            task = register_source([{"x": len(title) / 9, "loss": loss}], {"x": real(0, 1)},
                                   minimize="loss", title=title, missing="failed")
            digits = task.name[len("sourceTasks/"):][:12]
            self.assertEqual(repr(task), f"<source task {digits}{end}")

    def test_title_and_labels_can_be_changed(self):
        study = self.open(title="first", labels={"team": "vision"})
        changed = study.change(title="second", labels={"year": 2026, "team": None})
        self.assertEqual((changed.title, changed.labels), ("second", {"year": "2026"}))
        self.assertEqual(slipstream.load(self.study_id).description, changed)
        self.assertEqual(study.change(labels={"year": 2026}), changed)
        self.assertEqual(study.change(title="").title, "")
        self.assertEqual((changed.lease, changed.requeues), (3600, 3))
        changed = study.change(lease="10m")
        self.assertEqual((changed.lease, changed.requeues), (600, 3))
        changed = study.change(lease=math.inf, requeues=0)
        self.assertEqual((changed.lease, changed.requeues), (math.inf, 0))
        self.assertEqual(study.change(requeues=0), changed)
        for wrong in ({}, {"title": 3}, {"labels": ["a"]}, {"labels": {"a": []}}, {"lease": "soon"},
                      {"requeues": 1.5}):
            with self.assertRaises(TypeError):
                study.change(**wrong)

        async def change():
            async with await slipstream.aio.load(self.study_id) as same:
                return await same.change(title="third")

        self.assertEqual(asyncio.run(change()).title, "third")

    def test_everything_that_differs_is_told(self):
        self.open(seed=7)
        space = {**EVERY_KIND, "lr": log(1e-4, 1), "more": real(0, 1)}
        del space["dropout"]
        with self.assertRaises(slipstream.StudyDiffers) as raised:
            self.open(space, maximize=None, minimize="loss", seed=8, preset="random",
                      recipe={"acquisition": "ei"}, stopping="asha", lease=60, requeues=9)
        told = raised.exception.differences
        for words in ("'lr': asked for log(0.0001, 1), the study has log(1e-05, 1, default=0.01)",
                      "'more': asked for real(0, 1)", "'dropout': not asked for",
                      "asked to minimize loss, the study is to maximize accuracy",
                      "seed: asked for 8, the study has 7", "preset: asked for 'random'",
                      "recipe: asked for {'acquisition': 'ei'}", "stopping: asked for 'asha'",
                      "lease: asked for 1m, the study has 1h", "requeues: asked for 9"):
            self.assertTrue(any(words in line for line in told), (words, told))
        self.assertEqual(len(told), 10)
        self.assertIn(
            f"\nUse it unchanged with slipstream.load('{self.study_id}'), or choose another id. With "
            f"sources=['{self.study_id}'] the study with that id learns from the results of this one. "
            "What it has stays: create_or_load without preset=, recipe=, stopping= goes on with it. "
            f"slipstream.load('{self.study_id}').change(lease=..., requeues=...) changes what this one "
            "has.", str(raised.exception))
        for settings, end in (({"seed": 8}, "choose another id."),
                              ({"requeues": 9}, ".change(requeues=...) changes what this one has.")):
            with self.assertRaises(slipstream.StudyDiffers) as raised:
                self.open(**settings)
            self.assertTrue(str(raised.exception).endswith(end), raised.exception)
            self.assertNotIn("sources=", str(raised.exception))
        for settings in ({"preset": "random"}, {"stopping": "median"}):
            with self.assertRaises(slipstream.StudyDiffers) as raised:
                self.open(**settings)
            self.assertIn(f"With sources=['{self.study_id}'] the study", str(raised.exception))
            self.assertTrue(str(raised.exception).endswith(
                f"create_or_load without {next(iter(settings))}= goes on with it."))

    def test_what_differs_is_told_to_the_process_that_started_this_one(self):
        self.open(seed=7)
        with self.assertRaises(slipstream.StudyDiffers) as raised:
            self.open(seed=8)
        copy = pickle.loads(pickle.dumps(raised.exception))  # As multiprocessing does.
        self.assertEqual((str(copy), copy.differences),
                         (str(raised.exception), ("seed: asked for 8, the study has 7",)))

    def test_empty_names_ask_for_none_in_particular(self):
        for _ in range(2):
            study = self.open(preset="", stopping="")
        self.assertEqual((study.description.preset, study.description.stopping), ("auto", "none"))

    def test_presets_and_rules_of_stopping_are_listed(self):
        presets = {one.name: one for one in slipstream.presets()}
        self.assertTrue(presets["auto"].is_default)
        self.assertRegex(repr(presets["gp_ei"]), "^<preset gp_ei: .*expected improvement")
        self.assertEqual(presets["gp_ei"].recipe["acquisition"], "ei")
        self.assertEqual(presets["random"].recipe, {})
        rules = {one.name: one for one in slipstream.ingredients("stopping")}
        options = {one.name: one for one in rules["asha"].options}
        self.assertEqual((options["reduction_factor"].low, options["reduction_factor"].default), (2, 2))
        self.assertIsNone(options["first_rung"].default)
        study = self.open(stopping="asha", stopping_options=dict.fromkeys(options, 3))
        self.assertEqual(set(study.description.stopping_options), set(options))
        every = slipstream.ingredients()
        self.assertEqual([one for one in every if one.axis == "stopping"], list(rules.values()))
        self.assertTrue(any(one.conflicts for one in every) and any(one.source for one in every))
        with self.assertRaisesRegex(ValueError, "axis='stoping' must be one of prior, .*stopping"):
            slipstream.ingredients("stoping")

        async def ask():
            return await slipstream.aio.presets(), await slipstream.aio.ingredients("stopping")

        self.assertEqual(asyncio.run(ask()), (list(presets.values()), list(rules.values())))

    def test_arguments_and_functions_of_other_tools_are_told_what_to_use_here(self):
        study = self.open()
        space = {"x": real(0, 1)}
        for call, words in (
            (lambda: study.optimize(len, n_trials=3), r"optimize\(\) has no argument 'n_trials': trials="),
            (lambda: asyncio.run(slipstream.aio.Study.optimize(None, len, n_jobs=2)),
             "'n_jobs': workers="),
            (lambda: slipstream.create_or_load("s", space, direction="maximize"), "maximize='accuracy'"),
            (lambda: asyncio.run(slipstream.aio.create_or_load("s", space, pruner=None)),
             "stopping='median'"),
            (lambda: slipstream.create_or_load("s", space, constraints=[len]),
             r"no argument 'constraints': .* raise slipstream.Infeasible\(reason\)"),
            (lambda: study.optimize(len, constraints_func=len), "raise slipstream.Infeasible"),
            (lambda: real(1e-5, 1, log=True), r"real\(\) has no argument 'log': slipstream.log\("),
            (lambda: integer(1, 8, step=2), r"slipstream.discrete\("),
            (lambda: study.optimize(len, n_trails=3), "unexpected keyword argument 'n_trails'"),
        ):
            with self.assertRaisesRegex(TypeError, words):
                call()
        with self.assertRaisesRegex(AttributeError, "no attribute 'create_study': slipstream.create_or_"):
            slipstream.create_study  # noqa: B018
        with self.assertRaisesRegex(AttributeError, "no attribute 'bets'$"):
            slipstream.bets  # noqa: B018
        self.assertEqual([name for name in foreign_names.OF_PACKAGE if hasattr(slipstream, name)], [])
        for function in (slipstream.aio.create_or_load, slipstream.aio.Study.optimize):
            self.assertTrue(inspect.iscoroutinefunction(function), function)

    def test_attributes_of_other_tools_are_told_what_to_use_here(self):
        study = self.open()

        async def ask(name):
            async with await slipstream.aio.load(self.study_id) as study:
                return getattr(study, name)

        for name, words in (("best_value", "study.best.value is"), ("get_trials", "study.trials is"),
                            ("enqueue_trial", r"study.enqueue\(params\) queues"),
                            ("user_attrs", "study.description.labels has"),
                            ("state", "study.description.state reads it")):
            self.assertFalse(hasattr(study, name))
            with self.assertRaisesRegex(AttributeError, f"a study has no '{name}' here: {words}"):
                getattr(study, name)
        with self.assertRaisesRegex(AttributeError, r": \(await study.best\(\)\).params are those of"):
            asyncio.run(ask("best_params"))
        with self.assertRaisesRegex(AttributeError, r": \(await study.description\(\)\).preset reads"):
            asyncio.run(ask("preset"))
        with self.assertRaisesRegex(AttributeError, "'Study' object has no attribute 'bets'"):
            study.bets  # noqa: B018

    def test_each_change_of_a_parameter_is_a_difference(self):
        changes = {
            "momentum": [reverse_log(0.9, 0.999), real(0.9, 0.9999)],
            "layers": [integer(1, 9, default=2), integer(1, 8), integer(1, 8, default=3)],
            "width": [integer(16, 1024)],
            "batch": [discrete(16, 32, scale="log", default=32)],
            "kernel": [choice("rbf", "sigmoid", "poly", "x", default="rbf")],
            "degree": [integer(2, 5), integer(2, 5, when={"kernel": "sigmoid"})],
            "bias": [boolean()],
        }
        self.open()
        for name, parameters in changes.items():
            for parameter in parameters:
                with self.assertRaises(slipstream.StudyDiffers) as raised:
                    self.open({**EVERY_KIND, name: parameter})
                self.assertEqual(len(raised.exception.differences), 1)

    def test_numbers_may_be_of_any_type(self):
        study = self.open(
            seed=numpy.int64(7), recipe={"smoothness": numpy.int64(1)}, requeues=numpy.int32(1),
            stopping="percentile", stopping_options={"percentile": numpy.float32(50)},
            lease=numpy.float64(60), labels={"year": 2026, "rows": numpy.int64(3), "b": "c"})
        self.assertEqual(study.description.labels, {"year": "2026", "rows": "3", "b": "c"})
        self.assertEqual((study.description.seed, study.description.lease), (7, 60))
        params = dict(study.suggest(), layers=numpy.int8(3), dropout=numpy.float32(0.25),
                      bias=numpy.bool_(False), batch=decimal.Decimal(16), kernel=numpy.str_("rbf"))
        for name in ("degree", "shift", "scale"):
            params.pop(name, None)
        record = study.record(params, decimal.Decimal("0.5"))
        self.assertEqual((record.value, record["layers"], record["bias"], record["batch"]),
                         (0.5, 3, False, 16))
        for value, kind in (("high", TypeError), (None, TypeError), (math.nan, ValueError)):
            with self.assertRaisesRegex(kind, r"record\(\) (takes a|needs one of value|got nan)"):
                study.record(params, value)

    def test_options_of_any_type_are_compared_as_numbers(self):
        settings = {"recipe": {"smoothness": fractions.Fraction(2)}, "stopping": "percentile",
                    "stopping_options": {"percentile": decimal.Decimal("0.1")}}
        self.assertEqual(self.open(**settings).id, self.open(**settings).id)

    def test_a_study_that_exists_needs_no_space_and_no_objective(self):
        for settings in ({}, {"exact": True}):
            self.study_id += "-x"
            study = self.open(seed=7, **settings)
            again = slipstream.create_or_load(self.study_id)
            self.assertEqual((again.space, again.objective), (study.space, study.objective))
            rows = [{"lr": 0.1, "kernel": "rbf", "accuracy": 1}]
            for arguments in ({"maximize": "accuracy", **settings}, {"space": EVERY_KIND}, {}):
                slipstream.create_or_load(self.study_id, **arguments, seed=7)
            for arguments in ({"minimize": "loss"}, {"space": {"lr": real(0, 1)}}, {"seed": 8}):
                with self.assertRaises(slipstream.StudyDiffers):
                    slipstream.create_or_load(self.study_id, **arguments)
            with self.assertRaisesRegex(slipstream.StudyDiffers, "source task"):
                slipstream.create_or_load(self.study_id, sources=[rows])

    def warned_of_names(self, open_study, study_id):
        """The study that is opened, and what is warned of, at this file's lines only."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            study = open_study(study_id)
        self.assertEqual({one.filename for one in caught} - {__file__}, set())
        return study, [str(one.message) for one in caught]

    def test_parameters_that_a_trials_attributes_hide_are_told_of(self):
        def open_it(study_id):
            space = {name: integer(50, 60) for name in ("worker", "items", "lr", "mro")}
            return slipstream.create_or_load(study_id, space, minimize="loss")

        async def open_in_a_loop(study_id):
            async with await slipstream.aio.load(study_id) as study:
                return study

        told = ["trial.worker, trial.items are the trial's own, and the parameters of these names "
                "are trial['worker'], trial['items']"]
        study, warned = self.warned_of_names(open_it, self.study_id)
        self.assertEqual(warned, told)
        trial = study.suggest()
        self.assertTrue(all(50 <= trial[name] <= 60 for name in study.space))
        self.assertEqual(trial.worker, study.worker)
        for again in (open_it, slipstream.load, lambda one: asyncio.run(open_in_a_loop(one))):
            self.assertEqual(self.warned_of_names(again, self.study_id)[1], told)

    def test_one_such_parameter_is_told_of_too(self):
        space = {"number": integer(50, 60)}
        _, warned = self.warned_of_names(
            lambda one: slipstream.create_or_load(one, space, minimize="loss"), self.study_id)
        self.assertEqual(warned, ["trial.number is the trial's own, and the parameter of this name "
                                  "is trial['number']"])

    def test_other_parameters_are_not_warned_of(self):
        _, warned = self.warned_of_names(
            lambda one: slipstream.create_or_load(one, EVERY_KIND, maximize="y"), self.study_id)
        self.assertEqual(warned, [])

    def test_a_study_with_candidates_needs_no_space(self):
        study = self.open({"a": integer(1, 3)}, candidates=[{"a": 1}, {"a": 3}], allow_repeats=True)
        self.assertEqual(slipstream.create_or_load(self.study_id).id, study.id)

    def test_what_creating_a_study_needs_is_told_where_there_is_none(self):
        for arguments, words in (
            ({}, f"there is no study '{self.study_id}' on .*to create it, give a space, such as "
                 ".*, or candidates=.*, and one of maximize='accuracy' and minimize='loss'"),
            ({"maximize": "y"}, "no study.*give a space.*candidates="),
            ({"space": EVERY_KIND}, "no study.*maximize='accuracy'"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                slipstream.create_or_load(self.study_id, **arguments)

    def test_a_lease_may_be_written_as_on_the_command_line(self):
        for text, seconds in (("90s", 90), ("10m", 600), ("1h30m", 5400), ("2d", 172800),
                              ("1.5h", 5400)):
            self.study_id += "x"
            self.assertEqual(self.open(lease=text).description.lease, seconds)

    def test_a_lease_is_counted_in_milliseconds(self):
        for lease, seconds in ((600 / 7, 85.714), (419.99999999999994, 420), (1.0005, 1.0)):
            self.study_id += "x"
            self.open(lease=lease)
            self.assertEqual(self.open(lease=lease).description.lease, seconds)
        with self.assertRaisesRegex(ValueError, "lease=0.0001 must be above 0"):
            self.open(lease=0.0001)  # Which is not to be taken for 0, one that never ends.

    def test_a_lease_may_never_end(self):
        self.assertEqual(self.open(lease=math.inf).description.lease, math.inf)
        self.assertIsNone(self.open().suggest()._record.lease_ends)

    def test_mistakes_are_told_with_their_remedy(self):
        for mistake, kind, words in (
            (lambda: self.open(maximize=None), ValueError, "maximize='accuracy'"),
            (lambda: self.open(minimize="loss"), ValueError,
             "maximize='accuracy' and minimize='loss' are two objectives, but a study has one"),
            (lambda: self.open({"accuracy": real(0, 1)}), ValueError,
             "maximize='accuracy' is the name of a parameter"),
            (lambda: self.open({"lr": (0, 1)}), TypeError, r"slipstream.real\(0, 1\)"),
            (lambda: self.open({"d": real(0, 1, when={"k": "a"})}), ValueError, "no 'k'"),
            (lambda: self.open(stopping_options={"a": 1}), ValueError, "stopping='median'"),
            (lambda: self.open(recipe={"prior": 3}), TypeError, "ingredient's name"),
            (lambda: self.open(recipe={"most_sources": "3"}), TypeError, "must be a number"),
            (lambda: self.open(sources="abc"), TypeError, r"sources=\[last_year\]"),
            (lambda: self.open(sources=["xyz"]), slipstream.NotFound,
             "no study 'xyz' on .*, and 'xyz' is not the name of a source task: .* hexadecimal"),
            (lambda: self.open(sources=["abcdef12"]), slipstream.NotFound,
             r"no study 'abcdef12' on .*, and no source task begins with abcdef12.*sources\(\)"),
            (lambda: self.open(sources=["sourceTasks/x"]), ValueError, "hexadecimal"),
            (lambda: self.open(lease=0), ValueError, "math.inf"),
            (lambda: self.open(labels={"a": [1]}), TypeError, "labels={'a': .1.}: the keys of"),
            (lambda: self.open(labels={1: "a"}), TypeError, "labels={1: 'a'}: the keys of"),
            (lambda: self.open(labels=["a"]), TypeError, r"labels=\['a'\] must be values by name"),
            (lambda: self.open([("lr", log(1e-5, 1))]), TypeError, "must be parameters by name"),
            (lambda: self.open("lr"), TypeError, "space='lr' must be parameters by name"),
            (lambda: self.open({"lr": log(1e-5, 1), "kernel": choice("a", "b")},
                               sources=[[{"lr": 0.1, "kernl": "a", "accuracy": 1}]]), ValueError,
             "'kernl' is neither .*; unless it is meant to be 'kernel', which has no column: l"),
            (lambda: self.open({"lr": log(1e-5, 1)}, sources=[[{"lr": 0.1, "accuracy": 1}], []]),
             ValueError, r"sources\[1\] has no rows"),
            (lambda: self.open(stopping="asha", stopping_options={"a": "1"}), TypeError,
             "must be a number"),
            (lambda: self.open(maximize=["a", "b"]), TypeError,
             r"maximize=\['a', 'b'\] must be the name .*a study has one objective"),
            (lambda: self.open(lease="soon"), TypeError, "lease='soon' must be .*'10m'"),
            (lambda: self.open(lease="0s"), ValueError, "lease='0s' must be above 0"),
            (lambda: self.open(lease=1e300), ValueError, "lease=1e[+]300 must be at most 365 days"),
            (lambda: self.open(lease=10**400), ValueError, "lease=10+ must be at most 365 days"),
            (lambda: self.open(lease=-10**400), ValueError, "lease=-10+ must be above 0 seconds"),
            (lambda: self.open(lease=[1]), TypeError, "number of seconds, a timedelta, or a string"),
            (lambda: self.open(seed=-1), ValueError, f"seed=-1 must be from 0 to {2**64 - 1}"),
            (lambda: self.open(seed=2**64), ValueError, f"seed={2**64} must be from 0"),
            (lambda: self.open(seed="x"), TypeError, "seed='x' must be a whole number"),
            (lambda: self.open(sources=["x.csv"]), ValueError, r"pathlib.Path\(...\)"),
            (lambda: self.open(sources=pathlib.Path("x.csv")), TypeError, r"sources=\[last_year"),
            (lambda: self.open(sources=3), TypeError, r"sources=\[last_year"),
            (lambda: self.open(candidates=pathlib.Path("x.csv")), TypeError, "read the file first"),
            (lambda: self.open({"a": integer(1, 3)}, candidates=[]), ValueError, "has no rows"),
            (lambda: self.open(requeues=1.5), TypeError, "requeues=1.5 must be a whole number"),
            (lambda: self.open(requeues=2**40), ValueError, f"requeues={2**40} must be from 0 to 100"),
            (lambda: self.open(title=3), TypeError, "title=3 must be a string"),
            (lambda: self.open(preset=3), TypeError, "preset=3 must be a string"),
            (lambda: self.open(stopping=3), TypeError, "stopping=3 must be a string"),
            (lambda: self.open(recipe=["ei"]), TypeError, r"recipe=\['ei'\] must be values by name"),
            (lambda: self.open(recipe={3: 1}), TypeError, "recipe={3: 1} must be values by name"),
            (lambda: self.open(stopping="asha", stopping_options=[3]), TypeError,
             r"stopping_options=\[3\] must be values by name"),
            (lambda: self.open(preset="magic"), slipstream.InvalidArgument,
             r"preset is magic, must be one of auto, gp_log_ei, .* more; slipstream.presets\(\) lists all$"),
            (lambda: self.open(preset="nope"), slipstream.InvalidArgument,
             "preset is nope, must be one of auto, gp_log_ei, "),
            (lambda: slipstream.load("a/b"), ValueError, "id of a study"),
            (lambda: slipstream.create_or_load("my_study", EVERY_KIND, maximize="y"), ValueError,
             "'my_study' is not the id of a study, such as 'my-study': 1 to 63 characters of a-z, 0-9 "
             "and '-', "),
            (lambda: slipstream.load("a" * 64), ValueError, "such as 'digits': 1 to 63 characters"),
            (lambda: slipstream.load("studies/a-"), ValueError, "not ending with '-'"),
            (lambda: slipstream.load(None), TypeError, "None is not the id of a study"),
            (lambda: slipstream.create_or_load(3), TypeError, "3 is not the id of a study"),
            (lambda: slipstream.load("digits", project=3), TypeError, "project=3 must be a string"),
            (lambda: self.open(worker=""), ValueError, "worker='' must not be empty"),
            (lambda: asyncio.run(slipstream.aio.load("digits", worker="")), ValueError,
             "worker='' must not be empty"),
            (lambda: slipstream.load("nobody"), slipstream.NotFound, "studies/nobody"),
            (lambda: slipstream.create_or_load("x", maximize="y"), ValueError, "candidates="),
        ):
            with self.assertRaisesRegex(kind, words):
                mistake()

    def test_a_bound_of_the_server_is_told_with_its_field(self):
        with self.assertRaises(slipstream.InvalidArgument) as raised:
            self.open({"n": integer(-(2**62), 2**62)})
        self.assertIn("integer_domain", raised.exception.violations[0].field)
        self.assertIn(raised.exception.violations[0].description, str(raised.exception))

    def test_a_study_is_paused_resumed_completed_and_deleted(self):
        study = self.open()
        study.pause()
        with self.assertRaisesRegex(slipstream.FailedPrecondition, r"; study.resume\(\)") as raised:
            study.suggest()
        self.assertNotIsInstance(raised.exception, slipstream.CandidatesExhausted)
        study.resume()
        self.assertEqual(study.suggest().number, 1)
        study.complete()
        self.assertEqual(study.description.state, "completed")
        for more in (study.suggest, study.resume):
            with self.assertRaisesRegex(slipstream.FailedPrecondition,
                                        rf"; a new study with sources=\['{self.study_id}'\]"):
                more()
        slipstream.delete_study(self.study_id)
        for gone, listed in ((self.study_id, r"studies\(\)"),
                             (f"projects/vision/studies/{self.study_id}",
                              r"studies\(project='vision'\)")):
            with self.assertRaisesRegex(slipstream.NotFound, rf"; slipstream.{listed} lists"):
                slipstream.load(gone)

    def test_a_notebook_shows_a_table(self):
        study = self.open({"a<b": real(0, 1)})
        study.record({"a<b": 0.25}, 0.75)
        text = study._repr_html_()
        for words in ("<table>", "a&lt;b", "real(0, 1)", "0.75", "1, 1 of them succeeded"):
            self.assertIn(words, text)
        self.assertNotIn("a<b", text)
        self.assertIn("succeeded", study.trials._repr_html_())


class Candidates(ServerTest):
    ROWS = [{"solvent": "water", "celsius": 20, "stirred": True},
            {"solvent": "ether", "celsius": 5, "stirred": False},
            {"solvent": "water", "celsius": 35, "stirred": True}]

    def open(self, **settings):
        return slipstream.create_or_load(self.study_id, minimize="waste", **settings)

    def test_each_row_is_tried_once(self):
        study = self.open(candidates=self.ROWS)
        tried = {}
        best = study.optimize(lambda trial: tried.setdefault(trial.candidate, dict(trial)) and
                              float(trial.celsius), progress=False)
        self.assertEqual([tried[index] for index in range(3)], self.ROWS)
        self.assertEqual((best.candidate, best.value), (1, 5))
        with self.assertRaises(slipstream.CandidatesExhausted):
            study.suggest()
        self.assertEqual(self.open(candidates=self.ROWS).id, study.id)

    def test_they_are_compared(self):
        self.open(candidates=self.ROWS)
        with self.assertRaisesRegex(slipstream.StudyDiffers, "candidates: asked for 2"):
            self.open(candidates=self.ROWS[:2], space=dict(slipstream.load(self.study_id).space))
        swapped = [self.ROWS[1], self.ROWS[0], self.ROWS[2]]
        with self.assertRaisesRegex(slipstream.StudyDiffers, "candidate 0: asked for"):
            self.open(candidates=swapped, space=dict(slipstream.load(self.study_id).space))
        with self.assertRaisesRegex(slipstream.StudyDiffers, "allow_repeats"):
            self.open(candidates=self.ROWS, allow_repeats=True)

    def test_a_list_shorter_than_the_count_gives_what_there_is(self):
        self.assertEqual(len(self.open(candidates=self.ROWS).suggest(5)), 3)

    def test_what_is_no_candidate_is_told_in_few_words(self):
        study = self.open(candidates=self.ROWS)
        study.record({"stirred": True, "solvent": "water", "celsius": 20.0}, 1)
        for call in (lambda row: study.record(row, 1), study.enqueue):
            with self.assertRaisesRegex(
                    slipstream.InvalidArgument,
                    "^{solvent='water', celsius=5, stirred=True} is not among the 3 candidates"):
                call({"solvent": "water", "celsius": 5, "stirred": True})
        self.assertEqual(len(study.trials), 1)

    def test_a_column_of_many_numbers_is_a_range(self):
        rows = pandas.DataFrame({"grams": numpy.arange(3000) / 7, "rpm": numpy.arange(3000),
                                 "celsius": [20, 40] * 1500})
        study = self.open(candidates=rows)
        self.assertEqual(dict(study.space), {
            "grams": real(0, 2999 / 7), "rpm": integer(0, 2999), "celsius": discrete(20, 40)})
        first = study.suggest()
        self.assertEqual(dict(first), rows.to_dict("records")[first.candidate])
        first.complete(1)
        study.record(rows.iloc[1].to_dict(), 2)
        self.assertEqual(self.open(candidates=rows).id, study.id)

    def test_a_column_of_timestamps_is_refused_with_its_name(self):
        rows = pandas.DataFrame({"x": [1, 2], "day": pandas.to_datetime(["2026-01-01"] * 2)})
        with self.assertRaisesRegex(TypeError, "'day' has cells of type Timestamp, .*leave it"):
            self.open(candidates=rows)

    def test_conditional_candidates_need_a_space(self):
        rows = [{"kernel": "rbf"}, {"kernel": "poly", "degree": 3}]
        with self.assertRaisesRegex(ValueError, "candidate 1 has no 'degree'"):
            self.open(candidates=rows)
        space = {"kernel": choice("rbf", "poly"), "degree": integer(2, 5, when={"kernel": "poly"})}
        study = self.open(space=space, candidates=rows)
        self.assertEqual(sorted(len(trial) for trial in study.suggest(2)), [1, 2])


class Sources(ServerTest):
    SPACE = {"lr": log(1e-5, 1), "kernel": choice("rbf", "poly"),
             "degree": integer(2, 5, when={"kernel": "poly"})}
    ROWS = [{"lr": 0.01, "kernel": "rbf", "degree": None, "accuracy": 0.91},
            {"lr": 0.1, "kernel": "poly", "degree": 3, "accuracy": 0.78},
            {"lr": 0.001, "kernel": "rbf", "accuracy": math.nan}]

    def open(self, **settings):
        return slipstream.create_or_load(self.study_id, self.SPACE, maximize="accuracy", **settings)

    def test_rows_are_registered_once(self):
        task = register_source(self.ROWS, self.SPACE, maximize="accuracy", missing="failed",
                               title="last year", labels={"team": "vision"})
        self.assertEqual((task.observation_count, task.measured_count, task.title),
                         (3, 2, "last year"))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            again = register_source(self.ROWS, self.SPACE, maximize="accuracy", missing="failed",
                                    title="last year", labels={"team": "vision"})
            register_source(self.ROWS, self.SPACE, maximize="accuracy", missing="failed")
        self.assertEqual(again.name, task.name)
        self.assertEqual(again.labels, {"team": "vision"})
        with self.assertWarnsRegex(
                UserWarning, f"registered before, as {task.name}, which keeps its title 'last year', "
                             "version ''$") as told:
            register_source(self.ROWS, self.SPACE, maximize="accuracy", missing="failed",
                            title="this year", version="v2")
        self.assertEqual(told.filename, __file__)
        listed = {one.name: one for one in slipstream.sources()}[task.name]
        self.assertEqual(dict(task.space), self.SPACE)
        self.assertEqual((listed.best_value, listed.best_params),
                         (0.91, {"lr": 0.01, "kernel": "rbf"}))
        self.assertLess(abs(time.time() - listed.created.timestamp()), 600)
        failed = register_source(self.ROWS[2:], self.SPACE, maximize="accuracy", missing="failed")
        self.assertEqual((failed.best_value, failed.best_params), (None, {}))

    def test_a_study_learns_from_all_that_can_be_a_source(self):
        task = register_source(self.ROWS[:2], self.SPACE, maximize="accuracy")
        earlier = slipstream.create_or_load(f"{self.study_id}-0", self.SPACE, maximize="accuracy")
        earlier.record({"lr": 0.02, "kernel": "rbf"}, 0.5)
        earlier.suggest().fail("broke")
        earlier.suggest().infeasible("too large")
        earlier.suggest()
        rows = [{"lr": 0.3, "kernel": "rbf", "accuracy": 0.1}]
        study = self.open(sources=[task, earlier, rows])
        self.assertEqual(len(study.sources), 3)
        self.assertEqual(self.open(sources=[earlier, task.name[12:20], rows]).id, study.id)
        with self.assertRaisesRegex(slipstream.StudyDiffers, "not asked for, the study uses it"):
            self.open(sources=[task])
        found = {one.name: one for one in slipstream.sources()}
        learnt = found[study.sources[1]]
        self.assertEqual((learnt.title, learnt.observation_count, learnt.measured_count),
                         (earlier.id, 3, 1))
        self.assertIn(study.source_titles()[learnt.name], earlier.id)

    def test_a_study_learns_from_all_source_tasks_that_fit(self):
        metric = f"accuracy-of-{self.study_id}"
        space = {"lr": log(1e-5, 1), "kernel": choice("rbf", "poly")}

        def create(study_id, **settings):
            return slipstream.create_or_load(study_id, space, maximize=metric, **settings)

        with self.assertWarnsRegex(UserWarning, "has no source task: none of its project had"):
            first = create(f"{self.study_id}-0", sources="all")
        self.assertEqual(first.sources, [])
        first.record({"lr": 0.1, "kernel": "rbf"}, 0.5)
        earlier = register_source(first)
        self.assertEqual(earlier.origin, first.name)
        self.assertEqual(create(f"{self.study_id}-1", sources="all").sources, [earlier.name])
        # An existing study keeps the sources that it was created with.
        rows = [{"lr": 0.3, "kernel": "rbf", metric: 0.1}]
        table = register_source(rows, space, maximize=metric)
        register_source([{"lr": 0.3, "accuracy": 0.1}], {"lr": log(1e-5, 1)}, maximize="accuracy")
        self.assertEqual(create(f"{self.study_id}-1", sources="all").sources, [earlier.name])
        # Of the states of one study, the latest is used.
        first.record({"lr": 0.2, "kernel": "rbf"}, 0.6)
        later = register_source(first)
        self.assertEqual(create(f"{self.study_id}-2", sources="all").sources,
                         [table.name, later.name])
        with self.assertRaisesRegex(slipstream.StudyDiffers, "seed: asked for 3"):
            create(f"{self.study_id}-2", sources="all", seed=3)
        with self.assertRaisesRegex(TypeError, "sources= takes a list, .* or 'all'"):
            create(f"{self.study_id}-3", sources="first")
        for listed in (["all"], [earlier, "all"]):
            with self.assertRaisesRegex(ValueError, "sources='all' stands alone and not in a list, .*"
                                        "'studies/all'"):
                create(f"{self.study_id}-3", sources=listed)

    def test_a_studys_description_is_a_source(self):
        earlier, task = self.finished(f"{self.study_id}-0")
        described = [one for one in slipstream.studies() if one.study_id == earlier.id]
        self.assertEqual(self.open(sources=described).sources, [task.name])

    def finished(self, study_id):
        """A study with a trial in each state, and the source task that it is."""
        study = slipstream.create_or_load(study_id, self.SPACE, maximize="accuracy")
        study.record({"lr": 0.02, "kernel": "rbf"}, 0.5)
        study.record({"lr": 0.02, "kernel": "poly", "degree": 3}, 0.25)
        study.suggest().fail("broke")
        study.suggest().infeasible("too large")
        study.suggest().stop("hopeless", 0.1)
        study.suggest()
        study.enqueue({"lr": 0.5, "kernel": "rbf"})
        return study, register_source(study)

    def test_a_table_of_a_studys_trials_is_a_source(self):
        earlier, task = self.finished(f"{self.study_id}-0")
        self.assertEqual((task.observation_count, task.measured_count), (4, 2))
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trials.csv"
            earlier.trials.to_frame().to_csv(path)
            for table in (earlier.trials.to_frame(), earlier.trials.to_frame().reset_index(),
                          earlier.trials.to_dicts(), earlier.trials, path):
                self.assertEqual(self.open(sources=[table]).sources, [task.name])
                self.assertEqual(register_source(table, like=earlier).name, task.name)
        frame = earlier.trials.to_frame()
        told = register_source(frame, like=earlier, missing="infeasible")
        self.assertEqual((told.observation_count, told.measured_count), (4, 2))
        self.assertNotEqual(told.name, task.name)  # The one that failed is infeasible there.
        with self.assertRaisesRegex(ValueError, "no trial that succeeded, failed or is"):
            register_source(frame[frame["state"] == "stopped"], like=earlier)

    def test_columns_about_trials_are_told_from_parameters_of_the_same_name(self):
        space = {"state": choice("solid", "liquid"), "worker": integer(1, 4)}
        earlier = slipstream.create_or_load(f"{self.study_id}-0", space, minimize="reason")
        earlier.record({"state": "solid", "worker": 2}, 0.5)
        earlier.suggest().fail("broke")
        task = register_source(earlier)
        for table in (earlier.trials.to_frame(), earlier.trials.to_dicts()):
            study = slipstream.create_or_load(self.study_id, space, minimize="reason",
                                              sources=[table])
            self.assertEqual(study.sources, [task.name])
        with self.assertRaisesRegex(ValueError, "column 'state' is neither"):
            slipstream.create_or_load(f"{self.study_id}-1", {"worker": integer(1, 4)},
                                      minimize="reason", sources=[earlier.trials.to_frame()])

    def test_the_id_of_a_study_is_a_source(self):
        earlier, task = self.finished(f"{self.study_id}-0")
        self.assertEqual(self.open(sources=[earlier.id]).sources, [task.name])
        self.assertEqual(self.open(sources=[earlier.name]).sources, [task.name])
        # Digits that begin no source task's name may be a study's.
        _, task = self.finished("abad1dea")
        self.study_id += "-1"
        self.assertEqual(self.open(sources=["abad1dea"]).sources, [task.name])

    def test_a_source_with_the_opposite_goal_is_told(self):
        space = {"x": real(0, 1)}
        earlier = slipstream.create_or_load(f"{self.study_id}-0", space, minimize="loss")
        earlier.record({"x": 0.5}, 1.5)
        task = slipstream.register_source(earlier)
        for number, source in enumerate((earlier, earlier.id, task, task.name)):
            with self.assertWarnsRegex(
                    UserWarning, "is to minimize loss, and the study to maximize loss: what was "
                                 "best there is expected to be best here") as told:
                slipstream.create_or_load(
                    f"{self.study_id}-{number + 1}", space, maximize="loss", sources=[source])
            self.assertEqual(told.filename, __file__)

    def test_a_source_that_may_name_a_parameter_otherwise_is_told(self):
        x, y = real(0, 1), integer(1, 8)
        earlier = slipstream.create_or_load(
            f"{self.study_id}-0", {"rate": x, "layers": y}, minimize="loss")
        earlier.record({"rate": 0.5, "layers": 2}, 1.5)
        task = slipstream.register_source(earlier)
        space = {"lr": x, "layers": y}
        for number, source in enumerate((earlier, earlier.id, task, task.name)):
            with self.assertWarnsRegex(
                    UserWarning, f"source '{earlier.id}' has no 'lr', and its 'rate' is not used. If "
                                 "that is the same under another name, register it again") as told:
                slipstream.create_or_load(
                    f"{self.study_id}-{number + 1}", space, minimize="loss", sources=[source])
            self.assertEqual(told.filename, __file__)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for number, fine in enumerate(({"layers": y}, {**space, "rate": x})):
                slipstream.create_or_load(
                    f"{self.study_id}-{number + 5}", fine, minimize="loss", sources=[task])
            # What a study learns from already was told when it was created.
            slipstream.create_or_load(
                f"{self.study_id}-1", space, minimize="loss", sources=[task.name])

    def test_sources_whose_best_results_are_outside_the_space_are_told_once(self):
        def warned(parameter, *values):
            self.study_id += "-2"
            domain = (choice("adam", "lion") if isinstance(values[0], str)
                      else boolean() if isinstance(values[0], bool) else real(0, 100))
            tasks = [register_source([{"x": value, "loss": 1}], {"x": domain}, minimize="loss",
                                     title=str(value)) for value in values]
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                for _ in range(2):
                    slipstream.create_or_load(
                        self.study_id, {"x": parameter}, minimize="loss", sources=tasks)
            return [str(one.message) for one in caught]

        self.assertEqual(warned(real(0, 0.6), 16.1, 17.5), [
            "source '16.1' has its best result at x=16.1, which is not within real(0, 0.6): results "
            "outside the study's space are left out"])
        for parameter, value in ((integer(1, 8), 16.1), (discrete(1, 2, 9), 17.5),
                                 (choice("adam", "sgd"), "lion")):
            words = f"x={value!r}, which is not within {parameter!r}"
            self.assertIn(words, warned(parameter, value)[0])
        for parameter, value in ((real(0, 9), 2.5), (integer(1, 8), 2.5), (discrete(1, 9), 2.5),
                                 (choice("adam", "lion"), "lion"), (boolean(), True)):
            self.assertEqual(warned(parameter, value), [])

    def test_a_preset_that_needs_sources_or_ignores_them_is_told(self):
        rows = [{"lr": 0.3, "kernel": "rbf", "accuracy": 0.1}]
        for number, (preset, sources, words) in enumerate((
                ("scaml", None, "the recipe of scaml uses source tasks, and the study has none"),
                ("gp_ei", [rows], "the recipe of gp_ei makes no use of source tasks"))):
            with self.assertWarnsRegex(UserWarning, words) as told:
                slipstream.create_or_load(f"{self.study_id}-{number}", self.SPACE,
                                          maximize="accuracy", preset=preset, sources=sources)
            self.assertEqual(told.filename, __file__)

    def test_a_study_as_a_source_is_taken_as_it_was_when_the_study_was_created(self):
        earlier, task = self.finished(f"{self.study_id}-0")
        rows = [{"lr": 0.3, "kernel": "rbf", "accuracy": 0.1}]
        self.open(sources=[rows, earlier.id])
        earlier.record({"lr": 0.03, "kernel": "rbf"}, 0.75)
        description = earlier.description
        known = len(slipstream.sources())
        for source in (earlier.id, earlier.name, earlier, description):
            self.assertIn(task.name, self.open(sources=[source, rows]).sources)
        slipstream.delete_study(earlier.id)
        for source in (earlier.id, earlier.name, earlier, description):
            self.assertIn(task.name, self.open(sources=[source, rows]).sources)
        self.assertEqual(len(slipstream.sources()), known)
        other, _ = self.finished(f"{self.study_id}-1")
        with self.assertRaises(slipstream.StudyDiffers) as raised:
            self.open(sources=[other, earlier, rows])
        self.assertEqual(raised.exception.differences, (
            f"source study '{other.id}': asked for, the study uses no source task that was made of "
            "it",))

    def test_a_source_that_is_given_twice_counts_once(self):
        earlier, task = self.finished(f"{self.study_id}-0")
        rows = [{"lr": 0.3, "kernel": "rbf", "accuracy": 0.1}]

        def rows_meanwhile():
            earlier.record({"lr": 0.03, "kernel": "rbf"}, 0.75)
            yield from rows

        every = [earlier, earlier.id, task, earlier.description, rows, rows]
        study = self.open(sources=[*every, rows_meanwhile(), earlier])
        self.assertEqual(len(study.sources), 2)
        self.assertEqual(study.sources[0], task.name)
        self.assertEqual(self.open(sources=every).sources, study.sources)

    def test_a_study_stands_for_all_of_its_states_that_are_used(self):
        earlier, task = self.finished(f"{self.study_id}-0")
        earlier.record({"lr": 0.03, "kernel": "rbf"}, 0.75)
        study = self.open(sources=[earlier, task])
        self.assertEqual(len(study.sources), 2)
        earlier.record({"lr": 0.04, "kernel": "rbf"}, 0.5)
        for sources in ([earlier, task], [task, earlier], [earlier.id], study.sources):
            self.assertEqual(self.open(sources=sources).sources, study.sources)
        with self.assertRaisesRegex(slipstream.StudyDiffers, "not asked for, the study uses it"):
            self.open(sources=[task])

    def test_a_study_as_a_source_is_that_of_whoever_creates_the_study_first(self):
        earlier, task = self.finished(f"{self.study_id}-0")
        create, faster = Service.create_study, []

        def create_late(*arguments):
            if not faster:
                earlier.record({"lr": 0.03, "kernel": "rbf"}, 0.75)
                faster.append(None)
                faster.append(self.open(sources=[earlier]))
            return create(*arguments)

        with unittest.mock.patch.object(Service, "create_study", create_late):
            study = self.open(sources=[earlier])
        self.assertEqual(study.sources, faster[1].sources)
        self.assertNotEqual(study.sources, [task.name])

    def test_mistakes_are_told_with_their_remedy(self):
        study = self.open()
        for mistake, kind, words in (
            (lambda: register_source(self.ROWS, like=study), ValueError, "missing='failed'"),
            (lambda: register_source([], like=study), ValueError, "no rows"),
            (lambda: register_source(self.ROWS), ValueError, "like=study"),
            (lambda: register_source(study), slipstream.FailedPrecondition, "no finished trial"),
            (lambda: register_source([{"lr": 1, "seed": 3}], like=study), ValueError, "drop"),
            (lambda: register_source([{"lr": "a", "accuracy": 1}], like=study), TypeError,
             "lr='a'"),
            (lambda: register_source(self.ROWS, like=study, missing="x"), ValueError, "infeasible"),
            (lambda: register_source([3], like=study), TypeError, "iterable of mappings"),
        ):
            with self.assertRaisesRegex(kind, words):
                mistake()

    def learn(self, rows, space=None):
        """The source task of a study that learns from the rows, and what was warned of."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            study = slipstream.create_or_load(
                self.study_id, space or self.SPACE, maximize="accuracy", sources=[rows])
        for one in caught:
            self.assertEqual(one.filename, __file__)
        self.assertEqual(study.suggest().number, 1)
        found = {one.name: one for one in slipstream.sources()}
        return found[study.sources[0]], [str(one.message) for one in caught]

    def test_a_parameter_that_a_table_lacks_its_source_task_lacks(self):
        space = {**self.SPACE, "momentum": real(0, 1, default=0.9)}
        task, warned = self.learn(
            [{"lr": 0.01, "kernel": "rbf", "accuracy": 0.9},
             {"lr": 0.1, "kernel": "poly", "degree": 3, "accuracy": 0.8}], space)
        self.assertEqual((dict(task.space), task.observation_count, warned), (self.SPACE, 2, []))

    def test_a_conditional_parameter_that_no_row_needs_stays(self):
        task, warned = self.learn([{"lr": 0.01, "kernel": "rbf", "accuracy": 0.9}])
        self.assertEqual((dict(task.space), warned), (self.SPACE, []))

    def test_a_parameter_whose_parent_a_table_lacks_is_unconditional_or_left_out(self):
        lr = self.SPACE["lr"]
        task, warned = self.learn([{"lr": 0.01, "degree": 3, "accuracy": 0.9},
                                   {"lr": 0.1, "degree": 2, "accuracy": 0.8}])
        self.assertEqual((dict(task.space), warned), ({"lr": lr, "degree": integer(2, 5)}, []))
        self.study_id += "-2"
        task, warned = self.learn([{"lr": 0.02, "degree": 3, "accuracy": 0.9},
                                   {"lr": 0.1, "accuracy": 0.8}])
        self.assertEqual((dict(task.space), task.observation_count), ({"lr": lr}, 2))
        self.assertEqual(len(warned), 1)
        self.assertIn("'degree' is left out, as it is active when {'kernel': 'poly'}", warned[0])

    def test_rows_outside_the_space_are_left_out_with_a_warning(self):
        rows = pandas.DataFrame([
            {"lr": 0.01, "kernel": "rbf", "degree": None, "accuracy": 0.9},
            {"lr": 3, "kernel": "rbf", "degree": None, "accuracy": 0.8},
            {"lr": 0.01, "kernel": "linear", "degree": None, "accuracy": 0.7},
            {"lr": 0.01, "kernel": "rbf", "degree": 3, "accuracy": 0.7},
            {"lr": 0.01, "kernel": "poly", "degree": None, "accuracy": 0.7},
            {"lr": 0.01, "kernel": "poly", "degree": 2.5, "accuracy": 0.7},
            {"lr": 0.01, "kernel": "poly", "degree": 4, "accuracy": 0.7}])
        task, warned = self.learn(rows)
        self.assertEqual((dict(task.space), task.observation_count), (self.SPACE, 2))
        self.assertEqual(len(warned), 1)
        self.assertIn("sources[0]: 5 of 7 rows are outside the study's space and left out, first "
                      "row 2: lr=3.0 is not within log(1e-05, 1)", warned[0])

    def test_a_table_without_a_row_in_the_space_is_refused(self):
        for rows, words in (
            ([{"lr": 3, "kernel": "rbf", "accuracy": 1}],
             r"sources\[0\]: no row is within .*row 1: lr=3 is not within .*register_source"),
            ([{"accuracy": 1}], "none of the study's parameters, lr, kernel, degree"),
        ):
            with self.assertRaisesRegex(ValueError, words):
                self.open(sources=[rows])

    def test_a_path_is_that_of_a_csv_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "last-year.csv"
            path.write_text("lr,kernel,degree,accuracy\n0.01,rbf,,0.91\n1e-1,poly,3,0.78\n")
            task, warned = self.learn(path)
            rows = self.ROWS[:2]
            self.assertEqual(task.name, register_source(rows, self.SPACE, maximize="accuracy").name)
            self.assertEqual(register_source(path, self.SPACE, maximize="accuracy").name, task.name)
            self.assertEqual(warned, [])
            path.write_text("lr,kernel,accuracy\nhigh,rbf,0.91\n")
            for register in (lambda: register_source(path, self.SPACE, maximize="accuracy"),
                             lambda: self.open(sources=[path])):
                with self.assertRaisesRegex(TypeError, f"^{path}, row 1: lr='high' is text"):
                    register()
            path.write_text("lr,kernel,degree,accuracy\n5,rbf,,0.91\n")
            with self.assertRaisesRegex(slipstream.InvalidArgument, f"^{path}, row 1: lr=5 is not "):
                register_source(path, self.SPACE, maximize="accuracy")
            for text, words in (
                ("lr,kernel,accuracy\n0.5,rbf,0.91\n0.5,rbf,0.91,7,8\n",
                 ", row 2: 5 cells for 3 columns"),
                ("lr,kernel,accuracy\n0.5,rbf\n", ", row 1: 2 cells for 3 columns"),
                ("lr,lr,accuracy\n0.5,0.6,1\n", ": the column lr appears twice"),
                ("lr,kernel,seed,accuracy\n0.5,rbf,3,0.91\n", ": column 'seed' is .*: leave it out"),
                ("lr,kernel,Accuracy\n0.5,rbf,0.91\n", ": column 'Accuracy' is .*; unless it is "
                 "meant to be 'degree' or 'accuracy', which have no column: leave it out"),
                ("lr;kernel;accuracy\n0.5;rbf;0.91\n", ": the first line, 'lr;kernel;accuracy', has "
                 r"no comma.*pandas.read_csv\(..., sep=...\) and give the frame"),
                ('[{"lr": 0.5}]', " looks like JSON, .*: give the list that json.load returns"),
            ):
                path.write_text(text)
                with self.assertRaisesRegex(ValueError, f"^{path}{words}$"):
                    self.open(sources=[path])
            for content in ("lr,kernel,accuracy\n0.5,n\u00e9,1\n".encode("latin-1"),
                            b"lr,kernel,accuracy\n0.5," + b"r" * 200000 + b",1\n"):
                path.write_bytes(content)
                with self.assertRaisesRegex(ValueError, f"^{path} is not a CSV file in UTF-8: "):
                    self.open(sources=[path])
            space = {"lr": real(0, 1), "x": choice("1", "2"), "on": boolean()}
            for true in ("True", "1", " true"):
                path.write_text(f"lr,x,on,accuracy\n0.5,1,{true},1\n")
                task = register_source(path, space, maximize="accuracy")
                self.assertEqual(task.best_params, {"lr": 0.5, "x": "1", "on": True})

    def test_what_is_no_source_is_told_with_its_place(self):
        row = {"lr": 0.5, "kernel": "rbf", "accuracy": 0.25}
        for wrong, words in ((3, r"sources\[1\] is a int"), (None, r"sources\[1\] is a NoneType"),
                             (row, r"sources\[1\] is a dict, .* a list of rows")):
            with self.assertRaisesRegex(TypeError, words):
                self.open(sources=[[row], wrong])
        with self.assertRaisesRegex(slipstream.FailedPrecondition, "leave it out of the sources"):
            other = slipstream.create_or_load(f"{self.study_id}-0", self.SPACE, maximize="accuracy")
            self.open(sources=[other])

    def test_rows_outside_the_space_are_told_before_they_are_registered(self):
        row = {"lr": 0.5, "kernel": "rbf", "accuracy": 0.25}
        for wrong, words in (({"lr": 7.0}, "row 2: lr=7.0 is not within .*; if the run had another "
                                           "space than this, give its own as space="),
                             ({"kernel": "poly"}, "row 2: it has no 'degree'"),
                             ({"degree": 3}, "row 2: degree=3 is active only when")):
            with self.assertRaisesRegex(slipstream.InvalidArgument, words):
                register_source([row, {**row, **wrong}], self.SPACE, maximize="accuracy")

    def test_a_study_is_registered_as_it_is(self):
        study, task = self.finished(f"{self.study_id}-0")
        self.assertEqual((task.title, task.origin), (study.id, study.name))
        described = [one for one in slipstream.studies() if one.study_id == study.id]
        self.assertEqual(register_source(described[0]).name, task.name)
        for settings in ({"space": self.SPACE}, {"maximize": "accuracy"}, {"like": study}):
            with self.assertRaisesRegex(TypeError, "with its own space and objective"):
                register_source(study, **settings)
        with self.assertRaisesRegex(TypeError, r"like='s' must be a study: .*slipstream.load"):
            register_source([{"lr": 0.5, "accuracy": 1}], like="s")

    def test_a_text_is_no_source_to_register(self):
        with self.assertRaisesRegex(TypeError, r"slipstream.load\('last'\) .* pathlib.Path\('last'\)"):
            register_source("last", like=self.open())

    def test_text_among_numbers_is_told_with_its_row_and_column(self):
        good = {"lr": 0.1, "kernel": "rbf", "accuracy": 0.5}
        for cell, words in (
            ({"lr": "high"}, "row 2: lr='high' is text, and column 'lr' takes numbers"),
            ({"accuracy": "good"}, "row 2: accuracy='good' is text, and column 'accuracy' takes"),
            ({"kernel": 3}, "row 2: kernel=3 is int, and column 'kernel' takes words"),
            ({"lr": True}, "row 2: lr=True is bool, and column 'lr' takes numbers"),
        ):
            rows = [good, {**good, **cell}]
            with self.assertRaisesRegex(TypeError, rf"^sources\[0\], {words}"):
                self.open(sources=[rows])
            with self.assertRaisesRegex(TypeError, words):
                register_source(rows, self.SPACE, maximize="accuracy")
        with self.assertRaisesRegex(TypeError, r"slipstream.real\(0, 1\)"):
            slipstream.create_or_load(
                self.study_id, {"lr": (0, 1)}, maximize="accuracy", sources=[[{"lr": 1}]])

    def test_an_infinite_result_is_as_good_as_none(self):
        row = {"lr": 0.1, "kernel": "rbf", "accuracy": 0.5}
        for value in (math.inf, -math.inf):
            rows = [row, {**row, "accuracy": value}]
            with self.assertRaisesRegex(
                    ValueError, r"^sources\[0\], row 2: accuracy=-?inf is not finite: leave it out, "
                                r"or give the source task that register_source\(..., missing="):
                self.open(sources=[rows])
            with self.assertRaisesRegex(
                    ValueError, "^row 2: accuracy=-?inf is not finite: .* missing='failed' or"):
                register_source(rows, self.SPACE, maximize="accuracy")
            task = register_source(rows, self.SPACE, maximize="accuracy", missing="infeasible")
            self.assertEqual((task.observation_count, task.measured_count), (2, 1))

    def test_a_study_says_why_its_sources_are_not_used(self):
        task = register_source([{"lr": 5, "accuracy": 1}, {"lr": 7, "accuracy": 2}],
                               {"lr": real(2, 9)}, maximize="accuracy")
        study = slipstream.create_or_load(self.study_id, {"lr": real(0, 1)}, maximize="accuracy",
                                          sources=[task])
        self.assertIsNone(study.transfer)

        # Until the source has been fitted, only its points are known not to be usable.
        reason = "2 points are outside the study's space"
        while study.description.trial_count < 20:
            study.suggest().complete(1)
            if study.transfer is not None and reason in study.transfer.unused_because:
                break
        self.assertIn(reason, study.transfer.unused_because)
        self.assertEqual((study.transfer.state, study.transfer.results), ("unknown", 0))
        told = f"not used: {study.transfer.unused_because}"
        self.assertEqual(str(study.transfer), told)
        self.assertIn(f"<th>transfer</th><td>{html.escape(told)}</td>", study._repr_html_())

    def test_a_source_task_is_deleted_unless_it_is_used(self):
        task = register_source([{"lr": 0.5, "kernel": "rbf", "accuracy": 0.25}], like=self.open())
        slipstream.delete_source(task)
        with self.assertRaises(slipstream.NotFound):
            slipstream.delete_source(task.name)


class Replacement(ServerTest):
    """A study that is deleted and created again under its name is another one."""

    def open(self):
        return slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, minimize="loss")

    def replace(self):
        slipstream.delete_study(self.study_id)
        study = self.open()
        study.record({"x": 0.5}, 0.25)
        self.assertEqual(study.suggest().number, 2)
        return study

    def test_a_handle_does_not_speak_for_another_study_of_its_name(self):
        gone = self.open()
        gone.record({"x": 0.5}, 0.75)
        pickled = pickle.dumps(gone)
        study = self.replace()
        for call in (gone.suggest, lambda: gone.record({"x": 0.25}, 1),
                     lambda: gone.enqueue({"x": 0.25}), lambda: gone.annotate(1, note="odd"),
                     gone.pause, gone.complete, lambda: gone.trials, lambda: gone.best,
                     lambda: gone.description, lambda: pickle.loads(pickled)):
            with self.assertRaisesRegex(slipstream.NotFound, "is not the study that the call is"):
                call()
        self.assertEqual([(trial.state, trial.note) for trial in study.trials],
                         [("succeeded", ""), ("active", "")])
        self.assertEqual(study.description.state, "active")

    def test_a_trial_is_neither_renewed_nor_given_back_for_another_one_of_its_name(self):
        gone = self.open()
        gone.record({"x": 0.5}, 0.75)
        trial = gone.suggest()
        with unittest.mock.patch.dict(os.environ, {"SLIPSTREAM_WORKER": trial.worker}):
            study = self.replace()
        self.assertEqual(study.trials[1].worker, trial.worker)
        with self.assertRaisesRegex(slipstream.NotFound, "is not the study that the call is about"):
            trial.release()
        self.assertEqual(study.trials[1].state, "active")

    def test_a_study_of_asyncio_does_not_speak_for_another_one_either(self):
        async def main():
            async with await slipstream.aio.create_or_load(
                    self.study_id, {"x": real(0, 1)}, minimize="loss") as gone:
                self.replace()
                for call in (gone.suggest, gone.trials, gone.best, gone.description, gone.pause):
                    with self.assertRaisesRegex(slipstream.NotFound, "is not the study that the"):
                        await call()

        asyncio.run(main())


if __name__ == "__main__":
    unittest.main()
