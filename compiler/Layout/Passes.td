// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the layout stage: attach measurements, fold roundings and zero points, choose layouts, remove copies, and check the
// stage's contract.

#ifndef CONVOY_LAYOUT_PASSES_TD
#define CONVOY_LAYOUT_PASSES_TD

include "mlir/Pass/PassBase.td"

def InsertMeasuredPass : Pass<"convoy-layout-insert-measured", "mlir::ModuleOp"> {
  let summary = "Attaches the measurements of its task to each kernel";
  let description = [{
    Takes: kernels on planar tensors, and a source of measurements from the driver. convoy-opt has
    no source; the pass then does nothing. Gives: `layout.measured` on each kernel whose task was
    measured, for `convoy-layout-choose-layouts`, and `layout.measurements` with the hash and counts
    of the source on the module. A measurement whose configuration no longer fits its kernel is
    skipped. Does not do: choose configurations.

    %1 = graph.kernel %x, %w { ... graph.conv ... }                               // before

    %1 = graph.kernel %x, %w { ... graph.conv ... }                               // after
         {layout.measured = [{config = #kernel.conv_direct<...>, ns = 9.1e+04 : f64} ]}
  }];
  let dependentDialects = ["convoy::kernels::KernelDialect", "convoy::layout::LayoutDialect"];
}

def InsertReasonsPass : Pass<"convoy-layout-insert-reasons", "mlir::ModuleOp"> {
  let summary = "Attaches to each kernel why templates do not run it";
  let description = [{
    Takes: kernels on planar tensors, and the machine of the module (`kernel.machine`). Gives:
    `layout.reasons` on each kernel: for each template, why it cannot run the kernel, or that its
    estimate is slower than the generic loops; and a remark about attention. The tasks stage moves
    the attribute to the run, where the report of the compile reads it. Only `convoy explain` runs
    this pass, because it computes all candidates twice. Does not do: choose templates.

    %1 = graph.kernel %x { ... graph.unary relu ... }                             // before

    %1 = graph.kernel %x { ... graph.unary relu ... }                             // after
         {layout.reasons = {refusals = [ {reason = "...", template = "conv_direct"} ], remark = ""}}
  }];
  let dependentDialects = ["convoy::kernels::KernelDialect", "convoy::layout::LayoutDialect"];
  let options = [Option<"isStrictMath", "strict-math", "bool", "false",
                        "Use only direct algorithms, which round like a plain sum">,
                 Option<"isMeasured", "measured", "bool", "false",
                        "Tuning records decide between templates and generic loops">];
}

def FoldRoundingsPass : Pass<"convoy-layout-fold-roundings", "mlir::func::FuncOp"> {
  let summary = "Replaces round-half-even with round-half-up where no product is a tie";
  let description = [{
    Takes: kernels with requantize ops whose multipliers and shifts are constants. Gives: `half_up`,
    the cheapest rounding mode, where no possible accumulator value makes a product a tie;
    `kernel.narrow` on requantize ops whose results fit in 32 bits before clamping; `kernel.upper`
    on requantize ops that need only the upper halves of their products. The pass also changes the
    rounding mode of integer additions with two scaled operands. Does not do: change any result, or
    change kernels of a device, whose rounding mode is fixed.

    %1 = graph.requantize %0, %m, %s {rounding = 2 : i32, ...}                    // before

    %1 = graph.requantize %0, %m, %s {rounding = 1 : i32, kernel.narrow, ...}     // after
  }];
  let dependentDialects = ["convoy::kernels::KernelDialect"];
  let statistics = [Statistic<"folded", "folded", "Rounding modes changed to half_up">];
}

def FoldZeroPointsPass : Pass<"convoy-layout-fold-zero-points", "mlir::func::FuncOp"> {
  let summary = "Moves the zero point of the input into the bias of layers without padding";
  let description = [{
    Takes: kernels with an integer convolution or product whose weights and bias are constants, on a
    machine with byte ops. Gives: the zero point 0 and the bias minus zero point * sum(weights) per
    channel, if the layer has no padding. The sums stay equal. Does not do: change kernels of a
    device, or convolutions with padding, which represents the zero point.

    %1 = graph.integer_conv %x, %w, %b {inputZeroPoint = -128 : i64, ...}          // before

    %1 = graph.integer_conv %x, %w, %c {inputZeroPoint = 0 : i64, ...}             // after
  }];
  let dependentDialects = ["convoy::kernels::KernelDialect"];
  let statistics = [Statistic<"folded", "folded", "Zero points moved into biases">];
}

def ChooseLayoutsPass : Pass<"convoy-layout-choose-layouts", "mlir::func::FuncOp"> {
  let summary = "Assigns a template to each kernel and a layout to each tensor at the least total cost";
  let description = [{
    Takes: kernels on planar tensors, and the machine of the module (`kernel.machine`). Gives:
    kernels with a configuration, types with encodings,
    constants in the layout that their kernel reads (packed at compile time), and `graph.reorder`
    where producer and consumer have different layouts. A reorder that moves data is in a kernel of
    its own; a reorder between layouts with the same bytes is a view outside kernels. The pass
    minimizes the cost of templates and reorders over each block. If a kernel has `layout.measured`,
    the measured times replace estimates. Inputs, outputs and views of the function stay planar.
    With `weight-limit`, the cost of a convolution or product also has a price per byte of its
    constant weights, the lowest price at which all such weights of a block take at most this share
    of their planar bytes. A limit that no price reaches is an error. Does not do: lower kernels to
    loops.

    %1 = graph.kernel %x, %w { ... graph.conv ... }                               // before
         : (tensor<1x64x56x56xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x56x56xf32>

    %1 = graph.kernel %x, %w { ... } {config = #kernel.conv_direct<...>}          // after
         : (tensor<1x64x56x56xf32, #graph.blocked<c = 16>>,
            tensor<64x64x3x3xf32, #kernel.conv_weights<...>>)
         -> tensor<1x64x56x56xf32, #graph.blocked<c = 16>>
  }];
  let dependentDialects = ["convoy::kernels::KernelDialect"];
  let options = [
    Option<"isStrictMath", "strict-math", "bool", "false", "Use only direct algorithms, which round like a plain sum">,
    Option<"weightLimit", "weight-limit", "int64_t", "0",
           "Most bytes of packed weights in percent of their planar bytes; 0: no limit">
  ];
  let statistics = [Statistic<"reorders", "reorders", "Reorders that move data">];
}

def CancelConcatsPass : Pass<"convoy-layout-cancel-concats", "mlir::func::FuncOp"> {
  let summary = "Removes the copy of each concatenation whose operands can be written into its result";
  let description = [{
    Takes: kernels with chosen layouts. Gives: `graph.concat` outside a kernel in place of a kernel
    that only concatenates, if three conditions hold: the operands are adjacent in the memory of the
    result; kernels produce all operands, or the tensors that the operands are views of; and no
    operand is returned or part of another concatenation. Memory then places the operands inside the
    result. Does not do: change other concatenations, which stay kernels that copy.

    %2 = graph.kernel %0, %1 { ... graph.concat ... }                             // before
         : (tensor<1x32x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x48x8x8xf32>

    %2 = graph.concat %0, %1 {axis = 1 : i64}                                     // after
         : (tensor<1x32x8x8xf32>, tensor<1x16x8x8xf32>) -> tensor<1x48x8x8xf32>
  }];
  let statistics = [Statistic<"canceled", "canceled", "Concatenations that no longer copy">];
}

def CancelTransposesPass : Pass<"convoy-layout-cancel-transposes", "mlir::func::FuncOp"> {
  let summary = "Removes the copy of each transpose whose operand and result have the same bytes";
  let description = [{
    Takes: kernels with chosen layouts. Gives: `graph.transpose` outside a kernel in place of a
    kernel that only transposes, if the layouts of operand and result store the elements in the same
    order and the result is not returned. Memory then gives both tensors the same address. Does not
    do: change other transposes, which stay kernels that copy.

    %1 = graph.kernel %0 { ... graph.transpose ... }                              // before
         : (tensor<1x96x96x3xi8>) -> tensor<1x3x96x96xi8, #graph.blocked<c = 3>>

    %1 = graph.transpose %0 {perm = array<i64: 0, 3, 1, 2>}                       // after
         : (tensor<1x96x96x3xi8>) -> tensor<1x3x96x96xi8, #graph.blocked<c = 3>>
  }];
  let statistics = [Statistic<"canceled", "canceled", "Transposes that no longer copy">];
}

def CheckLayoutsPass : Pass<"convoy-layout-check-layouts", "mlir::func::FuncOp"> {
  let summary = "Checks that only kernels, reorders, concatenations and views use tensors that are not planar";
  let description = [{
    Takes: kernels with chosen layouts. Gives: the same IR, or an error at each op that does not
    support a layout encoding and at each kernel whose types differ from the types in its body. Does
    not do: change the IR.

    return %x : tensor<1x64x56x56xf32, #graph.blocked<c = 16>>        // error
    %y = graph.reorder %x : (tensor<1x64x56x56xf32, #graph.blocked<c = 16>>)
           -> tensor<1x64x56x56xf32>                                  // passes
  }];
}

#endif // CONVOY_LAYOUT_PASSES_TD
