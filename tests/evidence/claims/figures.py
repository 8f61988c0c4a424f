"""Plots in the form of the papers' figures, as SVG: cumulative, average and simple regret with
bands of 1.96 s / sqrt(n), and what methods tell of themselves."""

import pathlib
import re

import numpy

from claims import principal
from claims.kept import OURS, REGRET
from claims.principal import file_name
from harness import plots

BAND = 1.96
FEW_METHODS = 7  # The bands of more than these are fainter, so that lines remain visible.
WIDTH = 4.4


def curves_of(results, experiment, method, quantity, change):
    """[draws, steps] of one quantity; a problem's seeds are one draw where there are several."""
    grouped = {}
    studies = results.studies(experiment.name, method, OURS)
    several = len({problem for problem, _ in studies}) > 1
    for (problem, seed), study in studies.items():
        if quantity in study:
            grouped.setdefault(problem if several else seed, []).append(change(study[quantity]))
    if not grouped:
        return numpy.empty((0, 0))
    length = min(len(curve) for curves in grouped.values() for curve in curves)
    return numpy.array([numpy.mean([curve[:length] for curve in curves], axis=0)
                        for curves in grouped.values()])


def draw_curves(axes, results, experiment, style, quantity, change, first=1, methods=None):
    shown = methods or results.methods(experiment.name)
    alpha = 0.15 if len(shown) <= FEW_METHODS else 0.05
    for method in shown:
        curves = curves_of(results, experiment, method, quantity, change)
        if curves.size == 0:
            continue
        middle = curves.mean(axis=0)
        steps = numpy.arange(first, first + len(middle))
        looks = dict(style.of(method))
        axes.plot(steps, middle, label=method, markevery=max(1, len(steps) // 8), **looks)
        if len(curves) > 1:
            half = BAND * curves.std(axis=0, ddof=1) / len(curves) ** 0.5
            axes.fill_between(steps, middle - half, middle + half, color=looks["color"], alpha=alpha,
                              linewidth=0)
    axes.set_xlabel("evaluations")


def running_mean(regrets):
    return numpy.cumsum(regrets) / numpy.arange(1, len(regrets) + 1)


CUMULATIVE = ("cumulative regret", numpy.cumsum, False)
SIMPLE = ("simple regret", numpy.minimum.accumulate, True)
AVERAGE = ("average regret", running_mean, False)
REGRETS = (CUMULATIVE, AVERAGE, SIMPLE)


def finish(figure, axes, path):
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="upper center", bbox_to_anchor=(0.5, 0), ncol=4)
    plots.save(figure, path)


def draw_regrets(paper, experiment, results, folder, shown=REGRETS, name=REGRET):
    style = plots.Style(results.methods(experiment.name), [])
    figure, grid = plots.pyplot.subplots(1, len(shown), figsize=(WIDTH * len(shown), 3.2),
                                         layout="constrained", squeeze=False)
    for axes, (title, change, is_least) in zip(grid[0], shown):
        skipped = experiment.initial()
        draw_curves(axes, results, experiment, style, REGRET,
                    lambda values, change=change, cut=0 if is_least else skipped:
                    change(values[cut:]), 1)
        axes.set_ylabel(title)
        if is_least:
            plots.scale(axes, numpy.concatenate([line.get_ydata() for line in axes.get_lines()]))
    figure.suptitle(f"{paper.title}: {experiment.title}", fontsize=10)
    path = folder / file_name(paper.name, experiment.name, name)
    finish(figure, grid[0][0], path)
    return path


def draw_told(paper, experiment, results, folder, quantity, methods, title):
    style = plots.Style(results.methods(experiment.name), [])
    figure, axes = plots.pyplot.subplots(figsize=(WIDTH, 3.2), layout="constrained")
    draw_curves(axes, results, experiment, style, quantity, numpy.asarray, methods=methods)
    axes.set_xlabel("suggestions by the model")
    axes.set_ylabel(title)
    figure.suptitle(f"{paper.title}: {experiment.title}", fontsize=10)
    path = folder / file_name(paper.name, experiment.name, quantity)
    finish(figure, axes, path)
    return path


def draw_model_error(paper, experiment, results, folder):
    style = plots.Style(results.methods(experiment.name), [])
    figure, axes = plots.pyplot.subplots(figsize=(WIDTH, 3.2), layout="constrained")
    for method in results.methods(experiment.name):
        errors = curves_of(results, experiment, method, "model_error", numpy.asarray)
        if errors.size:
            axes.plot(experiment.checkpoints, errors.mean(axis=0), label=method,
                      **style.of(method))
    axes.set_yscale("log")
    axes.set_xticks(experiment.checkpoints)
    axes.set_xlabel("evaluations")
    axes.set_ylabel("model error, variances of the function")
    figure.suptitle(f"{paper.title}: {experiment.title}", fontsize=10)
    path = folder / file_name(paper.name, experiment.name, principal.MODEL_ERROR)
    finish(figure, axes, path)
    return path


def draw(paper, results, folder):
    """Writes all plots of a paper and returns their paths."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for experiment in paper.experiments:
        if experiment.name not in results.experiments():
            continue
        paths.append(draw_regrets(paper, experiment, results, folder))
        if experiment.model_error:
            paths.append(draw_model_error(paper, experiment, results, folder))
    for name, quantity, methods, title in paper.figures:
        if name in results.experiments():
            paths.append(draw_told(paper, paper.experiment(name), results, folder, quantity,
                                   methods, title))
    return paths


def compact(text):
    """An SVG with places to a tenth of a point, and without the letter of each line to the next."""
    def shortened(found):
        rounded = re.sub(r"-?\d+\.\d+", lambda number: f"{float(number[0]):.1f}", found[0])
        return re.sub(r"(?<=\d) \nL (?=[-\d])", " ", rounded).replace(" \n", " ")
    return re.sub(r' (?:d|x|y)="[^"]*"', shortened, text)


def draw_principal(paper, results, folder=principal.FOLDER):
    """Draws the plots that the repository keeps and that show other numbers than the kept ones."""
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, quantity in paper.principal:
        path = folder / file_name(paper.name, name, quantity)
        digest = principal.digest(paper, results, name, quantity)
        if name not in results.experiments() or principal.drawn_digest(path) == digest:
            continue
        with plots.matplotlib.rc_context({"svg.fonttype": "none"}):
            if quantity == REGRET:
                draw_regrets(paper, paper.experiment(name), results, folder,
                             (CUMULATIVE, SIMPLE))
            elif quantity == principal.AVERAGE:
                draw_regrets(paper, paper.experiment(name), results, folder, (AVERAGE,), quantity)
            elif quantity == principal.MODEL_ERROR:
                draw_model_error(paper, paper.experiment(name), results, folder)
            else:
                draw_told(paper, paper.experiment(name), results, folder, quantity,
                          *principal.told(paper, name, quantity))
        text = compact(path.read_text())
        path.write_text(text.replace("<svg ", f"<!-- {principal.MARK}{digest} -->\n<svg ", 1))
