/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plug-in for QEMU's system emulation of one core. It counts the instructions between the
 * marks of marks.h and works for every architecture, because it reads only addresses.
 *
 *   qemu-system-arm ... -plugin count_instructions.so,marks=FILE,out=FILE
 *
 * `marks` has one line per mark in the order of the code: its address in hexadecimal digits and
 * its number. `out` gets one line per number with instructions: "number instructions".
 */

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The required part of qemu-plugin.h, which Debian does not package. */
typedef uint64_t plugin_id;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*translate_callback)(plugin_id id, struct qemu_plugin_tb *block);
typedef void (*execute_callback)(unsigned cpu, void *data);
typedef void (*exit_callback)(plugin_id id, void *data);
enum { NO_REGISTERS = 0 };
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translate_callback callback);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            execute_callback callback, int registers, void *data);
void qemu_plugin_register_atexit_cb(plugin_id id, exit_callback callback, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);

#define EXPORT __attribute__((visibility("default")))

/* Interface 1: QEMU 6.1 to 8.1. */
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

enum { MOST_NUMBERS = 1 << 16 };

struct mark {
  uint64_t address;
  uint32_t number;
};

static struct mark *marks;
static size_t mark_count;
static uint64_t counts[MOST_NUMBERS];
static uint32_t current;
static FILE *out;

/* Returns the last mark at an address, or null. Of two marks without code between them, the
 * second one is valid. */
static const struct mark *mark_at(uint64_t address) {
  for (size_t i = mark_count; i > 0; --i) {
    if (marks[i - 1].address == address) {
      return &marks[i - 1];
    }
  }
  return NULL;
}

static void on_mark(unsigned cpu, void *data) {
  (void)cpu;
  current = (uint32_t)(uintptr_t)data;
}

/* `data` is the number of consecutive instructions. */
static void on_run(unsigned cpu, void *data) {
  (void)cpu;
  counts[current] += (uint64_t)(uintptr_t)data;
}

/* The first instruction of a run without marks counts the run. */
static void on_translate(plugin_id id, struct qemu_plugin_tb *block) {
  const size_t count = qemu_plugin_tb_n_insns(block);
  size_t begin = 0;
  (void)id;
  while (begin < count) {
    struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(block, begin);
    const struct mark *mark = mark_at(qemu_plugin_insn_vaddr(first));
    size_t end = begin + 1;
    while (end < count &&
           mark_at(qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, end))) == NULL) {
      ++end;
    }
    if (mark != NULL) {
      qemu_plugin_register_vcpu_insn_exec_cb(first, on_mark, NO_REGISTERS,
                                             (void *)(uintptr_t)mark->number);
    }
    qemu_plugin_register_vcpu_insn_exec_cb(first, on_run, NO_REGISTERS,
                                           (void *)(uintptr_t)(end - begin));
    begin = end;
  }
}

static void on_exit_of_emulator(plugin_id id, void *data) {
  (void)id;
  (void)data;
  for (uint32_t i = 0; i < MOST_NUMBERS; ++i) {
    if (counts[i] > 0) {
      (void)fprintf(out, "%u %llu\n", (unsigned)i, (unsigned long long)counts[i]);
    }
  }
  (void)fclose(out);
}

static bool read_marks(const char *path) {
  FILE *file = fopen(path, "r");
  unsigned long long address = 0;
  unsigned number = 0;
  if (file == NULL) {
    return false;
  }
  while (fscanf(file, "%llx %u", &address, &number) == 2) {
    struct mark *larger = realloc(marks, (mark_count + 1) * sizeof(*marks));
    if (larger == NULL || number >= MOST_NUMBERS) {
      break;
    }
    marks = larger;
    marks[mark_count].address = address;
    marks[mark_count].number = number;
    ++mark_count;
  }
  return feof(file) != 0 && fclose(file) == 0;
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
  bool has_marks = false;
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], "marks=", 6) == 0) {
      has_marks = read_marks(argv[i] + 6);
    } else if (strncmp(argv[i], "out=", 4) == 0) {
      out = fopen(argv[i] + 4, "w");
    }
  }
  if (!has_marks || out == NULL) {
    (void)fprintf(stderr, "count_instructions: expects marks=FILE and out=FILE\n");
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
  qemu_plugin_register_atexit_cb(id, on_exit_of_emulator, NULL);
  return 0;
}
