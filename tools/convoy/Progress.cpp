// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Progress lines and durations.

#include "Progress.h"
#include "Failure.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

void Progress::begin(llvm::StringRef name) {
  end();
  started = std::chrono::steady_clock::now();
  ++current;
  noteStep(name);
  isOpen = true;
  if (console.isTerminal) {
    console.err << "[" << current;
    if (steps > 0) {
      console.err << "/" << steps;
    }
    console.err << "] " << name << " ";
    console.err.flush();
  }
}

void Progress::end() {
  if (isOpen && console.isTerminal) {
    console.err << " " << durationText(seconds()) << "\n";
  }
  isOpen = false;
}

std::string durationText(double seconds) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (seconds < 1) {
    os << llvm::format("%.3g ms", seconds * 1e3);
  } else {
    os << llvm::format("%.2f s", seconds);
  }
  return text;
}

} // namespace convoy::tool
