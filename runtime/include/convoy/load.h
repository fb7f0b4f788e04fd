/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loads compiled libraries at run time. Link libconvoy_load.a and libdl. A program that links a
 * model needs neither: <model>_model() returns the same table.
 */

#ifndef CONVOY_LOAD_H
#define CONVOY_LOAD_H

#include "convoy/convoy.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A loaded library. */
typedef struct convoy_loaded convoy_loaded;

/* Loads the library at `path`, checks its interface and, if its weights are in a file, opens
 * <path without .so>.weights. On failure returns null and writes a sentence to `text`, truncated
 * to `text_bytes` and terminated by a zero. `text` may be null if `text_bytes` is 0. A library
 * that is loaded twice has one table; its weights stay open until both are unloaded. Functions
 * of this header may run concurrently. */
convoy_loaded *convoy_load(const char *path, char *text, size_t text_bytes);

/* Flag of convoy_load_checked: reads the library and its weights file completely and compares them
 * with the SHA-256 at the end of each file. The time depends on the size of the files. The check
 * finds damaged files. It is no protection against an attacker, who can change the SHA-256 too;
 * `convoy verify --public-key` checks signatures. */
#define CONVOY_LOAD_VERIFY 1u

/* Same as convoy_load, with more checks. `hash` is <MODEL>_HASH of the header that the program was
 * compiled with; a library of another compilation is refused. Null: any library. `flags` is 0 or
 * CONVOY_LOAD_VERIFY. */
convoy_loaded *convoy_load_checked(const char *path, const char *hash, uint32_t flags, char *text,
                                   size_t text_bytes);

/* Returns the table of the model, which is valid until convoy_unload; never null. */
const convoy_model *convoy_loaded_model(const convoy_loaded *loaded);

/* Unloads the library. No call of its functions may be running. `loaded` may be null. */
void convoy_unload(convoy_loaded *loaded);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_LOAD_H */
