/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Lists the missing CPU features. cpu_x86.c decodes the features of an x86; on other CPUs,
 * the kernel announces them.
 */

#include "convoy/convoy.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) || defined(__i386__)
#include "cpu_x86.h"

typedef convoy_x86_cpu cpu_features;

static void read_cpu(cpu_features *cpu) { convoy_x86_read(cpu, convoy_x86_host()); }

static bool has_feature(const cpu_features *cpu, const char *name, size_t length) {
  return convoy_x86_has(cpu, name, length) != 0;
}

#elif defined(__aarch64__) && defined(__linux__)
#include <sys/auxv.h>

/* The features that the kernel announces. The kernel announces only features whose
 * registers it saves. */
typedef struct cpu_features {
  unsigned long caps[2];
} cpu_features;

struct feature {
  const char *name;
  int word;
  unsigned long bit;
};

/* LLVM's names of the features that kernels may use. */
static const struct feature known_features[] = {
    {"fp-armv8", 0, HWCAP_FP},      {"neon", 0, HWCAP_ASIMD},      {"lse", 0, HWCAP_ATOMICS},
    {"fullfp16", 0, HWCAP_ASIMDHP}, {"dotprod", 0, HWCAP_ASIMDDP}, {"rdm", 0, HWCAP_ASIMDRDM},
    {"fp16fml", 0, HWCAP_ASIMDFHM}, {"sve", 0, HWCAP_SVE},         {"sve2", 1, HWCAP2_SVE2},
    {"i8mm", 1, HWCAP2_I8MM},       {"bf16", 1, HWCAP2_BF16},
};

static void read_cpu(cpu_features *cpu) {
  cpu->caps[0] = getauxval(AT_HWCAP);
  cpu->caps[1] = getauxval(AT_HWCAP2);
}

static bool has_feature(const cpu_features *cpu, const char *name, size_t length) {
  for (size_t i = 0; i < sizeof(known_features) / sizeof(known_features[0]); ++i) {
    const struct feature *feature = &known_features[i];
    if (strncmp(feature->name, name, length) == 0 && feature->name[length] == '\0') {
      return (cpu->caps[feature->word] & feature->bit) != 0;
    }
  }
  return false;
}

#else

/* Other CPUs have no known features, and the compiler requires none. */
typedef struct cpu_features {
  int unused;
} cpu_features;

static void read_cpu(cpu_features *cpu) { cpu->unused = 0; }

static bool has_feature(const cpu_features *cpu, const char *name, size_t length) {
  (void)cpu;
  (void)name;
  (void)length;
  return false;
}

#endif

/* Appends as much as fits and returns the complete length. */
static size_t append(char *text, size_t bytes, size_t length, const char *more, size_t more_bytes) {
  for (size_t i = 0; i < more_bytes; ++i) {
    if (length + i + 1 < bytes) {
      text[length + i] = more[i];
    }
  }
  return length + more_bytes;
}

static size_t list_missing(const cpu_features *cpu, const char *features, char *text,
                           size_t bytes) {
  size_t length = 0;
  while (*features != '\0') {
    size_t name_bytes = strcspn(features, ",");
    if (name_bytes > 0 && !has_feature(cpu, features, name_bytes)) {
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

size_t convoy_missing_features(const char *features, char *text, size_t bytes) {
  cpu_features cpu;
  if (bytes > 0 && text != NULL) {
    text[0] = '\0';
  }
  if (features == NULL || (text == NULL && bytes > 0)) {
    return 0;
  }
  read_cpu(&cpu);
  return list_missing(&cpu, features, text, bytes);
}

#if defined(__x86_64__) || defined(__i386__)
size_t convoy_x86_missing(const convoy_x86_source *source, const char *features, char *text,
                          size_t bytes) {
  convoy_x86_cpu cpu;
  convoy_x86_read(&cpu, source);
  return list_missing(&cpu, features, text, bytes);
}
#endif

int convoy_check_cpu(const char *features) {
  if (features == NULL) {
    return CONVOY_ERROR_NULL_POINTER;
  }
  return convoy_missing_features(features, NULL, 0) == 0 ? CONVOY_OK : CONVOY_ERROR_UNSUPPORTED_CPU;
}
