"""Tables that other tools export are source tasks as they are."""

import enum
import math
import pathlib
import tempfile
import unittest
import warnings

import pandas
from servers import ServerTest

import slipstream
from slipstream import boolean, choice, integer, log, real, register_source
from slipstream._operations.other_tools import tool_of

SPACE = {"lr": log(1e-5, 1), "layers": integer(1, 8), "kernel": choice("rbf", "1"), "bias": boolean()}
# What each of the tables below says: two results, and a trial that failed.
OURS = [
    {"lr": 0.01, "layers": 3, "kernel": "rbf", "bias": True, "accuracy": 0.91},
    {"lr": 0.1, "layers": 2, "kernel": "1", "bias": False, "accuracy": 0.78},
    {"lr": 0.5, "layers": 8, "kernel": "rbf", "bias": False},
]

OPTUNA = pandas.DataFrame({
    "number": [0, 1, 2, 3, 4],
    "value": [0.91, 0.78, math.nan, 0.5, math.nan],
    "datetime_start": pandas.Timestamp("2026-01-01"),
    "datetime_complete": [pandas.Timestamp("2026-01-02")] * 4 + [pandas.NaT],
    "duration": pandas.Timedelta("1h"),
    "params_lr": [0.01, 0.1, 0.5, 0.2, 0.3],
    "params_layers": [3, 2, 8, 1, 1],
    "params_kernel": ["rbf", "1", "rbf", "rbf", "rbf"],
    "params_bias": [True, False, False, True, True],
    "user_attrs_host": "gpu-3",
    "state": ["COMPLETE", "COMPLETE", "FAIL", "PRUNED", "RUNNING"],
})
MLFLOW = pandas.DataFrame({
    "run_id": ["a", "b", "c", "d"],
    "experiment_id": "1",
    "status": ["FINISHED", "FINISHED", "FAILED", "RUNNING"],
    "artifact_uri": "mlflow-artifacts:/1",
    "start_time": pandas.Timestamp("2026-01-01"),
    "metrics.accuracy": [0.91, 0.78, 0.2, 0.4],
    "metrics.loss": [1.0, 2.0, 3.0, 4.0],
    "params.lr": ["0.01", "0.1", "0.5", "0.2"],
    "params.layers": ["3", "2", "8", "1"],
    "params.kernel": ["rbf", "1", "rbf", "rbf"],
    "params.bias": ["True", "False", "False", "True"],
    "tags.mlflow.user": "ann",
})
RAY = pandas.DataFrame({
    "accuracy": [0.91, 0.78, math.nan],
    "training_iteration": 1,
    "trial_id": ["a", "b", "c"],
    "done": [False, True, False],
    "config/lr": [0.01, 0.1, 0.5],
    "config/layers": [3, 2, 8],
    "config/kernel": ["rbf", "1", "rbf"],
    "config/bias": [True, False, False],
    "logdir": "a",
})
AX = pandas.DataFrame({
    "trial_index": [0, 1, 2, 3],
    "arm_name": ["0_0", "1_0", "2_0", "3_0"],
    "trial_status": ["COMPLETED", "COMPLETED", "FAILED", "RUNNING"],
    "generation_node": "Sobol",
    "fail_reason": [None, None, "out of memory", None],
    "latency": [1.0, 2.0, 3.0, math.nan],
    "accuracy": [0.91, 0.78, math.nan, math.nan],
    "lr": [0.01, 0.1, 0.5, 0.2],
    "layers": [3, 2, 8, 1],
    "kernel": ["rbf", "1", "rbf", "rbf"],
    "bias": [True, False, False, True],
})
OWN = pandas.DataFrame({  # `slipstream trials --format csv`.
    "trial": ["s/1", "s/2", "s/3", "s/4"],
    "state": ["succeeded", "succeeded", "failed", "active"],
    "lr": [0.01, 0.1, 0.5, 0.2],
    "layers": [3, 2, 8, 1],
    "kernel": ["rbf", "1", "rbf", "rbf"],
    "bias": [True, False, False, True],
    "accuracy": [0.91, 0.78, math.nan, math.nan],
    "worker": "w",
    "reason": [None, None, "out of memory", None],
    "age": 5.0,
    "took": 1.0,
    "lease": [math.nan, math.nan, math.nan, 9.0],
})
TABLES = {"optuna": OPTUNA, "mlflow": MLFLOW, "ray": RAY, "ax": AX, "own": OWN}


class Direction(enum.Enum):
    MINIMIZE = 1
    MAXIMIZE = 2


class OptunaStudy:
    """Has what Optuna's studies have."""

    def __init__(self, direction=Direction.MAXIMIZE):
        self.directions = [direction]

    def trials_dataframe(self):
        return OPTUNA


class State(enum.Enum):
    COMPLETE = 1
    PRUNED = 2
    FAIL = 3


class FloatDistribution:
    def __init__(self, low, high, log=False):
        self.low, self.high, self.log = low, high, log

    def single(self):
        return self.low == self.high


class IntDistribution(FloatDistribution):
    pass


class CategoricalDistribution:
    def __init__(self, *choices):
        self.choices = choices

    def single(self):
        return len(self.choices) == 1


class OptunaTrial:
    """Asked for some of these by name."""

    RANGES = {"lr": FloatDistribution(1e-5, 1, log=True), "layers": IntDistribution(1, 8),
              "kernel": CategoricalDistribution("rbf", "poly"), "fixed": IntDistribution(3, 3),
              "degree": IntDistribution(2, 5), "bias": CategoricalDistribution(False, True),
              "size": CategoricalDistribution(16, 32)}

    def __init__(self, number, state, value, params):
        self.number, self.state, self.values, self.params = number, state, [value], params
        self.distributions = {name: self.RANGES[name] for name in params}


class WholeOptunaStudy(OptunaStudy):
    """Has its trials, too."""

    study_name = "last year"

    def __init__(self, *trials, direction=Direction.MAXIMIZE):
        super().__init__(direction)
        self._trials = [OptunaTrial(number, *one) for number, one in enumerate(trials)]

    def get_trials(self, deepcopy=True):
        return self._trials


class OptunaStudies(ServerTest):
    SVM = {"lr": 0.01, "kernel": "poly", "degree": 3, "bias": True, "size": 16, "fixed": 3}
    RBF = {"lr": 0.1, "kernel": "rbf", "bias": False, "size": 32, "fixed": 3}
    SPACE = {"lr": log(1e-5, 1), "kernel": choice("rbf", "poly"),
             "degree": integer(2, 5, when={"kernel": "poly"}), "bias": boolean(),
             "size": choice("16", "32")}

    def study(self, **settings):
        return WholeOptunaStudy(
            (State.COMPLETE, 0.91, self.SVM), (State.COMPLETE, 0.78, self.RBF),
            (State.COMPLETE, math.inf, {**self.RBF, "lr": 0.9}), (State.FAIL, None, self.RBF),
            (State.FAIL, None, {"lr": 0.5}), (State.PRUNED, 0.1, self.RBF), **settings)

    def test_their_space_and_objective_are_inferred(self):
        task = register_source(self.study())
        self.assertEqual(dict(task.space), self.SPACE)
        self.assertEqual((task.objective.metric, task.objective.maximize), ("value", True))
        self.assertEqual((task.observation_count, task.measured_count, task.title),
                         (4, 2, "last year"))
        self.assertEqual((task.best_value, task.best_params["size"]), (0.91, "16"))
        least = register_source(self.study(direction=Direction.MINIMIZE), title="least")
        self.assertEqual((least.best_value, least.title), (0.78, "least"))

    def test_the_objective_may_be_named(self):
        task = register_source(self.study(), maximize="accuracy")
        self.assertEqual((task.objective.metric, task.best_value), ("accuracy", 0.91))
        with self.assertWarnsRegex(UserWarning, "is to maximize, and is registered as one to minimize"):
            register_source(self.study(), minimize="loss")
        OptunaTrial.RANGES["value"] = FloatDistribution(0, 1)
        self.addCleanup(OptunaTrial.RANGES.pop, "value")
        named = register_source(WholeOptunaStudy((State.COMPLETE, 0.5, {"value": 0.25})))
        self.assertEqual((named.objective.metric, named.best_params), ("value_", {"value": 0.25}))

    def test_parameters_that_fit_into_no_space_are_left_out_with_a_warning(self):
        study = WholeOptunaStudy((State.COMPLETE, 0.9, {"lr": 0.1, "layers": 2}),
                                 (State.COMPLETE, 0.8, {"lr": 0.1}))
        with self.assertWarnsRegex(UserWarning, "no parameter 'layers': it was asked for in 1 of 2 "
                                                "trials") as told:
            self.assertEqual(list(register_source(study).space), ["lr"])
        self.assertEqual(told.filename, __file__)

    def test_what_cannot_be_inferred_is_told(self):
        several = self.study()
        several.directions *= 2
        for study, words in ((several, "has 2 objectives: give space="),
                             (WholeOptunaStudy(), "no space can be inferred .*: give space="),
                             (OptunaStudy(), "which space is it")):
            with self.assertRaisesRegex(ValueError, words):
                register_source(study)


class OtherTools(ServerTest):
    def register(self, table, space=None, **settings):
        return register_source(table, space or SPACE, maximize="accuracy", **settings)

    def test_each_tools_table_is_the_same_source_task(self):
        ours = self.register(OURS, missing="failed")
        self.assertEqual((ours.observation_count, ours.measured_count), (3, 2))
        for tool, table in TABLES.items():
            with self.subTest(tool):
                missing = "failed" if tool == "ray" else None  # Which tells of no failure.
                self.assertEqual(self.register(table, missing=missing).name, ours.name)
        self.assertEqual(self.register(OptunaStudy()).name, ours.name)

    def test_files_are_read_as_frames_are(self):
        ours = self.register(OURS, missing="failed")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trials.csv"
            for tool, table in TABLES.items():
                with self.subTest(tool):
                    table.to_csv(path, index=False)
                    missing = "failed" if tool == "ray" else None
                    self.assertEqual(self.register(path, missing=missing).name, ours.name)

    def test_a_missing_choice_that_is_active_is_none(self):
        space = {"model": choice(None, "forest"), "depth": choice(None, "2", when={"model": "forest"})}
        rows = [{"model": "None", "value": 0.9}, {"model": "forest", "depth": "None", "value": 0.8},
                {"model": "forest", "depth": "2", "value": 0.7}]
        ours = slipstream.register_source(rows, space, maximize="value")
        frame = pandas.DataFrame({
            "number": range(4), "value": [0.9, 0.8, 0.7, math.nan],
            "params_model": [None, "forest", "forest", None], "params_depth": [None, None, "2", None],
            "state": ["COMPLETE"] * 3 + ["FAIL"]})
        for as_words in (space, {"model": choice("None", "forest"),
                                 "depth": choice("None", "2", when={"model": "forest"})}):
            read = slipstream.register_source(frame, as_words, maximize="value")
            self.assertEqual(read.name, ours.name)

    def test_cells_that_the_command_line_guards_against_spreadsheets_are_read(self):
        space = {"flag": choice("-O2", "=1+1", "'x'"), "shift": real(-2, 2)}
        rows = [{"flag": flag, "shift": -1, "accuracy": 0.5} for flag in ("-O2", "=1+1", "'x'")]
        ours = slipstream.register_source(rows, space, maximize="accuracy")
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "trials.csv"
            path.write_text("trial,state,flag,shift,accuracy,worker,reason\n"
                            "s/1,succeeded,'-O2,-1,0.5,w,\ns/2,succeeded,'=1+1,-1,0.5,w,\n"
                            "s/3,succeeded,'x',-1,0.5,w,\n")
            read = slipstream.register_source(path, space, maximize="accuracy")
        self.assertEqual(read.name, ours.name)

    def test_a_study_learns_from_them(self):
        ours = self.register(OURS, missing="failed")
        for number, table in enumerate((OptunaStudy(), MLFLOW, AX)):
            study = slipstream.create_or_load(f"{self.study_id}-{number}", SPACE,
                                              maximize="accuracy", sources=[table])
            self.assertEqual(study.sources, [ours.name])

    def test_an_optuna_study_that_is_a_source_keeps_its_direction_and_name(self):
        last_year = OptunaStudy(Direction.MINIMIZE)
        last_year.study_name = "last year"
        with self.assertWarnsRegex(UserWarning, "'last year' is to minimize accuracy, and the study "
                                                "to maximize accuracy") as told:
            study = slipstream.create_or_load(self.study_id, SPACE, maximize="accuracy",
                                              sources=[last_year])
        self.assertEqual(told.filename, __file__)
        [source] = (one for one in slipstream.sources() if one.name in study.sources)
        self.assertEqual((source.title, source.objective.maximize), ("last year", False))

    def test_optuna_names_metrics(self):
        ours = self.register(OURS, missing="failed")
        for columns in ({"value": "values_accuracy"}, {"value": "value_accuracy"},
                        {"value": "values_0"}, {"value": "accuracy"}):
            self.assertEqual(self.register(OPTUNA.rename(columns=columns)).name, ours.name)
        named = OPTUNA.rename(columns={"value": "values_accuracy"}).assign(values_latency=7.0)
        self.assertEqual(self.register(named).name, ours.name)
        # Which of several objectives is meant must not be guessed.
        unnamed = OPTUNA.rename(columns={"value": "values_0"}).assign(values_1=7.0)
        for missing in (None, "failed"):
            with self.assertRaisesRegex(ValueError, "no column of 'accuracy'; its columns are .*"
                                                    "values_0.*values_1"):
                self.register(unnamed, missing=missing)
        # Where a column has the metric's name, it is meant, whatever it has.
        attributes = OPTUNA.assign(user_attrs_size=3.5)
        self.assertEqual(register_source(attributes, SPACE, minimize="user_attrs_size").best_value, 3.5)
        with self.assertRaisesRegex(TypeError, "duration=.* is Timedelta"):
            register_source(OPTUNA, SPACE, minimize="duration")

    def test_an_optuna_study_of_the_other_direction_is_told(self):
        with self.assertWarnsRegex(UserWarning, "the Optuna study is to minimize, and is registered "
                                                "as one to maximize accuracy"):
            self.register(OptunaStudy(Direction.MINIMIZE))

    def test_parameters_that_the_space_lacks_are_left_out_with_a_warning(self):
        space = {name: parameter for name, parameter in SPACE.items() if name != "bias"}
        ours = [{name: cell for name, cell in row.items() if name != "bias"} for row in OURS]
        expected = self.register(ours, space, missing="failed").name
        for column in ("params_bias", "params.bias", "config/bias"):
            table = next(one for one in TABLES.values() if column in one.columns)
            with self.assertWarnsRegex(UserWarning, f"the space has none of these .*: {column}$"):
                self.assertEqual(self.register(table, space, missing="failed").name, expected)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            self.assertEqual(self.register(AX, space).name, expected)
            with self.assertRaisesRegex(ValueError, "column '(lr|latency)' is neither .* to be 'LR'"):
                self.register(AX, {**{n: p for n, p in SPACE.items() if n != "lr"}, "LR": log(1e-5, 1)})

    def test_categories_that_are_numbers_are_words_here(self):
        table = OPTUNA.assign(params_kernel=[16, 32, 16, 16, 16])
        space = {**SPACE, "kernel": choice("16", "32")}
        task = self.register(table, space)
        self.assertEqual(task.best_params["kernel"], "16")
        with self.assertRaisesRegex(TypeError, "kernel=16 is int"):
            self.register(table, {**SPACE, "kernel": choice("17", "18")})

    def test_parameters_may_have_the_names_of_columns_about_runs(self):
        space = {"state": choice("solid", "liquid"), "number": integer(1, 8)}
        table = OPTUNA.assign(params_state="solid", params_number=[3, 2, 8, 1, 1])
        table = table.drop(columns=["params_lr", "params_layers", "params_kernel", "params_bias"])
        task = self.register(table, space)
        self.assertEqual(task.best_params, {"state": "solid", "number": 3})
        with self.assertRaisesRegex(slipstream.InvalidArgument, "row 1: it has no 'number'"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                self.register(table.drop(columns=["params_number"]), space)

    def test_runs_that_failed_before_they_had_a_configuration_are_left_out(self):
        ours = self.register(OURS, missing="failed")
        failed = {"number": 9, "state": "FAIL"}
        table = pandas.concat([OPTUNA, pandas.DataFrame([failed])])
        self.assertEqual(self.register(table).name, ours.name)
        only_failed = OPTUNA.assign(value=math.nan)[OPTUNA["state"] == "FAIL"]
        self.assertEqual(self.register(only_failed).measured_count, 0)

    def test_a_result_that_is_missing_is_told(self):
        with self.assertRaisesRegex(ValueError, "row 3 has no 'accuracy'.*missing='failed'"):
            self.register(RAY)
        for missing in (None, "failed"):
            with self.assertRaisesRegex(ValueError, "no column of 'precision'"):
                register_source(MLFLOW, SPACE, maximize="precision", missing=missing)
        with self.assertRaisesRegex(ValueError, "give the source task that register_source"):
            slipstream.create_or_load(self.study_id, SPACE, maximize="accuracy", sources=[RAY])

    def test_tables_of_ones_own_are_left_alone(self):
        for columns in (["number", "state", "lr"], ["trial_id", "lr"], ["run_id", "params.lr"],
                        ["trial", "state", "params_lr"], ["trial_index", "lr"], []):
            self.assertIsNone(tool_of(columns), columns)
        space = {"params_lr": log(1e-5, 1)}  # A name that looks like Optuna's.
        study = slipstream.create_or_load(self.study_id, space, maximize="accuracy")
        study.record({"params_lr": 0.1}, 0.5)
        study.suggest().fail("broke")
        for table in (study.trials.to_dicts(), study.trials.to_frame()):
            task = register_source(table, space, maximize="accuracy")
            self.assertEqual((task.observation_count, task.measured_count), (2, 1))


if __name__ == "__main__":
    unittest.main()
