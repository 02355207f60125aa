"""The outcomes of a test for 64 instances in a row, as the bits of a word.

Where the processor has vectors, that is one instruction or a few: much less than a byte for each, packed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gatree.evolution.evaluators.bits.popcount import WORD
from gatree.kernels.decorators import COMPILED

if COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    def _comparing(operator: str) -> Any:
        """Return the code of a comparison of 64 elements of a contiguous array with a number."""

        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array_type, _, number_type = signature.args
            array = context.make_array(array_type)(context, builder, arguments[0])
            element = array.data.type.pointee
            vector = ir.VectorType(element, WORD)
            place = builder.gep(array.data, [arguments[1]])
            elements = builder.load(builder.bitcast(place, vector.as_pointer()), align=1)
            number = context.cast(builder, arguments[2], number_type, array_type.dtype)
            one = builder.insert_element(ir.Constant(vector, ir.Undefined), number, ir.IntType(32)(0))
            zeros = ir.Constant(ir.VectorType(ir.IntType(32), WORD), [0] * WORD)
            all_alike = builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), zeros)
            passing = builder.icmp_unsigned(operator, elements, all_alike)
            return builder.bitcast(passing, ir.IntType(WORD))

        return emit

    @intrinsic  # type: ignore[untyped-decorator]
    def up_to(typing_context: Any, codes: Any, begin: Any, code: Any) -> Any:  # noqa: ARG001
        """Tell which of the 64 codes from `begin` on are at most a code."""
        return types.uint64(codes, types.int64, code), _comparing("<=")

    @intrinsic  # type: ignore[untyped-decorator]
    def equal_to(typing_context: Any, codes: Any, begin: Any, code: Any) -> Any:  # noqa: ARG001
        """Tell which of the 64 codes from `begin` on are some code."""
        return types.uint64(codes, types.int64, code), _comparing("==")

else:

    def up_to(codes: Any, begin: int, code: int) -> np.uint64:
        """Tell which of the 64 codes from `begin` on are at most a code."""
        return _word(codes[begin : begin + WORD] <= code)

    def equal_to(codes: Any, begin: int, code: int) -> np.uint64:
        """Tell which of the 64 codes from `begin` on are some code."""
        return _word(codes[begin : begin + WORD] == code)

    def _word(passing: Any) -> np.uint64:
        return np.uint64(np.packbits(passing, bitorder="little").view("<u8")[0])
