"""Four doubles as one vector: the compiler leaves loops as short as a few replicas alone."""

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_untracked
from numba.extending import intrinsic
from numba.np.arrayobj import make_array

LANES = 4


@intrinsic
def add_lanes(typing, out, row, q, scale, other, other_row):
    """out[row, q : q + 4] += scale * other[other_row, q : q + 4], for arrays laid out by rows.

    A product, rounded, then a sum: the same bits as one by one. Nothing is checked.
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
