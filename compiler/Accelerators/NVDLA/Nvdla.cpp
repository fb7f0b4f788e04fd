// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NVDLA's implementation of Accelerator.h: the targets of its configurations, their capability
// tables, and calls of the lowering, the emitter and the simulator. docs/targets/nvdla.md is the
// user documentation.

#include "Accelerators/NVDLA/Compile/Commands.h"
#include "Accelerators/NVDLA/Compile/Driver.h"
#include "Accelerators/NVDLA/Compile/EmitLoadable.h"
#include "Accelerators/NVDLA/Compile/LayerPlan.h"
#include "Accelerators/NVDLA/Compile/Passes.h"
#include "Accelerators/NVDLA/Inspect/InspectLoadable.h"
#include "Accelerators/Registry.h"
#include "Graph/Graph.h"
#include "Support/TypedError.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace convoy::accelerators {
namespace {

using nvdla::HardwareConfig;
using nvdla::NamedConfig;
using nvdla::NvdlaOptions;

/// The limits follow from the widths of register fields, which are the same for all configurations
/// (docs/targets/nvdla.md, "Register fields and buffers"). Some configurations support fp16 in
/// addition to int8.
Capabilities tableOf(const HardwareConfig &config) {
  std::vector<ElementType> types = {ElementType::I8, ElementType::U8};
  const std::vector<ElementType> bytes = types;
  if (config.hasWideTypes) {
    types.push_back(ElementType::F16);
  }
  const std::vector<Limit> cube = {{Quantity::Batch, 1},
                                   {Quantity::InputChannels, 8192},
                                   {Quantity::OutputChannels, 8192},
                                   {Quantity::InputHeight, 8192},
                                   {Quantity::InputWidth, 8192}};
  auto with = [&](std::vector<Limit> more) {
    more.insert(more.begin(), cube.begin(), cube.end());
    return more;
  };
  std::vector<OpSupport> rows = {
      {"conv", types,
       with({{Quantity::KernelHeight, 32},
             {Quantity::KernelWidth, 32},
             {Quantity::StrideHeight, 8},
             {Quantity::StrideWidth, 8},
             {Quantity::DilationHeight, 32},
             {Quantity::DilationWidth, 32},
             {Quantity::Pad, 31},
             {Quantity::Multiplier, 32767}}),
       "constant weights; int8 requantized with one shift for all channels"},
      {"pool", types,
       with({{Quantity::KernelHeight, 8},
             {Quantity::KernelWidth, 8},
             {Quantity::StrideHeight, 16},
             {Quantity::StrideWidth, 16},
             {Quantity::Pad, 7},
             {Quantity::Multiplier, 32767}}),
       "on PDP; an average of int8 that is rounded once as a convolution"},
      {"eltwise", types, cube,
       "of equal shapes: int8 add and sub, requantized; fp16 add, mul, max, min"},
      {"requantize", types, with({{Quantity::Multiplier, 32767}}),
       "one multiplier for all channels"},
      {"integer_lrn", bytes, with({{Quantity::Neighbors, 9}, {Quantity::Multiplier, 32767}}),
       "over 3, 5, 7 or 9 channels, with tables"},
      {"concat", types, cube, "of channels, without copies"},
      {"slice", types, cube, "of channels; of rows and columns without copies"},
      {"reshape", types, cube, "between 1 x C x 1 x 1 and 1 x C"},
      {"copy", types, cube},
  };
  if (config.hasBdmaAndRubik) {
    rows.push_back({"rearrange", types, cube,
                    "on RUBIK: channels to a grid of pixels or behind the columns, or whole rows; "
                    "channels alone on CONV"});
  }
  if (config.sdpEwElems > 0) {
    rows.push_back({"lookup", bytes, cube, "any function of a byte, with a table"});
  }
  if (config.hasWideTypes) {
    rows.push_back({"scale", {ElementType::F16}, cube, "with relu or clip"});
    rows.push_back({"activation", {ElementType::F16}, cube, "relu, clip, sigmoid and tanh"});
    rows.push_back({"lrn",
                    {ElementType::F16},
                    with({{Quantity::Neighbors, 9}}),
                    "over 3, 5, 7 or 9 channels, with tables"});
  }
  return Capabilities(std::move(rows));
}

class Nvdla : public Accelerator {
public:
  Nvdla(llvm::StringRef target, const NamedConfig &entry, const NvdlaOptions &options)
      : target(target.str()), entry(entry), options(options), table(tableOf(*options.config)) {}

  llvm::StringRef name() const override { return target; }
  llvm::StringRef summary() const override { return entry.summary; }
  const Capabilities &capabilities() const override { return table; }
  ElementType floatType() const override {
    return options.config->hasWideTypes ? ElementType::F16 : ElementType::Undefined;
  }

  /// SDP supports 15-bit multipliers and one shift for all channels. It shifts the operand from
  /// memory of a sum, and its output converter is the last step. PDP averages windows of up to 8
  /// x 8.
  quantize::Arithmetic arithmetic() const override {
    quantize::Arithmetic arithmetic;
    arithmetic.multiplierBits = 15;
    arithmetic.rounding = graph::ShiftRounding::HalfAway;
    arithmetic.hasOneShift = true;
    arithmetic.axisAverageLimit = 8;
    arithmetic.shiftsAddend = true;
    arithmetic.shortTable = 64;
    arithmetic.longTable = 256;
    return arithmetic;
  }

  std::optional<Refusal> refuse(Operation *op) const override {
    return nvdla::whyNotLayer(op, options);
  }

  void addPasses(OpPassManager &passes) const override { nvdla::addNvdlaPasses(passes, target); }
  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<nvdla::NvdlaDialect>();
  }

  llvm::ArrayRef<memory::Space> memories() const override {
    static const memory::Space kDram{"dram", int64_t(1) << 32, 32};
    return kDram;
  }

  FailureOr<Program> lower(func::FuncOp region, const DependenceGraph &) const override {
    // LinkOps.cpp encodes the dependences between groups for the firmware.
    FailureOr<nvdla::EmittedLoadable> emitted = nvdla::emitLoadable(region, options);
    if (failed(emitted)) {
      return failure();
    }
    mlir::Block &block = region.getBody().front();
    Program program;
    nvdla::Commands commands;
    auto bind = [&](ValueRange values, std::vector<MemoryRange> &ranges,
                    std::vector<nvdla::BoundTensor> &tensors) {
      for (Value value : values) {
        auto type = cast<RankedTensorType>(value.getType());
        int64_t bytes = type.getNumElements() * storageBytes(fromMlir(type.getElementType()));
        ranges.push_back({program.memoryBytes, bytes});
        tensors.push_back(
            {uint64_t(program.memoryBytes), uint64_t(bytes), uint32_t(nvdla::storedOffset(type))});
        program.memoryBytes += int64_t(llvm::alignTo(bytes, 64));
      }
    };
    bind(block.getArguments(), program.inputs, commands.inputs);
    bind(block.getTerminator()->getOperands(), program.outputs, commands.outputs);
    commands.layers = std::move(emitted->layers);
    for (const nvdla::EmittedGroup &group : emitted->groups) {
      commands.groupLayers.push_back(uint32_t(group.layer));
    }
    commands.loadable = nvdla::writeLoadable(emitted->loadable);
    program.commands = nvdla::writeCommands(commands);
    for (const std::string &layer : commands.layers) {
      program.steps.push_back({layer, options.config->name.str(), 0});
    }
    return program;
  }

  /// Returns the loadable alone, as NVDLA's runtime expects it.
  ProgramFile fileOf(llvm::ArrayRef<uint8_t> bytes) const override {
    llvm::Expected<nvdla::Commands> commands = nvdla::readCommands(bytes);
    if (!commands) {
      llvm::consumeError(commands.takeError()); // not NVDLA commands: return them unchanged
      return {"bin", bytes.vec()};
    }
    return {"nvdla", std::move(commands->loadable)};
  }

  /// Assumes a clock of 1 GHz, so one cycle is one nanosecond.
  Cost estimate(Operation *op) const override {
    return {static_cast<double>(nvdla::estimateLayer(op, options))};
  }

  std::unique_ptr<Simulator> simulator() const override {
    return nvdla::createSimulator(*options.config);
  }

private:
  std::string target;
  const NamedConfig &entry;
  NvdlaOptions options;
  Capabilities table;
};

llvm::Expected<std::unique_ptr<Accelerator>> create(llvm::StringRef target) {
  llvm::Expected<std::optional<NvdlaOptions>> options = nvdla::readTarget(target);
  if (!options) {
    return options.takeError();
  }
  if (!*options) {
    return nullptr;
  }
  return std::make_unique<Nvdla>(target, *nvdla::findNamedConfig(target), **options);
}

llvm::Expected<const nvdla::HardwareConfig *> findConfig(llvm::StringRef name) {
  const nvdla::HardwareConfig *config = nvdla::findHardwareConfig(name);
  if (config || name.empty()) {
    return config;
  }
  auto names = llvm::map_range(nvdla::hardwareConfigs(),
                               [](const nvdla::HardwareConfig &known) { return known.name.str(); });
  return llvm::createStringError("--config '" + name + "' is not one of " +
                                 llvm::join(names, ", "));
}

llvm::Expected<InspectedFile> inspectFile(llvm::StringRef path, llvm::ArrayRef<uint8_t> bytes,
                                          llvm::StringRef config) {
  llvm::Expected<const nvdla::HardwareConfig *> hardware = findConfig(config);
  if (!hardware) {
    return hardware.takeError();
  }
  llvm::Expected<nvdla::InspectedLoadable> inspected =
      nvdla::inspectLoadable(llvm::sys::path::filename(path), bytes, *hardware);
  if (!inspected) {
    return withPrefix("'" + path + "': ", inspected.takeError());
  }
  InspectedFile file;
  llvm::raw_string_ostream text(file.text), svg(file.svg);
  nvdla::printLoadable(text, *inspected);
  nvdla::printDependencySvg(svg, *inspected);
  file.json = nvdla::loadableToJson(*inspected);
  return file;
}

constexpr FileInspector kInspector = {".nvdla", inspectFile};

} // namespace

const Family &nvdlaFamily();
const Family &nvdlaFamily() {
  static const Family kFamily = {[] {
                                   std::vector<std::string> names;
                                   for (const NamedConfig &target : nvdla::namedConfigs()) {
                                     names.push_back(target.name.str());
                                   }
                                   return names;
                                 },
                                 create, &kInspector, nvdla::registerNvdlaPasses};
  return kFamily;
}

} // namespace convoy::accelerators
