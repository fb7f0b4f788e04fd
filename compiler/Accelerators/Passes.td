// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes of the device stage: from regions to programs, and its steps one by one.

#ifndef CONVOY_ACCELERATORS_PASSES_TD
#define CONVOY_ACCELERATORS_PASSES_TD

include "mlir/Pass/PassBase.td"

class DevicePass<string flag> : Pass<flag, "mlir::func::FuncOp"> {
  let options = [Option<"device", "device", "std::string", "\"\"", "Target of the device">];
  let dependentDialects = ["convoy::convcore::ConvCoreDialect", "convoy::graph::GraphDialect"];
}

def LowerGraphPass : Pass<"convoy-accelerators-lower-graph", "mlir::func::FuncOp"> {
  let summary = "Each graph op is its form in convcore";
  let description = [{
    Takes: a function of graph ops. Gives: the same of convcore ops, numbered with the
    ops that they compute, and constants; or an error at the first op without a form,
    with the reason. Does not look at any device.

    %y = graph.matmul %x, %w : (tensor<1x64xf32>, tensor<64x10xf32>) -> ...       // before

    %0 = convcore.reshape %x : (tensor<1x64xf32>) -> tensor<1x64x1x1xf32>         // after
    %1 = convcore.conv %0, %w ... -> tensor<1x10x1x1xf32>
    %y = convcore.reshape %1 : ... -> tensor<1x10xf32>
  }];
  let dependentDialects = ["convoy::convcore::ConvCoreDialect"];
}

def FuseLayersPass : DevicePass<"convoy-accelerators-fuse-layers"> {
  let summary = "Layers that the device runs as one are one op";
  let description = [{
    Takes: a function of convcore ops. Gives: the same with no-ops removed, scales and
    biases in the weights, activations and requantisation in the layer before them,
    flattened inputs in the kernels of fully connected layers; each only where the
    device takes the result.

    %0 = convcore.conv %x, %w ...                                  // before
    %1 = convcore.scale %0, %s, %b
    %2 = convcore.activation %1 {activation = #convcore.act<relu>}

    %2 = convcore.conv %x, %ws, %b {activation = #convcore.act<relu>, ...}   // after
  }];
}

def MapLayersPass : DevicePass<"convoy-accelerators-map-layers"> {
  let summary = "Layers above the device's limits are said by layers within them";
  let description = [{
    Takes: a function of convcore ops. Gives: the same with dilated kernels spread,
    groups sliced or made dense, and large pools divided, each only where the device
    has a limit that the layer exceeds and takes what replaces it. Integers keep their
    bits.

    %y = convcore.pool %x {kind = 0 : i32, kernel = array<i64: 8, 8>, ...}   // before

    %0 = convcore.pool %x {kernel = array<i64: 4, 4>, strides = array<i64: 4, 4>, ...} // after
    %y = convcore.pool %0 {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>, ...}
  }];
}

def CheckDevicePass : DevicePass<"convoy-accelerators-check-device"> {
  let summary = "The device runs every op";
  let description = [{
    Takes: a function of convcore ops. Gives: the same, or an error with the reason at
    each op that the device refuses. Changes nothing.

    error: not supported by 'd': kernel height of conv is 11, above the device's 7  // printed
  }];
}

def LowerDevicePass : DevicePass<"convoy-accelerators-lower-device"> {
  let summary = "A function of convcore ops is what the device's own passes make of it";
  let description = [{
    Takes: a function of convcore ops that the device does not refuse. Gives: the same
    after the device's own rewrites, in its dialect if it has one; what
    `convoy-accelerators-lower-regions` then turns into commands.

    %y = convcore.pool %x {kind = 0 : i32, ...}            // before

    %y = d.maxpool %x {...}                                // after, for a device 'd'
  }];
}

def LowerRegionsPass : Pass<"convoy-accelerators-lower-regions", "mlir::ModuleOp"> {
  let summary = "Each region of a device has its program as first operand";
  let description = [{
    Takes: `graph.kernel` regions with `#kernel.offload`. Gives: the same with the
    device's program, a constant of bytes in the frame of convoy/device.h, as first
    operand. The body stays, so the reference still runs the module.

    %y = graph.kernel %x { ... } {config = #kernel.offload<device = "d">}          // before

    %p = graph.constant dense_resource<...> : tensor<4096xui8>                     // after
    %y = graph.kernel %p, %x { ... } {config = #kernel.offload<device = "d", program = true>}
  }];
  let statistics = [Statistic<"programBytes", "program-bytes", "Bytes of all programs">];
}

def InsertLayersPass : Pass<"convoy-accelerators-insert-layers", "mlir::ModuleOp"> {
  let summary = "Each region of a device is the layers that the device is asked to run";
  let description = [{
    Takes: `graph.kernel` regions with `#kernel.offload` that have no program yet. Gives:
    their layers in convcore, fused, mapped and in the device's float type, in the place
    of the kernel. For checks: the reference then computes as the device should, layer by
    layer, which says more of a device that computes in f16 than the f32 graph does.

    %y = graph.kernel %x { ... } {config = #kernel.offload<device = "d">}          // before

    %y = convcore.conv %x, %w, %b {activation = #convcore.act<relu>, ...} : ...xf16 // after
  }];
  let dependentDialects = ["convoy::convcore::ConvCoreDialect", "convoy::graph::GraphDialect",
                           "convoy::kernels::KernelDialect"];
}

#endif // CONVOY_ACCELERATORS_PASSES_TD
