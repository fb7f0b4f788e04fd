// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the quantize stage.

#ifndef CONVOY_QUANTIZE_PASSES_TD
#define CONVOY_QUANTIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseScalesPass : Pass<"convoy-quantize-choose-scales", "mlir::func::FuncOp"> {
  let summary = "Requantizes activations to int8 with zero point 0";
  let description = [{
    Takes: graphs with 8-bit quantize_linear and dequantize_linear. Gives: the same
    graph with scales that cover the same range with zero point 0. If a range has no
    negative values, the pass inserts a relu. If the model's caller sees the
    integers, the pass keeps them and rescales. The pass loses up to one bit of
    precision of each tensor that had a zero point. It is for targets without zero
    points. Does not do: choose weights. The stage chooses them later, when both
    scales of a layer are known.

    %q = graph.quantize_linear %y, %s, %z    // uint8, zero point 0                // before
    %x = graph.dequantize_linear %q, %s, %z

    %0 = graph.unary relu %y                                                       // after
    %q = graph.quantize_linear %0, %s2, %0   // int8, s2 = s * 255 / 127
    %x = graph.dequantize_linear %q, %s2, %0
  }];
  let statistics = [Statistic<"chosenScales", "chosen-scales", "Tensors with a new scale">];
}

def ChooseSignsPass : Pass<"convoy-quantize-choose-signs", "mlir::func::FuncOp"> {
  let summary = "Replaces unsigned 8-bit activations by signed ones";
  let description = [{
    Takes: graphs with quantize_linear and dequantize_linear, and the ops into which
    Import expands QLinearConv and QLinearMatMul. Gives: a graph with exactly the
    same real values, in which i8 tensors and zero points minus 128 replace ui8
    activations with constant zero points. If the model's caller sees the integers,
    the pass keeps them and converts. It is for targets whose kernels take signed
    bytes. Does not do: change weights; convoy-quantize-lower-layers stores them as
    signed bytes.

    %q = graph.quantize_linear %y, %s, %z    // ui8, zero point 3                  // before
    %x = graph.dequantize_linear %q, %s, %z

    %q = graph.quantize_linear %y, %s, %z2   // i8, zero point -125                // after
    %x = graph.dequantize_linear %q, %s, %z2
  }];
  let statistics = [Statistic<"signedTensorCount", "signed-tensors", "Tensors that became i8">];
}

def CancelDetoursPass : Pass<"convoy-quantize-cancel-detours", "mlir::func::FuncOp"> {
  let summary = "Moves ops that move or compare elements from floating point to the integers";
  let description = [{
    Takes: graphs with quantize_linear and dequantize_linear. Gives: a graph with
    exactly the same values. The pass moves reshapes, transposes, slices, max pools,
    relus and pads from after a dequantize_linear to before it, and from before a
    quantize_linear to after it. Layers are then adjacent to their quantization. The
    pass folds moved constants. Does not do: introduce new rounding.

    %0 = graph.dequantize_linear %x, %s, %z                               // before
    %1 = graph.transpose %0 {perm = array<i64: 0, 3, 1, 2>}

    %0 = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>}               // after
    %1 = graph.dequantize_linear %0, %s, %z
  }];
}

def LowerLayersPass : Pass<"convoy-quantize-lower-layers", "mlir::func::FuncOp"> {
  let summary = "Lowers layers between dequantize_linear and quantize_linear to integer ops";
  let description = [{
    Takes: graphs after convoy-quantize-cancel-detours, and the ops into which
    Import expands QLinearConv and QLinearMatMul. Gives: integer_conv,
    integer_matmul, integer_sum_pool, integer_add, integer_mul, lookup, integer_lrn
    and requantize in place of floating-point layers whose operands and result are
    quantized with constant scales. A relu or clip in between becomes bounds. If the
    result of a last layer stays in floating point, the pass emits an integer layer
    and one dequantize_linear of its sums. Activations have 8 or 16 bits, weights 8
    bits or fewer; weights of fewer bits become 8-bit constants. Sums have 32 bits if
    weights and bias prove that no sum reaches 2^31, else 64 bits. Does not do: lower
    layers without an integer form. A remark states the reason. Functions of 16-bit
    values have no table.

    %0 = graph.dequantize_linear %x, %sx, %zx                             // before
    %1 = graph.dequantize_linear %w, %sw, %zw
    %2 = graph.conv %0, %1, %b {...}
    %3 = graph.unary relu %2
    %y = graph.quantize_linear %3, %sy, %zy

    %0 = graph.integer_conv %x, %w, %b32 {...}                            // after
    %y = graph.requantize %0, %m, %s {low = 0 : i64, ...}
  }];
  let options = [
    Option<"multiplierBits", "multiplier-bits", "int64_t", "31",
           "Set the bits of the multipliers of requantize, 8 to 31">,
    Option<"rounding", "rounding", "convoy::graph::ShiftRounding",
           "convoy::graph::ShiftRounding::HalfEven",
           "Round ties half_away, half_up or half_even",
           [{::llvm::cl::values(
               clEnumValN(convoy::graph::ShiftRounding::HalfAway, "half_away", "Away from zero"),
               clEnumValN(convoy::graph::ShiftRounding::HalfUp, "half_up", "Up"),
               clEnumValN(convoy::graph::ShiftRounding::HalfEven, "half_even", "To even"))}]>,
    Option<"hasOneShift", "one-shift", "bool", "false",
           "Use separate multipliers but one shift for the channels of a layer">,
    Option<"axisAverageLimit", "axis-average-limit", "int64_t", "0",
           "Round averages over at most this many rows and columns after the columns and again after the rows; 0: never">,
    Option<"shiftsAddend", "shift-addend", "bool", "false",
           "Add with one multiplied and one shifted operand, then rescale the sum once">,
    Option<"shiftsOnly", "shifts-only", "bool", "false",
           "Round weights again so that each layer is rescaled by one shift">,
    Option<"shortTable", "short-table", "int64_t", "0",
           "Set the number of intervals of the shorter integer_lrn table; 0: no tables">,
    Option<"longTable", "long-table", "int64_t", "0",
           "Set the number of intervals of the longer integer_lrn table; 0: no tables">,
    Option<"hasByteTables", "byte-tables", "bool", "false",
           "Lower lrn to tables of 256 bytes for squares and for factors">];
  let statistics = [Statistic<"loweredLayers", "lowered-layers", "Layers lowered to integer ops">];
}

def FoldWeightsPass : Pass<"convoy-quantize-fold-weights", "mlir::func::FuncOp"> {
  let summary = "Folds every dequantize_linear of a constant";
  let description = [{
    Takes: graphs whose quantized weights the graph stage has kept. Gives:
    floating-point constants for the weights of layers that stay in floating point.
    Does not do: change integer layers; fold matrices of products with a scale per
    block, which templates read packed.

    %w = graph.dequantize_linear %c, %s, %z   // %c, %s, %z constants     // before
    %w = graph.constant dense<...> : tensor<16x8x3x3xf32>                 // after
  }];
}

def CheckQuantizeContractPass : Pass<"convoy-quantize-check-contract", "mlir::func::FuncOp"> {
  let summary = "Checks that rescaling uses constants and that no constant is dequantized";
  let description = [{
    Takes: a function after the quantize stage. Gives: the same function, or an
    error at each requantize whose multiplier or shift is not constant, each lookup
    or integer_lrn whose table is not constant, and each dequantize_linear of a
    constant that is not a matrix with a scale per block. Does not do: change the
    function.

    %y = graph.requantize %x, %arg1, %arg2 {...}                          // error
  }];
}

#endif // CONVOY_QUANTIZE_PASSES_TD
