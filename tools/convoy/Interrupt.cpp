// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The handler of SIGINT.

#include "tools/convoy/Interrupt.h"

namespace convoy::tool {

static volatile sig_atomic_t isRaised = 0;

Interrupt::Interrupt() {
  isRaised = 0;
  struct sigaction action{};
  action.sa_handler = [](int) { isRaised = 1; };
  action.sa_flags = static_cast<int>(SA_RESETHAND) | SA_RESTART;
  sigaction(SIGINT, &action, &before);
}

bool Interrupt::isSet() { return isRaised != 0; }

} // namespace convoy::tool
