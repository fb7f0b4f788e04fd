/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Tiles of a layer: the plan, and the instructions for a plan. The planner measures a plan by
 * emitting it without a program.
 */

#ifndef CONVOY_ABSTRACT_TILES_H
#define CONVOY_ABSTRACT_TILES_H

#include "isa.h"
#include "layers.h"

/* The local memory of a layer: resident tensors and the area for buffers. */
typedef struct convoy_abstract_area {
  uint32_t low; /* buffers are in [low, high) */
  uint32_t high;
  uint32_t in_addr; /* address of the whole input if in_stays */
  uint32_t out_addr;
  uint8_t in_stays; /* the previous layer left its output in local memory */
  uint8_t out_stays;
} convoy_abstract_area;

typedef struct convoy_abstract_plan {
  int32_t tile_c; /* size in the output */
  int32_t tile_h;
  int32_t tile_w;
  uint8_t pixels_outer; /* process all channels of a pixel tile before the next pixel tile */
  uint8_t in_slots;     /* buffers: 1, or 2 to load while computing */
  uint8_t weight_slots;
  uint8_t out_slots;
  uint64_t cycles; /* of the layer alone; UINT64_MAX if there is no plan */
} convoy_abstract_plan;

typedef struct convoy_abstract_emitter {
  const convoy_abstract_device *device;
  uint32_t *program; /* NULL to measure only */
  size_t capacity;
  size_t words;
  int32_t regs[CONVOY_ABSTRACT_REGISTERS];
  uint8_t known[CONVOY_ABSTRACT_REGISTERS]; /* registers that were set */
  convoy_abstract_clock clock;
} convoy_abstract_emitter;

void convoy_abstract_emitter_reset(convoy_abstract_emitter *emitter);
void convoy_abstract_emit_mark(convoy_abstract_emitter *emitter, uint32_t opcode, uint32_t value);
uint64_t convoy_abstract_emitter_time(const convoy_abstract_emitter *emitter);

/* Returns whether the device runs a layer with one instruction per tile instead of one per
 * group. */
int convoy_abstract_is_whole(const convoy_abstract_device *device,
                             const convoy_abstract_layer *layer);

/* Returns the bytes of local memory for a plan's buffers. */
uint64_t convoy_abstract_plan_bytes(const convoy_abstract_layer *layer,
                                    const convoy_abstract_area *area,
                                    const convoy_abstract_plan *plan);

/* Emits a layer; stops once its time exceeds `limit`. */
void convoy_abstract_emit_layer(convoy_abstract_emitter *emitter,
                                const convoy_abstract_layer *layer,
                                const convoy_abstract_area *area, const convoy_abstract_plan *plan,
                                uint64_t limit);

/* Finds the plan with the fewest cycles. `emitter` is scratch. */
void convoy_abstract_find_plan(convoy_abstract_emitter *emitter, uint32_t tiling,
                               const convoy_abstract_layer *layer, const convoy_abstract_area *area,
                               convoy_abstract_plan *best);

#endif
