"""Files of other programs made by hand, byte by byte: MATLAB, safetensors, PyTorch checkpoints; and damaged ones."""

import io
import json
import pickle
import struct
import zipfile
import zlib
from pathlib import Path

import numpy as np


def mat4(**arrays):
    """MATLAB version 4: five integers, the name, the numbers column by column."""
    data = b""
    for name, array in arrays.items():
        array = np.atleast_2d(np.asarray(array))
        imaginary = int(np.iscomplexobj(array))
        data += struct.pack("<5i", 0, *array.shape, imaginary, len(name) + 1) + name.encode() + b"\0"
        data += array.real.astype("<f8").tobytes("F") + (array.imag.astype("<f8").tobytes("F") if imaginary else b"")
    return data


def element(kind, body, order="<"):
    return struct.pack(f"{order}2I", kind, len(body)) + body + b"\0" * (-len(body) % 8)


def mat5_matrix(name, array, cls=None, order="<"):
    """One array of MATLAB version 5, as `save -v6` writes it."""
    array = np.atleast_2d(np.asarray(array))
    single = array.dtype in (np.float32, np.complex64)
    code, kind = (7, "f4") if single else (6, "f8")
    flags = (cls or code) | (0x800 if np.iscomplexobj(array) else 0)
    body = element(6, struct.pack(f"{order}2I", flags, 0), order)
    body += element(5, np.array(array.shape, f"{order}i4").tobytes(), order)
    raw = name.encode()
    if len(raw) <= 4:  # a short element
        body += struct.pack(f"{order}I", len(raw) << 16 | 1) + raw.ljust(4, b"\0")
    else:
        body += element(1, raw, order)
    for part in (array.real, array.imag) if np.iscomplexobj(array) else (array,):
        body += element(7 if single else 9, part.astype(order + kind).tobytes("F"), order)
    return element(14, body, order)


def mat5(compress=True, order="<", **arrays):
    """A MATLAB file of version 7 (compressed) or 6."""
    data = b"MATLAB 5.0 MAT-file, made by hand".ljust(124) + struct.pack(f"{order}H", 0x0100)
    data += b"IM" if order == "<" else b"MI"
    for name, array in arrays.items():
        matrix = array if isinstance(array, bytes) else mat5_matrix(name, array, order=order)
        packed = zlib.compress(matrix)
        data += struct.pack(f"{order}2I", 15, len(packed)) + packed if compress else matrix
    return data


NAMES = {"f4": "F32", "f8": "F64", "f2": "F16", "i8": "I64", "c8": "C64", "u1": "U8"}


def safetensors(header=None, **arrays):
    """A `.safetensors` file; `header` replaces entries of its header."""
    entries, body = {"__metadata__": {"format": "pt"}}, b""
    for name, array in arrays.items():
        raw = np.ascontiguousarray(array).tobytes()
        entries[name.replace("__", ".")] = {
            "dtype": NAMES[array.dtype.str[1:]],
            "shape": list(array.shape),
            "data_offsets": [len(body), len(body) + len(raw)],
        }
        body += raw
    entries |= header or {}
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + body


STORAGES = {"f4": "FloatStorage", "f8": "DoubleStorage", "i8": "LongStorage", "c8": "ComplexFloatStorage"}


def global_(module, name):
    return b"c" + module.encode() + b"\n" + name.encode() + b"\n"


def text(value):
    raw = value.encode()
    return b"X" + struct.pack("<I", len(raw)) + raw


def integer(value):
    return b"J" + struct.pack("<i", value)


def tensor(key, array, parameter=False):
    """The opcodes of `torch._utils._rebuild_tensor_v2(storage, 0, shape, stride, False, OrderedDict())`."""
    steps = [s // array.itemsize for s in np.ascontiguousarray(array).strides]
    storage = b"(" + text("storage") + global_("torch", STORAGES[array.dtype.str[1:]]) + text(key) + text("cpu")
    storage += integer(array.size) + b"tQ"
    numbers = b"(" + b"".join(map(integer, array.shape)) + b"t(" + b"".join(map(integer, steps)) + b"t"
    empty = global_("collections", "OrderedDict") + b")R"
    made = (
        global_("torch._utils", "_rebuild_tensor_v2") + b"(" + storage + integer(0) + numbers + b"\x89" + empty + b"tR"
    )
    return global_("torch._utils", "_rebuild_parameter") + b"(" + made + b"\x88" + empty + b"tR" if parameter else made


def checkpoint(arrays, extra=b"", pickled=None, order=b"little"):
    """What `torch.save(state_dict)` writes; `extra` are opcodes of further items, `pickled` replaces the pickle."""
    items = b"".join(
        text(name) + tensor(str(i), array, parameter=i % 2 == 1) for i, (name, array) in enumerate(arrays.items())
    )
    state = global_("collections", "OrderedDict") + b")R(" + items + extra + b"u"
    metadata = b"}" + text("_metadata") + global_("collections", "OrderedDict") + b")Rsb"
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("model/data.pkl", b"\x80\x02" + state + metadata + b"." if pickled is None else pickled)
        archive.writestr("model/byteorder", order)
        for i, array in enumerate(arrays.values()):
            swapped = array.astype(array.dtype.newbyteorder(">")) if order == b"big" else array
            archive.writestr(f"model/data/{i}", np.ascontiguousarray(swapped).tobytes())
        archive.writestr("model/version", "3\n")
    return buffer.getvalue()


class Payload:
    """An object whose unpickling leaves a file behind."""

    def __init__(self, path):
        self.path = path

    def __reduce__(self):
        return (Path.touch, (Path(self.path),))


def payload_checkpoint(path):
    return checkpoint({}, pickled=pickle.dumps({"w": Payload(path)}, protocol=2))


def mutated(data, rng):
    """The same file, damaged: bytes changed, taken out, put in or repeated, or the end cut off."""
    data = bytearray(data)
    for _ in range(int(rng.integers(1, 5))):
        # Headers are where damage matters: half of it goes into the first and last kilobyte.
        near = rng.random() < 0.5
        at = int(rng.integers(min(len(data), 1024))) if near else int(rng.integers(len(data)))
        if near and rng.random() < 0.5:
            at = len(data) - 1 - at
        kind = int(rng.integers(6))
        if kind == 0:
            data[at] = int(rng.integers(256))
        elif kind == 1:
            data[at : at + 4] = int(rng.choice([0, 1, 2**31 - 1, 2**32 - 1, 2**16])).to_bytes(4, "little")
        elif kind == 2:
            del data[at : at + int(rng.integers(1, 64))]
        elif kind == 3:
            data[at:at] = rng.bytes(int(rng.integers(1, 64)))
        elif kind == 4:
            data[at : at + 16] = data[: min(16, len(data))]
        else:
            del data[max(8, at) :]
        if len(data) < 8:
            break
    return bytes(data)
