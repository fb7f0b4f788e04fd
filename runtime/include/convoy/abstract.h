/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The abstract device: an integer convolution device that a set of parameters
 * defines. A portable layer list becomes the command stream of one device by
 * convoy_abstract_generate, once, before the first inference; a simulator runs
 * the stream. Nothing here allocates: memory is the caller's.
 * docs/targets/abstract.md describes instructions and the cycle model.
 */

#ifndef CONVOY_ABSTRACT_H
#define CONVOY_ABSTRACT_H

#include "convoy/device.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What lanes of the vector unit share out: channels that come in, or that go out. */
enum { CONVOY_ABSTRACT_INPUT_PARALLEL = 0, CONVOY_ABSTRACT_OUTPUT_PARALLEL = 1 };

typedef struct convoy_abstract_device {
  uint32_t pes;          /* multiply-accumulates per cycle */
  uint32_t parallel;     /* CONVOY_ABSTRACT_INPUT_PARALLEL or _OUTPUT_PARALLEL */
  uint32_t memory_bytes; /* local memory */
  uint32_t dma_bytes_per_cycle;
  uint32_t dma_latency_cycles;
  uint32_t startup_cycles; /* of each compute instruction */
  uint32_t queue_depth;    /* instructions that wait or run, per engine */
  uint32_t depthwise;      /* 1 where there is a depthwise instruction */
  uint32_t weight_zero_points;
  uint32_t activation_zero_points;
  uint32_t wide_data; /* 1 where activations may have 16 bits */
} convoy_abstract_device;

#define CONVOY_ABSTRACT_MAX_QUEUE 64u

/* Return codes of everything below; convoy_abstract_text names them. */
enum {
  CONVOY_ABSTRACT_OK = 0,
  CONVOY_ABSTRACT_BAD_DEVICE = 1,
  CONVOY_ABSTRACT_BAD_LIST = 2,
  CONVOY_ABSTRACT_LIMIT = 3,   /* a layer is beyond a limit of the instruction set */
  CONVOY_ABSTRACT_MEMORY = 4,  /* no tile of a layer fits the local memory */
  CONVOY_ABSTRACT_SCRATCH = 5, /* the caller's scratch memory is too small */
  CONVOY_ABSTRACT_SPACE = 6,   /* the caller's room for the stream is too small */
  CONVOY_ABSTRACT_BAD_OPCODE = 7,
  CONVOY_ABSTRACT_BAD_REGISTER = 8,
  CONVOY_ABSTRACT_BAD_VALUE = 9,     /* a register's value is out of its range */
  CONVOY_ABSTRACT_LOCAL_BOUNDS = 10, /* outside the local memory */
  CONVOY_ABSTRACT_SYSTEM_BOUNDS = 11,
  CONVOY_ABSTRACT_RACE = 12, /* two engines meet in local memory without a wait */
  CONVOY_ABSTRACT_NO_END = 13
};

/* What a code means, in words. Never NULL. */
const char *convoy_abstract_text(int code);

/* Whether a device can be built: every parameter in its range. */
int convoy_abstract_check_device(const convoy_abstract_device *device);

/* How layers may be cut. Channels only is what simple tool chains do, and is here to be
 * compared with. */
enum { CONVOY_ABSTRACT_TILE_ALL = 0, CONVOY_ABSTRACT_TILE_CHANNELS = 1 };

typedef struct convoy_abstract_options {
  uint32_t tiling;
} convoy_abstract_options;

/* Where a call failed: the layer, or the word of the stream. */
typedef struct convoy_abstract_fault {
  uint32_t layer;
  uint32_t word;
  uint64_t needed; /* bytes or words, for _MEMORY, _SCRATCH and _SPACE */
} convoy_abstract_fault;

/* Bytes of scratch memory that generating from a list needs; 0 if it is no list. */
size_t convoy_abstract_scratch_bytes(const void *list, size_t bytes);

/* Makes the stream. `words` gets its length also where `program` is NULL or too small.
 * Scratch memory is aligned to 8 bytes and free again afterwards. */
int convoy_abstract_generate(const convoy_abstract_device *device,
                             const convoy_abstract_options *options, const void *list, size_t bytes,
                             void *scratch, size_t scratch_bytes, uint32_t *program,
                             size_t capacity_words, size_t *words, convoy_abstract_fault *fault);

/* Memory of the system that DMA reaches: 0 is the list's constants, 1 the workspace, then
 * the inputs, then the outputs. */
typedef struct convoy_abstract_segment {
  void *base;
  uint64_t bytes;
} convoy_abstract_segment;

typedef struct convoy_abstract_layer_report {
  uint64_t cycles; /* from the end of the layer before to this one's end */
  uint64_t compute_cycles;
  uint64_t stall_cycles; /* the vector unit waits for data, or for an instruction */
  uint64_t dma_cycles;
  uint64_t dma_bytes;
  uint64_t macs;
  uint64_t instructions;
} convoy_abstract_layer_report;

typedef struct convoy_abstract_report {
  convoy_abstract_layer_report total;
  convoy_abstract_layer_report *layers; /* the caller's; may be NULL */
  size_t layer_count;                   /* how many `layers` has room for */
} convoy_abstract_report;

/* Runs a stream. Without local memory only time is simulated, and no byte is touched. */
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

/* A simulated device that models reach through the table of convoy/device.h. */
typedef struct convoy_abstract_simulator {
  convoy_abstract_device device;
  convoy_abstract_options options;
  uint8_t *memory; /* local memory first */
  size_t bytes;
  size_t used;
  convoy_abstract_stream streams[CONVOY_ABSTRACT_MAX_STREAMS];
  uint32_t stream_count;
  uint64_t cycles; /* of all runs */
  int code;        /* why the last call failed */
  convoy_abstract_fault fault;
} convoy_abstract_simulator;

/* Fills the table. `memory`, aligned to 16 bytes, holds the device's local memory, the
 * streams and all that programs allocate; it and the simulator outlive the models. */
int convoy_abstract_open(convoy_abstract_simulator *simulator, const convoy_abstract_device *device,
                         const convoy_abstract_options *options, void *memory, size_t bytes,
                         convoy_device *table);

#ifdef __cplusplus
}
#endif

#endif
