"""One-parameter subgroups of the 2-torus, φ = (ω₁ s, ω₂ s): closed or dense (section 2.2, figure toroidal_orbits).

Whether a path closes depends on exact numbers, and every float is a fraction. So a weight is a fraction times a named
unit, and no unit is a rational multiple of another.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tsa._base import InputError

UNITS = {"": 1.0, "√2": math.sqrt(2), "Φ": (1 + math.sqrt(5)) / 2, "π": math.pi}


@dataclass(frozen=True)
class ExactWeight:
    """An exact weight, such as 3, 3/2, √2 or 2π: `factor` times a unit of `UNITS`.

    >>> from fractions import Fraction
    >>> float(tsa.groups.ExactWeight(Fraction(3, 2)))
    1.5
    """

    factor: Fraction
    unit: str = ""

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise InputError(f"The unit of a weight is one of {', '.join(map(repr, UNITS))}; got {self.unit!r}.")

    def __float__(self) -> float:
        return float(self.factor) * UNITS[self.unit]

    def __str__(self) -> str:
        return self.unit if self.unit and self.factor == 1 else f"{self.factor}{self.unit}"


@dataclass(frozen=True)
class TorusPath:
    """The path s ↦ (ω₁ s, ω₂ s) on the torus, and the group it is a representation of.

    >>> from fractions import Fraction
    >>> path = tsa.groups.TorusPath(*(tsa.groups.ExactWeight(Fraction(k)) for k in (2, 3)))
    >>> path.windings
    (2, 3)
    """

    first: ExactWeight
    second: ExactWeight

    @property
    def common(self) -> ExactWeight | None:
        """The largest weight of which both are whole multiples, gcd(ω₁, ω₂); None if they are not commensurate."""
        moving = [weight for weight in (self.first, self.second) if weight.factor]
        if len({weight.unit for weight in moving}) > 1:
            return None
        a, b = self.first.factor, self.second.factor
        divisor = math.gcd(a.numerator * b.denominator, b.numerator * a.denominator)
        return ExactWeight(Fraction(divisor, a.denominator * b.denominator), moving[0].unit if moving else "")

    @property
    def windings(self) -> tuple[int, int] | None:
        """How often the closed path winds around the torus each way, coprime; None if it never closes."""
        if self.common is None:
            return None
        if not self.common.factor:
            return 0, 0
        return int(self.first.factor / self.common.factor), int(self.second.factor / self.common.factor)

    @property
    def period(self) -> float:
        """Turns of s until the path closes: 0 if both weights are 0, inf if it never closes."""
        if self.common is None:
            return math.inf
        return 1 / float(self.common) if self.common.factor else 0.0

    @property
    def whole_turns(self) -> int | None:
        """The fewest whole turns of s that act as the identity: 1 for integer weights; None if no number does."""
        return None if self.common is None or self.common.unit else self.common.factor.denominator

    @property
    def kernel(self) -> int | None:
        """How many s within `whole_turns` act as the identity: gcd(ω₁, ω₂) for integers, where 0 stands for all s."""
        return None if self.common is None or self.common.unit else self.common.factor.numerator

    def gap(self, windings: int) -> float:
        """Largest gap, in turns, between the slower phases met at one faster phase in this many of its windings.

        So every pair of phases is met with the faster one exact and the slower one off by at most half of this.

        >>> from fractions import Fraction
        >>> one = tsa.groups.ExactWeight(Fraction(1))
        >>> path = tsa.groups.TorusPath(one, tsa.groups.ExactWeight(Fraction(1), "√2"))
        >>> path.gap(100) < path.gap(10)
        True
        """
        slow, fast = sorted((abs(float(self.first)), abs(float(self.second))))
        if not fast or windings < 1:
            return 1.0
        met = np.sort(np.arange(windings) * (slow / fast) % 1)
        return float(np.diff(met, append=met[0] + 1).max())
