// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the quantize stage.

#ifndef CONVOY_QUANTIZE_PASSES_TD
#define CONVOY_QUANTIZE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ChooseScalesPass : Pass<"convoy-quantize-choose-scales", "mlir::func::FuncOp"> {
  let summary = "Activations are quantised to int8 without a zero point";
  let description = [{
    Takes: graphs with quantize_linear and dequantize_linear of 8 bits. Gives: the same
    with scales that cover the same range from zero point 0; a range that ended at 0
    has a relu in front, one that the model's caller sees is left and rescaled to.
    Loses up to one bit of each tensor that had a zero point. For targets that have
    none; weights are chosen later, when both scales of a layer are known.

    %q = graph.quantize_linear %y, %s, %z    // uint8, zero point 0                // before
    %x = graph.dequantize_linear %q, %s, %z

    %0 = graph.unary relu %y                                                       // after
    %q = graph.quantize_linear %0, %s2, %0   // int8, s2 = s * 255 / 127
    %x = graph.dequantize_linear %q, %s2, %0
  }];
  let statistics = [Statistic<"chosenScales", "chosen-scales", "Tensors with another scale">];
}

def CancelDetoursPass : Pass<"convoy-quantize-cancel-detours", "mlir::func::FuncOp"> {
  let summary = "Ops that move or compare elements work on the integers themselves";
  let description = [{
    Takes: graphs with quantize_linear and dequantize_linear. Gives: the same
    values, exactly; reshapes, transposes, slices, maximum pools, relus and pads
    behind a dequantize_linear stand in front of it, and those in front of a
    quantize_linear behind it, so that layers meet their quantisation. Constants
    that were moved so are folded. Does not round anything anew.

    %0 = graph.dequantize_linear %x, %s, %z                               // before
    %1 = graph.transpose %0 {perm = array<i64: 0, 3, 1, 2>}

    %0 = graph.transpose %x {perm = array<i64: 0, 3, 1, 2>}               // after
    %1 = graph.dequantize_linear %0, %s, %z
  }];
}

def LowerLayersPass : Pass<"convoy-quantize-lower-layers", "mlir::func::FuncOp"> {
  let summary = "Layers between dequantize_linear and quantize_linear are integer ops";
  let description = [{
    Takes: graphs after convoy-quantize-cancel-detours, and what Import makes of
    QLinearConv and QLinearMatMul. Gives: integer_conv, integer_matmul,
    integer_sum_pool, integer_add, integer_mul, lookup, integer_lrn and requantize in place of
    float layers whose operands and result are quantised with constant scales;
    relu and clip in between become bounds. A last layer whose result stays in
    float gets an integer layer and one dequantize_linear of its sums. A remark
    says why a quantize_linear keeps a float op before it.

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
           "Bits of the multipliers of requantize, 8 to 31">,
    Option<"rounding", "rounding", "std::string", "\"half_even\"",
           "Where halves go: half_away, half_up or half_even">,
    Option<"hasOneShift", "one-shift", "bool", "false",
           "Give the channels of a layer multipliers of their own, but one shift">,
    Option<"averagesByAxis", "average-by-axis", "bool", "false",
           "Round an average after its rows and again after its columns">,
    Option<"addFactorBits", "add-factor-bits", "int64_t", "0",
           "Bits of the factors that an addition's multipliers are of a common one; 0 for any">,
    Option<"shiftsOnly", "shifts-only", "bool", "false",
           "Round weights again so that layers are rescaled by one shift">,
    Option<"shortTable", "short-table", "int64_t", "0",
           "Intervals of the shorter of two tables that normalise over channels; 0 for none">,
    Option<"longTable", "long-table", "int64_t", "0", "Intervals of the longer one">];
  let statistics = [Statistic<"loweredLayers", "lowered-layers", "Layers made of integer ops">];
}

def FoldWeightsPass : Pass<"convoy-quantize-fold-weights", "mlir::func::FuncOp"> {
  let summary = "No dequantize_linear of a constant is left";
  let description = [{
    Takes: graphs whose quantised weights the graph stage has kept. Gives: float
    constants for the weights of layers that stayed in float. Does not touch
    integer layers.

    %w = graph.dequantize_linear %c, %s, %z   // %c, %s, %z constants     // before
    %w = graph.constant dense<...> : tensor<16x8x3x3xf32>                 // after
  }];
}

def CheckQuantizeContractPass : Pass<"convoy-quantize-check-contract", "mlir::func::FuncOp"> {
  let summary = "Rescaling is by constants, and no constant waits to be dequantised";
  let description = [{
    Takes: a function after the quantize stage. Gives: the same, or an error at
    each requantize whose multiplier or shift, each lookup or integer_lrn whose table is
    no constant, and at each dequantize_linear of a constant. Changes nothing.

    %y = graph.requantize %x, %arg1, %arg2 {...}                          // is refused
  }];
}

#endif // CONVOY_QUANTIZE_PASSES_TD
