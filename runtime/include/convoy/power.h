/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Changes of power states in libraries that were compiled with --deadline. The program defines
 * the function below; models call it. Emitted C has the macro CONVOY_FV instead.
 */

#ifndef CONVOY_POWER_H
#define CONVOY_POWER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A model calls this function on each of its threads before work for which its plan has
 * another power state. `core` is the number of the thread, from 0 on; thread 0 is the caller.
 * `state` is the name of the state in the description of the target. A model in a program that
 * does not define the function changes no power state. A program that loads the library with
 * dlopen() must export the function, for example with the linker's -rdynamic. */
__attribute__((weak, visibility("default"))) void convoy_set_power_state(int32_t core,
                                                                         const char *state);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_POWER_H */
