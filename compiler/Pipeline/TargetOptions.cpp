// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stages are told of a machine.

#include "Pipeline/TargetOptions.h"

namespace convoy {

kernels::Machine machineOf(const targets::Target &target) {
  kernels::Machine machine;
  machine.vectorBytes = target.vectorBytes;
  machine.vectorRegisters = target.vectorRegisters;
  machine.fmaPorts = target.fmaPorts;
  machine.hasScalarOperands = target.hasScalarOperands;
  if (const targets::Cache *cache = target.cache(1)) {
    machine.firstCacheBytes = cache->bytes;
  }
  if (const targets::Cache *cache = target.cache(2)) {
    machine.secondCacheBytes = cache->bytes;
  }
  return machine;
}

CompileOptions optionsFor(const targets::Target &target, int64_t threads) {
  CompileOptions options;
  options.layout.machine = machineOf(target);
  options.tasks.threads = threads == 0 ? target.cores : threads;
  options.kernels.vectorBytes = target.vectorBytes;
  options.kernels.fuseMultiplyAdd = target.hasFma;
  return options;
}

void placeOn(const accelerators::Accelerator &device, CompileOptions &options) {
  options.place.device = device.name().str();
  options.quantize.arithmetic = device.arithmetic();
}

} // namespace convoy
