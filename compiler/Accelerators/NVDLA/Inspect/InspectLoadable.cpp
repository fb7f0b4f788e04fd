// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes a loadable for inspection and prints it as text.

#include "Accelerators/NVDLA/Inspect/InspectLoadable.h"
#include "Accelerators/NVDLA/Inspect/Timeline.h"
#include "Accelerators/NVDLA/Loadable/DecodeDescriptors.h"
#include "Accelerators/NVDLA/Loadable/Schedule.h"
#include "Support/PercentText.h"
#include "Support/ResourceBudget.h"
#include "Support/TextTable.h"
#include "Support/TypedError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

namespace convoy::nvdla {
namespace {

std::string cubeText(const CubeDescriptor &cube) {
  return llvm::formatv("{0} x {1} x {2}", cube.width, cube.height, cube.channel).str();
}

std::string placeText(const CubeDescriptor &cube) {
  if (cube.type == CubeDescriptor::Engine) {
    return "";
  }
  return llvm::formatv(" @{0}+{1}", cube.address, cube.offset).str();
}

std::string flow(const CubeDescriptor &source, const CubeDescriptor &target) {
  return cubeText(source) + placeText(source) + " -> " + cubeText(target) + placeText(target);
}

const char *precisionName(uint8_t precision) {
  static constexpr const char *kNames[] = {"int8", "int16", "fp16"};
  return precision < 3 ? kNames[precision] : "?";
}

std::string describe(const ConvDescriptor &d) {
  return llvm::formatv("{0}, {1} kernels {2} x {3} x {4}{5}, stride {6} x {7}, {8}{9}",
                       flow(d.source, d.target), d.target.channel, d.kernelWidth, d.kernelHeight,
                       d.kernelChannel, placeText(d.weights), d.strideX, d.strideY,
                       precisionName(d.outPrecision), d.mode == 1 ? ", Winograd" : "")
      .str();
}

std::string stageText(const char *name, const SdpStageDescriptor &stage,
                      const CubeDescriptor &data) {
  static constexpr const char *kTypes[] = {"", " mul", " alu", " alu mul"};
  static constexpr const char *kModes[] = {"", " per channel", " per element"};
  static constexpr const char *kActivations[] = {"", " relu", " lut", " prelu"};
  if (stage.enable == 0) {
    return "";
  }
  std::string place = stage.mode != 0 && stage.type != 0 ? placeText(data) : "";
  return std::string(", ") + name + kTypes[stage.type & 3] +
         (stage.mode < 3 ? kModes[stage.mode] : "") + place + kActivations[stage.activation & 3];
}

std::string describe(const SdpDescriptor &d) {
  return flow(d.source, d.target) + stageText("X1", d.x1, d.x1Data) +
         stageText("X2", d.x2, d.x2Data) + stageText("Y", d.y, d.yData) + ", " +
         precisionName(d.outPrecision);
}

std::string describe(const PdpDescriptor &d) {
  static constexpr const char *kMethods[] = {"average", "max", "min"};
  return llvm::formatv("{0}, {1} x {2} {3}, stride {4} x {5}, {6}", flow(d.source, d.target),
                       d.kernelWidthMinusOne + 1, d.kernelHeightMinusOne + 1,
                       d.method < 3 ? kMethods[d.method] : "?", d.strideX, d.strideY,
                       precisionName(d.precision))
      .str();
}

std::string describe(const CdpDescriptor &d) {
  return llvm::formatv("{0}, window {1}, {2}", flow(d.source, d.target), d.window,
                       precisionName(d.inPrecision))
      .str();
}

std::string describe(const RubikDescriptor &d) {
  static constexpr const char *kModes[] = {"contract", "split", "merge"};
  return flow(d.source, d.target) + ", " + (d.mode < 3 ? kModes[d.mode] : "?") + ", " +
         precisionName(d.precision);
}

std::string describe(const BdmaDescriptor &d) {
  std::string text = std::to_string(d.surfaceTransfers) + " copies";
  for (const BdmaTransfer &t :
       llvm::ArrayRef(d.transfers).take_front(std::min<size_t>(d.surfaceTransfers, 20))) {
    text +=
        llvm::formatv(", {0} x {1} bytes @{2} -> @{3}", t.lines, t.lineBytes, t.source, t.target)
            .str();
  }
  return text;
}

/// Estimates the cycles of one group. Decodes descriptors against memories of unlimited size at
/// address 0.
llvm::Expected<InspectedLayer> estimate(const DlaTask &task, const FusedOps &ops,
                                        const HardwareConfig &config) {
  auto anywhere = [](int) -> llvm::Expected<Place> { return Place{0, UINT64_MAX, Port::Dram}; };
  uint32_t atom = config.atomBytes;
  InspectedLayer layer;
  layer.ops = ops;
  FusedJob fused;
  Precision precision = Precision::Int8;
  auto keep = [](auto &slot, auto job) -> llvm::Error {
    if (!job) {
      return job.takeError();
    }
    slot = std::move(*job);
    return llvm::Error::success();
  };
  for (size_t index : ops) {
    const EngineDescriptor &d = task.ops[index].descriptor;
    llvm::Error error = llvm::Error::success();
    if (const auto *conv = std::get_if<ConvDescriptor>(&d)) {
      precision = Precision(conv->outPrecision);
      error = keep(fused.conv, decodeConv(*conv, anywhere, atom));
    } else if (const auto *sdp = std::get_if<SdpDescriptor>(&d)) {
      error = keep(fused.sdp, decodeSdp(*sdp, task, anywhere, atom));
    } else if (const auto *pdp = std::get_if<PdpDescriptor>(&d)) {
      error = keep(fused.pdp, decodePdp(*pdp, anywhere, atom));
    } else if (const auto *cdp = std::get_if<CdpDescriptor>(&d)) {
      CdpJob job;
      error = keep(job, decodeCdp(*cdp, task, anywhere, atom));
      layer.cycles = estimateCycles(job, config);
    } else if (const auto *rubik = std::get_if<RubikDescriptor>(&d)) {
      RubikJob job;
      error = keep(job, decodeRubik(*rubik, anywhere, atom));
      layer.cycles = estimateCycles(job, config);
    } else {
      std::vector<BdmaJob> jobs;
      error = keep(jobs, decodeBdma(std::get<BdmaDescriptor>(d), anywhere));
      layer.cycles.units = "BDMA";
      for (const BdmaJob &job : jobs) {
        LayerCycles each = estimateCycles(job, config);
        layer.cycles.totalCycles += each.totalCycles;
        layer.cycles.dramCycles += each.dramCycles;
      }
    }
    if (error) {
      return error;
    }
  }
  if (fused.conv || fused.sdp || fused.pdp) {
    layer.cycles = estimateCycles(fused, config);
  }
  layer.utilization = macUtilization(layer.cycles, config, precision);
  return layer;
}

llvm::Error estimateTask(InspectedTask &task, const HardwareConfig &config) {
  Timeline timeline(task.dla);
  return scheduleTask(task.dla, [&](const FusedOps &ops) -> llvm::Error {
    llvm::Expected<InspectedLayer> layer = estimate(task.dla, ops, config);
    if (!layer) {
      return llvm::createStringError("operation %zu: %s", ops[0],
                                     llvm::toString(layer.takeError()).c_str());
    }
    timeline.add(*layer);
    task.layers.push_back(std::move(*layer));
    return llvm::Error::success();
  });
}

std::string flagsText(uint16_t flags) {
  static constexpr const char *kNames[] = {"alloc", "set", "input", "output", "debug"};
  std::vector<std::string> names;
  for (unsigned bit = 0; bit < 5; ++bit) {
    if (flags >> bit & 1) {
      names.push_back(kNames[bit]);
    }
  }
  return llvm::join(names, " ");
}

void printMemories(llvm::raw_ostream &os, const Loadable &loadable) {
  uint64_t set = 0, alloc = 0, bound = 0;
  for (const LoadableMemory &memory : loadable.memories) {
    uint64_t &sum = memory.flags & (LoadableMemory::Input | LoadableMemory::Output) ? bound
                    : memory.flags & LoadableMemory::Set                            ? set
                                                                                    : alloc;
    sum += memory.size;
  }
  os << "memories    " << loadable.memories.size() << ": " << set << " bytes filled by the file, "
     << alloc << " for activations, " << bound << " inputs and outputs\n";
  for (const LoadableMemory &memory : loadable.memories) {
    os << llvm::format("  %5u  ", memory.id) << (memory.domain == 1 ? "SRAM" : "DRAM")
       << llvm::format("  %10llu  ", static_cast<unsigned long long>(memory.size))
       << flagsText(memory.flags);
    for (auto [name, offset] : llvm::zip(memory.contents, memory.offsets)) {
      os << " " << name << "@" << offset;
    }
    os << "\n";
  }
}

void printTensors(llvm::raw_ostream &os, const Loadable &loadable) {
  static constexpr const char *kTypes[] = {"unknown", "float", "half", "int16", "int8"};
  for (const LoadableTensor &tensor : loadable.tensors) {
    os << "tensor      " << tensor.name << ": "
       << (tensor.dataType < 5 ? kTypes[tensor.dataType] : "?") << " [" << tensor.n << ", "
       << tensor.c << ", " << tensor.h << ", " << tensor.w << "] in memory " << tensor.memoryId
       << ", line " << tensor.strides[1] << ", surface " << tensor.strides[2] << "\n";
  }
}

void printOp(llvm::raw_ostream &os, size_t index, const HardwareOp &op) {
  os << llvm::format("  %5zu  ", index) << llvm::left_justify(engineName(op.engine()), 6)
     << "waits for " << unsigned(op.dependency.dependencies) << "  " << describeOp(op) << "\n";
  auto edge = [&](const Consumer &consumer, const char *kind) {
    if (consumer.index >= 0) {
      os << "         " << kind << " " << consumer.index << " when " << eventName(consumer.event)
         << "\n";
    }
  };
  for (const Consumer &consumer : op.dependency.consumers) {
    edge(consumer, "tells");
  }
  edge(op.dependency.fusedParent, "fused to");
}

void printLayers(llvm::raw_ostream &os, const InspectedTask &task) {
  if (task.layers.empty()) {
    return;
  }
  uint64_t total = 0;
  os << "  estimate in the firmware's order (a model, not a measurement); cycles are those by "
        "which\n"
     << "  the layer extends the run, 0 if other units hide it:\n";
  constexpr ColumnKind kNumber = ColumnKind::Number;
  TextTable table({{"ops"},
                   {"units"},
                   {"cycles", kNumber},
                   {"stalled", kNumber},
                   {"MAC use", kNumber},
                   {"bytes", kNumber},
                   {"pace"}});
  for (const InspectedLayer &layer : task.layers) {
    std::string ops =
        llvm::join(llvm::map_range(layer.ops, [](size_t op) { return std::to_string(op); }), "+");
    table.add({ops, llvm::Twine(layer.cycles.units).str(), std::to_string(layer.cycles.totalCycles),
               std::to_string(layer.cycles.stallCycles), percentText(layer.utilization),
               std::to_string(layer.cycles.movedBytes()), llvm::Twine(layer.cycles.bound).str()});
    total += layer.cycles.totalCycles;
  }
  table.add({"total", "", std::to_string(total)});
  table.print(os, "    ");
}

void printEmulator(llvm::raw_ostream &os, const EmulatorTask &task) {
  for (const EmulatorOp &op : task.ops) {
    os << "         ";
    if (op.type == EmulatorOp::Type::Softmax) {
      os << "softmax over axis " << unsigned(op.axis);
    } else {
      os << llvm::format("power: (%g x + %g) ^ %g", op.scale, op.shift, op.power);
    }
    os << ", " << op.source.width << " x " << op.source.height << " x " << op.source.channel << " @"
       << op.source.address << " -> @" << op.target.address << "\n";
  }
}

// The bytes of a decoded operation with its text, its JSON and its picture.
constexpr uint64_t kStepsPerOp = 2048;

/// Returns the steps of the search for the blobs of a task.
uint64_t stepsBefore(const Loadable &loadable, const LoadableTask &task) {
  constexpr uint64_t kLists = 6; // of a task
  uint64_t most = 0;
  for (uint16_t address : task.addresses) {
    const LoadableAddress &place = *loadable.findAddress(address);
    most = std::max<uint64_t>(most, loadable.findMemory(place.memoryId)->contents.size());
  }
  return kLists * (most + task.addresses.size());
}

llvm::Error checkSteps(uint64_t steps, const LoadableTask &task) {
  auto limit = static_cast<uint64_t>(ResourceBudget().loadableSteps());
  return steps <= limit ? llvm::Error::success()
                        : createUnsupported("not supported: the tasks up to task %u need %" PRIu64
                                            " steps to decode, expected at most %" PRIu64
                                            "; check how the file was made",
                                            task.id, steps, limit);
}

} // namespace

llvm::StringRef eventName(uint8_t event) {
  static constexpr llvm::StringLiteral kNames[] = {"?",       "completed",    "programmed",
                                                   "enabled", "weights read", "data read"};
  return event < 6 ? kNames[event] : kNames[0];
}

std::string describeOp(const HardwareOp &op) {
  return std::visit([](const auto &d) { return describe(d); }, op.descriptor);
}

llvm::Expected<InspectedLoadable>
inspectLoadable(llvm::StringRef name, llvm::ArrayRef<uint8_t> bytes, const HardwareConfig *config) {
  InspectedLoadable result;
  result.name = name.str();
  result.fileBytes = bytes.size();
  llvm::Expected<Loadable> loadable = readLoadable(bytes);
  if (!loadable) {
    return loadable.takeError();
  }
  result.loadable = std::move(*loadable);
  uint64_t steps = 0;
  for (const LoadableTask &entry : result.loadable.tasks) {
    steps += stepsBefore(result.loadable, entry);
    if (llvm::Error error = checkSteps(steps, entry)) {
      return error;
    }
    InspectedTask task;
    task.id = entry.id;
    task.interface = entry.interface;
    llvm::Error error = llvm::Error::success();
    if (entry.interface == Interface::Emulator) {
      llvm::Expected<EmulatorTask> read = readEmulatorTask(result.loadable, entry);
      error = read ? llvm::Error::success() : read.takeError();
      if (read) {
        task.emulator = std::move(*read);
      }
    } else {
      llvm::Expected<DlaTask> read = readDlaTask(result.loadable, entry);
      error = read ? llvm::Error::success() : read.takeError();
      if (read) {
        task.dla = std::move(*read);
      }
    }
    steps += kStepsPerOp * (task.dla.ops.size() + task.dla.luts.size() + task.emulator.ops.size());
    if (!error) {
      error = checkSteps(steps, entry);
    }
    if (!error && config && entry.interface == Interface::Dla) {
      error = estimateTask(task, *config);
    }
    if (error) {
      return llvm::createStringError("task %u: %s", entry.id,
                                     llvm::toString(std::move(error)).c_str());
    }
    result.tasks.push_back(std::move(task));
  }
  return result;
}

void printLoadable(llvm::raw_ostream &os, const InspectedLoadable &inspected) {
  const Loadable &loadable = inspected.loadable;
  os << "loadable    " << inspected.name << ", " << inspected.fileBytes << " bytes, version "
     << unsigned(loadable.version.major) << "." << unsigned(loadable.version.minor) << "."
     << unsigned(loadable.version.subMinor) << ", " << loadable.blobs.size() << " blobs\n";
  printTensors(os, loadable);
  printMemories(os, loadable);
  for (const InspectedTask &task : inspected.tasks) {
    if (task.interface == Interface::Emulator) {
      os << "task " << task.id << "      on the host, " << task.emulator.ops.size()
         << " operations\n";
      printEmulator(os, task.emulator);
      continue;
    }
    os << "task " << task.id << "      on the accelerator, " << task.dla.ops.size()
       << " operations, " << task.dla.luts.size() << " tables, cubes of "
       << (task.dla.layout == CubeLayout::WithOffset ? 32 : 28) << " bytes\n";
    for (auto [index, op] : llvm::enumerate(task.dla.ops)) {
      printOp(os, index, op);
    }
    printLayers(os, task);
  }
}

} // namespace convoy::nvdla
