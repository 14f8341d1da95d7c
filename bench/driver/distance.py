"""How far apart the cores of two processes were when a sample was taken, and which samples may be compared.

The host of a virtual machine moves its cores: two of them are threads of one core, share a cache, or share none, for
some hundred milliseconds each. What a message takes through memory changes with that by a factor of three, so samples
are compared with those that other systems have from the same distance (bench/micro/core_distance.hpp).
"""

import statistics

# Distances within one state of the machine differ by less from the next larger one.
NEXT = 1.15
# With fewer that are left of them, a system's samples have no median worth the name.
LEAST = 3

MIXED = "mixed"


class Sample(float):
    """A value, and the distances before and after it, in nanoseconds, if they were measured."""

    def __new__(cls, value, distances=()):
        made = super().__new__(cls, value)
        made.distances = tuple(float(each) for each in distances)
        return made


def comparable(samples_of, in_turn=False):
    """({name: samples}, distance): of each system's samples those from the distance of which all have most, and that
    distance; or all of them and MIXED, if there is none. Without distances all of them, and None. `in_turn`: samples of
    one index were taken one after the other, and are kept, or left out, together."""
    known = {name: samples for name, samples in samples_of.items() if samples}
    groups = _groups(sorted(d for samples in known.values() for sample in samples for d in _distances(sample)))
    if not groups:
        return samples_of, None

    def within(group):
        lowest, highest = group[0], group[-1]

        def is_there(sample):
            return bool(_distances(sample)) and all(lowest <= d <= highest for d in sample.distances)

        if in_turn:
            turns = [turn for turn in zip(*known.values()) if all(map(is_there, turn))]
            return dict(zip(known, map(list, zip(*turns)))) if turns else {name: [] for name in known}
        return {name: list(filter(is_there, samples)) for name, samples in known.items()}

    chosen = max(map(within, groups), key=lambda found: sorted(map(len, found.values())))
    if chosen != known and min(map(len, chosen.values())) < LEAST:
        return samples_of, MIXED
    distance = statistics.median(d for samples in chosen.values() for sample in samples for d in sample.distances)
    return samples_of | chosen, distance


def _distances(sample):
    return getattr(sample, "distances", ())


def _groups(distances):
    """The sorted distances, parted where there is a gap."""
    groups = []
    for each in distances:
        if not groups or each > NEXT * groups[-1][-1]:
            groups.append([])
        groups[-1].append(each)
    return groups
