// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the layout stage.

#ifndef CONVOY_LAYOUT_PASSES_TD
#define CONVOY_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertMeasuredPass : Pass<"convoy-layout-insert-measured", "mlir::ModuleOp"> {
  let summary = "Each kernel carries what was measured of its task";
  let description = [{
    Takes: kernels on planar tensors, and a source of measurements that the driver gives
    (none in convoy-opt, where the pass does nothing). Gives: `layout.measured` on each
    kernel whose task was measured, for `convoy-layout-choose-layouts`, and
    `layout.measurements` with the source's hash and counts on the module. A measurement
    whose configuration no longer fits its kernel is left out. Chooses nothing.

    %1 = graph.kernel %x, %w { ... graph.conv ... }                               // before

    %1 = graph.kernel %x, %w { ... graph.conv ... }                               // after
         {layout.measured = [{config = #kernel.conv_direct<...>, ns = 9.1e+04 : f64} ]}
  }];
  let dependentDialects = ["convoy::kernels::KernelDialect"];
}

def FoldRoundingsPass : Pass<"convoy-layout-fold-roundings", "mlir::func::FuncOp"> {
  let summary = "A rescaling whose products meet no half rounds half up";
  let description = [{
    Takes: kernels with rescalings by constants. Gives: `half_up`, the shortest rounding,
    where no value that the layer before can give makes a product that ends in one half;
    `kernel.narrow` on rescalings whose results fit 32 bits before they are clamped, and
    `kernel.upper` on those that need only the upper halves of their products. Sums of
    two weighted operands are treated alike. No result changes. Only for CPUs: a device has the rounding that it has.

    %1 = graph.requantize %0, %m, %s {rounding = 2 : i32, ...}                    // before

    %1 = graph.requantize %0, %m, %s {rounding = 1 : i32, kernel.narrow, ...}     // after
  }];
  let dependentDialects = ["convoy::kernels::KernelDialect"];
  let statistics = [Statistic<"folded", "folded", "Roundings that became half up">];
}

def ChooseLayoutsPass : Pass<"convoy-layout-choose-layouts", "mlir::func::FuncOp"> {
  let summary = "Each kernel has a template, and each tensor the layout that is cheapest in all";
  let description = [{
    Takes: kernels on planar tensors. Gives: kernels with a configuration, types
    with encodings, constants with the layout that their kernel reads (packed when
    they are written), and `graph.reorder` where neighbours could not agree: in a
    kernel of its own when data moves, alone when the bytes are the same. Chooses
    by costs of templates and reorders over the whole block; where a kernel has
    `layout.measured`, by the times in it. Inputs, outputs and views of the function
    stay planar.

    %1 = graph.kernel %x, %w { ... graph.conv ... }                               // before
         : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>

    %1 = graph.kernel %x, %w { ... } {config = #kernel.conv_direct<...>}          // after
         : (tensor<1x64x56x56xf32, #graph.blocked<c = 16>>,
            tensor<64x64x3x3xf32, #kernel.conv_weights<...>>)
         -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
  }];
  let dependentDialects = ["convoy::kernels::KernelDialect"];
  let options = [
    Option<"vectorBytes", "vector-bytes", "int64_t", "32", "Vector register width of the target">,
    Option<"vectorRegisters", "vector-registers", "int64_t", "16", "Vector registers">,
    Option<"fmaPorts", "fma-ports", "int64_t", "2", "Vector multiply-adds per cycle; 0 without such an instruction">,
    Option<"hasScalarOperands", "scalar-operands", "bool", "false", "Vectors are multiplied by scalar registers">,
    Option<"firstCacheBytes", "first-cache-bytes", "int64_t", "32768", "First-level cache">,
    Option<"secondCacheBytes", "second-cache-bytes", "int64_t", "1048576", "Second-level cache">,
    Option<"dot", "dot", "std::string", "\"none\"", "Sums of products of integers: none, pairs or bytes">,
    Option<"hasTiles", "tiles", "bool", "false", "Tile registers are multiplied as matrices of bytes">,
    Option<"isStrictMath", "strict-math", "bool", "false", "Keep to direct algorithms">
  ];
  let statistics = [Statistic<"reorders", "reorders", "Reorders that move data">];
}

def CancelConcatsPass : Pass<"convoy-layout-cancel-concats", "mlir::func::FuncOp"> {
  let summary = "A concatenation of what can be written side by side copies nothing";
  let description = [{
    Takes: kernels with settled layouts. Gives: `graph.concat` outside a kernel where
    a kernel did nothing else, its operands lie one behind the other in the result's
    memory, kernels make all of them or the tensors that they are views of, and none is
    a part of another concatenation or returned. Memory then places the operands in the
    result. What cannot be placed so stays a kernel that copies.

    %2 = graph.kernel %0, %1 { ... graph.concat ... }                             // before
         : (tensor<1x32x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x48x8x8xf32>

    %2 = graph.concat %0, %1 {axis = 1 : i64}                                     // after
         : (tensor<1x32x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x48x8x8xf32>
  }];
  let statistics = [Statistic<"canceled", "canceled", "Concatenations that copy nothing">];
}

def CheckLayoutsPass : Pass<"convoy-layout-check-layouts", "mlir::func::FuncOp"> {
  let summary = "Only kernels, reorders and concatenations see tensors that are not planar";
  let description = [{
    Takes: kernels. Gives: the same, or an error at each op that would misread a
    layout encoding, and at each kernel whose types differ inside and outside.
    Changes nothing.

    return %x : tensor<1x64x56x56xf32, #graph.blocked<c = 16>>        // is refused
    %y = graph.reorder %x : (tensor<1x64x56x56xf32, #graph.blocked<c = 16>>)
           -> tensor<1x64x56x56xf32>                                  // passes
  }];
}

#endif // CONVOY_LAYOUT_PASSES_TD
