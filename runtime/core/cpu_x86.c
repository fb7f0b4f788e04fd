/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Implements the decoder of cpu_x86.h and its source for this CPU. A feature counts if the
 * CPU announces it and the operating system saves the registers that it uses. For example,
 * code with AVX-512 crashes on a kernel that does not save these registers.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syscall */
#endif

#include "cpu_x86.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif
#endif

/* The bits of XCR0 that must all be set. */
enum state {
  STATE_ANY = 0,
  STATE_XSAVE = 0x1,
  STATE_AVX = 0x6,
  STATE_AVX512 = 0xe6,
  STATE_AMX = 0x60000
};

enum use { KERNELS, SYSTEM };

struct leaf_number {
  uint32_t leaf;
  uint32_t subleaf;
};

static const struct leaf_number leaf_numbers[CONVOY_LEAF_COUNT] = {
    [CONVOY_LEAF_1] = {0x1, 0},
    [CONVOY_LEAF_7_0] = {0x7, 0},
    [CONVOY_LEAF_7_1] = {0x7, 1},
    [CONVOY_LEAF_D_1] = {0xd, 1},
    [CONVOY_LEAF_14_0] = {0x14, 0},
    [CONVOY_LEAF_19_0] = {0x19, 0},
    [CONVOY_LEAF_EXTENDED_1] = {0x80000001u, 0},
    [CONVOY_LEAF_EXTENDED_8] = {0x80000008u, 0},
};

struct feature {
  const char *name;
  enum convoy_x86_leaf leaf;
  enum convoy_x86_register reg;
  uint32_t bit;
  uint32_t state;
  enum use use;
};

static const struct feature known_features[] = {
#define X(name, leaf, reg, bit, state, use) {name, CONVOY_##leaf, CONVOY_##reg, bit, state, use},
#include "cpu_features.inc"
#undef X
};

enum { FEATURE_COUNT = sizeof(known_features) / sizeof(known_features[0]) };

/* Returns the greatest leaf of the range of `leaf`. Leaf 0 contains it for basic leaves,
 * leaf 0x80000000 for extended leaves. */
static uint32_t greatest_leaf(const convoy_x86_source *source, uint32_t leaf) {
  uint32_t registers[CONVOY_REGISTER_COUNT] = {0};
  source->cpuid(source->context, leaf & 0x80000000u, 0, registers);
  return registers[CONVOY_EAX];
}

void convoy_x86_read(convoy_x86_cpu *cpu, const convoy_x86_source *source) {
  const uint32_t osxsave = 1u << 27;
  const uint32_t basic = greatest_leaf(source, 0);
  const uint32_t extended = greatest_leaf(source, 0x80000000u);
  memset(cpu, 0, sizeof(*cpu));
  cpu->source = source;
  for (int i = 0; i < CONVOY_LEAF_COUNT; ++i) {
    const struct leaf_number number = leaf_numbers[i];
    if (number.leaf > (number.leaf >= 0x80000000u ? extended : basic)) {
      continue;
    }
    /* On some CPUs, a subleaf of leaf 7 that does not exist repeats another subleaf. */
    if (number.leaf == 0x7 && number.subleaf > cpu->registers[CONVOY_LEAF_7_0][CONVOY_EAX]) {
      continue;
    }
    source->cpuid(source->context, number.leaf, number.subleaf, cpu->registers[i]);
  }
  if ((cpu->registers[CONVOY_LEAF_1][CONVOY_ECX] & osxsave) != 0) {
    cpu->state = source->xgetbv(source->context);
  }
}

int convoy_x86_has(const convoy_x86_cpu *cpu, const char *name, size_t length) {
  for (size_t i = 0; i < FEATURE_COUNT; ++i) {
    const struct feature *feature = &known_features[i];
    if (strncmp(feature->name, name, length) == 0 && feature->name[length] == '\0') {
      bool is_announced = (cpu->registers[feature->leaf][feature->reg] >> feature->bit) & 1u;
      bool is_saved = (cpu->state & feature->state) == feature->state;
      return is_announced && is_saved &&
             (feature->state != STATE_AMX || cpu->source->request_tiles(cpu->source->context));
    }
  }
  return 0;
}

const char *convoy_x86_kernel_feature(size_t index) {
  for (size_t i = 0; i < FEATURE_COUNT; ++i) {
    if (known_features[i].use == KERNELS && index-- == 0) {
      return known_features[i].name;
    }
  }
  return NULL;
}

#if defined(__x86_64__) || defined(__i386__)

static void host_cpuid(const void *context, uint32_t leaf, uint32_t subleaf, uint32_t *registers) {
  (void)context;
  __cpuid_count(leaf, subleaf, registers[CONVOY_EAX], registers[CONVOY_EBX], registers[CONVOY_ECX],
                registers[CONVOY_EDX]);
}

static uint64_t host_xgetbv(const void *context) {
  uint32_t low;
  uint32_t high;
  (void)context;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return (uint64_t)high << 32 | low;
}

/* Linux provides tile registers only to processes that request them. All threads of the
 * process then have them. */
static int host_request_tiles(const void *context) {
  (void)context;
#if defined(__linux__) && defined(__x86_64__)
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
  return 0;
#endif
}

const convoy_x86_source *convoy_x86_host(void) {
  static const convoy_x86_source host = {host_cpuid, host_xgetbv, host_request_tiles, NULL};
  return &host;
}

#else

const convoy_x86_source *convoy_x86_host(void) { return NULL; }

#endif
