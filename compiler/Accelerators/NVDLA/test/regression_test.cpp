// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the loadables that NVDLA's software publishes for its own regression on the simulator and
// compares them with the published outputs: single engines bit by bit, the MNIST network within
// 2e-3. Every loadable must round-trip through writing and reading. Reading a truncated loadable
// must fail without a crash.

#include "Accelerators/NVDLA/Loadable/BuildLoadable.h"
#include "Accelerators/NVDLA/Loadable/RunLoadable.h"
#include "Accelerators/NVDLA/Simulator/Cube.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace convoy::nvdla;

namespace {

/// The runtime that wrote the golden files assumes atoms of 32 bytes for every configuration. The
/// files of nv_small therefore hold only a part of the output, in a different order.
constexpr uint32_t kGoldenAtomBytes = 32;

struct Case {
  const char *loadable, *golden, *config;
};

constexpr Case kCases[] = {
    {"BDMA/BDMA_L0_0", "BDMA_L0_0_76a9a4", "nv_full"},
    {"CDP/CDP_L0_0", "CDP_L0_0_66cb25", "nv_full"},
    {"CDP/CDP_L0_0_large", "CDP_L0_0_large_fe3167", "nv_large"},
    {"CDP/CDP_L0_0_small", "CDP_L0_0_small_4531af", "nv_small"},
    {"CONV/CONV_D_L0_0", "CONV_D_L0_0_6d2d02", "nv_full"},
    {"CONV/CONV_D_L0_0_large", "CONV_D_L0_0_large_f394b6", "nv_large"},
    {"CONV/CONV_D_L0_0_small", "CONV_D_L0_0_small_3c77f6", "nv_small"},
    {"PDP/PDP_L0_0", "PDP_L0_0_e21636", "nv_full"},
    {"PDP/PDP_L0_0_large", "PDP_L0_0_large_a57d22", "nv_large"},
    {"PDP/PDP_L0_0_small", "PDP_L0_0_small_fbdf76", "nv_small"},
    {"RBK/RBK_L0_0", "RBK_L0_0_6dbb5a", "nv_full"},
    {"SDP/SDP_X1_L0_0", "SDP_X1_L0_0_b9bf63", "nv_full"},
    {"SDP/SDP_X1_L0_0_large", "SDP_X1_L0_0_large_4486c3", "nv_large"},
    {"SDP/SDP_X1_L0_0_small", "SDP_X1_L0_0_small_c9894d", "nv_small"},
};

std::vector<uint8_t> readBytes(const llvm::Twine &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    llvm::errs() << "cannot read " << path << ": " << buffer.getError().message() << "\n";
    return {};
  }
  llvm::StringRef text = (*buffer)->getBuffer();
  return {text.bytes_begin(), text.bytes_end()};
}

/// Returns the elements after a golden file's header, converted from the tensor's type.
std::vector<float> readGolden(const llvm::Twine &path, const LoadableTensor &tensor) {
  constexpr size_t kHeaderBytes = 36;
  std::vector<uint8_t> bytes = readBytes(path);
  std::vector<float> values;
  size_t width = tensor.dataType == 4 ? 1 : 2;
  for (size_t at = kHeaderBytes; at + width <= bytes.size(); at += width) {
    uint16_t bits = width == 1 ? bytes[at] : llvm::support::endian::read16le(&bytes[at]);
    values.push_back(tensor.dataType == 2   ? halfToFloat(bits)
                     : tensor.dataType == 3 ? float(int16_t(bits))
                                            : float(int8_t(bits)));
  }
  return values;
}

/// Returns whether reading fails for every truncated file and writing preserves all bytes.
bool survives(const std::vector<uint8_t> &bytes, const Loadable &loadable) {
  for (size_t length = 0; length < bytes.size(); length += 1 + bytes.size() / 97) {
    llvm::Expected<Loadable> part = readLoadable(llvm::ArrayRef(bytes).take_front(length));
    if (part) {
      llvm::errs() << "reading a file truncated to " << length << " bytes succeeded\n";
      return false;
    }
    llvm::consumeError(part.takeError());
  }
  llvm::Expected<Loadable> again = readLoadable(writeLoadable(loadable));
  if (!again) {
    llvm::errs() << llvm::toString(again.takeError()) << "\n";
    return false;
  }
  return writeLoadable(*again) == writeLoadable(loadable) &&
         again->blobs.size() == loadable.blobs.size() &&
         again->memories.size() == loadable.memories.size();
}

/// Returns the output of one run, or nothing after printing an error.
std::vector<float> runOnce(const Loadable &loadable, const HardwareConfig &config,
                           llvm::ArrayRef<uint8_t> input, const LoadableTensor &tensor) {
  LoadableRun run(loadable, config);
  llvm::Error error = input.empty() ? llvm::Error::success() : run.setInput(0, input);
  if (!error) {
    error = run.run();
  }
  if (error) {
    llvm::errs() << llvm::toString(std::move(error)) << "\n";
    return {};
  }
  llvm::Expected<std::vector<uint8_t>> bytes = run.output(0);
  if (!bytes) {
    llvm::errs() << llvm::toString(bytes.takeError()) << "\n";
    return {};
  }
  llvm::Expected<std::vector<float>> values = unpackTensor(tensor, *bytes, kGoldenAtomBytes);
  if (!values) {
    llvm::errs() << llvm::toString(values.takeError()) << "\n";
    return {};
  }
  return *values;
}

float distance(const std::vector<float> &a, const std::vector<float> &b) {
  if (a.size() != b.size() || a.empty()) {
    return INFINITY;
  }
  float largest = 0;
  for (auto [x, y] : llvm::zip(a, b)) {
    largest = std::fmax(largest, std::fabs(x - y));
  }
  return largest;
}

bool runCase(const std::string &folder, const Case &test) {
  std::vector<uint8_t> bytes = readBytes(folder + "/flatbufs/kmd/" + test.loadable + "_fbuf");
  llvm::Expected<Loadable> loadable = readLoadable(bytes);
  if (!loadable) {
    llvm::errs() << test.loadable << ": " << llvm::toString(loadable.takeError()) << "\n";
    return false;
  }
  const LoadableTensor &tensor = loadable->tensors.back();
  std::vector<float> golden =
      readGolden(folder + "/golden/" + test.golden + "/dla/o_000000.dimg", tensor);
  std::vector<float> values = runOnce(*loadable, *findHardwareConfig(test.config), {}, tensor);
  size_t nonZero = llvm::count_if(golden, [](float value) { return value != 0; });
  bool isPassed = survives(bytes, *loadable) && distance(values, golden) == 0;
  llvm::outs() << (isPassed ? "pass " : "FAIL ") << test.loadable << ": " << values.size()
               << " elements, " << golden.size() << " golden of which " << nonZero
               << " not zero, largest difference " << distance(values, golden) << "\n";
  return isPassed;
}

/// Converts an 8-bit image to a cube of one channel: one f16 value per atom.
std::vector<uint8_t> makeInput(const std::vector<uint8_t> &pgm, uint32_t atomBytes, float scale) {
  constexpr size_t kPixels = 28 * 28;
  std::vector<uint8_t> input(kPixels * atomBytes);
  if (pgm.size() < kPixels) {
    return {};
  }
  const uint8_t *pixels = pgm.data() + pgm.size() - kPixels; // after a text header
  for (size_t i = 0; i < kPixels; ++i) {
    llvm::support::endian::write16le(&input[i * atomBytes], floatToHalf(float(pixels[i]) * scale));
  }
  return input;
}

/// Rebuilds the network: copies the data, and makes the tasks from their decoded descriptors, in
/// the newer layout of cubes and of host operations.
Loadable rebuild(const Loadable &loadable) {
  LoadableBuilder builder;
  size_t firstOwn = loadable.tasks[0].addresses[0]; // memories of tasks follow all data
  for (const LoadableMemory &memory : llvm::ArrayRef(loadable.memories).slice(1, firstOwn - 1)) {
    int16_t id = builder.addMemory(memory.flags & ~LoadableMemory::Set, memory.size);
    for (auto [name, offset] : llvm::zip(memory.contents, memory.offsets)) {
      builder.fill(id, offset, name, loadable.findBlob(name)->data);
    }
    if (memory.flags & (LoadableMemory::Input | LoadableMemory::Output)) {
      builder.bind(id, memory.bindId, loadable.tensors[memory.tensorId]);
    }
  }
  for (const LoadableTask &task : loadable.tasks) {
    if (task.interface == Interface::Emulator) {
      builder.addTask(llvm::cantFail(readEmulatorTask(loadable, task)));
    } else {
      DlaTask dla = llvm::cantFail(readDlaTask(loadable, task));
      dla.layout = CubeLayout::WithOffset;
      builder.addTask(dla);
    }
  }
  return llvm::cantFail(readLoadable(writeLoadable(builder.take())));
}

struct Digit {
  const char *name;
  int label; // -1: not checked
};

/// Published digits. The network recognizes the checked ones; the other digits are thin or off
/// center.
constexpr Digit kDigits[] = {{"one", 1},  {"two", -1},  {"three", 3},  {"four", 4}, {"five", 5},
                             {"six", -1}, {"seven", 7}, {"eight", -1}, {"nine", -1}};

/// The published output equals the output for an input of zeros, so it does not depend on a digit.
/// Digits show that the first convolution reads its input.
bool runNetwork(const std::string &folder) {
  const HardwareConfig &config = *findHardwareConfig("nv_full");
  std::vector<uint8_t> bytes = readBytes(folder + "/flatbufs/kmd/NN/NN_L0_0_fbuf");
  llvm::Expected<Loadable> loadable = readLoadable(bytes);
  if (!loadable) {
    llvm::errs() << "NN_L0_0: " << llvm::toString(loadable.takeError()) << "\n";
    return false;
  }
  const LoadableTensor &tensor = loadable->tensors.back();
  std::vector<float> golden =
      readGolden(folder + "/golden/NN_L0_0_9521de/dla/o_000000.dimg", tensor);
  float far = distance(runOnce(*loadable, config, {}, tensor), golden), nearest = INFINITY;
  float farRebuilt = distance(runOnce(rebuild(*loadable), config, {}, tensor), golden);
  size_t wrong = 0;
  for (const Digit &digit : kDigits) {
    std::vector<uint8_t> pgm = readBytes(folder + "/images/digits/" + digit.name + ".pgm");
    std::vector<uint8_t> input = makeInput(pgm, config.atomBytes, 1.0F / 255);
    std::vector<float> values = runOnce(*loadable, config, input, tensor);
    nearest = std::fmin(nearest, distance(values, golden));
    bool isRight = !values.empty() && llvm::max_element(values) - values.begin() == digit.label;
    wrong += digit.label >= 0 && !isRight;
  }
  bool isPassed = survives(bytes, *loadable) && far <= 2e-3F && farRebuilt == far &&
                  nearest > 0.1F && wrong == 0;
  llvm::outs() << (isPassed ? "pass " : "FAIL ") << "NN/NN_L0_0: largest difference with zeros in "
               << far << ", built anew " << farRebuilt << ", with a digit " << nearest
               << " or more, labels wrong " << wrong << "\n";
  return isPassed;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    llvm::errs() << "usage: nvdla_regression_test folder\n";
    return 1;
  }
  size_t failed = 0;
  for (const Case &test : kCases) {
    failed += !runCase(argv[1], test);
  }
  failed += !runNetwork(argv[1]);
  return failed == 0 ? 0 : 1;
}
