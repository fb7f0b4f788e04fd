/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Which CPU features are missing here. A feature counts when the CPU announces it
 * and the operating system saves the registers that it uses: code with AVX-512
 * dies on a kernel that does not, however new the CPU.
 */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* syscall */
#endif

#include "convoy/convoy.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

enum leaf {
  LEAF_1,
  LEAF_7_0,
  LEAF_7_1,
  LEAF_D_1,
  LEAF_14_0,
  LEAF_19_0,
  LEAF_24_0,
  LEAF_EXTENDED_1,
  LEAF_EXTENDED_8,
  LEAF_COUNT
};

enum reg { EAX, EBX, ECX, EDX, REG_COUNT };

/* The bits of XCR0 that must all be set. */
enum state {
  STATE_ANY = 0,
  STATE_XSAVE = 0x1,
  STATE_AVX = 0x6,
  STATE_AVX512 = 0xe6,
  STATE_AMX = 0x60000,
  STATE_APX = 0x80000
};

struct leaf_number {
  uint32_t leaf;
  uint32_t subleaf;
};

static const struct leaf_number leaf_numbers[LEAF_COUNT] = {
    [LEAF_1] = {0x1, 0},
    [LEAF_7_0] = {0x7, 0},
    [LEAF_7_1] = {0x7, 1},
    [LEAF_D_1] = {0xd, 1},
    [LEAF_14_0] = {0x14, 0},
    [LEAF_19_0] = {0x19, 0},
    [LEAF_24_0] = {0x24, 0},
    [LEAF_EXTENDED_1] = {0x80000001u, 0},
    [LEAF_EXTENDED_8] = {0x80000008u, 0},
};

struct feature {
  const char *name;
  enum leaf leaf;
  enum reg reg;
  uint32_t bit;
  uint32_t state;
};

static const struct feature known_features[] = {
#define X(name, leaf, reg, bit, state) {name, leaf, reg, bit, state},
#include "cpu_features.inc"
#undef X
};

struct cpu {
  uint32_t regs[LEAF_COUNT][REG_COUNT];
  uint32_t state; /* the low half of XCR0 */
};

static uint32_t read_state(uint32_t leaf_1_ecx) {
  const uint32_t osxsave = 1u << 27;
  uint32_t low;
  uint32_t high;
  if ((leaf_1_ecx & osxsave) == 0) {
    return 0;
  }
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  (void)high;
  return low;
}

/* Reads everything once: under a hypervisor each cpuid costs microseconds. */
static void read_cpu(struct cpu *cpu) {
  memset(cpu, 0, sizeof(*cpu));
  for (int i = 0; i < LEAF_COUNT; ++i) {
    uint32_t *r = cpu->regs[i];
    uint32_t subleaf_count;
    uint32_t unused;
    const struct leaf_number number = leaf_numbers[i];
    /* A subleaf that does not exist repeats others on some CPUs. */
    if (number.leaf == 0x7 && number.subleaf > 0 &&
        (!__get_cpuid_count(0x7, 0, &subleaf_count, &unused, &unused, &unused) ||
         subleaf_count < number.subleaf)) {
      continue;
    }
    /* Leaves the registers alone when the CPU has no such leaf. */
    (void)__get_cpuid_count(number.leaf, number.subleaf, &r[EAX], &r[EBX], &r[ECX], &r[EDX]);
  }
  cpu->state = read_state(cpu->regs[LEAF_1][ECX]);
}

/* Linux gives tile registers only to processes that ask; all their threads then have
 * them. */
static bool ask_for_tiles(void) {
#if defined(__linux__) && defined(__x86_64__)
  enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
  return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
#else
  return false;
#endif
}

static bool has_feature(const struct cpu *cpu, const char *name, size_t length) {
  for (size_t i = 0; i < sizeof(known_features) / sizeof(known_features[0]); ++i) {
    const struct feature *feature = &known_features[i];
    if (strncmp(feature->name, name, length) == 0 && feature->name[length] == '\0') {
      bool announced = (cpu->regs[feature->leaf][feature->reg] >> feature->bit) & 1u;
      bool is_saved = (cpu->state & feature->state) == feature->state;
      return announced && is_saved && (feature->state != STATE_AMX || ask_for_tiles());
    }
  }
  return false;
}

#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

/* What the kernel announces, which it does for what it also saves. */
struct cpu {
  unsigned long caps[2];
};

struct feature {
  const char *name;
  int word;
  unsigned long bit;
};

/* LLVM's names of what kernels may use. */
static const struct feature known_features[] = {
    {"fp-armv8", 0, HWCAP_FP},      {"neon", 0, HWCAP_ASIMD},      {"lse", 0, HWCAP_ATOMICS},
    {"fullfp16", 0, HWCAP_ASIMDHP}, {"dotprod", 0, HWCAP_ASIMDDP}, {"rdm", 0, HWCAP_ASIMDRDM},
    {"fp16fml", 0, HWCAP_ASIMDFHM}, {"sve", 0, HWCAP_SVE},         {"sve2", 1, HWCAP2_SVE2},
    {"i8mm", 1, HWCAP2_I8MM},       {"bf16", 1, HWCAP2_BF16},
};

static void read_cpu(struct cpu *cpu) {
  cpu->caps[0] = getauxval(AT_HWCAP);
  cpu->caps[1] = getauxval(AT_HWCAP2);
}

static bool has_feature(const struct cpu *cpu, const char *name, size_t length) {
  for (size_t i = 0; i < sizeof(known_features) / sizeof(known_features[0]); ++i) {
    const struct feature *feature = &known_features[i];
    if (strncmp(feature->name, name, length) == 0 && feature->name[length] == '\0') {
      return (cpu->caps[feature->word] & feature->bit) != 0;
    }
  }
  return false;
}

#else

/* No features are known for other CPUs: the compiler asks for none. */
struct cpu {
  int unused;
};

static void read_cpu(struct cpu *cpu) { cpu->unused = 0; }

static bool has_feature(const struct cpu *cpu, const char *name, size_t length) {
  (void)cpu;
  (void)name;
  (void)length;
  return false;
}

#endif

/* Appends what fits and counts all of it. */
static size_t append(char *text, size_t bytes, size_t length, const char *more, size_t more_bytes) {
  for (size_t i = 0; i < more_bytes; ++i) {
    if (length + i + 1 < bytes) {
      text[length + i] = more[i];
    }
  }
  return length + more_bytes;
}

size_t convoy_missing_features(const char *features, char *text, size_t bytes) {
  struct cpu cpu;
  size_t length = 0;
  if (bytes > 0 && text != NULL) {
    text[0] = '\0';
  }
  if (features == NULL || (text == NULL && bytes > 0)) {
    return 0;
  }
  read_cpu(&cpu);
  while (*features != '\0') {
    size_t name_bytes = strcspn(features, ",");
    if (name_bytes > 0 && !has_feature(&cpu, features, name_bytes)) {
      if (length > 0) {
        length = append(text, bytes, length, ", ", 2);
      }
      length = append(text, bytes, length, features, name_bytes);
    }
    features += name_bytes;
    features += *features == ',';
  }
  if (bytes > 0) {
    text[length < bytes ? length : bytes - 1] = '\0';
  }
  return length;
}

int convoy_check_cpu(const char *features) {
  if (features == NULL) {
    return CONVOY_ERROR_NULL_POINTER;
  }
  return convoy_missing_features(features, NULL, 0) == 0 ? CONVOY_OK : CONVOY_ERROR_UNSUPPORTED_CPU;
}
