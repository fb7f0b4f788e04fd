// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the device stage, which compiles regions to programs, and its steps as separate passes.

#ifndef CONVOY_ACCELERATORS_PASSES_TD
#define CONVOY_ACCELERATORS_PASSES_TD

include "mlir/Pass/PassBase.td"

class DevicePass<string flag> : Pass<flag, "mlir::func::FuncOp"> {
  let options = [Option<"device", "device", "std::string", "\"\"", "Target of the device">];
  let dependentDialects = ["convoy::convcore::ConvCoreDialect", "convoy::graph::GraphDialect"];
}

def LowerGraphPass : Pass<"convoy-accelerators-lower-graph", "mlir::func::FuncOp"> {
  let summary = "Lowers graph ops to convcore ops";
  let description = [{
    Takes: a function of graph ops. Gives: the same function in convcore ops and constants. Each
    op carries the numbers of the graph ops that it computes. Emits an error with the reason at
    the first op that cannot be lowered. Does not do: check the ops against a device.

    %y = graph.matmul %x, %w : (tensor<1x64xf32>, tensor<64x10xf32>) -> ...       // before

    %0 = convcore.reshape %x : (tensor<1x64xf32>) -> tensor<1x64x1x1xf32>         // after
    %1 = convcore.conv %0, %w ... -> tensor<1x10x1x1xf32>
    %y = convcore.reshape %1 : ... -> tensor<1x10xf32>
  }];
  let dependentDialects = ["convoy::convcore::ConvCoreDialect"];
}

def FuseLayersPass : DevicePass<"convoy-accelerators-fuse-layers"> {
  let summary = "Fuses layers that the device runs as one layer";
  let description = [{
    Takes: a function of convcore ops. Gives: the same function without no-ops. Scales and
    biases are folded into weights. Activations and requantization are fused into the producing
    layer. A flattened input is folded into the kernel of a fully connected layer. Does not do:
    a fusion whose result the device does not support.

    %0 = convcore.conv %x, %w ...                                  // before
    %1 = convcore.scale %0, %s, %b
    %2 = convcore.activation %1 {activation = #convcore.act<relu>}

    %2 = convcore.conv %x, %ws, %b {activation = #convcore.act<relu>, ...}   // after
  }];
}

def MapLayersPass : DevicePass<"convoy-accelerators-map-layers"> {
  let summary = "Replaces layers that exceed the device's limits with supported layers";
  let description = [{
    Takes: a function of convcore ops. Gives: the same function, where dilated kernels are filled
    with zeros, groups are sliced or expanded to dense weights, and large pools are split. Integer
    results stay bit-exact. Does not do: change a layer within the device's limits, or insert a
    layer that the device does not support.

    %y = convcore.pool %x {kind = 0 : i32, kernel = array<i64: 8, 8>, ...}   // before

    %0 = convcore.pool %x {kernel = array<i64: 4, 4>, strides = array<i64: 4, 4>, ...} // after
    %y = convcore.pool %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, ...}
  }];
}

def CheckDevicePass : DevicePass<"convoy-accelerators-check-device"> {
  let summary = "Checks that the device supports every op";
  let description = [{
    Takes: a function of convcore ops. Gives: the same function, or an error with the reason at
    each op that the device does not support. Does not do: change the function.

    error: not supported by 'd': kernel height of conv is 11; the device supports at most 7  // printed
  }];
}

def LowerDevicePass : DevicePass<"convoy-accelerators-lower-device"> {
  let summary = "Runs the device's own passes on a convcore function";
  let description = [{
    Takes: a function of convcore ops that the device supports. Gives: the function after the
    device's own rewrites, in the device's dialect if it has one. Does not do: emit commands;
    `convoy-accelerators-lower-regions` does.

    %y = convcore.pool %x {kind = 0 : i32, ...}            // before

    %y = d.maxpool %x {...}                                // after, for a device 'd'
  }];
}

def LowerRegionsPass : Pass<"convoy-accelerators-lower-regions", "mlir::ModuleOp"> {
  let summary = "Compiles each region of a device and adds the program as first operand";
  let description = [{
    Takes: `graph.kernel` regions with `#kernel.offload`. Gives: the same regions with the device's
    program as first operand, a constant of bytes in the frame of convoy/device.h. Does not do:
    change the body, so the reference still runs the module.

    %y = graph.kernel %x { ... } {config = #kernel.offload<device = "d">}          // before

    %p = graph.constant dense_resource<...> : tensor<4096xui8>                     // after
    %y = graph.kernel %p, %x { ... } {config = #kernel.offload<device = "d", program = true>}
  }];
  let statistics = [Statistic<"programBytes", "program-bytes", "Total size of all programs in bytes">];
}

def InsertLayersPass : Pass<"convoy-accelerators-insert-layers", "mlir::ModuleOp"> {
  let summary = "Replaces each region of a device with the layers that the device runs";
  let description = [{
    Takes: `graph.kernel` regions with `#kernel.offload` and no program. Gives: the regions'
    convcore layers in place of the kernels, fused, mapped and in the device's float type. Checks
    use this pass: the reference then computes layer by layer what the device should compute. For
    a device that computes in f16, this comparison is tighter than one with the f32 graph.
    Does not do: compile the layers.

    %y = graph.kernel %x { ... } {config = #kernel.offload<device = "d">}          // before

    %y = convcore.conv %x, %w, %b {activation = #convcore.act<relu>, ...} : ...xf16 // after
  }];
  let dependentDialects = ["convoy::convcore::ConvCoreDialect", "convoy::graph::GraphDialect",
                           "convoy::kernels::KernelDialect"];
}

#endif // CONVOY_ACCELERATORS_PASSES_TD
