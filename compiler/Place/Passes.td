// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the place stage.

#ifndef CONVOY_PLACE_PASSES_TD
#define CONVOY_PLACE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitRegionsPass : Pass<"convoy-place-split-regions", "mlir::func::FuncOp"> {
  let summary = "Outlines the ops that a device runs into graph.kernel regions";
  let description = [{
    Takes: a typed graph and the name of a device. Gives: a `graph.kernel` with
    `#kernel.offload` for each maximal region that the device runs, with its semantic ops and
    constants inside, and a remark with the reason at every op that stays on the CPU. Regions
    are connected and have no cyclic dependences. If the device computes f32 in another type,
    the CPU casts the values that cross the border of a region. The function keeps the counts
    and estimates of the placement in `place.placement`. With `policy=fastest`, a region stays
    on the CPU if the device is not estimated to be faster. Does not do: compile the regions;
    the device stage does.

    %0 = graph.conv %x, %w {...} : ...                                    // before
    %1 = graph.unary relu %0 : ...
    %2 = graph.unary erf %1 : ...

    %1 = graph.kernel %x {                                                // after
    ^bb0(%a: tensor<1x8x4x4xf32>):
      %w = graph.constant ...
      ... graph.conv, graph.unary relu
    } {config = #kernel.offload<device = "d">} : ...
    %2 = graph.unary erf %1 : ...          // remark: stays on the CPU: convcore has no op
                                           // for erf
  }];
  let options = [
    Option<"device", "device", "std::string", "\"\"", "Target of the device">,
    Option<"policy", "policy", "convoy::PlacePolicy", "convoy::PlacePolicy::All",
           "Which of the supported ops run on the device",
           [{::llvm::cl::values(
               clEnumValN(convoy::PlacePolicy::All, "all", "All of them"),
               clEnumValN(convoy::PlacePolicy::Fastest, "fastest",
                          "Regions that are estimated to be faster than on one CPU core"))}]>];
  let statistics = [Statistic<"placedRegions", "placed-regions", "Regions of the device">];
  let dependentDialects = ["convoy::convcore::ConvCoreDialect", "convoy::kernels::KernelDialect",
                           "convoy::place::PlaceDialect"];
}

def CheckCpuPass : Pass<"convoy-place-check-cpu", "mlir::ModuleOp"> {
  let summary = "Checks that the CPU can run every op outside of device regions";
  let description = [{
    Takes: the graph after composites are lowered. Gives: the same graph, or one error per
    unsupported op with the node's name and the reason. If model inputs determine the size of a
    result, the error names them and the flags that bind them. Does not do: change the graph.

    error: node 'nms' (NonMaxSuppression): not supported on the CPU: the size of
    its result depends on data; `--target=reference` runs it            // printed
  }];
}

#endif // CONVOY_PLACE_PASSES_TD
