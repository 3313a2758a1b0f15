"""Asking for memory before it is needed: rows drawn at random from a long history are far away."""

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from bandstrap.kernels.compile import kernel

LINE = 64  # bytes that come at once


@intrinsic
def _prefetch(typing, array, row, byte):
    """Ask for the line of memory that holds a byte of a row; changes nothing that can be seen."""

    def generate(context, builder, signature, arguments):
        kind, (value, row, byte) = signature.args[0], arguments
        array = make_array(kind)(context, builder, value)
        stride = cgutils.unpack_tuple(builder, array.strides)[0]
        place = builder.add(builder.mul(row, stride), byte)
        pointer = ir.IntType(8).as_pointer()
        address = builder.gep(builder.bitcast(array.data, pointer), [place])
        number = ir.IntType(32)
        shape = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        ask = cgutils.get_or_insert_function(builder.module, shape, "llvm.prefetch.p0i8")
        # To be read; to be kept near; data, not code.
        builder.call(ask, [address, number(0), number(3), number(1)])
        return impl_ret_untracked(context, builder, types.none, context.get_dummy_value())

    return types.none(array, types.intp, types.intp), generate


@kernel
def prefetch(array, row):
    """Ask for a row, array[row], of an array that is laid out by rows."""
    for byte in range(0, array.strides[0], LINE):
        _prefetch(array, row, byte)
