// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Progress on a terminal: one line such as "[2/4] import", which each step replaces and the end
// erases. Shows nothing if stderr is not a terminal, or with --quiet.

#pragma once

#include "tools/convoy/Verbs.h"
#include <chrono>

namespace convoy::tool {

class Progress {
public:
  explicit Progress(Console &console, int steps = 0) : console(console), steps(steps) {}
  ~Progress() { end(); }
  Progress(const Progress &) = delete;
  Progress &operator=(const Progress &) = delete;

  /// Begins the next step and shows its name.
  void begin(llvm::StringRef name);
  /// Sets the number of steps that follow the current step.
  void expect(int more) { steps = current + more; }
  /// Returns the seconds since the current step began.
  double seconds() const;
  /// Replaces the line, without a step.
  void show(llvm::StringRef text);
  /// Erases the line. Must come before other output to stderr.
  void end();

private:
  llvm::raw_ostream &terminal() const;

  Console &console;
  int steps, current = 0;
  bool isShown = false;
  std::chrono::steady_clock::time_point started;
};

/// "1.3 s", "12 ms".
std::string durationText(double seconds);

} // namespace convoy::tool
