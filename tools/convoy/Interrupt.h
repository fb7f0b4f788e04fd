// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ctrl-C for verbs that run for hours.

#pragma once

#include <csignal>

namespace convoy::tool {

/// Handles Ctrl-C while it lives: the first one sets a flag, which the verb reads when it can stop;
/// the second one ends the process.
class Interrupt {
public:
  Interrupt();
  ~Interrupt() { sigaction(SIGINT, &before, nullptr); }
  Interrupt(const Interrupt &) = delete;
  Interrupt &operator=(const Interrupt &) = delete;

  static bool isSet();

private:
  struct sigaction before{};
};

} // namespace convoy::tool
