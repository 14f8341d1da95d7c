"""The plots of the report, as SVG: bars of speed-ups, each with its spread over the rounds."""

import io

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({
    "svg.hashsalt": "pure", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9, "axes.spines.top": False,
    "axes.spines.right": False, "hatch.linewidth": 0.5,
})  # fmt: skip
from matplotlib import pyplot  # noqa: E402

COLORS = {
    "pure": "#3b6ea8", "pure-processes": "#8fb3d9", "pure-tasks": "#d9762b", "pure-helpers": "#f0b27a", "openmp": "#7a9e6b",
    "ampi": "#9b7bb3",
}  # fmt: skip


def color_of(entrant):
    if entrant.variant == "openmp":
        return COLORS["openmp"]
    return COLORS.get(entrant.name, "#999999")


def speedups(groups, ylabel):
    """`groups`: (name, [(title, color, (median, low, high), ideal or None)]); the SVG element, without XML's first lines."""
    bars = sum(len(each) for _, each in groups)
    figure, axes = pyplot.subplots(figsize=(max(5.0, 0.42 * bars + 0.5 * len(groups) + 1.6), 3.4))
    at, ticks, titles = 0.0, [], {}
    for name, each in groups:
        first = at
        for title, color, (median, low, high), ideal in each:
            axes.bar(at, median, 0.9, color=color, label=None if title in titles else title)
            titles[title] = color
            axes.errorbar(at, median, [[median - low], [high - median]], fmt="none", ecolor="#333333", elinewidth=1, capsize=2)
            if ideal:
                axes.hlines(ideal, at - 0.45, at + 0.45, color="#000000", linestyles="dotted", linewidth=1.3)
            at += 1
        ticks.append(((first + at - 1) / 2, name))
        at += 0.8
    axes.axhline(1, color="#000000", linewidth=0.8)
    axes.set_ylim(bottom=0)
    axes.set_xticks([place for place, _ in ticks], [name.replace(", ", ",\n") for _, name in ticks])
    axes.set_ylabel(ylabel)
    axes.legend(frameon=False, fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, -0.16))
    return _svg(figure)


def scaling(lines, ideal):
    """`lines`: (title, color, {cores: (median, low, high)}); `ideal`: (cores, gains)."""
    figure, axes = pyplot.subplots(figsize=(4.6, 3.0))
    axes.plot(*ideal, color="#000000", linestyle="dotted", linewidth=1.3, label="ideal")
    for title, color, points in lines:
        cores = list(points)
        medians = [points[each][0] for each in cores]
        below = [points[each][0] - points[each][1] for each in cores]
        above = [points[each][2] - points[each][0] for each in cores]
        axes.errorbar(cores, medians, [below, above], color=color, marker="o", markersize=3, linewidth=1.2, capsize=2, label=title)
    axes.set_xscale("log", base=2)
    axes.set_xticks(ideal[0], [str(each) for each in ideal[0]])
    axes.set_ylim(bottom=0)
    axes.set_xlabel("cores")
    axes.set_ylabel("times as fast as on one")
    axes.legend(frameon=False, fontsize=8)
    return _svg(figure)


def _svg(figure):
    made = io.StringIO()
    figure.savefig(made, format="svg", bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    text = made.getvalue()
    return text[text.index("<svg") :]
