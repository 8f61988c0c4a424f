"""Plotly draws every plot."""

import importlib.util
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

    def test_axes_are_labelled(self):
        figure = self.study.plot.slices(["lr", "kernel"], engine="plotly")
        self.assertEqual((figure.layout.xaxis.title.text, figure.layout.xaxis.type), ("lr", "log"))
        self.assertEqual(tuple(figure.layout.xaxis2.ticktext), ("rbf", "poly"))


if __name__ == "__main__":
    unittest.main()
