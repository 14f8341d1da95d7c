#!/usr/bin/env python3
"""Draws what the programs of this folder print, as an SVG.

usage: picture.py OUT.svg FILE...

Each FILE is the output of one run, and all are of one program:
  windows_stencil   a row of two panels for each FILE, on one scale: communication by N and mode, and computation against
                    that of messages
  windows_cg_sgs    iterations by number of subdomains, own and shared (one FILE, with --subdomains 1,2,4,...)
  windows_qmc       memory by number of ranks and kind of table (a FILE for each number of ranks)

Needs nothing but Python: the picture is the same wherever it is drawn.
"""
import math
import re
import sys
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

INK, FAINT, PAPER = "#222222", "#cccccc", "#ffffff"
COLOURS = ["#4C78A8", "#F58518", "#54A24B", "#E45756", "#9467BD"]
HEAD = re.compile(r"^(windows_\w+) on (.*?): (.*)$")


class BadOutput(Exception):
    pass


@dataclass
class Run:
    """One run: the program, the line that says what was run, and the lines of its table, split into words."""
    program: str
    system: str
    what: str
    rows: list[list[str]] = field(default_factory=list)

    @property
    def ranks(self) -> int:
        return int(re.match(r"(\d+) ranks", self.what)[1])


def read(path: Path) -> Run:
    run = None
    for line in path.read_text(encoding="utf-8").splitlines():
        if found := HEAD.match(line):
            if run is not None:
                raise BadOutput(f"{path}: more than one run")
            run = Run(*found.groups())
        elif run is not None and len(words := line.split()) >= 7 and re.fullmatch(r"-?[\d.]+(e[-+]\d+)?", words[4]):
            run.rows.append(words)
    if run is None or not run.rows:
        raise BadOutput(f"{path}: not the output of a program of this folder")
    return run


class Svg:
    def __init__(self) -> None:
        self.parts: list[str] = []

    def add(self, tag: str, text: str = "", **attributes: object) -> None:
        words = "".join(f' {name.replace("_", "-")}="{self.written(value)}"' for name, value in attributes.items())
        self.parts.append(f"<{tag}{words}>{escape(text)}</{tag}>" if text else f"<{tag}{words}/>")

    @staticmethod
    def written(value: object) -> str:
        return f"{value:.1f}" if isinstance(value, float) else escape(str(value))

    def text(self, x: float, y: float, text: str, anchor: str = "middle", size: int = 12, fill: str = INK) -> None:
        self.add("text", text, x=x, y=y, text_anchor=anchor, font_size=size, fill=fill)

    def save(self, path: Path, width: int, height: int) -> None:
        head = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                f'viewBox="0 0 {width} {height}" font-family="sans-serif">')
        background = f'<rect width="{width}" height="{height}" fill="{PAPER}"/>'
        path.write_text("\n".join([head, background, *self.parts, "</svg>", ""]), encoding="utf-8")


def steps(low: float, high: float) -> list[float]:
    """About five round numbers from low to high."""
    rough = (high - low) / 5 or 1
    unit = 10 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough)
    return [step * i for i in range(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)]


def decades(low: float, high: float) -> list[float]:
    """1, 2, 5, 10, ... from low to high; only powers of ten where that would be too many."""
    ticks = [m * 10.0 ** e for e in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1) for m in (1, 2, 5)]
    ticks = [tick for tick in ticks if low <= tick <= high]
    return ticks if len(ticks) <= 8 else [tick for tick in ticks if math.isclose(math.log10(tick) % 1, 0)]


class Panel:
    """A diagram over categories along x; y from low to high, linear or logarithmic."""
    WIDTH, HEIGHT = 340, 220

    def __init__(self, svg: Svg, x: float, y: float, title: str, categories: list[str], low: float, high: float,
                 logarithmic: bool = False, unit: str = "") -> None:
        self.svg, self.x, self.y, self.low, self.high = svg, x, y, low, high
        self.categories, self.logarithmic = categories, logarithmic
        svg.text(x, y - 14, title, "start", 13)
        for tick in decades(low, high) if logarithmic else steps(low, high):
            at = self.y_of(tick)
            svg.add("line", x1=x, x2=x + self.WIDTH, y1=at, y2=at, stroke=FAINT)
            svg.text(x - 6, at + 4, f"{tick:g}{unit}", "end", 11)
        for number, category in enumerate(categories):
            svg.text(self.x_of(number), y + self.HEIGHT + 16, category, size=11)

    def y_of(self, value: float) -> float:
        scale = math.log if self.logarithmic else float
        share = (scale(value) - scale(self.low)) / (scale(self.high) - scale(self.low))
        return self.y + self.HEIGHT * (1 - share)

    def x_of(self, number: float) -> float:
        return self.x + self.WIDTH * (number + 0.5) / len(self.categories)

    def line(self, values: list[float], colour: str) -> None:
        points = [(self.x_of(i), self.y_of(value)) for i, value in enumerate(values)]
        self.svg.add("polyline", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points), fill="none", stroke=colour,
                     stroke_width=2)
        for x, y in points:
            self.svg.add("circle", cx=x, cy=y, r=3.5, fill=colour)

    def bars(self, values: list[float], colour: str, which: int, of: int, base: float, label: str = "{:.0f}") -> None:
        width = self.WIDTH / len(self.categories) * 0.8 / of
        for i, value in enumerate(values):
            x = self.x_of(i) + (which - of / 2) * width
            top, bottom = sorted((self.y_of(value), self.y_of(base)))
            self.svg.add("rect", x=x + 1, y=top, width=width - 2, height=max(bottom - top, 0.5), fill=colour)
            self.svg.text(x + width / 2, top - 4, label.format(value), size=10)

    def legend(self, names: list[str], colours: list[str]) -> None:
        x = self.x
        for name, colour in zip(names, colours):
            self.svg.add("rect", x=x, y=self.y + self.HEIGHT + 26, width=10, height=10, fill=colour)
            self.svg.text(x + 14, self.y + self.HEIGHT + 35, name, "start", 11)
            x += 26 + 6.6 * len(name)


def column(run: Run, which: int, **wanted: object) -> float:
    """The number in that column of the one row with these words; the keys are c0, c1, ..."""
    rows = [row for row in run.rows if all(row[int(key[1:])] == str(value) for key, value in wanted.items())]
    if len(rows) != 1:
        raise BadOutput(f"{run.program} on {run.system}: {len(rows)} rows with {wanted}")
    return float(rows[0][which])


def draw_stencil(svg: Svg, runs: list[Run]) -> tuple[int, int]:
    modes = [mode for mode in ("messages", "fence", "put", "notified", "direct")
             if all(any(row[2] == mode for row in run.rows) for run in runs)]
    places = ["separate", "contiguous"]
    sizes = list(dict.fromkeys(row[0] for run in runs for row in run.rows))
    times = [{mode: [column(run, 4, c0=n, c2=mode, c3="own" if mode == "messages" else "separate") for n in sizes]
              for mode in modes} for run in runs]
    relative = [{where: [100 * column(run, 5, c0=n, c2="fence", c3=where) / column(run, 5, c0=n, c2="messages")
                         for n in sizes] for where in places} for run in runs]

    def limits(of_runs: list[dict[str, list[float]]]) -> tuple[float, float]:
        """One scale for all runs: they are to be compared."""
        everything = [each for values in of_runs for of_one in values.values() for each in of_one]
        return min(everything), max(everything)

    row_height = Panel.HEIGHT + 120
    lowest, highest = limits(times)
    least, most = limits([*relative, {"messages": [100.0]}])
    for number, run in enumerate(runs):
        y = 70 + number * row_height
        svg.text(50, y - 38, f"{run.system}: {run.what}", "start", 14)
        names = [f"N = {n}" for n in sizes]
        communication = Panel(svg, 50, y, "communication of a step, µs (logarithmic)", names, lowest / 1.3, highest * 1.3,
                              True)
        for mode, colour in zip(modes, COLOURS):
            communication.line(times[number][mode], colour)
        communication.legend(modes, COLOURS)

        computation = Panel(svg, 470, y, "computation, % of that with messages (fence)", names, least - 5, most + 5,
                            unit=" %")
        for which, (where, colour) in enumerate(zip(places, COLOURS[1:])):
            computation.bars(relative[number][where], colour, which, 2, 100, "{:.1f}")
        computation.legend(places, COLOURS[1:])
    return 840, 20 + row_height * len(runs)


def draw_cg(svg: Svg, runs: list[Run]) -> tuple[int, int]:
    if len(runs) != 1:
        raise BadOutput("windows_cg_sgs: one FILE, please")
    run = runs[0]
    own = {int(row[1]): float(row[2]) for row in run.rows if row[0] == "own"}
    shared = {float(row[2]) for row in run.rows if row[0] != "own"}
    if not own or len(shared) != 1:
        raise BadOutput("windows_cg_sgs: the run needs the method own, and levels or doacross")
    counts = sorted(own)
    svg.text(50, 32, run.what.split(", ", 1)[1], "start", 14)
    panel = Panel(svg, 50, 70, "iterations, by number of ranks", [str(count) for count in counts], 0,
                  1.1 * max(own.values()))
    panel.line([own[count] for count in counts], COLOURS[1])
    panel.line([min(shared)] * len(counts), COLOURS[0])
    panel.legend(["each rank its own subdomain", "one, shared by all"], [COLOURS[1], COLOURS[0]])
    return 420, 70 + Panel.HEIGHT + 50


def draw_qmc(svg: Svg, runs: list[Run]) -> tuple[int, int]:
    runs = sorted(runs, key=lambda run: run.ranks)
    kinds = ["own", "shared", "parts"]
    values = {kind: [column(run, 1, c0=kind) for run in runs] for kind in kinds}
    size = re.search(r", ([\d.]+ MiB)", runs[0].what)[1]
    svg.text(50, 32, f"{runs[0].system}: a table of {size}", "start", 14)
    panel = Panel(svg, 50, 70, "memory of all ranks, MiB, by number of ranks", [str(run.ranks) for run in runs], 0,
                  1.1 * max(value for each in values.values() for value in each))
    for which, (kind, colour) in enumerate(zip(kinds, [COLOURS[1], COLOURS[0], COLOURS[2]])):
        panel.bars(values[kind], colour, which, len(kinds), 0)
    panel.legend(["own", "shared, by rank 0", "shared, in parts"], [COLOURS[1], COLOURS[0], COLOURS[2]])
    return 420, 70 + Panel.HEIGHT + 50


DRAWERS = {"windows_stencil": draw_stencil, "windows_cg_sgs": draw_cg, "windows_qmc": draw_qmc}


def main() -> int:
    if len(sys.argv) < 3 or not sys.argv[1].endswith(".svg"):
        print(__doc__, file=sys.stderr)
        return 2
    try:
        runs = [read(Path(name)) for name in sys.argv[2:]]
        if len({run.program for run in runs}) > 1:
            raise BadOutput("the files are of several programs")
        svg = Svg()
        svg.save(Path(sys.argv[1]), *DRAWERS[runs[0].program](svg, runs))
    except (BadOutput, OSError) as error:
        print(f"picture.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
