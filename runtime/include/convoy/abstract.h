/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The abstract device: an integer convolution device that is defined by a set of
 * parameters. Before the first inference, convoy_abstract_generate converts a portable
 * layer list to the command stream of one device. A simulator runs the stream. The
 * functions allocate no memory; the caller provides it. docs/targets/abstract.md describes
 * the instructions and the cycle model.
 */

#ifndef CONVOY_ABSTRACT_H
#define CONVOY_ABSTRACT_H

#include "convoy/device.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Selects the channels that the lanes of the vector unit process in parallel: input
 * channels or output channels. */
enum { CONVOY_ABSTRACT_INPUT_PARALLEL = 0, CONVOY_ABSTRACT_OUTPUT_PARALLEL = 1 };

typedef struct convoy_abstract_device {
  uint32_t pes;          /* multiply-accumulates per cycle */
  uint32_t parallel;     /* CONVOY_ABSTRACT_INPUT_PARALLEL or _OUTPUT_PARALLEL */
  uint32_t memory_bytes; /* local memory */
  uint32_t dma_bytes_per_cycle;
  uint32_t dma_latency_cycles;
  uint32_t startup_cycles; /* per compute instruction */
  uint32_t queue_depth;    /* instructions that wait or run, per engine */
  uint32_t depthwise;      /* 1 if there is a depthwise instruction */
  uint32_t weight_zero_points;
  uint32_t activation_zero_points;
  uint32_t wide_data; /* 1 if activations may have 16 bits */
} convoy_abstract_device;

#define CONVOY_ABSTRACT_MAX_QUEUE 64u

/* Return codes of all functions below; convoy_abstract_text describes them. */
enum {
  CONVOY_ABSTRACT_OK = 0,
  CONVOY_ABSTRACT_BAD_DEVICE = 1,
  CONVOY_ABSTRACT_BAD_LIST = 2,
  CONVOY_ABSTRACT_LIMIT = 3,   /* a layer exceeds a limit of the instruction set */
  CONVOY_ABSTRACT_MEMORY = 4,  /* no tile of a layer fits the local memory */
  CONVOY_ABSTRACT_SCRATCH = 5, /* the caller's scratch memory is too small */
  CONVOY_ABSTRACT_SPACE = 6,   /* the caller's memory for the stream is too small */
  CONVOY_ABSTRACT_BAD_OPCODE = 7,
  CONVOY_ABSTRACT_BAD_REGISTER = 8,
  CONVOY_ABSTRACT_BAD_VALUE = 9,     /* a register's value is out of its range */
  CONVOY_ABSTRACT_LOCAL_BOUNDS = 10, /* outside the local memory */
  CONVOY_ABSTRACT_SYSTEM_BOUNDS = 11,
  CONVOY_ABSTRACT_RACE = 12, /* two engines access the same local memory without a wait */
  CONVOY_ABSTRACT_NO_END = 13
};

/* Returns a description of a code. Never returns NULL. */
const char *convoy_abstract_text(int code);

/* Checks that every parameter of a device is in its range. */
int convoy_abstract_check_device(const convoy_abstract_device *device);

/* Selects how layers are split into tiles. CHANNELS is the method of simple tool chains and
 * serves as a baseline. */
enum { CONVOY_ABSTRACT_TILE_ALL = 0, CONVOY_ABSTRACT_TILE_CHANNELS = 1 };

typedef struct convoy_abstract_options {
  uint32_t tiling;
} convoy_abstract_options;

/* The location of a failure: the layer, or the word of the stream. */
typedef struct convoy_abstract_fault {
  uint32_t layer;
  uint32_t word;
  uint64_t needed; /* bytes or words, for _MEMORY, _SCRATCH and _SPACE */
} convoy_abstract_fault;

/* Returns the bytes of scratch memory that generating from a list needs, or 0 if the list
 * is invalid. */
size_t convoy_abstract_scratch_bytes(const void *list, size_t bytes);

/* Generates the stream. Stores its length in `words` even if `program` is NULL or too
 * small. The scratch memory must be aligned to 8 bytes; the caller may reuse it afterwards. */
int convoy_abstract_generate(const convoy_abstract_device *device,
                             const convoy_abstract_options *options, const void *list, size_t bytes,
                             void *scratch, size_t scratch_bytes, uint32_t *program,
                             size_t capacity_words, size_t *words, convoy_abstract_fault *fault);

/* A segment of system memory that DMA can access: 0 is the constants of the list, 1 the
 * workspace, then the inputs, then the outputs. */
typedef struct convoy_abstract_segment {
  void *base;
  uint64_t bytes;
} convoy_abstract_segment;

typedef struct convoy_abstract_layer_report {
  uint64_t cycles; /* from the end of the previous layer to the end of this layer */
  uint64_t compute_cycles;
  uint64_t stall_cycles; /* cycles in which the vector unit waits for data or for an instruction */
  uint64_t dma_cycles;
  uint64_t dma_bytes;
  uint64_t macs;
  uint64_t instructions;
} convoy_abstract_layer_report;

typedef struct convoy_abstract_report {
  convoy_abstract_layer_report total;
  convoy_abstract_layer_report *layers; /* owned by the caller; may be NULL */
  size_t layer_count;                   /* the capacity of `layers` */
} convoy_abstract_report;

/* Runs a stream. If `local_memory` is NULL, simulates only the time and accesses no data. */
int convoy_abstract_simulate(const convoy_abstract_device *device, const uint32_t *program,
                             size_t words, const convoy_abstract_segment *segments,
                             size_t segment_count, void *local_memory,
                             convoy_abstract_report *report, convoy_abstract_fault *fault);

#define CONVOY_ABSTRACT_MAX_STREAMS 16u

typedef struct convoy_abstract_stream {
  const void *list; /* the commands of the portable program */
  uint32_t *words;
  size_t count;
} convoy_abstract_stream;

/* A simulated device that models access through the table of convoy/device.h. */
typedef struct convoy_abstract_simulator {
  convoy_abstract_device device;
  convoy_abstract_options options;
  uint8_t *memory; /* starts with the local memory */
  size_t bytes;
  size_t used;
  convoy_abstract_stream streams[CONVOY_ABSTRACT_MAX_STREAMS];
  uint32_t stream_count;
  uint64_t cycles; /* sum over all runs */
  int code;        /* why the last call failed */
  convoy_abstract_fault fault;
} convoy_abstract_simulator;

/* Fills the table. `memory`, aligned to 16 bytes, contains the device's local memory, the
 * streams and the allocations of programs. The memory and the simulator must outlive the
 * models. */
int convoy_abstract_open(convoy_abstract_simulator *simulator, const convoy_abstract_device *device,
                         const convoy_abstract_options *options, void *memory, size_t bytes,
                         convoy_device *table);

#ifdef __cplusplus
}
#endif

#endif
