#!/usr/bin/env python3
"""The sum that examples/windows/qmc prints, for one of its smaller runs, in plain Python and double precision.

usage: windows_qmc_oracle.py GRID ORBITALS WALKERS PARTICLES GENERATIONS STEP
Prints the sum of densities and how many moves were accepted.
"""
import math
import sys

MASK = (1 << 64) - 1


def splitmix(state):
    """SplitMix64, as its authors give it, from 0 to 1."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) & MASK
        z = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        yield ((z ^ (z >> 31)) >> 11) * 2.0**-53


def b_spline(t):
    """The cubic B-spline around 0, by its definition."""
    t = abs(t)
    if t < 1:
        return (4 - 6 * t * t + 3 * t**3) / 6
    return (2 - t) ** 3 / 6 if t < 2 else 0.0


def main():
    grid, orbitals, walkers, particles, generations = map(int, sys.argv[1:6])
    step = float(sys.argv[6])
    spread = (0.8191725134, 0.6710436067, 0.5497004779)

    def factor(axis, at, o):
        distance = (at / (grid - 1) - (o + 1) * spread[axis] % 1.0) / (0.1 + 0.05 * (o % 5))
        return math.exp(-distance * distance)

    def density(place):
        # Coefficients are products, so the sum over the 64 points is a product of three sums.
        total = 0.0
        for o in range(orbitals):
            value = 1.0
            for axis in range(3):
                at = place[axis] * (grid - 3) + 1  # in steps from the first coefficient
                value *= sum(b_spline(at - i) * factor(axis, i, o) for i in range(grid))
            total += value * value
        return total

    total, accepted = 0.0, 0
    for walker in range(walkers):
        random = splitmix(walker << 32)
        places = [[next(random) for _ in range(3)] for _ in range(particles)]
        densities = [density(place) for place in places]
        for _ in range(generations):
            for p in range(particles):
                moved = [x + step * (2 * next(random) - 1) for x in places[p]]
                moved = [-x if x < 0 else 2 - x if x > 1 else x for x in moved]
                there = density(moved)
                if next(random) * densities[p] < there:
                    places[p], densities[p] = moved, there
                    accepted += 1
                total += densities[p]
    print(f"{total:.12g} {accepted}")


if __name__ == "__main__":
    main()
