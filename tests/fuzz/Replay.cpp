// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Passes each file of a folder to a fuzz target, in builds without libFuzzer: tests/fuzz/corpus in
// ctest.
//
//     fuzz_replay TARGET FOLDER

#include "tests/fuzz/Finding.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <string>
#include <vector>

using namespace convoy;

namespace {

using Entry = int(const uint8_t *data, size_t size);

struct Target {
  llvm::StringLiteral name;
  Entry *run;
};

#define FUZZ_TARGET(name) extern "C" Entry name;
#include "tests/fuzz/Targets.inc"
#undef FUZZ_TARGET

constexpr Target kTargets[] = {
#define FUZZ_TARGET(name) {#name, name},
#include "tests/fuzz/Targets.inc"
#undef FUZZ_TARGET
};

// The signal handler prints this path if the target crashes.
std::string currentInput;

void printInput(void *) { llvm::errs() << "crashed at " << currentInput << "\n"; }

std::vector<std::string> filesIn(llvm::StringRef folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (llvm::sys::fs::directory_iterator it(folder, error), end; !error && it != end;
       it.increment(error)) {
    files.push_back(it->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

} // namespace

int main(int argc, char **argv) {
  const Target *target = argc == 3
                             ? std::find_if(std::begin(kTargets), std::end(kTargets),
                                            [&](const Target &t) { return t.name == argv[1]; })
                             : std::end(kTargets);
  if (target == std::end(kTargets)) {
    llvm::errs() << "usage: fuzz_replay TARGET FOLDER\n";
    return 2;
  }
  llvm::sys::PrintStackTraceOnErrorSignal(argv[0]);
  llvm::sys::AddSignalHandler(printInput, nullptr);
  std::vector<std::string> files = filesIn(argv[2]);
  for (const std::string &file : files) {
    currentInput = file;
    auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false,
                                              /*RequiresNullTerminator=*/false);
    if (!buffer) {
      llvm::errs() << file << ": " << buffer.getError().message() << "\n";
      return 1;
    }
    // A copy of the exact size, so that a tool such as Valgrind sees reads beyond it.
    llvm::StringRef bytes = (*buffer)->getBuffer();
    std::vector<uint8_t> copy(bytes.bytes_begin(), bytes.bytes_end());
    target->run(copy.data(), copy.size());
  }
  llvm::outs() << target->name << ": " << files.size() << " inputs\n";
  return files.empty() ? 1 : 0;
}
