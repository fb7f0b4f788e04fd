// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The progress line, and durations as text.

#include "tools/convoy/output/Progress.h"
#include "tools/convoy/Failure.h"
#include "tools/convoy/output/PlainStream.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

namespace convoy::tool {
namespace {

// Moves the cursor to the first column and erases the line (ECMA-48, EL).
constexpr llvm::StringLiteral kErase = "\r\033[K";

} // namespace

double Progress::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

llvm::raw_ostream &Progress::terminal() const {
  return console.terminal ? *console.terminal : console.err;
}

void Progress::begin(llvm::StringRef name) {
  started = std::chrono::steady_clock::now();
  ++current;
  noteStep(name);
  std::string text = "[" + std::to_string(current);
  if (steps > 0) {
    text += "/" + std::to_string(steps);
  }
  show(text + "] " + name.str());
}

void Progress::show(llvm::StringRef text) {
  if (!console.isTerminal || console.isQuiet) {
    return;
  }
  // A line that wraps could not be erased. The last "\r" lets an error that ends the process
  // overwrite the line.
  std::string plain = plainText(text);
  llvm::raw_ostream &os = terminal();
  os << kErase << llvm::StringRef(plain).take_front(console.columns - 1) << "\r";
  os.flush();
  isShown = true;
}

void Progress::end() {
  if (isShown) {
    terminal() << kErase;
    terminal().flush();
  }
  isShown = false;
}

std::string durationText(double seconds) {
  struct Unit {
    double perSecond;
    const char *name;
  };
  std::string text;
  llvm::raw_string_ostream os(text);
  for (Unit unit : {Unit{1e9, "ns"}, Unit{1e6, "us"}, Unit{1e3, "ms"}}) {
    if (seconds * unit.perSecond < 999.5) { // three digits, rounded
      os << llvm::format("%.3g ", seconds * unit.perSecond) << unit.name;
      return text;
    }
  }
  os << llvm::format("%.2f s", seconds);
  return text;
}

} // namespace convoy::tool
