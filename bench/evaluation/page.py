"""report/index.html, which needs no other file, report/rows.json, and report/summary.svg: the imbalanced cases alone."""

import html
import json

from evaluation import plots
from evaluation.measure import ratios

_STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1d2733; }
h1 { font-size: 1.7rem; } h2 { margin-top: 2.5rem; border-bottom: 1px solid #ccd3da; font-size: 1.25rem; }
table { border-collapse: collapse; margin: 1rem 0; font-size: .88rem; width: 100%; }
th, td { text-align: right; padding: .25rem .6rem; border-bottom: 1px solid #e3e7eb; }
th:first-child, td:first-child { text-align: left; }
tr.best td { font-weight: 600; } tr.failed td { color: #a02c2c; }
figure { margin: 1rem 0; overflow-x: auto; } figure svg { max-width: 100%; height: auto; }
figcaption { font-size: .85rem; color: #55606c; }
.fails { background: #fdf3ec; border-left: 4px solid #d9762b; padding: .6rem 1rem; }
.holds { background: #eef5ee; border-left: 4px solid #7a9e6b; padding: .6rem 1rem; }
code, pre { font: .85rem/1.4 ui-monospace, monospace; } pre { overflow-x: auto; background: #f4f6f8; padding: .6rem; }
details { margin: .6rem 0; }
"""

_FIGURES = {
    "Section 2": "The stencil with random work (the paper's Listings 1 and 2)",
    "Figure 4": "NAS DT: data traffic (the paper's Figure 4)",
    "Figure 5a": "Molecular dynamics (the paper's Figure 5a: CoMD)",
    "Figure 5b": "Molecular dynamics, statically imbalanced (the paper's Figure 5b)",
    "Figure 5c": "Molecular dynamics, the imbalance moves (the paper's Figure 5c)",
    "Figure 5d": "Adaptive mesh refinement (the paper's Figure 5d: miniAMR)",
}


def write_report(folder, results, scalings, claims, machine, notes, lines):
    folder.mkdir(parents=True, exist_ok=True)
    scaled = [result for each in scalings for result in each.results.values()]
    (folder / "rows.json").write_text(json.dumps(_rows([*results, *scaled], machine, lines), indent=1) + "\n")
    (folder / "index.html").write_text(_page(results, scalings, claims, machine, notes, lines))
    imbalanced = groups_of([result for result in results if result.case.imbalance in ("static", "moving")])
    if imbalanced:
        (folder / "summary.svg").write_text(plots.speedups(imbalanced, "times as fast as the best MPI"))


def _rows(results, machine, lines):
    return {
        "machine": dict(machine),
        "lines": {name: {"tasks": added, "program": all_lines} for name, (added, all_lines) in lines.items()},
        "rows": [
            {
                "case": result.case.name,
                "program": result.case.program,
                "paper": result.case.paper,
                "system": each.entrant.name,
                "variant": each.entrant.variant,
                "ranks": each.entrant.ranks,
                "threads": each.entrant.threads,
                "helpers": each.entrant.helpers,
                "seconds": each.seconds,
                "median": each.median,
                "cores": result.cores,
                "ideal": result.ideal if each.entrant.name == "pure-tasks" else None,
                "error": each.error or None,
            }
            for result in results
            for each in result.measured
        ],
    }


def _escaped(text):
    return html.escape(str(text))


def _list(claims):
    return "<ul>" + "".join(f"<li>{_escaped(claim.text)}</li>" for claim in claims) + "</ul>"


def _page(results, scalings, claims, machine, notes, lines):
    failing = [claim for claim in claims if not claim.holds]
    holding = [claim for claim in claims if claim.holds]
    scaled = [result for each in scalings for result in each.results.values()]
    errors = [error for result in [*results, *scaled] for error in result.errors]
    parts = [
        "<h1>Pure beside MPI, MPI + OpenMP, and what perfect sharing would give</h1>",
        "<p>Each program is the same for all systems; they ran in turn, alone on the machine. Bars are how many times as fast as "
        "the best MPI of the same round; lines on them span all rounds.</p>",
    ]
    if errors:
        parts.append(f'<div class="fails"><b>What went wrong</b><pre>{_escaped(chr(10).join(errors))}</pre></div>')
    parts.append(f'<div class="fails"><b>What does not hold here</b>{_list(failing)}</div>' if failing else "")
    parts.append(f'<div class="holds"><b>What holds here</b>{_list(holding)}</div>' if holding else "")
    parts.append("<h2>The machine</h2><table>")
    parts += [f"<tr><td>{_escaped(what)}</td><td>{_escaped(value)}</td></tr>" for what, value in machine]
    parts.append("</table>" + "".join(f"<p>{_escaped(note)}</p>" for note in notes))
    for paper, title in _FIGURES.items():
        of_figure = [result for result in results if result.case.paper == paper]
        if of_figure:
            parts.append(f"<h2>{_escaped(title)}</h2>")
            parts.append(_figure(of_figure))
            parts += [_table(result) for result in of_figure]
    if scalings:
        parts.append("<h2>From one core to all (the paper's Figures 5a and 5d)</h2>")
        parts += [_scaling(each) for each in scalings]
    parts.append("<h2>What tasks took</h2><table><tr><th>program</th><th>lines added or changed</th><th>lines in all</th></tr>")
    for name, (added, all_lines) in lines.items():
        parts.append(f"<tr><td>{_escaped(name)}</td><td>{added}</td><td>{all_lines}</td></tr>")
    parts.append("</table>")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>Pure: evaluation</title><style>{_STYLE}</style></head><body>{chr(10).join(parts)}</body></html>\n"
    )


def shown(result):
    """The bars of a case: Pure's entrants, the best with OpenMP, and AMPI."""
    best_hybrid = result.best_hybrid
    return [
        each
        for each in result.measured
        if each.seconds and (each.entrant.is_pure or each is best_hybrid or each.entrant.name == "ampi")
    ]


def groups_of(results):
    """For plots.speedups."""
    groups = []
    for result in results:
        rival, pure = result.best_rival, result.of("pure")
        if rival is None:
            continue
        bars = []
        for each in shown(result):
            entrant = each.entrant
            ideal = None
            if entrant.name == "pure-tasks" and result.ideal and pure:
                ideal = result.ideal * ratios(rival, pure)[0]
            title = "MPI + OpenMP, the best" if entrant.variant == "openmp" else entrant.title.split(", tasks,")[0]
            title = "Pure, tasks and helpers" if entrant.helpers else title
            bars.append((title, plots.color_of(entrant), ratios(rival, each), ideal))
        groups.append((result.case.name, bars))
    return groups


def _scaling(scaling):
    names = {each.entrant.name: each.entrant for result in scaling.results.values() for each in result.measured}
    greys = iter(("#999999", "#555555", "#c0a060", "#b0b0b0"))
    lines = [
        (entrant.title, plots.color_of(entrant) if entrant.is_pure else next(greys, "#999999"), scaling.gains(name))
        for name, entrant in names.items()
    ]
    cores = list(scaling.results)
    heads = "".join(f"<th>{each} cores</th>" if each > 1 else "<th>1 core</th>" for each in cores)
    rows = "".join(
        f"<tr><td>{_escaped(entrant.title)}</td>"
        + "".join(f"<td>{_seconds(scaling.results[each].of(name))}</td>" for each in cores)
        + "</tr>"
        for name, entrant in names.items()
    )
    picture = plots.scaling(lines, (cores, [scaling.ideal(each) for each in cores]))
    return (
        f"<h3>{_escaped(scaling.name)}</h3><figure>{picture}</figure><table><tr><th>median, s</th>{heads}</tr>{rows}</table>"
    )


def _seconds(measured):
    return f"{measured.median:.4f}" if measured else "failed"


def _figure(results):
    groups = groups_of(results)
    if not groups:
        return "<p>No MPI was found to compare with.</p>"
    caption = "Times as fast as the best MPI. Dotted: what perfect sharing of the computing between all ranks would give."
    return f"<figure>{plots.speedups(groups, 'times as fast as the best MPI')}<figcaption>{caption}</figcaption></figure>"


def _table(result):
    best = result.best_rival
    lines = [
        f"<h3>{_escaped(result.case.name)}</h3><p>{_escaped(result.case.says)}"
        + (f"; perfect sharing would be {result.ideal:.2f} times as fast" if result.ideal else "")
        + (f"; only {min(result.cores):.0%} of the cores were there in some rounds" if result.lacks_cores else "")
        + "</p><table><tr><th></th><th>ranks</th><th>threads</th><th>median, s</th><th>lowest</th><th>highest</th>"
        "<th>as fast as the best MPI</th></tr>"
    ]
    for each in result.measured:
        entrant = each.entrant
        if not each.seconds:
            lines.append(f'<tr class="failed"><td>{_escaped(entrant.title)}</td><td colspan="6">failed</td></tr>')
            continue
        ratio = ratios(best, each) if best else None
        text = f"{ratio[0]:.2f} ({ratio[1]:.2f} to {ratio[2]:.2f})" if ratio else "-"
        lines.append(
            f"<tr{' class=best' if each is best else ''}><td>{_escaped(entrant.title)}</td><td>{entrant.ranks}</td>"
            f"<td>{entrant.threads}</td><td>{each.median:.4f}</td><td>{min(each.seconds):.4f}</td>"
            f"<td>{max(each.seconds):.4f}</td><td>{text}</td></tr>"
        )
    lines.append(f"</table><details><summary>the command</summary><pre>{_escaped(result.command)}</pre></details>")
    return "\n".join(lines)
