"""Certified integrals of exp f over the torus by tiles: drop what cannot matter, sum what is smooth, cut the rest.

1. *Drop.* On a tile with centre c and half-widths h
       f ≤ f(c) + Σ_a max_{|t|≤h_a} (|f_a| t + ½ (f_aa + Σ_b |f_ab| h_b/h_a) t²) + Σ_{|α|=3} sup|f^(α)| h^α/α!
   and Z ≥ e^{max f} L with L = Π √(2π/S_a) erf(π √(S_a/2)) for any S with tᵀ(sup|f_ab|)t ≤ Σ S_a t_a².
2. *Sum.* Gauss–Legendre. With f = Σ a_i Π P_{i_a} on the tile and the variable of axis a in the Bernstein ellipse ρ,
       Re f ≤ U(ρ) = a_0 + max_z Re(a_1 P_1(z) + a_2 P_2(z)) + Σ |a_i| P_{i_a}((ρ + 1/ρ)/2) + tail,
   plus the maxima of such parabolas on [−1, 1] for the other axes, and the rule errs by at most
   2^{p−1} Πh (64/15) e^{U(ρ)} ρ^{−2Q}/(1 − ρ^{−2}) for each axis. The a_i come from the node values; since f is
   band-limited, |a_i| ≤ sup|f| Π ω_a^{i_a}/(2i_a − 1)!! with ω_a = R_a h_a, which bounds the tail and the aliases, and
   replaces coefficients of high degree that are only rounding noise.
3. *Cut* what is left in two, along the axes on which f bends most.
"""

from collections.abc import Iterator
from math import log, pi, prod
from typing import NamedTuple

import numpy as np

from tsa._base import Array
from tsa.density.numerics.tiles._bounds import TileBounds, Tiles, cut
from tsa.density.numerics.tiles._nodes import Nodes, changes, distinct
from tsa.density.numerics.tiles._polynomials import EPS, Polynomials
from tsa.density.numerics.tiles._rules import (
    DEGREES,
    DOUBLE_FACTORIALS,
    POWERS,
    RHO,
    RULES,
    TALL,
    WIDE,
    Rule,
    parabola_on_ellipses,
    parabola_on_interval,
)

_CHUNK_NODES, _CHUNK_TERMS, _CHUNK_TILES = 2**17, 2**20, 2**13  # evaluated at once: memory stays bounded
_LARGE = 3.0  # half-width of a tile, in standard deviations of the sharpest possible peak
_FEW_TILES = {1: 16, 2: 128, 3: 128}  # of one row, by number of axes: so many take about as long as a round of cuts
_WORTH_A_RULE = 64  # tiles of one row
_MANY_TILES = 256  # of one row, which are summed at once
_RESTART_ABOVE = 5.0  # nats above the peak at which a higher point becomes the peak of its row


_MATTERS, _NEGLIGIBLE = -1, -2  # in place of the number of a rule


class Summed(NamedTuple):
    """Tiles summed by one rule, and the mass ∫ e^g of each."""

    rule: Rule
    tiles: Tiles
    mass: Array


class Tiling:
    """The tiles that carry the integrals of exp g, g = f − f(peak), of a batch of polynomials, and their sums by row.

    `mass` is ∫ e^g dδ, `gain` ∫ g e^g dδ and `table` ∫ (e^{im·δ} − 1) e^g dδ by frequency, for each row. The absolute
    error of `mass` is at most `quadrature + dropped + rounding`. `higher` lists rows in which a point well above the
    peak was found, with that point as an offset: their sums are not valid. Nor are those of rows marked `crowded` (B,),
    whose tiles would have more than `most_nodes` (B,): they are given up.
    """

    def __init__(
        self, polynomials: Polynomials, tolerance: float, moments: bool, most_nodes: Array | None = None
    ) -> None:
        self.polynomials, self._moments = polynomials, moments
        rows = len(polynomials.table)
        self.mass, self.gain, self.quadrature, self.dropped, self.rounding = np.zeros((5, rows))
        self.nodes = np.zeros(rows, np.int64)
        self.crowded = np.zeros(rows, bool)
        self._most_nodes = np.full(rows, np.inf) if most_nodes is None else most_nodes
        self.table = np.zeros(polynomials.table.shape, np.complex128)
        self.summed: list[Summed] = []
        self.higher: list[tuple[int, Array]] = []
        self._bounds = TileBounds(polynomials)
        self._run(tolerance)
        invalid = [*np.flatnonzero(self.crowded), *(row for row, _ in self.higher)]
        kept = [(part, ~np.isin(part.tiles.row, invalid)) for part in self.summed]
        self.summed = [Summed(part.rule, part.tiles[which], part.mass[which]) for part, which in kept]
        self.mass[invalid] = 0.0

    def _run(self, tolerance: float) -> None:
        p = self.polynomials
        limit = self._bounds.log_negligible(tolerance)
        bound = self._bounds.on_coarse_cells() + np.log(2 * pi / np.array(p.coarse)).sum()
        matters = bound > limit[:, None]
        self.dropped += np.where(matters, 0.0, np.exp(np.minimum(bound, 0.0))).sum(axis=1)
        per_tile = np.array([one.q ** len(p.varying) for one in RULES[p.axes]])  # nodes
        self.crowded = matters.sum(axis=1) * per_tile[0] > self._most_nodes
        matters &= ~self.crowded[:, None]
        tiles, d = self._bounds.coarse_tiles(matters)
        slack = p.rounding[tiles.row]
        waiting, rule = tiles[:0], np.empty(0, np.int64)  # tiles to be summed, and by which rule
        while True:
            tiles, likely = self._examined(tiles, d, slack, limit)
            waiting, rule = waiting.joined(tiles[likely >= 0]), np.append(rule, likely[likely >= 0])
            tiles, often = tiles[likely < 0], likely[likely < 0] == _MATTERS
            left, ready = (np.bincount(some.row, minlength=len(limit)) for some in (tiles, waiting))
            expected = per_tile[0] * left + np.bincount(waiting.row, per_tile[rule], len(limit))
            crowded = self.nodes + expected > self._most_nodes
            if crowded.any():
                self.crowded |= crowded
                kept, still = ~crowded[tiles.row], ~crowded[waiting.row]
                tiles, often, left = tiles[kept], often[kept], np.where(crowded, 0, left)
                waiting, rule = waiting[still], rule[still]
            # One sum of many tiles takes less time than many sums: tiles wait for those that are still being cut.
            now = ((left == 0) | (ready >= _MANY_TILES))[waiting.row]
            if now.any():
                tiles = tiles.joined(self._sum(waiting[now], rule[now], limit))
                waiting, rule = waiting[~now], rule[~now]
            if not len(tiles):
                break
            tiles, _ = self._cut_often(tiles, often).sorted()
            d = self._bounds.at_centres(tiles)
            slack = p.offset_rounding(tiles.row, tiles.u, tiles.turn)

    def _examined(self, tiles: Tiles, d: Array, slack: Array, limit: Array) -> tuple[Tiles, Array]:
        """The tiles that may matter, and `_likely_rule` of each."""
        tiles, d, slack = self._without_higher(tiles, d, slack)
        bound = self._bounds.upper(tiles, d) + slack + tiles.log_volume
        out = bound <= limit[tiles.row]
        self.dropped += np.bincount(tiles.row[out], np.exp(bound[out]), len(limit))
        tiles, d = tiles[~out], d[:, ~out]
        parts = [slice(start, start + _CHUNK_TILES) for start in range(0, len(tiles), _CHUNK_TILES)]
        likely = [self._likely_rule(tiles[part], d[:, part], limit) for part in parts]
        return tiles, np.concatenate(likely) if likely else np.empty(0, np.int64)

    def _cut_often(self, tiles: Tiles, often: Array) -> Tiles:
        """The tiles cut once, and the first of them, where `often`, until one rule can probably sum them.

        Each round of cuts costs many small operations, so that the tiles of a row are cut as often as leaves them few.
        """
        spread, row = self._bounds.spread(tiles), tiles.row
        own = np.maximum(spread.max(axis=1, keepdims=True), 1e-300)
        widest = np.zeros(len(self.mass))
        np.maximum.at(widest, row, own[:, 0])
        least, whole = np.log2(np.maximum(spread, 1e-300) / own), np.log2(own / widest[row, None])
        whole[len(often) :] = whole[: len(often)][~often] = -np.inf
        halvings, active = np.zeros(len(self.mass)), widest > 0
        while active.any():
            halvings += active
            times = np.ceil(least + np.maximum(whole + halvings[row, None], 1.0) - 1e-9)
            times = np.maximum(times, 0).astype(np.int64)
            few = np.bincount(row, 1 << times.sum(axis=1), len(widest)) <= _FEW_TILES[self.polynomials.axes]
            active &= few & (widest > _LARGE * 2**halvings)
        return cut(tiles, times)

    def _without_higher(self, tiles: Tiles, d: Array, slack: Array) -> tuple[Tiles, Array, Array]:
        """The tiles of rows in which no centre lies well above the peak; the other rows are noted in `higher`."""
        high = np.flatnonzero(d[0] > _RESTART_ABOVE + slack)
        if not high.size:
            return tiles, d, slack
        order = high[np.lexsort((-d[0, high], tiles.row[high]))]
        rows, first = np.unique(tiles.row[order], return_index=True)
        self.higher += [(int(row), tiles.centre[order[i]]) for row, i in zip(rows, first, strict=True)]
        kept = ~np.isin(tiles.row, rows)
        return tiles[kept], d[:, kept], slack[kept]

    def _likely_rule(self, tiles: Tiles, d: Array, limit: Array) -> Array:
        """The cheapest rule likely to be certified on each tile, judging by its derivatives d: (T,).

        Else `_MATTERS`, or `_NEGLIGIBLE` for a tile that probably is, although that is not proven.
        """
        p, half, chosen = self.polynomials, tiles.half, np.full(len(tiles), _MATTERS)
        slope = np.stack([d[self._bounds.first[a]] * half[:, a] for a in p.varying])
        bend = np.stack([d[self._bounds.second[a][a]] * half[:, a] ** 2 / 2 for a in p.varying])
        real = parabola_on_interval(slope, bend)
        rise = parabola_on_ellipses(slope, bend)  # of f on the ellipses, by the quadratic approximation: (axes, T, ρ)
        top = real.sum(axis=0) + d[0] + tiles.log_volume - limit[tiles.row]  # on the tile
        rise += (top - real)[..., None]
        for i, a in enumerate(p.varying):
            for b in p.varying:
                if b != a:
                    tilt = np.abs(d[self._bounds.second[a][b]]) * half[:, a] * half[:, b]
                    rise[i] += tilt[:, None] * WIDE
                    top += tilt / 2  # counted twice
        chosen[top <= 0] = _NEGLIGIBLE
        for number, rule in enumerate(RULES[p.axes]):
            left = np.flatnonzero((chosen == _MATTERS) & ((rise + rule.log_error).min(axis=2).max(axis=0) <= 0))
            if rule is not RULES[p.axes][-1]:
                left = left[np.bincount(tiles.row[left], minlength=len(limit))[tiles.row[left]] >= _WORTH_A_RULE]
            if left.size:
                tails = _Known(p, rule, tiles[left]).tails()
                chosen[left[(rise[:, left] + tails + rule.log_error).min(axis=2).max(axis=0) <= 0]] = number
        return chosen

    def _sum(self, tiles: Tiles, chosen: Array, limit: Array) -> Tiles:
        """Step 2: sum the tiles whose error is certified to be below e^limit of their row; the others, to be cut.

        Each by the rule `chosen`, or by the largest, which serves all, where few tiles of a row have the same.
        """
        rules = RULES[self.polynomials.axes]
        for number, rule in enumerate(rules):
            mine = chosen == number
            if rule is not rules[-1]:
                mine &= np.bincount(tiles.row[mine], minlength=len(limit))[tiles.row] >= _WORTH_A_RULE
                chosen = np.where((chosen == number) & ~mine, number + 1, chosen)
            if mine.any():
                part, order = tiles[mine].sorted()
                done = np.flatnonzero(mine)[order[self._sum_by(rule, part, limit)]]
                chosen = np.where(mine, number + 1, chosen)
                chosen[done] = -1
        return tiles[chosen >= 0]

    def _sum_by(self, rule: Rule, tiles: Tiles, limit: Array) -> Array:
        """Sum those of the sorted tiles on which the rule is certified; which those were, (T,).

        After a chunk of tiles on most of which it is not, the others are left to a larger rule.
        """
        p, done, start = self.polynomials, np.zeros(len(tiles), bool), 0
        for part in self._chunks(rule, tiles):
            nodes = Nodes(p, part.row, part.u, part.turn, p.nodes_per_axis(rule.x))
            g = nodes.values().reshape(len(part), -1)
            error = _Known(p, rule, part).log_error(g) + part.log_volume - log(2)
            # Far from the peak of a very sharp density g itself may be uncertain by nats, which no cut can mend: then
            # the tile is accepted, and the certificate tells.
            rounding = p.offset_rounding(part.row, part.u, part.turn) + 64 * EPS
            ok = error - rounding <= limit[part.row]
            if ok.any():
                own = self._add_sums(rule, part, nodes, g, ok)
                row = part.row[ok]
                self.quadrature += np.bincount(row, np.exp(np.minimum(error[ok], 700.0)), len(limit))
                self.rounding += np.bincount(row, own * rounding[ok], len(limit))
                self.summed.append(Summed(rule, part[ok], own))
            done[start : start + len(part)] = ok
            start += len(part)
            if rule is not RULES[p.axes][-1] and 2 * np.count_nonzero(ok) < len(part):
                break
        return done

    def _add_sums(self, rule: Rule, tiles: Tiles, nodes: Nodes, g: Array, ok: Array) -> Array:
        """Add the sums over those tiles that are `ok` (T,), g (T, nodes) being known; the mass of each of these."""
        varying, rows, row = len(self.polynomials.varying), len(self.mass), tiles.row[ok]
        cube = np.full(1, 2.0 ** (self.polynomials.axes - varying))  # the other axes have one node of weight 2
        for _ in range(varying):
            cube = np.multiply.outer(cube, rule.w).ravel()
        # Subnormal numbers are slow; a node that far below the peak adds nothing.
        weight = np.maximum(g, -700.0)
        np.exp(weight, out=weight)
        weight *= cube
        weight *= (ok * tiles.half.prod(axis=-1))[:, None]
        mass: Array = weight.sum(axis=-1)[ok]
        self.mass += np.bincount(row, mass, rows)
        self.gain += np.bincount(row, np.einsum("tn,tn->t", weight, g)[ok], rows)
        self.nodes += np.bincount(row, minlength=rows) * len(cube)
        if self._moments:
            rows_here, sums = nodes.sums(weight)
            self.table[rows_here] += sums
        return mass

    def _chunks(self, rule: Rule, tiles: Tiles) -> Iterator[Tiles]:
        """The sorted tiles in runs with so many nodes, and terms of sums over one axis, that memory stays bounded."""
        p = self.polynomials
        terms = np.full(len(tiles), rule.q ** (len(p.varying) - 1) * len(p.waves[-1]))
        first = changes(tiles.row)
        for axis in range(p.axes - 1):  # tiles that agree on the first axes share the sums over these
            first |= changes(tiles.u[:, axis], tiles.turn[:, axis])
            terms += first * rule.q ** (axis + 1) * max(len(p.waves[axis]), prod(len(w) for w in p.waves[axis + 1 :]))
        full = np.cumsum(terms) // _CHUNK_TERMS
        number = np.arange(len(tiles)) // max(1, _CHUNK_NODES // rule.q ** len(p.varying))
        starts = np.flatnonzero(changes(full, number))
        for start, stop in zip(starts, [*starts[1:], len(tiles)], strict=True):
            yield tiles[start:stop]


class _Known:
    """What is known of the Legendre coefficients of f on each tile before f is evaluated there; varying axes only.

    Tiles of one row and one size, a *kind*, have all of it in common. The last axis comes first, as in `Nodes.values`.
    """

    def __init__(self, polynomials: Polynomials, rule: Rule, tiles: Tiles) -> None:
        self._rule, self._tiles, self._of = rule, tiles, polynomials
        axes = sorted(polynomials.varying, key=lambda axis: axis != polynomials.axes - 1)
        different, self._kind = distinct(tiles.row, *tiles.turn.T)
        self._kinds = tiles[different]
        sizes, self._size = distinct(*self._kinds.turn.T)
        self._omega = polynomials.reach[axes] * self._kinds.half[sizes][:, axes]  # (sizes, axes)
        self._most = self._omega[..., None] ** DEGREES / DOUBLE_FACTORIALS  # of |a_i| / sup|f|, per axis
        self._all = self._most.sum(axis=-1)
        self._sup = polynomials.suprema[0, self._kinds.row]

    def tails(self) -> Array:
        """Coefficients beyond the rule's degree on the ellipses, and the growth there of e^{im·t}: (axes, T, ρ)."""
        q = self._rule.q
        low, omega = self._most[..., :q], self._omega[..., None]
        lowest = low.sum(axis=-1)
        whole = self._most @ POWERS.T * (self._all.prod(axis=-1)[:, None] / self._all)[..., None]
        part = low @ POWERS[:, :q].T * (lowest.prod(axis=-1)[:, None] / lowest)[..., None]
        tail = np.where(omega * RHO < 8, whole - part, np.inf)  # beyond, forty degrees do not bound the series
        of_kinds = self._sup[:, None, None] * tail[self._size] + (omega * TALL)[self._size]
        return of_kinds[self._kind].transpose(1, 0, 2)

    def log_error(self, g: Array) -> Array:
        """log of the bound on the rule's error over half the tile's volume, from the node values g (T, nodes)."""
        rule, axes = self._rule, self._omega.shape[1]
        a = rule.coefficients(g, axes)
        beyond = self._most[..., rule.q + 1 :].sum(axis=-1)
        alias = (beyond * (self._all.prod(axis=-1)[:, None] / self._all)).sum(axis=-1)
        magnification, bound = np.ones(1), np.ones((len(self._most), 1))
        for axis in range(axes):
            magnification = np.multiply.outer(magnification, rule.magnification).ravel()
            bound = (bound[:, :, None] * self._most[:, axis, None, : rule.q]).reshape(len(bound), -1)
        within = self._of.offset_rounding(self._kinds.row, 0 * self._kinds.u, self._kinds.turn)
        noise = np.multiply.outer(within + self._sup * alias[self._size], magnification)
        bound = bound[self._size] * self._sup[:, None]
        middle = a[:, 0] + noise[self._kind, 0]
        middle += self._of.offset_rounding(self._tiles.row, self._tiles.u, self._tiles.turn)
        # One kind is broadcast instead of copied.
        noise, bound = (v if len(v) == 1 else v[self._kind] for v in (noise, bound))
        parabola, place = self._parabolas(a, axes, bound)
        known = np.abs(a, out=a)
        known += noise
        np.minimum(known, bound, out=known)
        known[:, place] = noise[:, place]
        known[:, 0] = 0.0
        along = self.tails() + rule.log_error
        along += (known @ rule.on_ellipses(axes)).reshape(len(g), axes, -1).transpose(1, 0, 2)
        along += parabola
        return middle + np.logaddexp.reduce(along.min(axis=2), axis=0)

    def _parabolas(self, a: Array, axes: int, bound: Array) -> tuple[Array, list[int]]:
        """The rise of Σ_a (a_1 P_1 + a_2 P_2) on the ellipses (axes, T, ρ), and the places of its coefficients."""
        first = self._rule.q ** np.arange(axes)[::-1]
        one, two = (np.clip(a[:, place], -bound[:, place], bound[:, place]).T for place in (first, 2 * first))
        # a_2 P_2(z) = a_2 (3 z² − 1)/2
        real = parabola_on_interval(one, 1.5 * two)
        rise = parabola_on_ellipses(one, 1.5 * two)
        rise += (real.sum(axis=0) - real - two.sum(axis=0) / 2)[..., None]
        return rise, [*first, *2 * first]
