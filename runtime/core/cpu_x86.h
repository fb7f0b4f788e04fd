/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Decodes the output of the cpuid instruction on x86 into LLVM's feature names. cpu.c uses
 * the decoder when a library is loaded, and the compiler uses it to describe the host, so
 * both agree. The source of the leaves is a parameter, so that tests can pass recorded
 * CPUs. The decoder builds on every architecture.
 */

#ifndef CONVOY_CORE_CPU_X86_H
#define CONVOY_CORE_CPU_X86_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum convoy_x86_register { CONVOY_EAX, CONVOY_EBX, CONVOY_ECX, CONVOY_EDX, CONVOY_REGISTER_COUNT };

enum convoy_x86_leaf {
  CONVOY_LEAF_1,
  CONVOY_LEAF_7_0,
  CONVOY_LEAF_7_1,
  CONVOY_LEAF_D_1,
  CONVOY_LEAF_14_0,
  CONVOY_LEAF_19_0,
  CONVOY_LEAF_EXTENDED_1,
  CONVOY_LEAF_EXTENDED_8,
  CONVOY_LEAF_COUNT
};

/* The source of cpuid data: this CPU or a recorded CPU. */
typedef struct convoy_x86_source {
  /* Writes the four registers of a leaf. The decoder asks only for leaves that leaf 0
   * and leaf 0x80000000 announce. */
  void (*cpuid)(const void *context, uint32_t leaf, uint32_t subleaf, uint32_t *registers);
  /* XCR0: the registers that the operating system saves. The decoder calls it only if
   * the CPU announces OSXSAVE; without OSXSAVE the instruction is illegal. */
  uint64_t (*xgetbv)(const void *context);
  /* Asks the operating system for tile registers (AMX); 0 if it refuses. */
  int (*request_tiles)(const void *context);
  const void *context;
} convoy_x86_source;

/* The leaves that announce features; zeros if the CPU lacks a leaf. */
typedef struct convoy_x86_cpu {
  uint32_t registers[CONVOY_LEAF_COUNT][CONVOY_REGISTER_COUNT];
  uint64_t state; /* XCR0 */
  const convoy_x86_source *source;
} convoy_x86_cpu;

/* Reads every leaf once, because cpuid takes microseconds under a hypervisor. `cpu` keeps a
 * pointer to `source`. */
void convoy_x86_read(convoy_x86_cpu *cpu, const convoy_x86_source *source);

/* Returns 1 if the CPU announces the feature and the operating system saves its registers.
 * Returns 0 otherwise, also if cpu_features.inc lacks the name. The name need not end in
 * '\0'. */
int convoy_x86_has(const convoy_x86_cpu *cpu, const char *name, size_t length);

/* Returns the feature with this index among the features that kernels may use, or NULL
 * after the last one. */
const char *convoy_x86_kernel_feature(size_t index);

/* Does the same as convoy_missing_features, but for the CPU of `source`. Only in builds of
 * the runtime for x86. */
size_t convoy_x86_missing(const convoy_x86_source *source, const char *features, char *text,
                          size_t bytes);

/* Returns this CPU as a source, or NULL if it is not an x86. */
const convoy_x86_source *convoy_x86_host(void);

#ifdef __cplusplus
}
#endif

#endif /* CONVOY_CORE_CPU_X86_H */
