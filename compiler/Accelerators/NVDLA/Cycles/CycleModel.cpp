// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Counts cycles. For each group of kernels, block of channels and kernel element, weights stay in
// the MAC cells for one stripe of outputs (StripeRule below). The next weights are loaded
// meanwhile, one buffer entry per cycle; if the stripe is shorter than the load, the MAC cells
// wait. A Winograd step takes a tile of four channels and produces four outputs. Memory accesses
// and post-processing overlap with the MAC array. The slowest unit determines the time.

#include "Accelerators/NVDLA/Cycles/CycleModel.h"
#include "Accelerators/NVDLA/Simulator/Winograd.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

namespace convoy::nvdla {
namespace {

using llvm::divideCeil;

/// Splits outputs into stripes. nv_full: stripes of 16 with up to 31 outputs in the last one, or of
/// 64 within an image line. Later configurations: a stripe has twice as many outputs as MAC cells.
/// If more than two times but less than four times the number of MAC cells are left, the next
/// stripe has as many outputs as MAC cells.
struct StripeRule {
  uint64_t cells, load;
  bool isLater;

  uint64_t nextOf(uint64_t left) const {
    uint64_t whole = isLater ? 2 * cells : cells;
    if (left < 2 * whole) {
      return !isLater || left <= whole ? left : cells;
    }
    return whole;
  }

  /// Returns the cycles for `outputs` outputs of one weight set.
  uint64_t plane(uint64_t outputs) const {
    uint64_t cycles = 0;
    while (outputs > 0) {
      uint64_t stripe = nextOf(outputs);
      cycles += std::max(stripe, load);
      outputs -= stripe;
    }
    return cycles;
  }

  uint64_t line(uint64_t width) const {
    uint64_t stripe = isLater ? 2 * cells : 4 * cells;
    return width / stripe * std::max(stripe, load) +
           (width % stripe ? std::max(width % stripe, load) : 0);
  }
};

struct ConvCycles {
  uint64_t total, ideal;
};

ConvCycles countConv(const ConvJob &job, const HardwareConfig &config) {
  uint64_t bytes = bytesPerElement(job.precision);
  uint64_t kernels = config.macKernels / bytes;
  // The weights of one step are read one buffer entry per cycle.
  uint64_t load = divideCeil(kernels * config.macChannels * bytes, config.cbufEntryBytes);
  StripeRule rule = {config.hasWideTypes ? config.macKernels / 2 : config.macKernels, load,
                     !config.hasWideTypes};
  uint64_t groups = divideCeil(job.kernels, kernels);
  uint64_t outputs = uint64_t(job.outWidth) * job.outHeight;
  if (job.isWinograd) {
    uint64_t steps = groups * divideCeil(job.kernel.channels, kTileChannels);
    return {steps * rule.plane(outputs / 4), steps * outputs / 4};
  }
  uint64_t rows = divideCeil(job.kernel.height, std::max<uint32_t>(job.postExtension, 1));
  uint64_t steps = groups *
                   divideCeil(job.kernel.channels * job.postExtension, config.macChannels) * rows *
                   job.kernel.width;
  uint64_t perStep = job.isImage ? job.outHeight * rule.line(job.outWidth) : rule.plane(outputs);
  return {steps * perStep, steps * outputs};
}

uint64_t cubeBytes(CubeSize size, Precision precision, const HardwareConfig &config) {
  return uint64_t(size.width) * size.height *
         llvm::alignTo(uint64_t(size.channels) * bytesPerElement(precision), config.atomBytes);
}

/// Accumulates traffic per port.
struct Traffic {
  uint64_t bytes[2] = {};

  uint64_t add(Port port, uint64_t count) {
    bytes[size_t(port)] += count;
    return count;
  }
};

uint64_t stageBytes(const SdpStage &stage, const SdpJob &job, const HardwareConfig &config) {
  if (stage.isBypassed || !(stage.isAluFromMemory || stage.isMulFromMemory)) {
    return 0;
  }
  CubeSize size = stage.operands.isPerElement ? job.size : CubeSize{1, 1, job.size.channels};
  uint64_t lanes = config.atomBytes / bytesPerElement(job.precision);
  return uint64_t(size.width) * size.height * llvm::alignTo(size.channels, lanes) *
         (stage.operands.isTwoBytes ? 2 : 1) *
         (stage.operands.use == SdpOperands::Use::Both ? 2 : 1);
}

uint64_t countSdp(const SdpJob &job, const HardwareConfig &config) {
  constexpr uint64_t kFromCacc = 16; // elements per cycle from CACC
  uint64_t rate = job.isFromConv ? kFromCacc : config.sdpBsElems;
  auto limit = [&](const SdpStage &stage, uint64_t elems) {
    // A stage that the configuration does not have is modeled with one element per cycle.
    rate = stage.isBypassed ? rate : std::min(rate, std::max<uint64_t>(elems, 1));
  };
  limit(job.x1, config.sdpBsElems);
  limit(job.x2, config.sdpBnElems);
  limit(job.y, config.sdpEwElems);
  uint64_t lanes = config.atomBytes / bytesPerElement(job.precision);
  uint64_t elements =
      uint64_t(job.size.width) * job.size.height * llvm::alignTo(job.size.channels, lanes);
  return divideCeil(elements, rate);
}

/// Sets the memory cycles, the limiting unit and the total.
void finish(const Traffic &traffic, const HardwareConfig &config, const MemoryRates &rates,
            LayerCycles &layer) {
  double port = config.dramBits / 8.0;
  auto cycles = [&](Port which, double rate) {
    return uint64_t(std::ceil(double(traffic.bytes[size_t(which)]) / (rate > 0 ? rate : port)));
  };
  layer.dramCycles = cycles(Port::Dram, rates.dram);
  layer.sramCycles = cycles(Port::Sram, rates.sram);
  layer.startCycles = config.latencyCycles;
  struct Unit {
    const char *name;
    uint64_t cycles;
    bool isCompute;
  };
  uint64_t slowest = 0, busiest = 0;
  for (const Unit &unit : {Unit{"MAC", layer.macCycles, true},
                           {"SDP", layer.sdpCycles, true},
                           {"PDP", layer.pdpCycles, true},
                           {"CDP", layer.cdpCycles, true},
                           {"DRAM", layer.dramCycles, false},
                           {"SRAM", layer.sramCycles, false}}) {
    if (unit.cycles > slowest) {
      slowest = unit.cycles;
      layer.bound = unit.name;
    }
    busiest = unit.isCompute ? std::max(busiest, unit.cycles) : busiest;
  }
  layer.totalCycles = layer.startCycles + slowest;
  layer.stallCycles = layer.totalCycles - busiest;
}

void addConv(const ConvJob &job, const HardwareConfig &config, Traffic &traffic,
             LayerCycles &layer) {
  ConvCycles cycles = countConv(job, config);
  layer.macCycles = cycles.total;
  layer.weightLoadCycles = cycles.total - cycles.ideal;
  uint64_t perOutput = uint64_t(job.kernel.width) * job.kernel.height * job.kernel.channels;
  layer.macs = perOutput * job.kernels * job.outWidth * job.outHeight / (job.isWinograd ? 4 : 1);
  uint64_t weights = llvm::alignTo(perOutput * job.kernels * bytesPerElement(job.precision), 128);
  layer.weightBytes = traffic.add(job.weightPort, job.reusesWeights ? 0 : weights);
  uint64_t data = job.isImage ? uint64_t(job.input.height) * job.source.lineStride
                              : cubeBytes(job.input, job.inPrecision, config);
  layer.dataBytes += traffic.add(job.source.port, data);
}

void addSdp(const SdpJob &job, const HardwareConfig &config, Traffic &traffic, LayerCycles &layer) {
  layer.sdpCycles = countSdp(job, config);
  if (!job.isFromConv) {
    layer.dataBytes += traffic.add(job.source.port, cubeBytes(job.size, job.inPrecision, config));
  }
  for (const SdpStage *stage : {&job.x1, &job.x2, &job.y}) {
    layer.operandBytes += traffic.add(stage->operands.source.port, stageBytes(*stage, job, config));
  }
  if (!job.isToPdp) {
    layer.writtenBytes +=
        traffic.add(job.target.port, cubeBytes(job.size, job.outPrecision, config));
  }
}

void addPdp(const PdpJob &job, const HardwareConfig &config, Traffic &traffic, LayerCycles &layer) {
  uint64_t input = cubeBytes(job.input, job.precision, config);
  layer.pdpCycles = divideCeil(input, config.pdpElems); // half as many 16-bit elements
  if (!job.isFromSdp) {
    layer.dataBytes += traffic.add(job.source.port, input);
  }
  CubeSize out = {job.outWidth, job.outHeight, job.input.channels};
  layer.writtenBytes += traffic.add(job.target.port, cubeBytes(out, job.precision, config));
}

} // namespace

uint64_t convolutionCycles(const ConvJob &job, const HardwareConfig &config) {
  return countConv(job, config).total;
}

double macUtilization(const LayerCycles &layer, const HardwareConfig &config, Precision precision) {
  double perCycle = double(config.macChannels) * config.macKernels / bytesPerElement(precision);
  return layer.totalCycles ? double(layer.macs) / (perCycle * double(layer.totalCycles)) : 0;
}

LayerCycles estimateCycles(const FusedJob &job, const HardwareConfig &config,
                           const MemoryRates &rates) {
  LayerCycles layer;
  Traffic traffic;
  auto name = [&](const char *unit) {
    layer.units += (layer.units.empty() ? "" : "+") + std::string(unit);
  };
  if (job.conv) {
    name("CONV");
    addConv(*job.conv, config, traffic, layer);
  }
  if (job.sdp) {
    name("SDP");
    addSdp(*job.sdp, config, traffic, layer);
  }
  if (job.pdp) {
    name("PDP");
    addPdp(*job.pdp, config, traffic, layer);
  }
  finish(traffic, config, rates, layer);
  return layer;
}

LayerCycles estimateCycles(const CdpJob &job, const HardwareConfig &config,
                           const MemoryRates &rates) {
  LayerCycles layer;
  Traffic traffic;
  layer.units = "CDP";
  uint64_t bytes = cubeBytes(job.size, job.precision, config);
  layer.cdpCycles = divideCeil(bytes, config.cdpElems);
  layer.dataBytes = traffic.add(job.source.port, bytes);
  layer.writtenBytes = traffic.add(job.target.port, bytes);
  finish(traffic, config, rates, layer);
  return layer;
}

LayerCycles estimateCycles(const RubikJob &job, const HardwareConfig &config,
                           const MemoryRates &rates) {
  LayerCycles layer;
  Traffic traffic;
  layer.units = "RUBIK";
  uint64_t bytes = cubeBytes(job.input, job.precision, config);
  layer.dataBytes = traffic.add(job.source.port, bytes);
  layer.writtenBytes = traffic.add(job.target.port, bytes);
  finish(traffic, config, rates, layer);
  return layer;
}

LayerCycles estimateCycles(const BdmaJob &job, const HardwareConfig &config,
                           const MemoryRates &rates) {
  LayerCycles layer;
  Traffic traffic;
  layer.units = "BDMA";
  uint64_t bytes = job.lineBytes * job.lines * job.surfaces;
  layer.dataBytes = traffic.add(job.sourcePort, bytes);
  layer.writtenBytes = traffic.add(job.targetPort, bytes);
  finish(traffic, config, rates, layer);
  return layer;
}

} // namespace convoy::nvdla
