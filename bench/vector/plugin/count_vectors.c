// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A plug-in for QEMU's user emulation of RISC-V. It counts, per layer and per thread:
// executed instructions, vector instructions, the elements that they process, and vector loads.
//
//     cc -O2 -shared -fPIC count_vectors.c -o count_vectors.so
//     qemu-riscv64 -cpu rv64,v=true,vlen=1024,vext_spec=v1.0
//         -plugin ./count_vectors.so,vlen=1024,out=counts.txt ./program
//
// A layer starts at the hint `slti x0, x0, ID` and ends at `slti x0, x0, 2047`. These hints
// are not counted. Output: one line per thread and layer, "thread layer instructions vector
// elements unknown loads". Layer -1 is the code outside all layers.
//
// This interface (version 1: QEMU 6.1 to 8.1) does not provide registers. If a vsetvl takes
// the length from a register, the plug-in derives the length from the number of elements of
// the next unmasked load or store, and also uses it for the instructions before. Instructions
// that no such access follows count as unknown.

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The required part of qemu-plugin.h, which Debian does not package.
typedef uint64_t PluginId;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
typedef void (*TranslateCallback)(PluginId, struct qemu_plugin_tb *);
typedef void (*ExecuteCallback)(unsigned, void *);
typedef void (*MemoryCallback)(unsigned, uint32_t, uint64_t, void *);
typedef void (*ExitCallback)(PluginId, void *);
enum { kNoRegisters = 0, kReadsAndWrites = 3 };
void qemu_plugin_register_vcpu_tb_trans_cb(PluginId, TranslateCallback);
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *, ExecuteCallback, int,
                                            void *);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *, MemoryCallback, int, int, void *);
void qemu_plugin_register_atexit_cb(PluginId, ExitCallback, void *);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *);

__attribute__((visibility("default"))) int qemu_plugin_version = 1;

enum { kThreads = 128, kLayers = 2048, kEnd = 2047 };

typedef struct {
  uint64_t instructions, vector, elements, unknown, loads;
} Counts;

typedef struct {
  int layer;         // kEnd: outside all layers
  int64_t length;    // elements of a vector instruction; -1: unknown so far
  int elementBits;   // set by the last vsetvl
  uint32_t access;   // the load or store whose elements are being counted; 0: none
  uint64_t accessed; // number of elements so far
  bool hasPending;
  uint64_t pending[kLayers]; // vector instructions before the length is known
  Counts counts[kLayers];
} Thread;

static Thread *threads[kThreads];
static int64_t registerBits = 1024;
static FILE *out;

static Thread *threadOf(unsigned number) {
  Thread **slot = &threads[number % kThreads];
  if (!*slot) { // each thread has its own slot
    *slot = calloc(1, sizeof(Thread));
    if (!*slot) {
      abort();
    }
    (*slot)->layer = kEnd;
    (*slot)->length = -1;
    (*slot)->elementBits = 32;
  }
  return *slot;
}

// Fields of an instruction word.
static uint32_t opcode(uint32_t word) { return word & 0x7f; }
static uint32_t width(uint32_t word) { return (word >> 12) & 7; }
static uint32_t source1(uint32_t word) { return (word >> 15) & 31; }
static uint32_t destination(uint32_t word) { return (word >> 7) & 31; }
static bool isUnmasked(uint32_t word) { return (word >> 25) & 1; }

static bool isVectorMemory(uint32_t word) {
  bool isAccess = opcode(word) == 0x07 || opcode(word) == 0x27;
  return isAccess && (width(word) == 0 || width(word) >= 5);
}

static bool isVector(uint32_t word) { return opcode(word) == 0x57 || isVectorMemory(word); }

/// Returns the layer that a hint starts, kEnd for an end, or -1.
static int markOf(uint32_t word) { return (word & 0xfffff) == 0x2013 ? (int)(word >> 20) : -1; }

static void resolve(Thread *t, int64_t length, bool isKnown) {
  if (t->hasPending) {
    for (int i = 0; i < kLayers; ++i) {
      if (isKnown) {
        t->counts[i].elements += t->pending[i] * (uint64_t)length;
      } else {
        t->counts[i].unknown += t->pending[i];
      }
    }
    memset(t->pending, 0, sizeof(t->pending));
    t->hasPending = false;
  }
}

/// Derives the length from the last access, if its elements were counted.
static void endAccess(Thread *t) {
  if (t->access && isUnmasked(t->access) && t->length < 0) {
    uint64_t fields = (t->access >> 29) + 1; // fields of a segment
    if (t->accessed >= fields) {
      t->length = (int64_t)(t->accessed / fields);
      resolve(t, t->length, true);
    }
  }
  t->access = 0;
}

static void setLength(Thread *t, uint32_t word) {
  bool isImmediate = word >> 30 == 3;
  if (!isImmediate && word >> 31) { // vsetvl: even the type is in a register
    resolve(t, 0, false);
    t->length = -1;
    return;
  }
  uint32_t type = (word >> 20) & (isImmediate ? 0x3ff : 0x7ff);
  t->elementBits = 8 << ((type >> 3) & 7);
  int64_t most = registerBits / t->elementBits;
  most = (type & 7) < 4 ? most << (type & 7) : most >> (8 - (type & 7));
  if (!isImmediate && source1(word) == 0 && destination(word) == 0) {
    return; // only the type changes
  }
  resolve(t, 0, false);
  if (isImmediate) {
    t->length = source1(word) < most ? source1(word) : most;
  } else {
    t->length = source1(word) == 0 ? most : -1;
  }
}

/// Returns the elements of instructions that ignore the vector length, else 0.
static int64_t ownLength(const Thread *t, uint32_t word) {
  uint32_t function = word >> 26;
  int64_t perRegister = registerBits / t->elementBits;
  if (opcode(word) != 0x57) {
    bool isWholeRegister = ((word >> 26) & 3) == 0 && ((word >> 20) & 31) == 8;
    return isWholeRegister ? ((word >> 29) + 1) * perRegister : 0;
  }
  if (width(word) == 3 && function == 0x27) { // vmv<n>r.v
    return (source1(word) + 1) * perRegister;
  }
  bool toFirst = width(word) == 5 || width(word) == 6;
  bool fromFirst = (width(word) == 1 || width(word) == 2) && source1(word) == 0;
  return function == 0x10 && (toFirst || fromFirst) ? 1 : 0; // vmv.s.x, vfmv.f.s, ...
}

static void executeVector(unsigned number, void *data) {
  Thread *t = threadOf(number);
  uint32_t word = (uint32_t)(uintptr_t)data;
  endAccess(t);
  if (opcode(word) == 0x57 && width(word) == 7) {
    setLength(t, word);
    return;
  }
  Counts *counts = &t->counts[t->layer];
  ++counts->vector;
  counts->loads += opcode(word) == 0x07;
  int64_t own = ownLength(t, word);
  if (own > 0) {
    counts->elements += (uint64_t)own;
    return;
  }
  bool isMaskAccess = ((word >> 26) & 3) == 0 && ((word >> 20) & 31) == 11;
  if (opcode(word) != 0x57 && !isMaskAccess) {
    t->access = word;
    t->accessed = 0;
  }
  if (t->length >= 0) {
    counts->elements += (uint64_t)t->length;
  } else {
    ++t->pending[t->layer];
    t->hasPending = true;
  }
}

static void touchElement(unsigned number, uint32_t info, uint64_t address, void *data) {
  (void)info;
  (void)address;
  (void)data;
  ++threadOf(number)->accessed;
}

/// `data` is the number of consecutive instructions.
static void executeRun(unsigned number, void *data) {
  Thread *t = threadOf(number);
  t->counts[t->layer].instructions += (uint64_t)(uintptr_t)data;
}

static void executeMark(unsigned number, void *data) {
  threadOf(number)->layer = (int)(intptr_t)data;
}

static uint32_t wordOf(const struct qemu_plugin_insn *instruction) {
  uint32_t word = 0;
  if (qemu_plugin_insn_size(instruction) == 4) {
    memcpy(&word, qemu_plugin_insn_data(instruction), 4);
  }
  return word; // 0 for a compressed instruction, none of which is relevant
}

static void translate(PluginId id, struct qemu_plugin_tb *block) {
  (void)id;
  size_t count = qemu_plugin_tb_n_insns(block);
  size_t runEnd = 0; // instructions up to here are counted
  for (size_t i = 0; i < count; ++i) {
    struct qemu_plugin_insn *instruction = qemu_plugin_tb_get_insn(block, i);
    uint32_t word = wordOf(instruction);
    int mark = markOf(word);
    if (mark >= 0) {
      qemu_plugin_register_vcpu_insn_exec_cb(instruction, executeMark, kNoRegisters,
                                             (void *)(intptr_t)mark);
      runEnd = i + 1;
      continue;
    }
    if (i >= runEnd) { // the first instruction of a run counts the whole run
      for (runEnd = i + 1; runEnd < count; ++runEnd) {
        if (markOf(wordOf(qemu_plugin_tb_get_insn(block, runEnd))) >= 0) {
          break;
        }
      }
      qemu_plugin_register_vcpu_insn_exec_cb(instruction, executeRun, kNoRegisters,
                                             (void *)(uintptr_t)(runEnd - i));
    }
    if (isVector(word)) {
      qemu_plugin_register_vcpu_insn_exec_cb(instruction, executeVector, kNoRegisters,
                                             (void *)(uintptr_t)word);
      if (isVectorMemory(word)) {
        qemu_plugin_register_vcpu_mem_cb(instruction, touchElement, kNoRegisters, kReadsAndWrites,
                                         NULL);
      }
    }
  }
}

static void printCounts(PluginId id, void *data) {
  (void)id;
  (void)data;
  for (int i = 0; i < kThreads; ++i) {
    Thread *t = threads[i];
    if (!t) {
      continue;
    }
    endAccess(t);
    resolve(t, 0, false);
    for (int layer = 0; layer < kLayers; ++layer) {
      const Counts *c = &t->counts[layer];
      if (c->instructions > 0) {
        fprintf(out, "%d %d %llu %llu %llu %llu %llu\n", i, layer == kEnd ? -1 : layer,
                (unsigned long long)c->instructions, (unsigned long long)c->vector,
                (unsigned long long)c->elements, (unsigned long long)c->unknown,
                (unsigned long long)c->loads);
      }
    }
  }
  fclose(out);
}

__attribute__((visibility("default"))) int qemu_plugin_install(PluginId id, const void *info,
                                                               int argc, char **argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], "vlen=", 5) == 0) {
      registerBits = atoi(argv[i] + 5);
    } else if (strncmp(argv[i], "out=", 4) == 0) {
      out = fopen(argv[i] + 4, "w");
    } else {
      fprintf(stderr, "count_vectors: unknown option '%s'; known are vlen=BITS, out=FILE\n",
              argv[i]);
      return -1;
    }
  }
  if (!out || registerBits < 64) {
    fprintf(stderr, "count_vectors: needs out=FILE that can be written and vlen of at least 64\n");
    return -1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
  qemu_plugin_register_atexit_cb(id, printCounts, NULL);
  return 0;
}
