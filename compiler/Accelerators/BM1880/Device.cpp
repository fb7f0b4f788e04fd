// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The BM1880's implementation of Accelerator.h. docs/targets/bm1880.md describes the device. The
// programs have never run on a chip.

#include "Accelerators/BM1880/BM1880.h"
#include "Accelerators/BM1880/BM1880Simulator.h"
#include "Accelerators/BM1880/Files.h"
#include "Accelerators/BM1880/Layers.h"
#include "Accelerators/BM1880/LowerRegion.h"
#include "Accelerators/BM1880/Timing.h"
#include "Accelerators/Registry.h"

using namespace mlir;

namespace convoy::accelerators {
namespace {

/// Limits that follow from the widths of the fields: strides and pads are u8. The size of the
/// memory limits all other quantities.
Capabilities makeTable() {
  std::vector<ElementType> types = {ElementType::I8};
  std::vector<Limit> window = {{Quantity::StrideHeight, 255},
                               {Quantity::StrideWidth, 255},
                               {Quantity::Pad, 255},
                               {Quantity::ZeroPoint, 0}};
  std::vector<Limit> conv = window;
  conv.push_back({Quantity::WeightZeroPoint, 0});
  conv.push_back({Quantity::DilationHeight, 65535});
  conv.push_back({Quantity::DilationWidth, 65535});
  std::vector<Limit> rescale = {{Quantity::ZeroPoint, 0}};
  return Capabilities({
      {"conv", types, conv, "int16 bias and relu; requantized by one shift for all channels"},
      {"pool", types, window, "max; average with an 8-bit multiplier and a shift"},
      {"eltwise", types, {}, "add and mul of equal shapes; 8-bit multipliers and a shift"},
      {"requantize", types, rescale, "an 8-bit multiplier and a shift; relu"},
      {"byte_lrn", types, rescale, "with two tables of 256 bytes"},
      {"concat", types, {}, "a multiplier and a shift per input"},
      {"slice", types, {}, "through local memory: planes of up to 65536 bytes"},
      {"transpose", types, {}, "up to four dimensions"},
      {"reshape", types, {}, "no cost"},
      {"copy", types, {}},
  });
}

class BM1880 : public Accelerator {
public:
  BM1880(llvm::StringRef target, bool choosesScales, bool usesLocal)
      : target(target.str()), choosesScales(choosesScales), usesLocal(usesLocal),
        table(makeTable()) {}

  llvm::StringRef name() const override { return target; }
  llvm::StringRef summary() const override {
    return "Bitmain BM1880: int8, emits instruction text; simulated only, never run on a chip";
  }
  const Capabilities &capabilities() const override { return table; }
  ElementType floatType() const override { return ElementType::Undefined; }
  std::optional<Refusal> refuse(Operation *op) const override { return bm1880::refuseLayer(op); }

  /// Uses 8-bit multipliers where an instruction has them. No public text defines how the chip
  /// rounds ties; later chips of the same maker round half up.
  quantize::Arithmetic arithmetic() const override {
    quantize::Arithmetic result;
    result.multiplierBits = 8;
    result.rounding = graph::ShiftRounding::HalfUp;
    result.shiftsOnly = choosesScales;
    result.hasByteTables = true;
    return result;
  }

  void registerDialects(DialectRegistry &registry) const override {
    registry.insert<bm1880::BM1880Dialect>();
  }

  llvm::ArrayRef<memory::Space> memories() const override {
    static const memory::Space kSpaces[] = {{"lanes", bm1880::kLaneBytes, bm1880::kUnits},
                                            {"dram", int64_t(1) << 30, 64}};
    return kSpaces;
  }

  FailureOr<Program> lower(func::FuncOp region, const DependenceGraph &) const override {
    return bm1880::lowerRegion(region, usesLocal); // the two engines wait for each other by local
                                                   // addresses
  }

  Cost estimate(Operation *op) const override {
    bm1880::WeightMemory none(/*keepsBytes=*/false);
    auto nowhere = [](Value) -> int64_t { return 0; };
    bm1880::LayerEmitter emitter(nowhere, none);
    double cycles = 0;
    for (const bm1880::Instruction &instruction : emitter.emit(op)) {
      bm1880::Work work = bm1880::workOf(instruction);
      cycles +=
          static_cast<double>(std::max(work.computeCycles, work.bytesMoved / bm1880::kBusBytes));
    }
    return {cycles * bm1880::kNanosecondsPerCycle};
  }

  std::vector<ProgramFile> filesOf(llvm::ArrayRef<uint8_t> program,
                                   llvm::ArrayRef<uint8_t>) const override {
    return bm1880::makeFiles(program);
  }

  std::unique_ptr<Simulator> simulator() const override { return bm1880::createSimulator(); }

private:
  std::string target;
  bool choosesScales;
  bool usesLocal;
  Capabilities table;
};

/// `bm1880:scales=keep` keeps the model's scales and leaves layers that need multipliers to the
/// CPU. `bm1880:local=off` uses only kernels of global memory.
llvm::Expected<std::unique_ptr<Accelerator>> create(llvm::StringRef target) {
  auto [family, settings] = target.split(':');
  if (family != "bm1880") {
    return nullptr;
  }
  bool choosesScales = true;
  bool usesLocal = true;
  while (!settings.empty()) {
    auto [setting, rest] = settings.split(':');
    if (setting == "scales=shifts" || setting == "scales=keep") {
      choosesScales = setting == "scales=shifts";
    } else if (setting == "local=on" || setting == "local=off") {
      usesLocal = setting == "local=on";
    } else {
      return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                     "target '" + target +
                                         "' expects scales=shifts, scales=keep, local=on or "
                                         "local=off, got '" +
                                         setting + "'");
    }
    settings = rest;
  }
  return std::make_unique<BM1880>(target, choosesScales, usesLocal);
}

} // namespace

const Family &bm1880Family();
const Family &bm1880Family() {
  static const Family kFamily = {[] { return std::vector<std::string>{"bm1880"}; }, create};
  return kFamily;
}

} // namespace convoy::accelerators
