// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a program from its frame into files: the text without the line of sizes, the image, and
// the addresses of inputs and outputs among the neurons.

#include "Accelerators/BM1880/Files.h"
#include "Accelerators/BM1880/LowerRegion.h"
#include "Accelerators/BM1880/Text.h"
#include "Accelerators/BM1880/Timing.h"
#include "convoy/device.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include <cstring>

namespace convoy::bm1880 {

std::vector<accelerators::ProgramFile> makeFiles(llvm::ArrayRef<uint8_t> program) {
  convoy_program head;
  if (program.size() < sizeof head) {
    return {};
  }
  std::memcpy(&head, program.data(), sizeof head);
  llvm::Expected<Commands> commands =
      splitCommands(program.slice(head.commands_offset, head.commands_bytes));
  if (!commands) {
    llvm::consumeError(commands.takeError()); // not a program of this device
    return {};
  }
  llvm::json::Array operands[2];
  for (uint32_t i = 0; i < head.inputs + head.outputs; ++i) {
    convoy_operand operand;
    std::memcpy(&operand, program.data() + sizeof head + i * sizeof operand, sizeof operand);
    operands[i < head.inputs ? 0 : 1].push_back(llvm::json::Object{
        {"neuronAddress", static_cast<int64_t>(operand.address) - commands->neuronBase()},
        {"bytes", static_cast<int64_t>(operand.bytes)}});
  }
  int64_t cycles = 0;
  if (llvm::Expected<std::vector<Instruction>> list = readText(commands->text)) {
    for (const Interval &interval : schedule(*list)) {
      cycles = std::max(cycles, interval.end);
    }
  } else {
    llvm::consumeError(list.takeError()); // the reader accepts all output of the writer
  }
  llvm::json::Object runtime{{"estimatedCycles", cycles},
                             {"weightBytes", commands->weightBytes},
                             {"neuronBytes", commands->neuronBytes},
                             {"neuronBytesWithoutReuse", commands->bytesWithoutReuse},
                             {"inputs", std::move(operands[0])},
                             {"outputs", std::move(operands[1])}};
  std::string json = llvm::formatv("{0:2}\n", llvm::json::Value(std::move(runtime))).str();
  return {{"s", {commands->text.begin(), commands->text.end()}},
          {"weight.bin", program.slice(head.image_offset, head.image_bytes).vec()},
          {"rt.json", {json.begin(), json.end()}}};
}

} // namespace convoy::bm1880
