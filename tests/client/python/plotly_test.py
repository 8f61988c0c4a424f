"""Plotly draws every plot."""

import importlib.util
import math
import unittest

from plots_test import PlotTest


@unittest.skipUnless(importlib.util.find_spec("plotly"), "Plotly is not installed")
class Drawings(PlotTest):
    ENGINE = "plotly"

    def test_every_plot_is_drawn(self):
        for name, figure in self.every_plot():
            self.assertIn("plotly", figure.to_html(include_plotlyjs=False), name)
            self.assertGreater(len(figure.data), 0, name)
            self.assertIn("later", figure.layout.title.text)

    def test_contours_fill_their_axes(self):
        figure = self.study.plot.contour("lr", "idle", engine="plotly")
        field, points = figure.data
        self.assertAlmostEqual(figure.layout.xaxis.range[0], -5)
        self.assertAlmostEqual(figure.layout.xaxis.range[1], 0)
        self.assertEqual((field.y[0], field.y[-1]), tuple(figure.layout.yaxis.range))
        self.assertEqual([math.log10(field.x[0]), math.log10(field.x[-1])],
                         list(figure.layout.xaxis.range))
        self.assertFalse(points.cliponaxis)  # Marks on a bound are whole.

    def test_blank_cells_are_not_painted(self):
        field, _ = self.source.plot.contour("kernel", "degree", engine="plotly").data
        for row in field.z:
            for place, value in zip(field.x, row):
                self.assertEqual(value is None, place < 0.5)  # There the kernel is "rbf".
        self.assertFalse(field.connectgaps)

    def test_colours_mean_the_same_in_all_slices(self):
        figure = self.study.plot.slices(engine="plotly")
        self.assertEqual({trace.marker.coloraxis for trace in figure.data}, {"coloraxis"})
        self.assertEqual(figure.layout.coloraxis.colorbar.title.text, "trial")

    def test_the_legend_is_not_where_colours_are_explained(self):
        for name, figure in self.every_plot():
            self.assertEqual(figure.layout.legend.orientation, "h", name)

    def test_axes_are_labelled(self):
        figure = self.study.plot.slices(["lr", "kernel"], engine="plotly")
        self.assertEqual((figure.layout.xaxis.title.text, figure.layout.xaxis.type), ("lr", "log"))
        self.assertEqual(tuple(figure.layout.xaxis2.ticktext), ("rbf", "poly"))


if __name__ == "__main__":
    unittest.main()
