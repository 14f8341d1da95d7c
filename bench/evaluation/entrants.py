"""Who takes part in a case: a system, a variant of the program, and how many ranks and threads it has."""

from dataclasses import dataclass

from evaluation.systems import EvaluatedSystem, launch


@dataclass(frozen=True)
class Entrant:
    name: str  # for rows.json
    title: str
    system: EvaluatedSystem
    variant: str
    ranks: int
    threads: int = 1
    as_processes: bool = False
    helpers: int = 0

    @property
    def is_pure(self):
        return self.system.kind == "pure"

    @property
    def is_rival(self):
        """One of those of which the best is what Pure is compared with: MPI alone."""
        return not self.is_pure and self.variant == "messages"

    def command(self, program, case, cores, quick, steps=None):
        """(words, environment)."""
        words = case.words(cores, self.ranks, quick, steps)
        if self.is_pure and self.variant == "tasks" and case.program == "md":
            words += ["--tasks", "parallel_for"]
        return self.command_of(program, words, cores)

    def command_of(self, program, words, cores):
        return launch(
            self.system,
            program,
            words,
            self.ranks,
            self.threads,
            as_processes=self.as_processes,
            helpers=self.helpers,
            cores=cores,
        )


def threads_of_hybrid(cores):
    """As the paper has it, four in a rank; fewer where there are few cores."""
    return 2 if cores < 8 else 4


def entrants_of(case, pure, rivals, ampi, cores):
    """In the order of the report."""
    found = [
        Entrant("pure", "Pure", pure, "messages", cores),
        Entrant("pure-processes", "Pure, processes", pure, "messages", cores, as_processes=True),
    ]
    if case.imbalance:
        found.append(Entrant("pure-tasks", "Pure, tasks", pure, "tasks", cores))
    if case.has_helpers and cores > 1:
        helpers = cores // 2
        ranks = cores - helpers
        found.append(Entrant("pure-helpers", f"Pure, tasks, {ranks} ranks, {helpers} helpers", pure, "tasks", ranks, helpers=helpers))
    found += [Entrant(each.name, each.title, each, "messages", cores) for each in rivals]
    threads = threads_of_hybrid(cores)
    if cores % threads == 0:
        found += [
            Entrant(f"{each.name}-openmp", f"{each.title} + OpenMP, {cores // threads} x {threads}", each, "openmp", cores // threads, threads)
            for each in rivals
        ]
    if ampi:
        found.append(Entrant("ampi", "AMPI, two ranks a core", ampi, "messages", cores))
    return found
