"""The results: rows for JSON, and a table for people."""

import json
import statistics


def make_row(benchmark, case, size, ranks, cores, system, samples, link=None, distance=None, left_out=0):
    """One JSON row; without samples (the machine or the system cannot do it) the value is null. `link`: what is between
    the processes of a benchmark that has several; `distance`, `left_out`: from where the samples are (distance.py), and
    how many are from elsewhere."""
    return {
        "benchmark": benchmark.name,
        "case": case,
        "bytes": size,
        "ranks": ranks,
        "cores": cores,
        "processes": link.processes if link else 1,
        "network": link.network if link else None,
        "mpi": link.mpi.name if link else None,
        "system": system.name,
        "value": statistics.median(samples) if samples else None,
        "unit": benchmark.unit,
        "better": benchmark.better,
        "samples": samples,
        "distance_ns": distance,
        "left_out": left_out,
    }


# The systems that run the programs of MPIs, and what columns call them.
DOORS = (("pure-mpi-threads", "door threads"), ("pure-mpi-processes", "door processes"))

# Between threads of one core, or cores that share a cache, a line takes a third of that.
FAR_NS = 100


def far_apart(rows):
    """What is to be said of rows that were measured on cores too far apart for figures to be compared with others'."""
    far = {row["case"]: row["distance_ns"] for row in rows if isinstance(row["distance_ns"], float)}
    far = {case: distance for case, distance in far.items() if distance > FAR_NS}
    if not far:
        return []
    return [
        f"half a round trip of a cache line took up to {max(far.values()):.0f} ns, above {FAR_NS} ns: the cores were far "
        f"apart, and these are no figures to compare with other runs: {', '.join(far)}"
    ]


def write_json(path, rows):
    """One row a line: readable, and easy to compare."""
    with open(path, "w", encoding="utf-8") as file:
        file.write("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]\n")


def format_value(value):
    """Three or four significant digits."""
    if value is None:
        return "-"
    for limit, digits in ((10, 3), (100, 2), (1000, 1)):
        if abs(value) < limit:
            return f"{value:.{digits}f}"
    return f"{value:.0f}"


def table(benchmark, rows, systems, failed=()):
    """The lines of the table: a row for each case, a column for each system, then Pure against the others, and what the
    MPI door adds to Pure. `failed` are
    the names of the systems that did not get to the end. In a benchmark that both share, Pure and the MPI are compared
    sample by sample."""
    values = {(row["case"], row["system"]): row["value"] for row in rows}
    samples = {(row["case"], row["system"]): row["samples"] for row in rows}
    mpis = [system.name for system in systems if system.kind == "mpi"]
    names = {system.name for system in systems}
    has_pure, has_processes = "pure" in names, "pure-processes" in names
    distances = {row["case"]: row["distance_ns"] for row in rows}
    has_limit = any(system.kind == "limit" for system in systems)
    best = min if benchmark.better == "lower" else max

    def ratio_to_mpi(ours):
        def of_case(case):
            pure = values.get((case, ours))
            known = [(value, name) for name in mpis if (value := values.get((case, name)))]
            if not known or pure is None:
                return "-"
            value, name = best(known)
            return f"{pure / value:.2f} {name}"

        return of_case

    def ratio(of, to):
        def of_case(case):
            ours, other = values.get((case, of)), values.get((case, to))
            return f"{ours / other:.2f}" if ours and other else "-"

        return of_case

    def cell(case, system):
        return "failed" if system.name in failed else format_value(values.get((case, system.name)))

    def in_turn(how):
        """The median for neighbours in time: what changes now and then changes both."""
        def of_case(case):
            pairs = list(zip(samples.get((case, "pure"), ()), samples.get((case, mpis[0]), ())))
            return how(pairs) if pairs else "-"

        return of_case

    def difference(pairs):
        return f"{statistics.median(mine - other for mine, other in pairs):+.3g}"

    def quotient(pairs):
        return f"{statistics.median(mine / other for mine, other in pairs):.3f}"

    header = ["case", *(system.name for system in systems)]
    lines = [[case, *(cell(case, system) for system in systems)] for case in benchmark.cases]
    for wanted, title, of_case in (
        (has_pure and mpis and not benchmark.is_together, "pure/best MPI", ratio_to_mpi("pure")),
        (has_processes and mpis, "processes/best MPI", ratio_to_mpi("pure-processes")),
        *((name in names and mpis, f"{title}/best MPI", ratio_to_mpi(name)) for name, title in DOORS),
        *(
            ({name, plain} <= names, f"{title}/{plain}", ratio(name, plain))
            for (name, title), plain in zip(DOORS, ("pure", "pure-processes"))
        ),
        *(
            ("pure-mpi-threads" in names, f"{system.name}/door threads", ratio(system.name, "pure-mpi-threads"))
            for system in systems
            if system.name.startswith("door-")
        ),
        (benchmark.is_together, "pure/MPI", in_turn(quotient)),
        (benchmark.is_together, "pure-MPI", in_turn(difference)),
        (has_pure and has_limit, "pure/limit", ratio("pure", "limit")),
        (has_processes and has_limit, "processes/limit", ratio("pure-processes", "limit")),
    ):
        if wanted:
            header.append(title)
            for case, line in zip(benchmark.cases, lines):
                line.append(of_case(case))
    if any(distances.values()):
        header.append("cores, ns")
        for case, line in zip(benchmark.cases, lines):
            distance = distances.get(case)
            line.append(format_value(distance) if isinstance(distance, float) else distance or "-")
    widths = [max(len(line[i]) for line in [header, *lines]) for i in range(len(header))]
    return [
        "  ".join([line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:]))])
        for line in [header, *lines]
    ]
