/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The function of the program is a weak symbol, so that a model also runs in programs that do
 * not define it.
 */

#include "power.h"

#include "convoy/power.h"

void convoy_power_request(int32_t core, const char *state) {
  if (convoy_set_power_state) {
    convoy_set_power_state(core, state);
  }
}
