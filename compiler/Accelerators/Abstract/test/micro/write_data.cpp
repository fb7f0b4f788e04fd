// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// write_data FILE: writes a network of the same shape as person detection with random weights, its
// input and its expected output, computed with plain loops, as C for the microcontroller.

#include "../Harness.h"

#include "llvm/Support/raw_ostream.h"

using namespace convoy::abstract;

static void writeArray(llvm::raw_ostream &os, const char *name, const std::vector<uint8_t> &bytes) {
  os << "static const uint8_t " << name << "[" << bytes.size()
     << "] __attribute__((aligned(16))) = {";
  for (size_t i = 0; i < bytes.size(); ++i) {
    os << (i % 24 == 0 ? "\n  " : "") << static_cast<unsigned>(bytes[i]) << ",";
  }
  os << "};\n";
}

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "write_data FILE\n";
    return 1;
  }
  test::Random random(6);
  test::Chain chain = test::makePersonDetector(random);
  Parameters parameters = defaultParameters();
  parameters.device.memory_bytes = 64 << 10;
  std::vector<uint8_t> workspace;
  std::vector<uint8_t> list = test::buildList(chain, workspace);
  test::Outcome outcome = test::runOnDevice(parameters, chain);
  std::vector<uint8_t> expected = test::runPlainly(chain);
  if (outcome.code != 0 || outcome.output != expected) {
    llvm::errs() << "the host's own simulator fails: " << convoy_abstract_text(outcome.code)
                 << "\n";
    return 1;
  }
  std::error_code error;
  llvm::raw_fd_ostream os(argv[1], error);
  if (error) {
    llvm::errs() << argv[1] << ": " << error.message() << "\n";
    return 1;
  }
  const convoy_abstract_device &d = parameters.device;
  os << "/* Written by write_data. */\n#include \"convoy/abstract.h\"\n"
     << "#define LOCAL_BYTES " << d.memory_bytes << "u\n#define WORKSPACE_BYTES "
     << workspace.size() << "u\n#define LAYERS " << chain.layers.size()
     << "u\n#define PROGRAM_WORDS " << outcome.program.size() << "u\n"
     << "static const convoy_abstract_device device = {" << d.pes << ", " << d.parallel << ", "
     << d.memory_bytes << ", " << d.dma_bytes_per_cycle << ", " << d.dma_latency_cycles << ", "
     << d.startup_cycles << ", " << d.queue_depth << ", " << d.depthwise << ", "
     << d.weight_zero_points << ", " << d.activation_zero_points << ", " << d.wide_data << "};\n";
  writeArray(os, "layer_list", list);
  writeArray(os, "input", chain.input);
  writeArray(os, "expected", expected);
  llvm::outs() << "cycles " << outcome.total.cycles << " words " << outcome.program.size() << "\n";
  return 0;
}
