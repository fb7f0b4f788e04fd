// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parses the text of a program, runs its instructions on Machine.h and reports cycles.

#include "Accelerators/BM1880/BM1880Simulator.h"
#include "Accelerators/BM1880/LowerRegion.h"
#include "Accelerators/BM1880/Machine.h"
#include "Accelerators/BM1880/Text.h"
#include "Accelerators/BM1880/Timing.h"
#include "convoy/convoy.h"

namespace convoy::bm1880 {
namespace {

class BM1880Simulator : public accelerators::Simulator {
public:
  void skipData() override { isSkipping = true; }

  /// Returns one row per layer. A row includes the transfers of the layer.
  std::vector<accelerators::LayerReport> report() const override {
    std::vector<accelerators::LayerReport> rows;
    std::vector<Interval> times = schedule(instructions);
    int64_t now = 0;
    for (size_t i = 0; i < instructions.size(); ++i) {
      Work work = workOf(instructions[i]);
      if (rows.empty() || rows.back().name != instructions[i].layer) {
        rows.push_back({instructions[i].layer, instructions[i].name().str()});
      }
      accelerators::LayerReport &row = rows.back();
      row.unit = work.computeCycles > 0 ? instructions[i].name().str() : row.unit;
      auto cycles = static_cast<double>(std::max<int64_t>(times[i].end - now, 0));
      now = std::max(now, times[i].end);
      row.cycles += cycles;
      row.stallCycles +=
          std::max(0.0, cycles - static_cast<double>(std::min<int64_t>(
                                     work.computeCycles, times[i].end - times[i].start)));
      row.bytesMoved += work.bytesMoved;
      row.utilization += static_cast<double>(work.products); // sum of products until the loop below
                                                             // divides it
    }
    for (accelerators::LayerReport &row : rows) {
      row.utilization = row.cycles == 0
                            ? 0
                            : row.utilization / (row.cycles * static_cast<double>(kLanes * kUnits));
    }
    return rows;
  }

protected:
  int execute(llvm::ArrayRef<uint8_t> commands, llvm::MutableArrayRef<uint8_t> memory) override {
    llvm::Expected<Commands> parts = splitCommands(commands);
    if (!parts) {
      return fail(CONVOY_ERROR_PROGRAM, llvm::toString(parts.takeError()));
    }
    auto size = static_cast<int64_t>(memory.size());
    if (parts->weightBytes > size || parts->neuronBase() > size ||
        parts->neuronBytes > size - parts->neuronBase()) {
      return fail(CONVOY_ERROR_PROGRAM,
                  "the program's memory is smaller than the sizes in its first line");
    }
    llvm::Expected<std::vector<Instruction>> list = readText(parts->text);
    if (!list) {
      return fail(CONVOY_ERROR_PROGRAM, llvm::toString(list.takeError()));
    }
    instructions = std::move(*list);
    Machine machine(memory.take_front(static_cast<size_t>(parts->weightBytes)),
                    memory.slice(static_cast<size_t>(parts->neuronBase()),
                                 static_cast<size_t>(parts->neuronBytes)));
    for (const Instruction &instruction : instructions) {
      if (isSkipping) {
        break;
      }
      if (llvm::Error error = machine.execute(instruction)) {
        return fail(CONVOY_ERROR_PROGRAM, llvm::toString(std::move(error)));
      }
    }
    return CONVOY_OK;
  }

private:
  std::vector<Instruction> instructions;
  bool isSkipping = false;
};

} // namespace

std::unique_ptr<accelerators::Simulator> createSimulator() {
  return std::make_unique<BM1880Simulator>();
}

} // namespace convoy::bm1880
