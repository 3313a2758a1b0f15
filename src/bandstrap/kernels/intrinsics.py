"""Two instructions that Numba does not offer: prefetching memory, and vectors of four doubles.

Rows drawn at random from a long history are rarely in the cache. And the compiler does not
vectorise loops as short as a few replicas.
"""

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

from bandstrap.kernels.compile import kernel

LINE = 64  # bytes of a cache line
LANES = 4


@intrinsic
def _prefetch(typing, array, row, byte):
    """Prefetch the cache line that holds a byte of a row; no effect but on speed."""

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
        # For reading, into every level of the cache, as data.
        builder.call(ask, [address, number(0), number(3), number(1)])
        return impl_ret_untracked(context, builder, types.none, context.get_dummy_value())

    return types.none(array, types.intp, types.intp), generate


@kernel
def prefetch(array, row):
    """Prefetch array[row] of a C-contiguous array."""
    for byte in range(0, array.strides[0], LINE):
        _prefetch(array, row, byte)


@intrinsic
def add_lanes(typing, out, row, q, scale, other, other_row):
    """out[row, q : q + 4] += scale * other[other_row, q : q + 4], for C-contiguous arrays.

    Each product is rounded before it is added, as in a scalar loop. No bounds are checked.
    """

    def generate(context, builder, signature, arguments):
        vector = ir.VectorType(ir.DoubleType(), LANES)
        out, row, q, scale, other, other_row = arguments

        def address(kind, value, at):
            array = make_array(kind)(context, builder, value)
            width = cgutils.unpack_tuple(builder, array.shape)[1]
            place = builder.add(builder.mul(at, width), q)
            return builder.bitcast(builder.gep(array.data, [place]), vector.as_pointer())

        target = address(signature.args[0], out, row)
        source = address(signature.args[4], other, other_row)
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), scale, ir.IntType(32)(0))
        lanes = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        scales = builder.shuffle_vector(one, one, lanes)
        product = builder.fmul(scales, builder.load(source, align=8))
        builder.store(builder.fadd(builder.load(target, align=8), product), target, align=8)
        return impl_ret_untracked(context, builder, types.none, context.get_dummy_value())

    whole, real = types.intp, types.float64
    return types.none(out, whole, whole, real, other, whole), generate
