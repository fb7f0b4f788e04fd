// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests the frame of programs, and loading and running them through the function table. The device
// of this test adds its command, one byte, to each byte of the input.

#include "Accelerators/Program.h"
#include "Accelerators/Simulator.h"
#include "convoy/convoy.h"
#include <gtest/gtest.h>

using namespace convoy::accelerators;

namespace {

class AddingDevice : public Simulator {
protected:
  int execute(llvm::ArrayRef<uint8_t> commands, llvm::MutableArrayRef<uint8_t> memory) override {
    if (commands.size() != 1) {
      return fail(CONVOY_ERROR_DEVICE, "expects one command");
    }
    for (size_t i = 0; i < 4; ++i) {
      memory[8 + i] = static_cast<uint8_t>(memory[4 + i] + commands[0] + memory[i]);
    }
    return CONVOY_OK;
  }
};

Program addingProgram() {
  Program program;
  program.memoryBytes = 12;
  program.inputs = {{4, 4}};
  program.outputs = {{8, 4}};
  program.image = {10, 20, 30, 40};
  program.commands = {1};
  return program;
}

TEST(Device, RunsAProgram) {
  AddingDevice device;
  std::vector<uint8_t> bytes = encodeProgram(addingProgram(), "adding");
  convoy_loaded_program loaded = {};
  ASSERT_EQ(convoy_load_program(&device.device(), bytes.data(), bytes.size(), &loaded), CONVOY_OK);
  uint8_t in[4] = {1, 2, 3, 4};
  uint8_t out[4] = {};
  const void *inputs[] = {in};
  void *outputs[] = {out};
  ASSERT_EQ(convoy_run_program(&loaded, inputs, outputs), CONVOY_OK);
  EXPECT_EQ(out[0], 12);
  EXPECT_EQ(out[3], 45);
  convoy_unload_program(&loaded);
  EXPECT_EQ(convoy_run_program(&loaded, inputs, outputs), CONVOY_ERROR_NO_DEVICE);
}

TEST(Device, RefusesWhatIsNoProgram) {
  AddingDevice device;
  std::vector<uint8_t> bytes = encodeProgram(addingProgram(), "adding");
  convoy_loaded_program loaded = {};
  for (size_t size : {size_t(0), size_t(79), bytes.size() - 1}) {
    EXPECT_EQ(convoy_load_program(&device.device(), bytes.data(), size, &loaded),
              CONVOY_ERROR_PROGRAM)
        << size;
  }
  bytes[0] ^= 1;
  EXPECT_EQ(convoy_load_program(&device.device(), bytes.data(), bytes.size(), &loaded),
            CONVOY_ERROR_PROGRAM);
}

TEST(Device, RefusesAnOperandOutsideItsMemory) {
  AddingDevice device;
  Program program = addingProgram();
  program.outputs = {{9, 4}};
  std::vector<uint8_t> bytes = encodeProgram(program, "adding");
  convoy_loaded_program loaded = {};
  EXPECT_EQ(convoy_load_program(&device.device(), bytes.data(), bytes.size(), &loaded),
            CONVOY_ERROR_PROGRAM);
}

TEST(Device, SaysWhyItFailed) {
  AddingDevice device;
  Program program = addingProgram();
  program.commands = {1, 2};
  std::vector<uint8_t> bytes = encodeProgram(program, "adding");
  convoy_loaded_program loaded = {};
  ASSERT_EQ(convoy_load_program(&device.device(), bytes.data(), bytes.size(), &loaded), CONVOY_OK);
  uint8_t buffer[4] = {};
  const void *inputs[] = {buffer};
  void *outputs[] = {buffer};
  EXPECT_EQ(convoy_run_program(&loaded, inputs, outputs), CONVOY_ERROR_DEVICE);
  EXPECT_EQ(device.error(), "expects one command");
}

} // namespace
