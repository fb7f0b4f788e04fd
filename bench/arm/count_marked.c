// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in for QEMU's user emulation of 64-bit Arm. It counts the instructions between marks:
//
//     cc -O2 -shared -fPIC count_marked.c -o count_marked.so
//     qemu-aarch64 -plugin ./count_marked.so,out=counts.txt ./program
//
// `movz xzr, #N` starts layer N and `movz xzr, #65535` ends it. The instruction has no effect, and
// compilers do not generate it. runtime/runner marks one run of a model as layer 0; emitted C marks
// its layers with CONVOY_LAYER_BEGIN. The marks are not counted. Output: one line "layer
// instructions" per layer. All threads have the same layer at a time, so count code for one thread.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// The required part of qemu-plugin.h, which Debian does not package.
typedef uint64_t PluginId;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*TranslateCallback)(PluginId, struct qemu_plugin_tb *);
typedef void (*ExecuteCallback)(unsigned, void *);
typedef void (*ExitCallback)(PluginId, void *);
enum { kNoRegisters = 0 };
void qemu_plugin_register_vcpu_tb_trans_cb(PluginId, TranslateCallback);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, ExecuteCallback, int,
                                            void *);
void qemu_plugin_register_atexit_cb(PluginId, ExitCallback, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1; // QEMU 6.1 to 8.1

enum { kLayers = 65536, kEnd = 65535 };

static uint64_t counts[kLayers];
static int layer = kEnd;
static FILE *out;

/// Returns the number of the mark `movz xzr, #number`, or -1.
static int markOf(const struct qemu_plugin_insn *instruction) {
  uint32_t word = 0;
  memcpy(&word, qemu_plugin_insn_data(instruction), sizeof(word));
  return (word & 0xffe0001fu) == 0xd280001fu ? (int)((word >> 5) & 0xffffu) : -1;
}

static void executeMark(unsigned number, void *data) {
  (void)number;
  layer = (int)(intptr_t)data;
}

/// `data` is the number of consecutive instructions.
static void executeRun(unsigned number, void *data) {
  (void)number;
  counts[layer] += (uint64_t)(uintptr_t)data;
}

static void translate(PluginId id, struct qemu_plugin_tb *block) {
  (void)id;
  size_t count = qemu_plugin_tb_n_insns(block);
  for (size_t i = 0; i < count;) {
    struct qemu_plugin_insn *first = qemu_plugin_tb_get_insn(block, i);
    int mark = markOf(first);
    if (mark >= 0) {
      qemu_plugin_register_vcpu_insn_exec_cb(first, executeMark, kNoRegisters,
                                             (void *)(intptr_t)mark);
      ++i;
      continue;
    }
    size_t end = i + 1; // the first instruction of a run counts the whole run
    while (end < count && markOf(qemu_plugin_tb_get_insn(block, end)) < 0) {
      ++end;
    }
    qemu_plugin_register_vcpu_insn_exec_cb(first, executeRun, kNoRegisters,
                                           (void *)(uintptr_t)(end - i));
    i = end;
  }
}

static void printCounts(PluginId id, void *data) {
  (void)id;
  (void)data;
  for (int i = 0; i < kEnd; ++i) {
    if (counts[i] > 0) {
      (void)fprintf(out, "%d %llu\n", i, (unsigned long long)counts[i]);
    }
  }
  (void)fclose(out);
}

__attribute__((visibility("default"))) int qemu_plugin_install(PluginId id, const void *info,
                                                               int argc, char **argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], "out=", 4) == 0) {
      out = fopen(argv[i] + 4, "w");
    }
  }
  if (!out) {
    (void)fprintf(stderr, "count_marked: expects out=FILE\n");
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  qemu_plugin_register_atexit_cb(id, printCounts, NULL);
  return 0;
}
