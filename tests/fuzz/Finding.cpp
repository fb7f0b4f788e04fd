// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Implements Finding.h and Target.h, and sets the options of the sanitizers.

#include "tests/fuzz/Finding.h"
#include "Support/TemporaryFolder.h"
#include "tests/fuzz/Target.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>

// Debian's libMLIR is not instrumented, so ASan reports containers and bump allocators that libMLIR
// and Convoy both fill. A too large allocation returns null, as it does without ASan.
extern "C" const char *__asan_default_options() {
  return "detect_container_overflow=0:allow_user_poisoning=0:allocator_may_return_null=1";
}

extern "C" const char *__ubsan_default_options() { return "print_stacktrace=1"; }

namespace convoy::fuzz {

void reportFinding(const llvm::Twine &what) {
  llvm::errs() << "FINDING: " << what << "\n";
  std::abort();
}

void expectText(llvm::Error error) {
  if (error && llvm::toString(std::move(error)).empty()) {
    reportFinding("an error without a text");
  }
}

void expectEqual(llvm::StringRef first, llvm::StringRef second, llvm::StringRef what) {
  if (first != second) {
    reportFinding(what + " differs when it is read again:\n" + first + "\n---\n" + second);
  }
}

std::string writeInput(llvm::StringRef bytes, llvm::StringRef name) {
  static TemporaryFolder folder;
  if (folder.path().empty()) {
    llvm::cantFail(folder.createInSystem());
  }
  std::string path = folder.file(name);
  llvm::cantFail(writeFile(path, bytes));
  return path;
}

} // namespace convoy::fuzz
