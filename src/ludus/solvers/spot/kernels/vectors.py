"""Eight floats at once: what the kernels of leaves are written in, where a compiler does not find it by itself.

A loop over an array becomes vector instructions only if the compiler can show that its arrays do not overlap, and what
is left over is done one by one. Leaves are swept in rows of some dozens of floats, where that costs more than the work.
So rows are padded to a multiple of WIDTH there, and loaded, added and stored as vectors.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model
from numpy.typing import NDArray

WIDTH = 8
LINE = 64  # bytes of a cache line
_IR = ir.VectorType(ir.FloatType(), WIDTH)


class VectorType(types.Type):  # type: ignore[misc]
    """The type of eight floats in a kernel."""

    def __init__(self) -> None:
        super().__init__("ludus.vector")


vector = VectorType()


@register_model(VectorType)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, of: Any) -> None:
        super().__init__(manager, of, _IR)


def _inlined(function: Callable[..., Any]) -> Any:
    """What a function of types returns, the types of a call and the code for it, in the place of each call."""
    return intrinsic(function)


def padded(count: int) -> int:
    """A number of floats that whole vectors hold."""
    return -(-count // WIDTH) * WIDTH


def aligned(count: int) -> NDArray[np.float32]:
    """So many zeros that start at a cache line."""
    room = np.zeros(count + LINE // 4, np.float32)
    start = -room.ctypes.data % LINE // 4
    return room[start : start + count]


def _place(context: Any, builder: Any, kind: Any, array: Any, at: Any) -> Any:
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [at]), _IR.as_pointer())


@_inlined
def load(_: Any, array: Any, at: Any) -> Any:
    """The eight floats of an array from an index on."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        return builder.load(_place(context, builder, signature.args[0], *given), align=4)

    return vector(array, types.uint64), code


@_inlined
def store(_: Any, array: Any, at: Any, value: Any) -> Any:
    """Write eight floats to an array from an index on."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        builder.store(given[2], _place(context, builder, signature.args[0], *given[:2]), align=4)
        return context.get_dummy_value()

    return types.void(array, types.uint64, vector), code


@_inlined
def transpose(_: Any, array: Any, at: Any, step: Any, out: Any, to: Any, out_step: Any) -> Any:
    """Transpose eight rows of eight floats, ``step`` apart, to another array."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        source, at, step, target, to, out_step = given
        rows = []
        for row in range(WIDTH):
            place = builder.add(at, builder.mul(step, ir.Constant(ir.IntType(64), row)))
            rows.append(builder.load(_place(context, builder, signature.args[0], source, place), align=4))
        far = WIDTH // 2
        while far:  # swap blocks of far x far off the diagonal
            low = [lane if not lane & far else WIDTH + lane - far for lane in range(WIDTH)]
            high = [lane + far if not lane & far else WIDTH + lane for lane in range(WIDTH)]
            for row in range(WIDTH):
                if not row & far:
                    one, two = rows[row], rows[row + far]
                    rows[row], rows[row + far] = (
                        builder.shuffle_vector(one, two, ir.Constant(ir.VectorType(ir.IntType(32), WIDTH), mask))
                        for mask in (low, high)
                    )
            far //= 2
        for row in range(WIDTH):
            place = builder.add(to, builder.mul(out_step, ir.Constant(ir.IntType(64), row)))
            builder.store(rows[row], _place(context, builder, signature.args[3], target, place), align=4)
        return context.get_dummy_value()

    u = types.uint64
    return types.void(array, u, u, out, u, u), code


@_inlined
def take_number(_: Any, queue: Any) -> Any:
    """The first number of an array, which is one higher for whoever takes the next: threads take each once."""

    def code(context: Any, builder: Any, signature: Any, given: Any) -> Any:
        place = context.make_array(signature.args[0])(context, builder, given[0]).data
        return builder.atomic_rmw("add", place, ir.Constant(ir.IntType(64), 1), "monotonic")

    return types.int64(queue), code


def _arithmetic(sign: Any, instruction: str) -> None:
    """Let an operator of Python work on vectors."""

    @_inlined
    def compute(_: Any, one: Any, two: Any) -> Any:
        def code(_context: Any, builder: Any, _signature: Any, given: Any) -> Any:
            return getattr(builder, instruction)(*given)

        return vector(vector, vector), code

    def chosen(one: Any, two: Any) -> Any:
        return (lambda one, two: compute(one, two)) if one is vector and two is vector else None

    overload(sign, strict=False)(chosen)


for _sign, _instruction in ((operator.add, "fadd"), (operator.sub, "fsub"), (operator.mul, "fmul")):
    _arithmetic(_sign, _instruction)
