"""Damaged copies of files: bytes changed, dropped and put in, more of them near the start, where headers are."""

import os

TIMES = int(os.environ.get("TSA_FUZZ", "0"))  # how many to try in a thorough run, such as 10,000

_INSERTED = (b"0", b"9" * 15, b"(", b")", b"'", b"-", b",", b"\x00", b"None", b"True", b"1.5", b"{", b"\xff" * 4)


def mutate(rng, data):
    """A copy with one to four changes; `rng` is a `random.Random`."""
    copy = bytearray(data)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(max(1, min(len(copy), rng.choice([20, 80, 200, len(copy)]))))
        kind = rng.randrange(4)
        if kind == 0:
            copy[at : at + 1] = rng.randbytes(1)
        elif kind == 1:
            copy[at : at + 1] = bytes([copy[at] ^ 1 << rng.randrange(8)]) if copy else b""
        elif kind == 2:
            del copy[at : at + rng.randrange(1, 9)]
        else:
            copy[at:at] = rng.choice(_INSERTED)
    return bytes(copy)
