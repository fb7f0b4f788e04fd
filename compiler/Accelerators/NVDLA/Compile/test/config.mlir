// RUN: not convoy-opt %s -convoy-nvdla-lower-conv-core=config=nv_small 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: not convoy-opt %s -convoy-nvdla-choose-images=config=nvdla-small:optimize=time 2>&1 | FileCheck %s --check-prefix=SETTING
// RUN: convoy-opt %s -convoy-nvdla-lower-conv-core | FileCheck %s

// NAME: error: the option 'config' of the pass expects one of nvdla-small, nvdla-small-256, nvdla-medium-512, nvdla-large, nvdla-full; got 'nv_small'
// SETTING: error: target 'nvdla-small:optimize=time' expects optimize=latency, optimize=memory, profile=fused, profile=separate, groups=split or groups=dense, got 'optimize=time'

// Without the option, the configuration is nvdla-small, whose atoms have 8 channels.
// CHECK-LABEL: func.func @channel_8_starts_an_atom
// CHECK: nvdla.view
func.func @channel_8_starts_an_atom(%x: tensor<1x16x4x4xi8>) -> tensor<1x8x4x4xi8> {
  %0 = convcore.slice %x {offsets = array<i64: 0, 8, 0, 0>, sizes = array<i64: 1, 8, 4, 4>} : (tensor<1x16x4x4xi8>) -> tensor<1x8x4x4xi8>
  return %0 : tensor<1x8x4x4xi8>
}
