"""Plots show what is in a study, and Matplotlib draws all of them."""

import dataclasses
import io
import math
import time
import unittest

from matplotlib.colors import to_hex
from servers import ServerTest

import slipstream
from slipstream import boolean, choice, discrete, integer, log, real, reverse_log
from slipstream.plots import contents, matplotlib_drawing
from slipstream.plots.cells import can_be_active, places_along, value_at
from slipstream.plots.figure import Axis, Bars, Figure, Heat, Line, Panel, Points
from slipstream.plots.forest import Forest
from slipstream.plots.unit_values import raw_value, ticks_of
from slipstream.trials import Trials

SPACE = {"lr": log(1e-5, 1), "momentum": reverse_log(0.5, 0.999), "kernel": choice("rbf", "poly"),
         "degree": integer(2, 5, when={"kernel": "poly"}), "bias": boolean(),
         "batch": discrete(16, 32, 64, scale="log"), "idle": real(0, 1)}

NETS = {"model": choice("svm", "nn", "forest"), "C": real(1, 9, when={"model": "svm"}),
        "units": integer(8, 64, when={"model": "nn"}),
        "layers": integer(1, 4, when={"model": "nn"}),
        "width": integer(4, 16, when={"layers": [2, 3]}), "lr": real(0, 1)}


def accuracy(trial):
    return -(math.log10(trial.lr) + 2) ** 2 - (3 if trial.kernel == "poly" else 0)


class PlotTest(ServerTest):
    ENGINE = "matplotlib"

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.source = slipstream.create_or_load("earlier", SPACE, maximize="accuracy", seed=1,
                                               preset="random")
        cls.source.optimize(accuracy, trials=60, progress=False)
        # Another study's trials wait until the source's model is fitted, which all studies share.
        first = slipstream.create_or_load("first", SPACE, maximize="accuracy", seed=3,
                                          sources=[cls.source])
        end = time.monotonic() + 60
        while (first.transfer is None or first.transfer.unused_because) and time.monotonic() < end:
            first.optimize(accuracy, trials=1, progress=False)
        cls.study = slipstream.create_or_load("later", SPACE, maximize="accuracy", seed=2,
                                              sources=[cls.source])
        cls.study.optimize(accuracy, trials=12, progress=False)
        cls.trained = slipstream.create_or_load("trained", {"x": real(0, 1)}, maximize="accuracy")
        for length, end in ((3, 0.5), (2, 0.9), (1, 0.1)):
            with cls.trained.suggest() as trial:
                for step in range(length):
                    trial.report(step, end - (length - 1 - step) / 10)
                if length == 1:
                    trial.stop("hopeless")
                else:
                    trial.complete(end)
        cls.trained.record({"x": 0.5}, 0.7)
        cls.study.suggest().stop("hopeless", -20)
        cls.study.suggest().fail("broke")

    def every_plot(self):
        plot = self.study.plot
        yield "history", plot.history(engine=self.ENGINE)
        yield "importance", plot.importance(engine=self.ENGINE)
        yield "slices", plot.slices(engine=self.ENGINE)
        yield "some slices", plot.slices(["lr", "kernel"], engine=self.ENGINE)
        yield "contour", plot.contour("lr", "momentum", engine=self.ENGINE)
        yield "contour of words", plot.contour("kernel", "batch", engine=self.ENGINE)
        yield "parallel", plot.parallel_coordinates(engine=self.ENGINE)
        yield "transfer", plot.transfer(engine=self.ENGINE)
        yield "curves", self.trained.plot.curves(engine=self.ENGINE)


class Contents(PlotTest):
    def test_history_shows_the_best_so_far(self):
        trials = self.study.trials
        points, line, stopped = contents.history("later", trials).panels[0].layers
        values = [trial.value for trial in trials[:12]]
        self.assertEqual(points.y, values)
        self.assertEqual(line.y, [max(values[: index + 1]) for index in range(12)])
        self.assertEqual((stopped.name, stopped.y), ("stopped early", [-20]))

    def test_importance_finds_what_matters(self):
        bars = contents.importance("earlier", self.source.trials).panels[0].layers[0]
        self.assertIsInstance(bars, Bars)
        self.assertEqual(sorted(bars.labels), sorted(SPACE))
        shares = dict(zip(bars.labels, bars.values))
        self.assertEqual(bars.labels[0], "lr")
        self.assertGreater(shares["lr"], 0.4)
        self.assertGreater(shares["lr"], 4 * max(shares["idle"], shares["batch"], shares["bias"]))
        self.assertLessEqual(sum(bars.values), 1 + 1e-9)

    def test_importances_of_too_few_trials_are_refused_by_who_needs_them(self):
        few = Trials(self.source.trials[:3], self.source.objective, self.source.space)
        for refused, who in ((contents.importances, r"importances\(\)"),
                             (lambda few: contents.importance("few", few), "this plot")):
            with self.assertRaisesRegex(ValueError, f"^{who} needs at least 4 trials that succeeded, "
                                                    "and there are 3$"):
                refused(few)

    def test_importances_are_those_that_are_drawn(self):
        shares = self.source.importances()
        (bars,) = contents.importance("s", self.source.trials).panels[0].layers
        self.assertEqual((list(shares), list(shares.values())), (bars.labels, bars.values))
        self.assertEqual(list(shares.values()), sorted(shares.values(), reverse=True))

    def test_curves_are_the_brighter_the_better_they_end(self):
        trials = self.trained.trials
        reports = {trial.number: self.trained.reports(trial) for trial in trials}
        *lines, stopped = contents.curves("s", trials, reports).panels[0].layers
        self.assertEqual([line.name for line in lines], ["trial 3", "trial 1", "trial 2"])
        self.assertEqual([line.shade for line in lines], [1 / 3, 2 / 3, 1])
        self.assertEqual((lines[1].x, lines[1].y), ([0, 1, 2], [0.3, 0.4, 0.5]))
        self.assertEqual((stopped.x, stopped.y, stopped.name), ([0], [0.1], "stopped early"))

    def test_effects_of_a_known_function_are_found(self):
        # On a grid the variances of the two effects in y = 2a + b are as 4 to 1.
        grid = [(a / 20, b / 20) for a in range(21) for b in range(21)]
        shares = Forest(grid, [2 * a + b for a, b in grid]).importances()
        self.assertAlmostEqual(shares[0], 0.8, delta=0.06)
        self.assertAlmostEqual(shares[1], 0.2, delta=0.06)
        rows = Forest(grid, [2 * a + b for a, b in grid]).map(0, 1, [0.25, 0.75], [0.25, 0.75])
        for row, b in zip(rows, (0.25, 0.75)):
            for value, a in zip(row, (0.25, 0.75)):
                self.assertAlmostEqual(value, 2 * a + b, delta=0.12)

    def test_effects_do_not_hang_on_the_unit_of_values(self):
        grid = [(a / 20, b / 20) for a in range(21) for b in range(21)]
        plain = Forest(grid, [2 * a + b for a, b in grid])
        for unit in (2.0**-30, -(2.0**-1000), 2.0**1000):  # Powers of 2, which round nothing.
            forest = Forest(grid, [unit * (2 * a + b) for a, b in grid])
            for share, same in zip(forest.importances(), plain.importances()):
                self.assertAlmostEqual(share, same)
            mapped, same = (f.map(0, 1, [0.25], [0.75])[0][0] for f in (forest, plain))
            self.assertAlmostEqual(mapped / unit, same)
        for equal in (0.0, 0.1, -1e300):
            forest = Forest(grid, [equal] * len(grid))
            self.assertEqual(forest.importances(), [0, 0])
            self.assertAlmostEqual(forest.map(0, 1, [0.5], [0.5])[0][0], equal)

    def test_effects_are_known_at_the_bounds(self):
        grid = [(a / 20, b / 20) for a in range(21) for b in range(21)]
        rows = Forest(grid, [2 * a + b for a, b in grid]).map(0, 1, [0, 1], [0, 1])
        for row, b in zip(rows, (0, 1)):
            for value, a in zip(row, (0, 1)):
                self.assertAlmostEqual(value, 2 * a + b, delta=0.3)

    def test_contours_reach_the_bounds(self):
        def ends(first, second):
            (panel,) = contents.contour("earlier", self.source.trials, first, second).panels
            heat = panel.layers[0]
            self.assertEqual(panel.x.limits, (heat.x[0], heat.x[-1]))
            self.assertEqual(panel.y.limits, (heat.y[0], heat.y[-1]))
            shown = [value for row in heat.z for value in row if value is not None]
            self.assertLess(max(shown), 0)  # As every result.
            return [*panel.x.limits, *panel.y.limits]

        for names, wanted in {("lr", "idle"): [1e-5, 1, 0, 1], ("degree", "kernel"): [2, 5, 0, 1],
                              ("batch", "momentum"): [16, 64, 0.5, 0.999]}.items():
            for end, bound in zip(ends(*names), wanted):
                self.assertAlmostEqual(end, bound)

    def conditional(self):
        """A study in which the value of each trial says which of its parameters are active."""
        study = slipstream.create_or_load(self.study_id, NETS, maximize="accuracy")
        for at in range(8):
            study.record({"model": "svm", "C": 1 + at, "lr": 0.1}, 10)
            wide = {"width": 8 + at} if at % 4 in (1, 2) else {}
            net = {"model": "nn", "units": 8 + at, "layers": at % 4 + 1, "lr": at / 9}
            study.record({**net, **wide}, 30 if wide else 20)
            study.record({"model": "forest", "lr": 0.2}, 40)
        return study.trials

    def test_contours_are_blank_where_a_parameter_is_not_active(self):
        def shown(first, second):
            """The ends of what is drawn on each axis."""
            figure = contents.contour("nets", trials, first, second)
            heat = figure.panels[0].layers[0]
            cells = [(x, y, value) for y, row in zip(heat.y, heat.z)
                     for x, value in zip(heat.x, row) if value is not None]
            blank = len(cells) < len(heat.x) * len(heat.y)
            self.assertEqual(", blank where" in figure.title, blank)
            across, up, values = zip(*cells)
            # Values of trials that lack one of the two are far from those that have both.
            allowed = (9, 11) if "C" in (first, second) else (19, 31)
            self.assertTrue(allowed[0] < min(values) <= max(values) < allowed[1], values)
            return [(min(across), max(across)), (min(up), max(up))]

        trials = self.conditional()
        for pair, wanted in {
                ("model", "units"): [(1 / 3, 2 / 3), (8, 64)],
                ("units", "model"): [(8, 64), (1 / 3, 2 / 3)],
                ("layers", "width"): [(1.5, 3.5), (4, 16)],
                ("model", "width"): [(1 / 3, 2 / 3), (4, 16)],
                ("lr", "C"): [(0, 1), (1, 9)],  # All of it can be active.
        }.items():
            with self.subTest(pair):
                for ends, bounds in zip(shown(*pair), wanted):
                    for end, bound in zip(ends, bounds):
                        self.assertAlmostEqual(end, bound, delta=1e-4)

    def test_a_contour_has_the_most_important_parameters_by_default(self):
        trials = self.source.trials
        first, second, third, *_ = self.source.importances()
        for given, wanted in (((), (first, second)), ((third,), (third, first)),
                              ((None, first), (second, first))):
            self.assertEqual(contents.contour("earlier", trials, *given),
                             contents.contour("earlier", trials, *wanted))
        narrow = slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, maximize="accuracy")
        for number in range(4):
            narrow.record({"x": number / 4}, number)
        with self.assertRaisesRegex(ValueError, "two parameters, and the study has one"):
            narrow.plot.contour()

    def test_a_contour_needs_trials_in_which_both_are_active(self):
        trials = self.conditional()
        with self.assertRaisesRegex(ValueError, "have 'C' and 'units', and there is none"):
            contents.contour("nets", trials, "C", "units")

    def test_the_parts_of_an_axis_are_nearest_to_their_values(self):
        space = {"a": discrete(1, 2, 8), "b": integer(1, 100, scale="log"), "c": boolean(),
                 "x": real(0, 1, when={"a": 2}), "y": real(0, 1, when={"b": 1}),
                 "z": real(0, 1, when={"c": True})}
        for name, other, ends in (("a", "x", (1.5, 5)), ("b", "y", (1, 1.5)), ("c", "z", (0.5, 1))):
            active = [place for place in places_along(space, name, other)
                      if can_be_active(space, other, {name: value_at(space[name], place)})]
            for place, end in zip((active[0], active[-1]), ends):
                self.assertAlmostEqual(raw_value(space[name], place), end, delta=1e-4)
        self.assertEqual(len(places_along(space, "x", "y")), 24)

    def test_an_effect_of_an_interaction_is_no_main_effect(self):
        corners = [(a / 20, b / 20) for a in range(21) for b in range(21)]
        shares = Forest(corners, [float((a > 0.5) != (b > 0.5)) for a, b in corners]).importances()
        self.assertLess(sum(shares), 0.2)

    def test_slices_have_a_point_for_each_trial_that_has_the_parameter(self):
        panels = {panel.x.label: panel
                  for panel in contents.slices("later", self.study.trials, None).panels}
        with_degree = [trial for trial in self.study.trials.succeeded() if "degree" in trial]
        points = panels["degree"].layers[0]
        self.assertIsInstance(points, Points)
        self.assertEqual(points.x, [trial["degree"] for trial in with_degree])
        self.assertTrue(panels["lr"].x.log)
        self.assertEqual([text for _, text in panels["kernel"].x.ticks], ["rbf", "poly"])

    def test_one_name_is_one_slice(self):
        (panel,) = contents.slices("later", self.study.trials, "lr").panels
        self.assertEqual(panel.x.label, "lr")

    def test_ticks_are_at_legal_values(self):
        def positions(parameter):
            return [position for position, _ in ticks_of(parameter)]

        self.assertEqual(positions(integer(2, 5)), [2, 3, 4, 5])
        self.assertEqual(positions(integer(1, 24)), [5, 10, 15, 20])
        self.assertEqual(positions(integer(-3, 10**6)), [0, 2e5, 4e5, 6e5, 8e5, 1e6])
        self.assertEqual(positions(integer(1, 9, scale="reverse_log")), [*range(1, 10)])
        self.assertEqual(positions(integer(3, 3)), [3])
        self.assertEqual(positions(integer(1, 9, scale="log")), [1, 2, 4, 8])
        self.assertEqual(positions(integer(1, 10**6, scale="log")), [])
        self.assertEqual(ticks_of(discrete(0.5, 1, 2)), [(0.5, "0.5"), (1, "1"), (2, "2")])
        texts = [text for _, text in ticks_of(integer(1_000_000, 1_234_567))]
        self.assertEqual(texts, ["1000000", "1050000", "1100000", "1150000", "1200000"])
        self.assertEqual([text for _, text in ticks_of(discrete(-1e7, 0.1234567, 12345678, 1e300))],
                         ["-10000000", "0.1234567", "12345678", "1e+300"])
        self.assertEqual(positions(discrete(*range(9))), [])
        self.assertEqual(positions(real(0, 1)), [])
        self.assertEqual(ticks_of(boolean()), [(0.25, "False"), (0.75, "True")])

    def test_long_lists_of_words_are_counted(self):
        study = slipstream.create_or_load(
            self.study_id, {"few": choice("a", "b"), "many": choice(*(40 * "x" + w for w in "abc"))},
            maximize="accuracy")
        study.record({"few": "a", "many": 40 * "x" + "b"}, 1)
        ticks = contents.parallel_coordinates("words", study.trials).panels[0].x.ticks
        self.assertEqual([text for _, text in ticks[:2]], ["few\na, b", "many\n3 words"])

    def test_many_source_tasks_share_a_line(self):
        weights = {number: {f"source-{index}": 0.1 + index / 1000 for index in range(10)}
                   for number in (1, 2)}
        lines = contents.transfer("later", self.study.trials, weights, {}).panels[0].layers
        self.assertEqual([line.name for line in lines], [
            *(f"source-{index}" for index in range(9, 2, -1)), "3 other source tasks",
            "all source tasks"])
        self.assertAlmostEqual(lines[-2].y[0], 0.303)
        self.assertAlmostEqual(sum(line.y[0] for line in lines[:-1]), lines[-1].y[0])

    def test_parallel_lines_pass_below_where_a_parameter_is_not_active(self):
        panel = contents.parallel_coordinates("later", self.study.trials).panels[0]
        lines = panel.layers
        self.assertEqual(len(lines), 12)
        below = next(position for position, text in panel.y.ticks if text == "not active")
        self.assertLess(below, 0)
        at = list(SPACE).index("degree")
        by_number = {int(line.name.split()[1]): line for line in lines}
        for trial in self.study.trials.succeeded():
            places = by_number[trial.number].y
            self.assertEqual(places[at] == below, "degree" not in trial)
            self.assertTrue(all(place > below / 2 for place in places[:at] + places[at + 1:]))
        best = max(lines, key=lambda line: line.shade)
        self.assertEqual((best.shade, best.y[-1]), (1, 1))

    def test_parallel_lines_have_no_place_below_where_all_is_active(self):
        study = slipstream.create_or_load(self.study_id, {"x": real(0, 1)}, maximize="accuracy")
        study.record({"x": 0.5}, 1)
        self.assertEqual(contents.parallel_coordinates("x", study.trials).panels[0].y.ticks, [])

    def test_transfer_shows_the_weights_that_the_server_explains(self):
        trials = self.study.trials
        weights = {trial.number: self.study.source_weights(trial) for trial in trials}
        first = min(number for number, shares in weights.items() if shares)
        self.assertGreater(weights[first][self.study.sources[0]], 0)
        figure = contents.transfer("later", trials, weights, self.study.source_titles())
        line = figure.panels[0].layers[0]
        self.assertIsInstance(line, Line)
        self.assertEqual(line.name, "earlier")
        # Others are the model's without source tasks, or fill the space.
        self.assertEqual(line.x, [float(number) for number, shares in weights.items() if shares])
        self.assertLess(len(line.x), len(weights))
        self.assertEqual(line.y[0], weights[first][self.study.sources[0]])
        with self.assertRaisesRegex(ValueError, "give sources= when you create one"):
            self.source.plot.transfer()

    def test_transfer_says_why_there_is_nothing_to_draw(self):
        begun = slipstream.create_or_load(f"{self.study_id}-begun", SPACE, maximize="accuracy",
                                          sources=[self.source])
        with self.assertRaisesRegex(ValueError, "no suggestion of this study has used its source"):
            begun.plot.transfer()

    def test_transfer_tells_the_servers_verdict(self):
        summary = self.study.transfer
        self.assertIn(summary.state, ("helping", "neutral", "hurting"))
        self.assertGreaterEqual(summary.results, 4)
        self.assertLessEqual(summary.gain_interval[0], summary.gain)
        self.assertLessEqual(summary.gain, summary.gain_interval[1])
        self.assertEqual(list(summary.sources), self.study.sources)
        self.assertEqual(summary.share, summary.shares[max(summary.shares)])
        self.assertTrue(all(0 <= share <= 1 for share in summary.shares.values()))
        trials = self.study.trials
        weights = {trial.number: self.study.source_weights(trial) for trial in trials}
        figure = contents.transfer("later", trials, weights, {}, summary)
        self.assertEqual(figure.title, f"later: transfer ({summary.state})")
        line = figure.panels[0].layers[-1]
        self.assertEqual((line.name, line.x), ("model with source tasks", list(summary.shares)))
        start = summary.start
        self.assertEqual(start.trials, 8)  # As many as a study of a mixed space begins with.
        self.assertTrue(all(one >= 0 for one in (start.better, start.worse)))
        self.assertLessEqual(start.better + start.worse, 1)
        self.assertIn(f"<th>transfer</th><td>{summary.state}; {start}; the model ",
                      self.study._repr_html_())
        counted = dataclasses.replace(summary, share=0.5, reversed=False)
        self.assertTrue(str(counted).startswith(f"{summary.state}; its start"))
        self.assertTrue(str(dataclasses.replace(counted, sources={})).startswith(
            f"{summary.state} so far, but the latest suggestion does not use them, as each has a weight"))
        helping = dataclasses.replace(counted, state="helping", reversed=True)
        self.assertTrue(str(helping).startswith(
            "helping, with their signs reversed, as results are the opposite of what the"))
        surest = dataclasses.replace(start, better=0.996, worse=0.004)
        self.assertTrue(str(surest).endswith("better than one without sources, with a probability "
                                             "of over 99%"))
        neutral = dataclasses.replace(helping, state="neutral")
        self.assertTrue(str(neutral).startswith("neutral; its start"))
        given_up = dataclasses.replace(helping, share=0.04, sources={})
        self.assertTrue(str(given_up).startswith("helped, then given up; its start"))
        hurting = dataclasses.replace(given_up, state="hurting")
        self.assertTrue(str(hurting).startswith("given up; its start"))
        self.assertIsNone(self.source.transfer)
        self.assertNotIn("transfer", self.source._repr_html_())

    def test_too_few_results_and_unknown_names_are_told(self):
        empty = slipstream.create_or_load(self.study_id, SPACE, maximize="accuracy")
        for plot in (empty.plot.history, empty.plot.importance, empty.plot.slices,
                     empty.plot.parallel_coordinates):
            with self.assertRaisesRegex(ValueError, "at least (1 trial|4 trials) that .* is none"):
                plot()
        with self.assertRaisesRegex(KeyError, "not a parameter"):
            self.study.plot.contour("lr", "x")
        with self.assertRaisesRegex(KeyError, "'gamma' is not a parameter"):
            self.study.plot.slices("gamma")
        with self.assertRaisesRegex(TypeError, "3 is not the name"):
            self.study.plot.slices([3])
        with self.assertRaisesRegex(TypeError, "is not the name"):
            self.study.plot.contour(["lr"], "idle")
        with self.assertRaisesRegex(ValueError, "two different"):
            self.study.plot.contour("lr", "lr")
        with self.assertRaisesRegex(ValueError, "one of matplotlib, plotly"):
            self.study.plot.history(engine="gnuplot")
        with self.assertRaisesRegex(ValueError, "a trial that has reported, and there is none"):
            self.source.plot.curves()


class Drawings(PlotTest):
    def test_every_plot_is_drawn(self):
        for name, figure in self.every_plot():
            file = io.BytesIO()
            figure.savefig(file, format="svg")
            self.assertIn(b"</svg>", file.getvalue(), name)

    def test_contours_fill_their_axes(self):
        for first, second in (("lr", "idle"), ("degree", "kernel"), ("batch", "momentum")):
            figure = contents.contour("earlier", self.source.trials, first, second)
            heat = figure.panels[0].layers[0]
            axes = matplotlib_drawing.draw(figure).axes[0]
            self.assertEqual(axes.get_xlim(), (heat.x[0], heat.x[-1]))
            self.assertEqual(axes.get_ylim(), (heat.y[0], heat.y[-1]))
            self.assertFalse(axes.collections[-1].get_clip_on())  # Marks on a bound are whole.

    def test_ticks_of_counted_things_are_whole(self):
        for figure in (self.study.plot.history(), self.trained.plot.curves()):
            ticks = figure.axes[0].get_xticks()
            self.assertEqual([tick for tick in ticks if tick % 1], [])

    def test_colours_mean_the_same_in_all_slices(self):
        slices = self.study.plot.slices()
        self.assertEqual(len(slices.axes), len(SPACE) + 1)  # With one bar that explains them.
        limits = {axes.collections[0].get_clim() for axes in slices.axes[:-1]}
        self.assertEqual(limits, {(1, 12)})

    def test_what_is_in_one_panel_has_different_colours(self):
        (axes,) = self.study.plot.history().axes
        trials, stopped = (to_hex(one.get_facecolors()[0]) for one in axes.collections)
        self.assertEqual(len({trials, stopped, to_hex(axes.lines[0].get_color())}), 3)

    def test_texts_have_room(self):
        names = [f"a.parameter.with.a.long.name.{index}" for index in range(30)]
        words = Axis("word", ticks=[((index + 0.5) / 30, name) for index, name in enumerate(names)])
        bars = Figure("bars", [Panel(Axis(), Axis(), [Bars(names, [1.0] * 30)])])
        points = Figure("words", [Panel(words, Axis(), [Points([0.5], [1.0])])])
        self.assertGreater(matplotlib_drawing.draw(bars).get_size_inches()[1], 30 * 0.2)
        texts = matplotlib_drawing.draw(points).axes[0].get_xticklabels()
        self.assertEqual({text.get_rotation() for text in texts}, {40})
        texts = self.study.plot.slices(["kernel"]).axes[0].get_xticklabels()
        self.assertEqual({text.get_rotation() for text in texts}, {0})

    def test_a_line_has_marks_at_its_points(self):
        lines = [Line([0, 1, 2], [0, 0.5, 1], shade=1.0)]
        drawn = matplotlib_drawing.draw(Figure("lines", [Panel(Axis(), Axis(), lines)])).axes[0]
        self.assertEqual(drawn.lines[0].get_marker(), ".")

    def test_blank_cells_are_not_painted(self):
        rows = [[None, None, 1, 2], [None, None, 2, 3], [None, None, 3, 4]]
        cells = Heat([0, 1, 2, 3], [0, 1, 2], rows)
        drawn = matplotlib_drawing.draw(Figure("cells", [Panel(Axis(), Axis(), [cells])])).axes[0]
        painted = [path.vertices[:, 0].min() for one in drawn.collections
                   for path in one.get_paths() if len(path.vertices)]
        self.assertEqual(min(painted), 2)

    def test_a_parameter_that_no_result_has_is_an_empty_panel(self):
        study = slipstream.create_or_load(self.study_id, SPACE, maximize="accuracy")
        params = {"lr": 0.1, "momentum": 0.9, "kernel": "rbf", "bias": True, "batch": 16, "idle": 0}
        study.record(params, 1)
        for names, count in ((["degree"], 1), (["lr", "degree"], 3)):  # With a bar of colours.
            figure = study.plot.slices(names)
            self.assertEqual(len(figure.axes), count)
            empty = next(axes for axes in figure.axes if axes.get_xlabel() == "degree")
            self.assertEqual([len(one.get_offsets()) for one in empty.collections], [0])
            figure.savefig(io.BytesIO(), format="svg")

    def test_axes_are_labelled(self):
        axes = self.study.plot.slices(["lr", "kernel"]).axes
        self.assertEqual((axes[0].get_xlabel(), axes[0].get_xscale()), ("lr", "log"))
        self.assertEqual(axes[0].get_ylabel(), "accuracy")


if __name__ == "__main__":
    unittest.main()
