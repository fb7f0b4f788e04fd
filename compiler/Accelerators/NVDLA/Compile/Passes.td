// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of NVDLA's compiler, in the order in which Passes.cpp adds them: lower convcore layers to
// jobs of units, choose how units execute the jobs, and check what the emitter assumes.

#ifndef CONVOY_NVDLA_COMPILE_PASSES_TD
#define CONVOY_NVDLA_COMPILE_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConfigOption : Option<"config", "config", "std::string", /*default=*/"\"nvdla-small\"",
    "Target with its settings, such as nvdla-full:optimize=memory (default: nvdla-small)">;

def LowerConvCorePass : Pass<"convoy-nvdla-lower-conv-core", "mlir::func::FuncOp"> {
  let summary = "Lowers each convcore layer to the jobs of the units that run it";
  let description = [{
    Takes: a function of convcore layers and constants, with f16 as only float type. Gives: nvdla
    ops in the same order. The zero point of a convolution's input becomes its padding and a part of
    the bias. Requantization and activations become stages of SDP. An error names the first layer
    that no unit supports. Does not do: check the capability table of the device, store values where
    their readers require them, or fuse jobs.

    ```mlir
    %y = convcore.conv %x, %w, %b {... requant = #convcore.requant<i8, multipliers = [9],
        shifts = [4], zeroPoint = 0, low = 0, high = 127, rounding = half_away>}     // before

    %0 = nvdla.conv %x, %w {padValue = 0 : i64, ...} : ... -> tensor<1x8x4x4xi32>    // after
    %y = nvdla.sdp %0 x1(%bm) {x1 = #nvdla.stage<alu = sum, mul = 1, truncate = 4,
        relu = 1, from = kernel>, offset = 0 : i64} : ... -> tensor<1x8x4x4xi8>
    ```
  }];
  let dependentDialects = ["convoy::graph::GraphDialect", "convoy::nvdla::NvdlaDialect"];
  let options = [ConfigOption];
}

def FuseStagesPass : Pass<"convoy-nvdla-fuse-stages", "mlir::func::FuncOp"> {
  let summary = "Fuses consecutive SDP jobs on fp16 whose stages fit in one job";
  let description = [{
    Takes: nvdla ops. Gives: the same function, where an SDP op with at most two stages in total
    replaces two SDP ops, if the second is the only user of the first. A sum with the result of a
    convolution becomes a stage of the convolution's SDP. If both operands are results of
    convolutions, the sum joins the later convolution. Does not do: fuse jobs on int8, because the
    integer graph rounds to 8 bits between them, or fuse a stage after a curve.

    ```mlir
    %0 = nvdla.sdp %sums {x1 = #nvdla.stage<relu = 1>, ...}                          // before
    %y = nvdla.sdp %0 x1(%x) {x1 = #nvdla.stage<alu = sum, from = element>, ...}

    %y = nvdla.sdp %sums x2(%x) {x1 = #nvdla.stage<relu = 1>,                        // after
        x2 = #nvdla.stage<alu = sum, from = element>, ...}
    ```
  }];
  let dependentDialects = ["convoy::nvdla::NvdlaDialect"];
}

def ChooseImagesPass : Pass<"convoy-nvdla-choose-images", "mlir::func::FuncOp"> {
  let summary = "Stores an argument with at most four channels as an image";
  let description = [{
    Takes: nvdla ops. Gives: `image` on each convolution that is the only user of an argument with
    at most four channels, if it has one group and no dilation, and if the rows of one output row
    fit in the convolution buffer. Does not do: move data; the caller of the loadable writes the
    argument in the layout that the loadable declares.

    ```mlir
    %0 = nvdla.conv %arg0, %w {...} : (tensor<1x3x8x8xi8>, ...) -> ...               // before

    %0 = nvdla.conv %arg0, %w {image, ...} : (tensor<1x3x8x8xi8>, ...) -> ...        // after
    ```
  }];
  let dependentDialects = ["convoy::nvdla::NvdlaDialect"];
  let options = [ConfigOption];
}

def SplitPoolsPass : Pass<"convoy-nvdla-split-pools", "mlir::func::FuncOp"> {
  let summary = "Replaces a pool of a join with a join of pools";
  let description = [{
    Takes: nvdla ops. Gives: a PDP op for each input of a join whose only user was one PDP op. Joins
    of more than four inputs on int8, or two inputs on fp16, stay. The parts can overlap with the
    convolutions that write the inputs. Does not do: change a function of `profile=separate`.

    ```mlir
    %j = nvdla.join %a, %b                                                           // before
    %y = nvdla.pdp %j {...}

    %0 = nvdla.pdp %a {...}                                                          // after
    %1 = nvdla.pdp %b {...}
    %y = nvdla.join %0, %1
    ```
  }];
  let dependentDialects = ["convoy::nvdla::NvdlaDialect"];
  let options = [ConfigOption];
}

def InsertCopiesPass : Pass<"convoy-nvdla-insert-copies", "mlir::func::FuncOp"> {
  let summary = "Inserts copies so that each value is stored where its readers require it";
  let description = [{
    Takes: nvdla ops. Gives: the same function, in which each input of a join is written by the
    function and joined once; each result has memory of its own; the inputs of CDP, of splits and of turns, the
    operands of SDP stages and the results have no gaps between channels; and each block of channels
    that RUBIK contracts has atoms of its own. A cube whose rows RUBIK turns can be padded. A copy is an SDP op without stages. A convolution with
    weights of ones and zeros removes or inserts gaps. A view of a whole cube without other users is removed. Does not
    do: assign addresses.

    ```mlir
    %y = nvdla.join %a, %a                                                           // before

    %0 = nvdla.sdp %a {offset = 0 : i64}                                             // after
    %y = nvdla.join %a, %0
    ```
  }];
  let dependentDialects = ["convoy::graph::GraphDialect", "convoy::nvdla::NvdlaDialect"];
  let options = [ConfigOption];
}

def ChooseWinogradPass : Pass<"convoy-nvdla-choose-winograd", "mlir::func::FuncOp"> {
  let summary = "Marks convolutions that take fewer cycles in Winograd mode";
  let description = [{
    Takes: nvdla ops after the insertion of copies. Gives: `winograd` on each fp16 convolution of
    3 x 3 with stride 1 that the cycle model predicts to be faster in that mode. The prediction
    includes a pool that then needs a pass of its own. Output sizes that are not multiples of four
    require cubes that can be padded. Does not do: change a function of `optimize=memory` or
    `profile=separate`, or of a configuration without fp16; transform weights.

    ```mlir
    %0 = nvdla.conv %x, %w {...} : (tensor<1x64x16x16xf16>, tensor<64x64x3x3xf16>)   // before

    %0 = nvdla.conv %x, %w {winograd, ...}                                           // after
    ```
  }];
  let dependentDialects = ["convoy::nvdla::NvdlaDialect"];
  let options = [ConfigOption];
}

def FuseUnitsPass : Pass<"convoy-nvdla-fuse-units", "mlir::func::FuncOp"> {
  let summary = "Passes the result of SDP to PDP on the fly";
  let description = [{
    Takes: nvdla ops, with the choice of Winograd mode. Gives: `toPdp` on each SDP op whose only
    user is a PDP op, if one job writes the whole cube and the output row fits in PDP's line buffer.
    The PDP op follows its SDP op directly. Does not do: change a function of `profile=separate`.

    ```mlir
    %0 = nvdla.sdp %sums {offset = 0 : i64}                                          // before
    ...
    %y = nvdla.pdp %0 {...}

    %0 = nvdla.sdp %sums {offset = 0 : i64, toPdp}                                   // after
    %y = nvdla.pdp %0 {...}
    ```
  }];
  let dependentDialects = ["convoy::nvdla::NvdlaDialect"];
  let options = [ConfigOption];
}

def CheckNvdlaContractPass : Pass<"convoy-nvdla-check-contract", "mlir::func::FuncOp"> {
  let summary = "Checks what the emitter of loadables assumes about a function";
  let description = [{
    Takes: a function after the other passes. Gives: the same function, or an error at the first op
    that breaks a clause. Does not do: change the function. The clauses are:

    - [nvdla.1] every op is an nvdla op or a constant.
    - [nvdla.2] each input of a join is written by the function and joined once.
    - [nvdla.3] each result is written by the function, is returned once, has no gaps between
      channels, and no join reads it.
    - [nvdla.4] the input of CDP has no gaps.
    - [nvdla.5] the only user of an SDP op with `toPdp` is a PDP op.
    - [nvdla.6] RUBIK reads cubes as [contract.2], [split.3] and [turn.2] state; planes are written by a split
      and read by merges.

    ```mlir
    %y = nvdla.join %a, %a          // error: breaks [nvdla.2]

    %0 = nvdla.sdp %a               // accepted
    %y = nvdla.join %a, %0
    ```
  }];
  let dependentDialects = ["convoy::nvdla::NvdlaDialect"];
  let options = [ConfigOption];
}

#endif // CONVOY_NVDLA_COMPILE_PASSES_TD
