// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes the options of the stages from the description of a machine.

#include "Pipeline/TargetOptions.h"
#include "Codegen/LLVM/HalfPatterns.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/TargetParser/Triple.h"

namespace convoy {
namespace {

/// Returns the form of integer dot products. The width of the instructions is the vector width.
kernels::DotForm dotFormOf(const targets::Target &target) {
  auto has = [&](llvm::StringRef feature) { return llvm::is_contained(target.features, feature); };
  if (llvm::Triple(target.triple).isAArch64() && target.vectorBytes == 16) {
    return has("i8mm")      ? kernels::DotForm::Usdot
           : has("dotprod") ? kernels::DotForm::Sdot
                            : kernels::DotForm::None;
  }
  bool isWide = target.vectorBytes == 64;
  if (!llvm::Triple(target.triple).isX86() || target.vectorBytes > 64) {
    return kernels::DotForm::None;
  }
  if (isWide ? has("avx512vnni") : has("avxvnni") || (has("avx512vnni") && has("avx512vl"))) {
    return kernels::DotForm::Bytes;
  }
  bool hasPairs = isWide ? has("avx512bw") : has(target.vectorBytes == 32 ? "avx2" : "sse2");
  return hasPairs ? kernels::DotForm::Pairs : kernels::DotForm::None;
}

} // namespace

kernels::Machine machineOf(const targets::Target &target) {
  kernels::Machine machine;
  machine.vectorBytes = target.vectorBytes;
  machine.vectorRegisters = target.vectorRegisters;
  machine.fmaPorts = target.fmaPorts;
  machine.hasScalarOperands = target.hasScalarOperands;
  machine.dot = dotFormOf(target);
  machine.hasTiles = machine.dot == kernels::DotForm::Bytes && target.vectorBytes == 64 &&
                     llvm::is_contained(target.features, "amx-int8") &&
                     llvm::is_contained(target.features, "amx-tile");
  machine.hasByteOps =
      target.toolchain.has_value() && target.sourceLoops == targets::LoopForm::Plain;
  // Armv7E-M has SMLAD; cores of Armv8-M without MVE have it as an option, which the Cortex-M33
  // has.
  llvm::StringRef triple = target.triple;
  machine.hasPairProducts = machine.hasByteOps && (triple.starts_with("thumbv7em") ||
                                                   triple.starts_with("thumbv8m.main"));
  if (const targets::Cache *cache = target.cache(1)) {
    machine.firstCacheBytes = cache->bytes;
  }
  if (const targets::Cache *cache = target.cache(2)) {
    machine.secondCacheBytes = cache->bytes;
  }
  return machine;
}

ElementType activationType(const kernels::Machine &machine) {
  bool isSigned =
      machine.hasByteOps || kernels::signsOf(machine.dot) == kernels::Signs::SignedSigned;
  return isSigned ? ElementType::I8 : ElementType::U8;
}

StageOptions optionsFor(const targets::Target &target, int64_t threads) {
  StageOptions options;
  options.machine = machineOf(target);
  options.schedule.threads = threads == 0 ? target.cores : threads;
  options.layout.threads = options.schedule.threads;
  options.bands.threads = options.schedule.threads;
  options.codegen.target = target;
  if (const targets::Cache *cache = target.cache(2)) {
    options.bands.cacheBytes = cache->bytes / std::max<int64_t>(1, cache->sharedByCores);
  }
  options.quantize.signsBytes = options.machine.hasByteOps;
  options.kernels.fuseMultiplyAdd = target.hasFma;
  return options;
}

bool convertsHalves(const StageOptions &options) {
  return options.exit == Exit::Source ? !options.machine.hasByteOps
                                      : codegen::hasHalfConversions(options.codegen.target);
}

void placeOn(const accelerators::Accelerator &device, StageOptions &options) {
  options.place.device = device.name().str();
  options.quantize.arithmetic = device.arithmetic();
}

void setSourceInstructions(StageOptions &options, bool hasVectorTypes) {
  if (!hasVectorTypes) {
    options.machine.dot = kernels::DotForm::None;
    options.machine.hasTiles = false;
  }
}

} // namespace convoy
