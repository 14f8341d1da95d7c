#!/usr/bin/env python3
"""What bench/apps/amr must compute, written anew: one process, Python's integers and doubles, no blocks' halos.

usage: amr OPTION... | amr_oracle.py OPTION...     (the same options; spheres and cuboids only)

Reads the output of amr, and compares blocks per level, means, mean squares and drift. Exits 1 if they differ.

With 7 points a cell looks up its neighbours among all cells of the mesh. With 27 points the halo of a block is what the
exchange along x, then y, then z makes of it: here a value that is asked for, through the last axis first.
"""
import argparse
import itertools
import math
import re
import sys

MASK = (1 << 64) - 1
TOLERANCE = 1e-12


def mixed(x: int) -> int:
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


class Object:
    def __init__(self, text: str):
        parts = dict(part.split("=") for part in text.split(","))
        self.cuboid = parts.get("kind") == "cuboid"
        self.solid = parts.get("fill") == "solid"
        numbers = {name: [float(x) for x in parts.get(name, usual).split(":")]
                   for name, usual in (("at", "0.3:0.3:0.3"), ("radius", "0.15"), ("velocity", "0:0:0"))}
        self.centre, self.velocity = numbers["at"], numbers["velocity"]
        self.radius = numbers["radius"] * (3 if len(numbers["radius"]) == 1 else 1)

    def touches(self, low: list, high: list) -> bool:
        if self.cuboid:
            first = [c - r for c, r in zip(self.centre, self.radius)]
            last = [c + r for c, r in zip(self.centre, self.radius)]
            apart = any(h < f or l > t for l, h, f, t in zip(low, high, first, last))
            within = all(f < l and h < t for l, h, f, t in zip(low, high, first, last))
            return not apart and (self.solid or not within)
        nearest = [min(max(c, l), h) for c, l, h in zip(self.centre, low, high)]
        distance = sum(((n - c) / r) ** 2 for n, c, r in zip(nearest, self.centre, self.radius))
        corners = (sum(((x - c) / r) ** 2 for x, c, r in zip(corner, self.centre, self.radius))
                   for corner in itertools.product(*zip(low, high)))
        return distance <= 1 and (self.solid or max(corners) >= 1)

    def move(self) -> None:
        for axis in range(3):
            self.centre[axis] += self.velocity[axis]
            if self.centre[axis] - self.radius[axis] < 0:
                self.velocity[axis] = abs(self.velocity[axis])
            if self.centre[axis] + self.radius[axis] > 1:
                self.velocity[axis] = -abs(self.velocity[axis])


class Mesh:
    """Blocks are (level, x, y, z), and so are cells, on grids that are `cells` times as fine."""

    def __init__(self, asked):
        self.asked, self.roots, self.n = asked, asked.blocks, asked.cells
        self.blocks = {(0, *at) for at in itertools.product(*map(range, self.roots))}
        self.values: list[dict] = []

    def touched(self, block) -> bool:
        level, *at = block
        across = [r << level for r in self.roots]
        low = [x / a for x, a in zip(at, across)]
        high = [(x + 1) / a for x, a in zip(at, across)]
        return any(o.touches(low, high) for o in self.asked.objects)

    def family(self, block):
        level, *at = block
        return [(level, *[x // 2 * 2 + d for x, d in zip(at, by)]) for by in itertools.product((0, 1), repeat=3)]

    def near_pairs(self):
        """All pairs of blocks with a common face; with 27 points, with a common point."""
        finest = self.asked.levels
        spans = {b: [(x << finest - b[0], x + 1 << finest - b[0]) for x in b[1:]] for b in self.blocks}
        pairs = []
        for (a, s), (b, t) in itertools.combinations(spans.items(), 2):
            overlaps = [min(p[1], q[1]) - max(p[0], q[0]) for p, q in zip(s, t)]
            if min(overlaps) == 0 and (self.asked.stencil == 27 or overlaps.count(0) == 1):
                pairs.append((a, b))
        return pairs

    def wanted_levels(self):
        target = {b: min(b[0] + 1, self.asked.levels) if self.touched(b) else max(b[0] - 1, 0) for b in self.blocks}
        pairs, before = self.near_pairs(), None
        while before != target:
            before = dict(target)
            for b in self.blocks:
                if target[b] < b[0] and not all(s in target and target[s] < b[0] for s in self.family(b)):
                    target[b] = b[0]
            for a, b in pairs:
                target[a] = max(target[a], target[b] - 1)
                target[b] = max(target[b], target[a] - 1)
        return target

    def refine(self) -> None:
        blocks = set()
        values = [{} for _ in self.values]
        for block, level in self.wanted_levels().items():
            for new, old in zip(values, self.values):
                for cell in self.cells_of(block):
                    if level == block[0]:
                        new[cell] = old[cell]
                    elif level > block[0]:
                        new.update((child, old[cell]) for child in self.children(cell))
                    else:
                        parent = (cell[0] - 1, *[x // 2 for x in cell[1:]])
                        new[parent] = new.get(parent, 0) + old[cell] / 8
            if level > block[0]:
                blocks.update(self.children(block))
            else:
                blocks.add(block if level == block[0] else (level, *[x // 2 for x in block[1:]]))
        self.blocks, self.values = blocks, values

    @staticmethod
    def children(block):
        level, *at = block
        return [(level + 1, *[2 * x + d for x, d in zip(at, by)]) for by in itertools.product((0, 1), repeat=3)]

    def cells_of(self, block):
        level, x, y, z = block
        n = self.n
        return [(level, n * x + i, n * y + j, n * z + k) for k in range(n) for j in range(n) for i in range(n)]

    def fill(self) -> None:
        for variable in range(self.asked.variables):
            values = {}
            for block in self.blocks:
                key = block[0] << 57 | block[3] << 38 | block[2] << 19 | block[1]
                seed = mixed((key + mixed(variable)) & MASK)
                for number, cell in enumerate(self.cells_of(block)):
                    values[cell] = (mixed((seed + number) & MASK) >> 11) * 2.0**-53
            self.values.append(values)

    def stage(self) -> None:
        around = [(0, 0, 0)] + [by for by in itertools.product((-1, 0, 1), repeat=3) if by != (0, 0, 0) and (
            self.asked.stencil == 27 or sum(map(abs, by)) == 1)]
        look = self.halo if self.asked.stencil == 27 else self.neighbour
        for v, values in enumerate(self.values):
            new = {}
            for block in self.blocks:
                cells = self.cells_of(block)
                here = {c: math.fsum(look(values, block, c, by) for by in around) / len(around) for c in cells}
                for _ in range(self.asked.work_in_objects - 1 if self.touched(block) else 0):
                    here = {c: math.fsum(self.enclosed(here, block, c, by) for by in around) / len(around) for c in cells}
                new.update(here)
            self.values[v] = new

    def enclosed(self, values, block, cell, by):
        """The block's walls are closed: outside is what is next to it inside."""
        low = [self.n * x for x in block[1:]]
        return values[(cell[0], *[min(max(x + d, l), l + self.n - 1) for x, d, l in zip(cell[1:], by, low)])]

    def neighbour(self, values, _block, cell, by):
        level, *at = cell
        there = [x + d for x, d in zip(at, by)]
        if any(x < 0 or x >= r * self.n << level for x, r in zip(there, self.roots)):
            return values[cell]
        for candidate in ((level, *there), (level - 1, *[x // 2 for x in there])):
            if candidate in values:
                return values[candidate]
        axis = next(a for a in range(3) if by[a])
        at_face = [c for c in self.children((level, *there)) if (c[1 + axis] & 1) == (by[axis] < 0)]
        return (values[cell] + sum(values[c] for c in at_face) / 4) / 2

    def halo(self, values, block, cell, by):
        level = block[0]
        inside = [x + d - self.n * b for x, d, b in zip(cell[1:], by, block[1:])]
        return self.at(values, block, level, inside)

    def at(self, values, block, level, place):
        """The value that the block has at a place of its own, or of its halo."""
        n = self.n
        outside = [a for a in range(3) if not 0 <= place[a] < n]
        if not outside:
            return values[(level, *[n * b + p for b, p in zip(block[1:], place)])]
        axis = outside[-1]
        sign = -1 if place[axis] < 0 else 1
        beyond = list(block[1:])
        beyond[axis] += sign
        inward = list(place)
        inward[axis] -= sign
        if not 0 <= beyond[axis] < self.roots[axis] << level:
            return self.at(values, block, level, inward)
        if (level, *beyond) in self.blocks:
            place = list(place)
            place[axis] -= sign * n
            return self.at(values, (level, *beyond), level, place)
        coarser = (level - 1, *[x // 2 for x in beyond])
        if coarser in self.blocks:
            place = [(n * b + p) // 2 - n * c for b, p, c in zip(block[1:], place, coarser[1:])]
            return self.at(values, coarser, level - 1, place)
        # Four of the finer cells: those in the block that is next to the place, or to where its rim begins.
        along = [a for a in range(3) if a != axis]
        child = [0, 0, 0]
        child[axis] = 2 * beyond[axis] + (sign < 0)
        for a in along:
            child[a] = 2 * block[1 + a] + (place[a] >= n // 2)
        finer = (level + 1, *child)
        parts = []
        for offsets in itertools.product((0, 1), repeat=2):
            there = [0, 0, 0]
            there[axis] = n - 1 if sign < 0 else 0
            for a, d in zip(along, offsets):
                there[a] = min(max(2 * place[a] + d - n * (place[a] >= n // 2), -1), n)
            parts.append(self.at(values, finer, level + 1, there))
        return (self.at(values, block, level, inward) + sum(parts) / 4) / 2

    def mean(self, v, power):
        roots = math.prod(self.roots)
        return math.fsum(x**power / (8 ** c[0] * self.n**3 * roots) for c, x in self.values[v].items())


def options():
    parser = argparse.ArgumentParser()
    three = lambda text: [int(x) for x in text.split(",")]
    for name, kind, usual in (("blocks", three, [4, 4, 4]), ("cells", int, 8), ("variables", int, 8), ("levels", int, 2),
                              ("steps", int, 20), ("stages", int, 4), ("refine-every", int, 2), ("stencil", int, 7),
                              ("work-in-objects", int, 1), ("group", int, 1)):
        parser.add_argument(f"--{name}", type=kind, default=usual)
    parser.add_argument("--object", action="append", required=True)
    asked = parser.parse_args()
    asked.objects = [Object(text) for text in asked.object if text != "none"]
    return asked


def main() -> int:
    asked, said, wrong = options(), sys.stdin.read(), 0
    mesh = Mesh(asked)
    for _ in range(asked.levels):
        mesh.refine()
    mesh.fill()
    for step in range(1, asked.steps + 1):
        for _ in range(asked.stages):
            mesh.stage()
        for one in asked.objects:
            one.move()
        if asked.refine_every and step % asked.refine_every == 0:
            mesh.refine()
    found = re.findall(r"^variable (\d+): mean (\S+), mean square (\S+)$", said, re.MULTILINE)
    if len(found) != asked.variables:
        print(f"{len(found)} variables are printed, of {asked.variables}: {said[-500:]}")
        return 1
    for name, *got in found:
        for power in (1, 2):
            value = mesh.mean(int(name), power)
            if not abs(value - float(got[power - 1])) <= TOLERANCE:
                wrong += 1
                print(f"variable {name}, power {power}: {got[power - 1]}, not {value!r}")
    blocks = re.search(r"^result:.* blocks=(\d+)", said, re.MULTILINE)
    if blocks is None or int(blocks[1]) != len(mesh.blocks):
        wrong += 1
        print(f"{blocks and blocks[1]} blocks, not {len(mesh.blocks)}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
