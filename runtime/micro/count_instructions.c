/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A plug-in for QEMU's emulation of one core. It counts the instructions between marks:
 *
 *   qemu-system-arm ... -plugin count_instructions.so,marks=FILE,out=FILE,stack=BEGIN-END,...
 *
 * `marks` has one line per mark of marks.h in the order of the code: its address in hexadecimal
 * digits and its number. Instead, `marked=aarch64` or `marked=riscv` selects marks that are
 * instructions without an effect: `movz xzr, #N` or `slti x0, x0, N` begins layer N, and the
 * largest N ends the layer. They are for programs whose addresses are not known before a run, and
 * they are not counted.
 *
 * `out` gets one line per number with instructions: "number instructions". `cycles=ISA:A:B:...`
 * has the instruction set, thumb or riscv, and the cycles of the kinds of instruction_kinds.h. The
 * line "cycles N" of `out` is then the sum over all instructions of the run.
 *
 * `stack` has the addresses of the stack in hexadecimal digits. The line "stack BYTES" of `out` has
 * the distance of the lowest and the highest address of the stack that the run writes, without the
 * frames of the program that calls the model. `data`, which can
 * be repeated, has the addresses of other data. A line "write BEGIN END" of `out` is a range of
 * data, in hexadecimal digits, of which the run writes every byte. Without both, the plug-in does
 * not observe writes, and the run is faster.
 */

#include "instruction_kinds.h"

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
typedef void (*memory_callback)(unsigned cpu, uint32_t info, uint64_t address, void *data);
enum { NO_REGISTERS = 0, WRITES = 2 };
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, translate_callback callback);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *instruction,
                                            execute_callback callback, int registers, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *instruction,
                                      memory_callback callback, int registers, int accesses,
                                      void *data);
unsigned qemu_plugin_mem_size_shift(uint32_t info);
bool qemu_plugin_mem_is_store(uint32_t info);
void qemu_plugin_register_atexit_cb(plugin_id id, exit_callback callback, void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *block, size_t index);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *instruction);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *instruction);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *instruction);

#define EXPORT __attribute__((visibility("default")))

/* Interface 1: QEMU 6.1 to 8.1. */
EXPORT int qemu_plugin_version = 1;
EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv);

enum { MOST_NUMBERS = 1 << 16, NO_MARK = -1, FIRST_LAYER = 2 };

struct mark {
  uint64_t address;
  uint32_t number;
};

/* A range of data, and whether the run wrote each of its bytes. */
struct data {
  uint64_t begin, end;
  bool *written;
  struct data *next;
};

/* Consecutive instructions without a mark. */
struct run {
  uint64_t instructions, cycles;
};

typedef enum instruction_kind (*kind_function)(uint32_t first, uint32_t second);
typedef int (*mark_function)(uint32_t word);

static struct mark *marks;
static size_t mark_count;
static mark_function instruction_mark; /* null: marks are addresses */
static uint64_t counts[MOST_NUMBERS];
static uint32_t current;
static kind_function kind_of; /* null: no cycles */
static uint64_t kind_cycles[KIND_COUNT], cycles;
static uint64_t stack_begin, stack_end, lowest, highest;
static struct data *data_list;
static FILE *out;

static uint32_t half_word(const struct qemu_plugin_insn *instruction, size_t index) {
  uint16_t word = 0;
  if ((index + 1) * sizeof(word) <= qemu_plugin_insn_size(instruction)) {
    memcpy(&word, (const char *)qemu_plugin_insn_data(instruction) + index * sizeof(word),
           sizeof(word));
  }
  return word;
}

static int layer_mark(uint32_t number, uint32_t last) {
  return number == last ? 0 : (int)(number % (MOST_NUMBERS - FIRST_LAYER)) + FIRST_LAYER;
}

static int mark_of_aarch64(uint32_t word) {
  return (word & 0xffe0001fu) == 0xd280001fu ? layer_mark(word >> 5 & 0xffffu, 0xffffu) : NO_MARK;
}

static int mark_of_riscv(uint32_t word) {
  return (word & 0x000fffffu) == 0x00002013u ? layer_mark(word >> 20, 0x7ffu) : NO_MARK;
}

/* Returns the number of the mark of an instruction. Of two marks at one address, the second one is
 * valid. */
static int mark_of(const struct qemu_plugin_insn *instruction) {
  if (instruction_mark != NULL) {
    return instruction_mark(half_word(instruction, 0) | half_word(instruction, 1) << 16);
  }
  for (size_t i = mark_count; i > 0; --i) {
    if (marks[i - 1].address == qemu_plugin_insn_vaddr(instruction)) {
      return (int)marks[i - 1].number;
    }
  }
  return NO_MARK;
}

static void on_mark(unsigned cpu, void *data) {
  (void)cpu;
  current = (uint32_t)(uintptr_t)data;
}

static void on_run(unsigned cpu, void *data) {
  const struct run *run = data;
  (void)cpu;
  counts[current] += run->instructions;
  cycles += current != 0 ? run->cycles : 0;
}

static void on_write(unsigned cpu, uint32_t info, uint64_t address, void *data) {
  (void)cpu;
  (void)data;
  /* QEMU also reports loads of vectors. */
  if (current == 0 || !qemu_plugin_mem_is_store(info)) {
    return;
  }
  if (address >= stack_begin && address < stack_end) {
    const uint64_t end = address + ((uint64_t)1 << qemu_plugin_mem_size_shift(info));
    lowest = address < lowest ? address : lowest;
    highest = end > highest ? end : highest;
  }
  for (struct data *range = data_list; range != NULL; range = range->next) {
    if (address >= range->begin && address < range->end) {
      uint64_t end = address + ((uint64_t)1 << qemu_plugin_mem_size_shift(info));
      end = end < range->end ? end : range->end;
      memset(range->written + (address - range->begin), true, end - address);
    }
  }
}

/* The first instruction of a run counts the run. */
static void count_run(struct qemu_plugin_tb *block, size_t begin, size_t end) {
  struct run *run = calloc(1, sizeof(*run)); /* QEMU keeps the pointer */
  if (run == NULL) {
    abort();
  }
  run->instructions = end - begin;
  for (size_t i = begin; kind_of != NULL && i < end; ++i) {
    const struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
    run->cycles += kind_cycles[kind_of(half_word(instruction, 0), half_word(instruction, 1))];
  }
  qemu_plugin_register_vcpu_insn_exec_cb(qemu_plugin_tb_get_insn(block, begin), on_run,
                                         NO_REGISTERS, run);
}

static void on_translate(plugin_id id, struct qemu_plugin_tb *block) {
  const size_t count = qemu_plugin_tb_n_insns(block);
  const bool observes_writes = stack_end > 0 || data_list != NULL;
  size_t begin = 0;
  (void)id;
  for (size_t i = 0; observes_writes && i < count; ++i) {
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), on_write, NO_REGISTERS,
                                     WRITES, NULL);
  }
  while (begin < count) {
    struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(block, begin);
    const int mark = mark_of(first);
    size_t end = begin + 1;
    while (end < count && mark_of(qemu_plugin_tb_get_insn(block, end)) == NO_MARK) {
      ++end;
    }
    if (mark != NO_MARK) {
      qemu_plugin_register_vcpu_insn_exec_cb(first, on_mark, NO_REGISTERS, (void *)(uintptr_t)mark);
    }
    begin += mark != NO_MARK && instruction_mark != NULL ? 1 : 0;
    if (begin < end) {
      count_run(block, begin, end);
    }
    begin = end;
  }
}

static void print_writes(const struct data *range) {
  const uint64_t bytes = range->end - range->begin;
  uint64_t begin = 0;
  for (uint64_t i = 0; i <= bytes; ++i) {
    if (i == bytes || !range->written[i]) {
      if (begin < i) {
        (void)fprintf(out, "write %llx %llx\n", (unsigned long long)(range->begin + begin),
                      (unsigned long long)(range->begin + i));
      }
      begin = i + 1;
    }
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
  if (kind_of != NULL) {
    (void)fprintf(out, "cycles %llu\n", (unsigned long long)cycles);
  }
  if (stack_end > 0) {
    (void)fprintf(out, "stack %llu\n",
                  (unsigned long long)(highest > lowest ? highest - lowest : 0));
  }
  for (const struct data *range = data_list; range != NULL; range = range->next) {
    print_writes(range);
  }
  (void)fclose(out);
}

static bool read_range(const char *text, uint64_t *begin, uint64_t *end) {
  unsigned long long first = 0, last = 0;
  const bool is_read = sscanf(text, "%llx-%llx", &first, &last) == 2 && first < last;
  *begin = first;
  *end = last;
  return is_read;
}

static bool add_data(const char *text) {
  struct data *range = calloc(1, sizeof(*range));
  if (range == NULL || !read_range(text, &range->begin, &range->end)) {
    return false;
  }
  range->written = calloc(range->end - range->begin, sizeof(bool));
  range->next = data_list;
  data_list = range;
  return range->written != NULL;
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

static bool read_marked(const char *name) {
  instruction_mark = strcmp(name, "aarch64") == 0 ? mark_of_aarch64
                     : strcmp(name, "riscv") == 0 ? mark_of_riscv
                                                  : NULL;
  return instruction_mark != NULL;
}

/* Reads "thumb:1:1:7:...". */
static bool read_cycles(const char *text) {
  const char *at = strchr(text, ':');
  kind_of = strncmp(text, "thumb:", 6) == 0   ? kind_of_thumb
            : strncmp(text, "riscv:", 6) == 0 ? kind_of_riscv
                                              : NULL;
  for (size_t i = 0; i < KIND_COUNT; ++i) {
    char *end = NULL;
    if (kind_of == NULL || at == NULL || *at != ':') {
      return false;
    }
    kind_cycles[i] = strtoull(at + 1, &end, 10);
    at = end;
  }
  return *at == '\0';
}

EXPORT int qemu_plugin_install(plugin_id id, const void *info, int argc, char **argv) {
  bool has_marks = false, is_read = true;
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], "marks=", 6) == 0) {
      has_marks = read_marks(argv[i] + 6);
    } else if (strncmp(argv[i], "marked=", 7) == 0) {
      has_marks = read_marked(argv[i] + 7);
    } else if (strncmp(argv[i], "out=", 4) == 0) {
      out = fopen(argv[i] + 4, "w");
    } else if (strncmp(argv[i], "cycles=", 7) == 0) {
      is_read = read_cycles(argv[i] + 7) && is_read;
    } else if (strncmp(argv[i], "stack=", 6) == 0) {
      is_read = read_range(argv[i] + 6, &stack_begin, &stack_end) && is_read;
      lowest = stack_end;
    } else if (strncmp(argv[i], "data=", 5) == 0) {
      is_read = add_data(argv[i] + 5) && is_read;
    }
  }
  if (!has_marks || !is_read || out == NULL) {
    (void)fprintf(stderr, "count_instructions: expects marks=FILE or marked=ISA, out=FILE, and "
                          "valid values of cycles, stack and data\n");
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translate);
  qemu_plugin_register_atexit_cb(id, on_exit_of_emulator, NULL);
  return 0;
}
