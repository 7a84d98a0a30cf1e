"""PyTorch checkpoints (the zip of `torch.save`), read without unpickling: nothing in the file is run or imported.

The pickle inside is read opcode by opcode. Allowed are dictionaries, lists, tuples, numbers, texts and the pattern that
rebuilds a plain tensor from a storage; names are compared with a list and never looked up. Everything else is refused.
"""

import pickletools
import struct
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np

from tsa._base import Array, ModelFileError
from tsa.files._tables import MAX_TABLES, Table, count, finite

_MAX_PICKLE_BYTES = 4 * 2**20
_MAX_OPCODES = 1_000_000
_MAX_DEPTH = 16
_STORAGES = {
    "FloatStorage": "f4", "DoubleStorage": "f8", "HalfStorage": "f2", "BFloat16Storage": "bf", "LongStorage": "i8",
    "IntStorage": "i4", "ShortStorage": "i2", "CharStorage": "i1", "ByteStorage": "u1", "BoolStorage": "b1",
    "ComplexFloatStorage": "c8", "ComplexDoubleStorage": "c16",
}  # fmt: skip
_NAMES = {
    ("collections", "OrderedDict"),
    ("torch._utils", "_rebuild_tensor_v2"),
    ("torch._utils", "_rebuild_parameter"),
}
CONVERT = (
    "where it was written, torch.save({k: v for k, v in model.state_dict().items()}, 'filters.pt') writes tensors alone"
)


@dataclass(frozen=True)
class _Name:
    """A name that the pickle mentions; nothing is imported."""

    module: str
    name: str


@dataclass(frozen=True)
class _Storage:
    """The bytes of tensors: a member of the zip, and the type and number of its entries."""

    dtype: str
    key: str
    entries: int


@dataclass(frozen=True)
class _Tensor:
    """A view of a storage."""

    storage: _Storage
    offset: int
    shape: tuple[int, ...]
    stride: tuple[int, ...]
    conjugated: bool = False  # the storage holds the conjugates of the numbers
    negated: bool = False


class _Mark:
    """The place on the stack where a group of values begins."""


def root_of(names: list[str]) -> str | None:
    """The folder inside the zip that holds a checkpoint, or None if this zip is none."""
    roots = [name.removesuffix("data.pkl") for name in names if name == "data.pkl" or name.endswith("/data.pkl")]
    return min(roots, key=len) if roots else None


def tables(archive: zipfile.ZipFile, root: str) -> list[Table]:
    """The plain tensors of a checkpoint, named by their place in it: `state_dict.conv1.weight`."""
    members = {info.filename: info for info in archive.infolist()}
    size = members[f"{root}data.pkl"].file_size
    if size > _MAX_PICKLE_BYTES:
        raise ModelFileError(f"The pickle of this checkpoint has {size / 2**20:.0f} MB, too many; {CONVERT}.")
    pickled = _member(archive, f"{root}data.pkl", size)
    little = True
    if f"{root}byteorder" in members:
        little = _member(archive, f"{root}byteorder", 16) != b"big"
    found: list[tuple[str, _Tensor]] = []
    _collect(_read_pickle(pickled), "", found, set(), 0)
    return [_table(archive, root, members, name or "tensor", tensor, "<" if little else ">") for name, tensor in found]


def _member(archive: zipfile.ZipFile, name: str, most: int) -> bytes:
    info = archive.getinfo(name)
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or info.flag_bits & 1:
        raise ModelFileError(f"{name} is encrypted or packed in a way we do not open.")
    with archive.open(info) as member:
        return member.read(most)


def _table(
    archive: zipfile.ZipFile,
    root: str,
    members: dict[str, zipfile.ZipInfo],
    name: str,
    tensor: _Tensor,
    order: str,
) -> Table:
    storage = tensor.storage
    itemsize = 2 if storage.dtype == "bf" else np.dtype(storage.dtype).itemsize
    member = f"{root}data/{storage.key}"
    damaged = ModelFileError(f"The checkpoint's tensor {name!r} does not fit its storage; the file is damaged.")
    if member not in members or members[member].file_size != storage.entries * itemsize:
        raise damaged
    if min(tensor.shape, default=1) < 0 or min(tensor.stride, default=0) < 0 or tensor.offset < 0:
        raise damaged
    reach = sum((n - 1) * step for n, step in zip(tensor.shape, tensor.stride, strict=True))
    if 0 not in tensor.shape and tensor.offset + reach >= storage.entries:
        raise damaged

    def read() -> Array:
        count(tensor.shape, itemsize, name)
        count((storage.entries,), itemsize, f"The storage of {name}")
        raw = _member(archive, member, storage.entries * itemsize)
        if len(raw) != storage.entries * itemsize:
            raise damaged
        if storage.dtype == "bf":  # the upper half of a float32
            values = (np.frombuffer(raw, f"{order}u2").astype(np.uint32) << 16).view(np.float32)
        else:
            values = np.frombuffer(raw, np.dtype(storage.dtype).newbyteorder("<" if order == "<" else ">"))
        steps = tuple(step * values.itemsize for step in tensor.stride)
        view = np.lib.stride_tricks.as_strided(values[tensor.offset :], tensor.shape, steps, writeable=False)
        numbers = finite(view.conj() if tensor.conjugated else view, name)
        return -numbers if tensor.negated else numbers

    return Table(name, tensor.shape, storage.dtype, read)


def _collect(value: Any, path: str, found: list[tuple[str, _Tensor]], seen: set[int], depth: int) -> None:
    """All tensors inside nested dictionaries, lists and tuples, each of which is entered once."""
    if depth > _MAX_DEPTH or len(found) > MAX_TABLES:
        raise ModelFileError(f"This checkpoint is nested too deeply, or holds too many tensors; {CONVERT}.")
    if isinstance(value, _Tensor):
        found.append((path, value))
    elif isinstance(value, dict | list | tuple) and id(value) not in seen:
        seen.add(id(value))
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, item in items:
            if isinstance(item, _Tensor | dict | list | tuple):
                part = "".join(c for c in str(key)[:200] if c.isprintable())
                _collect(item, f"{path}.{part}" if path else part, found, seen, depth + 1)


def _read_pickle(data: bytes) -> Any:
    """The value of a pickle that uses only what a plain checkpoint needs."""
    machine = _Machine()
    try:
        for number, (opcode, argument, _) in enumerate(pickletools.genops(data)):
            if number > _MAX_OPCODES:
                raise ModelFileError(f"The pickle of this checkpoint is too long; {CONVERT}.")
            if opcode.name == "STOP":
                return machine.stack.pop()
            step = getattr(machine, f"on_{opcode.name.lower()}", None)
            if step is None:
                raise ModelFileError(f"This checkpoint holds more than tensors ({opcode.name}); {CONVERT}.")
            step(argument)
    except (IndexError, KeyError, TypeError, ValueError, AttributeError, struct.error, RecursionError) as error:
        raise ModelFileError(f"The pickle of this checkpoint cannot be read; {CONVERT}.") from error
    raise ModelFileError("The pickle of this checkpoint ends early; the file is damaged.")


class _Machine:
    """A stack machine with a method for each opcode that is allowed; it can build values, and nothing else."""

    def __init__(self) -> None:
        self.stack: list[Any] = []
        self._memo: dict[int, Any] = {}

    def _group(self) -> list[Any]:
        """Remove and return the values above the last mark."""
        at = max(i for i, value in enumerate(self.stack) if isinstance(value, _Mark))
        values = self.stack[at + 1 :]
        del self.stack[at:]
        return values

    def on_proto(self, _: Any) -> None:
        """The version says nothing that we need."""

    on_frame = on_proto

    def on_mark(self, _: Any) -> None:
        self.stack.append(_Mark())

    def _push(self, value: Any) -> None:
        self.stack.append(value)

    on_binint = on_binint1 = on_binint2 = on_long1 = on_int = on_long = on_binfloat = on_float = _push
    on_binunicode = on_short_binunicode = on_binunicode8 = on_unicode = _push

    def on_none(self, _: Any) -> None:
        self.stack.append(None)

    def on_newtrue(self, _: Any) -> None:
        self.stack.append(True)

    def on_newfalse(self, _: Any) -> None:
        self.stack.append(False)

    def on_empty_dict(self, _: Any) -> None:
        self.stack.append({})

    def on_empty_list(self, _: Any) -> None:
        self.stack.append([])

    def on_empty_tuple(self, _: Any) -> None:
        self.stack.append(())

    def on_tuple(self, _: Any) -> None:
        self.stack.append(tuple(self._group()))

    def on_tuple1(self, _: Any) -> None:
        self.stack[-1:] = [(self.stack[-1],)]

    def on_tuple2(self, _: Any) -> None:
        self.stack[-2:] = [tuple(self.stack[-2:])]

    def on_tuple3(self, _: Any) -> None:
        self.stack[-3:] = [tuple(self.stack[-3:])]

    def on_append(self, _: Any) -> None:
        value = self.stack.pop()
        self._list().append(value)

    def on_appends(self, _: Any) -> None:
        values = self._group()
        self._list().extend(values)

    def _list(self) -> list[Any]:
        if not isinstance(self.stack[-1], list):
            raise TypeError("append to something that is not a list")
        return self.stack[-1]

    def on_setitem(self, _: Any) -> None:
        value, key = self.stack.pop(), self.stack.pop()
        self._dict()[_key(key)] = value

    def on_setitems(self, _: Any) -> None:
        values = self._group()
        self._dict().update((_key(key), value) for key, value in zip(values[::2], values[1::2], strict=True))

    def _dict(self) -> dict[Any, Any]:
        if not isinstance(self.stack[-1], dict):
            raise TypeError("an item of something that is not a dictionary")
        return self.stack[-1]

    def on_binput(self, place: int) -> None:
        self._memo[place] = self.stack[-1]

    on_long_binput = on_put = on_binput

    def on_memoize(self, _: Any) -> None:
        self._memo[len(self._memo)] = self.stack[-1]

    def on_binget(self, place: int) -> None:
        self.stack.append(self._memo[place])

    on_long_binget = on_get = on_binget

    def on_global(self, names: str) -> None:
        module, name = names.split(" ", 1)
        self.stack.append(_allowed(module, name))

    def on_stack_global(self, _: Any) -> None:
        name, module = self.stack.pop(), self.stack.pop()
        self.stack.append(_allowed(str(module), str(name)))

    def on_binpersid(self, _: Any) -> None:
        """A storage: ("storage", its type, its key, where it was, its number of entries)."""
        what, kind, key, _device, entries = self.stack.pop()
        if what != "storage" or not isinstance(kind, _Name) or kind.name not in _STORAGES or not isinstance(key, str):
            raise ValueError("not a storage")
        self.stack.append(_Storage(_STORAGES[kind.name], key, _whole(entries)))

    def on_reduce(self, _: Any) -> None:
        arguments, function = self.stack.pop(), self.stack.pop()
        if not isinstance(function, _Name) or not isinstance(arguments, tuple):
            raise TypeError("a call of something else")
        self.stack.append(_rebuilt(function, arguments))

    def on_build(self, _: Any) -> None:
        """The attributes of a dictionary (`_metadata` of a state_dict) are dropped."""
        self.stack.pop()
        self._dict()


def _allowed(module: str, name: str) -> _Name:
    storage = module == "torch" and name in _STORAGES
    if not storage and (module, name) not in _NAMES:
        what = "".join(c for c in f"{module}.{name}"[:80] if c.isprintable())
        if module in ("torch._utils", "torch._tensor") and name.startswith("_rebuild_"):
            raise ModelFileError(
                f"This checkpoint holds tensors of a kind that is not read ({what}), and nothing was run; dense ones "
                "of float32 are: v.to_dense(), v.dequantize() or v.float()."
            )
        raise ModelFileError(
            f"This checkpoint holds more than tensors: it asks for {what}, and nothing was run; {CONVERT}."
        )
    return _Name(module, name)


def _rebuilt(function: _Name, arguments: tuple[Any, ...]) -> Any:
    if function.name == "OrderedDict":
        if arguments not in ((), ([],)):
            raise ValueError("a dictionary made from something else")
        return {}
    if function.name == "_rebuild_parameter":
        if not isinstance(arguments[0], _Tensor):
            raise TypeError("a parameter made from something else")
        return arguments[0]
    if function.name != "_rebuild_tensor_v2":
        raise TypeError("a call of a type")
    storage, offset, shape, stride = arguments[:4]
    if not isinstance(storage, _Storage) or len(shape) != len(stride) or len(shape) > 8:
        raise TypeError("a tensor made from something else")
    metadata = arguments[6] if len(arguments) > 6 and isinstance(arguments[6], dict) else {}
    bits = metadata.get("conj", False) is True, metadata.get("neg", False) is True
    return _Tensor(storage, _whole(offset), tuple(map(_whole, shape)), tuple(map(_whole, stride)), *bits)


def _whole(value: Any) -> int:
    if type(value) is not int or not -1 < value < 2**40:
        raise ValueError("not a size")
    return value


def _key(value: Any) -> Any:
    if not isinstance(value, str | int | float | None):
        raise TypeError("not a key")
    return value


def is_pickle(start: bytes) -> bool:
    """Whether a file begins like a bare pickle, such as a checkpoint from before PyTorch 1.6."""
    return start[:1] == b"\x80" and start[1:2] in (b"\2", b"\3", b"\4", b"\5")
