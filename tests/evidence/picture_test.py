"""README's picture shows the recorded numbers."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

FILE = pathlib.Path(__file__).resolve().parent / "picture/make"


def load():
    loader = importlib.machinery.SourceFileLoader("picture_make", str(FILE))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


class Picture(unittest.TestCase):
    def test_it_is_what_is_made_from_the_numbers(self):
        make = load()
        self.assertEqual(make.PICTURE.read_text(), make.picture(make.read()))

    def test_the_ranks_of_all_methods_after_an_evaluation_have_their_sum(self):
        make = load()
        curves = make.read()
        self.assertEqual(sorted(curves), sorted(name for name, *_ in make.METHODS))
        for evaluation in range(make.EVALUATIONS):
            ranks = [curve[evaluation] for curve in curves.values()]
            self.assertAlmostEqual(sum(mean for mean, _, _ in ranks), 15, delta=0.01)
            self.assertTrue(all(low <= mean <= high for mean, low, high in ranks))

    def test_labels_do_not_overlap(self):
        make = load()
        flat = [(3.0, 3.0, 3.0)] * make.EVALUATIONS
        places = sorted(make.label_places({name: flat for name, *_ in make.METHODS}).values())
        self.assertTrue(all(below - above >= 16 for above, below in zip(places, places[1:])))


if __name__ == "__main__":
    unittest.main()
