// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Progress on a terminal: "[2/4] import  0.4 s". Silent elsewhere.

#pragma once

#include "Verbs.h"
#include <chrono>

namespace convoy::tool {

class Progress {
public:
  explicit Progress(Console &console, int steps = 0) : console(console), steps(steps) {}
  ~Progress() { end(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Ends the step before and begins the next.
  void begin(llvm::StringRef name);
  /// So many steps follow those that were begun.
  void expect(int more) { steps = current + more; }
  /// Seconds of the step that runs.
  double seconds() const;
  void end();

private:
  Console &console;
  int steps, current = 0;
  bool isOpen = false;
  std::chrono::steady_clock::time_point started;
};

/// "1.3 s", "12 ms".
std::string durationText(double seconds);

} // namespace convoy::tool
