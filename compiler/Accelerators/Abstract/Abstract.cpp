// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The abstract device's implementation of Accelerator.h: target names, capability table, and calls
// of the lowering and the simulator. docs/targets/abstract.md describes the device.

#include "Accelerators/Abstract/AbstractSimulator.h"
#include "Accelerators/Abstract/LowerLayer.h"
#include "Accelerators/Abstract/LowerRegion.h"
#include "Accelerators/Abstract/Parameters.h"
#include "Accelerators/Registry.h"
#include "Support/InputFile.h"
#include "Support/TypedError.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace convoy::accelerators {
namespace {

using abstract::Parameters;

/// The register ranges of registers.inc as limits.
std::vector<Limit> windowLimits() {
  return {{Quantity::InputChannels, 32768}, {Quantity::InputHeight, 8192},
          {Quantity::InputWidth, 8192},     {Quantity::KernelHeight, 64},
          {Quantity::KernelWidth, 64},      {Quantity::StrideHeight, 16},
          {Quantity::StrideWidth, 16}};
}

Capabilities makeTable(const Parameters &parameters) {
  std::vector<ElementType> types = {ElementType::U8, ElementType::I8};
  if (parameters.device.wide_data) {
    types.push_back(ElementType::I16);
  }
  std::vector<ElementType> bytes = {ElementType::U8, ElementType::I8};
  std::vector<Limit> conv = windowLimits();
  // A pool has as many output channels as input channels and less padding than its kernel size.
  conv.push_back({Quantity::OutputChannels, 32768});
  conv.push_back({Quantity::Pad, 8192});
  conv.push_back({Quantity::DilationHeight, 16});
  conv.push_back({Quantity::DilationWidth, 16});
  std::vector<Limit> pool = windowLimits();
  std::vector<Limit> rescale;
  if (!parameters.device.weight_zero_points) {
    conv.push_back({Quantity::WeightZeroPoint, 0});
  }
  if (!parameters.device.activation_zero_points) {
    for (std::vector<Limit> *limits : {&conv, &pool, &rescale}) {
      limits->push_back({Quantity::ZeroPoint, 0});
    }
  }
  return Capabilities({
      {"conv", types, conv, "constant weights of 8 bits, requantized"},
      {"pool", types, pool, "max, and average with one requantization"},
      {"eltwise", types, {}, "add, sub and mul of equal shapes, requantized"},
      {"requantize", types, rescale, "one multiplier for all channels"},
      {"lookup", bytes, {}, "constant tables of bytes"},
      {"concat", types, {}, "in at most 16 pieces of each input"},
      {"slice", types, {}, "of one dimension, in at most 16 pieces"},
      {"reshape", types, {}, "no cost"},
      {"copy", types, {}},
  });
}

class Abstract : public Accelerator {
public:
  Abstract(llvm::StringRef target, const Parameters &parameters)
      : target(target.str()), parameters(parameters), table(makeTable(parameters)) {}

  llvm::StringRef name() const override { return target; }
  llvm::StringRef summary() const override {
    return "simulated integer convolution device defined by parameters";
  }
  const Capabilities &capabilities() const override { return table; }
  ElementType floatType() const override { return ElementType::Undefined; }

  std::optional<Refusal> refuse(Operation *op) const override {
    return abstract::lowerOp(op, parameters).refusal;
  }

  llvm::ArrayRef<memory::Space> memories() const override {
    static const memory::Space kSystem{"system", int64_t(1) << 30, 64};
    return kSystem;
  }

  FailureOr<Program> lower(func::FuncOp region, const DependenceGraph &) const override {
    // The generator derives the waits of the engines from its plan of the local memory.
    return abstract::lowerRegion(region, parameters);
  }

  /// Assumes a clock of 1 GHz, so one cycle is one nanosecond.
  Cost estimate(Operation *op) const override {
    Cost cost;
    for (const abstract::LayerPart &part : abstract::lowerOp(op, parameters).parts) {
      cost.nanoseconds +=
          static_cast<double>(convoy_abstract_layer_cycles(&parameters.device, &part.layer));
    }
    return cost;
  }

  Resources resources() const override {
    return {parameters.device.pes, parameters.device.memory_bytes};
  }

  std::unique_ptr<Simulator> simulator() const override {
    return abstract::createSimulator(parameters);
  }

private:
  std::string target;
  Parameters parameters;
  Capabilities table;
};

llvm::Expected<Parameters> readFile(llvm::StringRef path) {
  if (isDevice(path)) {
    return llvm::createStringError(path + ": cannot be read: it is a device; expected a file");
  }
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) {
    return llvm::createStringError(file.getError(),
                                   path + ": cannot be read: " + file.getError().message());
  }
  return abstract::parseParameters((*file)->getBuffer(), path);
}

/// Examples: `abstract`, `abstract:file=dev.json`, `abstract:pes=128:memory_bytes=512K`. Settings
/// apply from left to right; a file replaces all settings before it.
llvm::Expected<std::unique_ptr<Accelerator>> create(llvm::StringRef target) {
  auto [family, settings] = target.split(':');
  if (family != "abstract") {
    return nullptr;
  }
  Parameters parameters = abstract::defaultParameters();
  while (!settings.empty()) {
    auto [setting, rest] = settings.split(':');
    auto [key, value] = setting.split('=');
    if (key == "file") {
      llvm::Expected<Parameters> read = readFile(value);
      if (!read) {
        return read.takeError();
      }
      parameters = *read;
    } else if (llvm::Error error = abstract::setParameter(parameters, key, value)) {
      return withPrefix("target '" + target + "': ", std::move(error));
    }
    settings = rest;
  }
  return std::make_unique<Abstract>(target, parameters);
}

} // namespace

const Family &abstractFamily();
const Family &abstractFamily() {
  static const Family kFamily = {[] { return std::vector<std::string>{"abstract"}; }, create};
  return kFamily;
}

} // namespace convoy::accelerators
