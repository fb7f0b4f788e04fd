/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Requests power states. Generated code calls the function below; users do not.
 */

#ifndef CONVOY_CORE_POWER_H
#define CONVOY_CORE_POWER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Calls the program's convoy_set_power_state (convoy/power.h), if there is one. */
void convoy_power_request(int32_t core, const char *state);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CORE_POWER_H */
