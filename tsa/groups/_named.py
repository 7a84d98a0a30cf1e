"""The built-in actions by name: what model files and the command line call `rotation` and `shift`."""

from tsa._base import InputError
from tsa.groups.rotation import ImageRotation
from tsa.groups.shift import CyclicShift

Group = ImageRotation | CyclicShift


def named_group(name: str, shape: tuple[int, ...]) -> Group:
    """The action of this name on patches of this shape.

    >>> tsa.groups.named_group("rotation", (16, 16))
    ImageRotation(16)
    """
    if name == "rotation":
        if len(shape) == 2 and shape[0] != shape[1]:
            raise InputError(f"Rotation needs square patches; got {shape}.")
        return ImageRotation(shape[0])
    if name == "shift":
        return CyclicShift(shape if len(shape) == 2 else shape[0])
    raise InputError(f"The group is `rotation` or `shift`; got {name!r}.")
