/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A layer cut into tiles: how a plan says it, and the instructions that follow
 * from a plan. Emitting without a program is how the planner measures a plan.
 */

#ifndef CONVOY_ABSTRACT_TILES_H
#define CONVOY_ABSTRACT_TILES_H

#include "isa.h"
#include "layers.h"

/* The local memory of a layer: what stays there between layers, and room for buffers. */
typedef struct convoy_abstract_room {
  uint32_t low; /* buffers lie in [low, high) */
  uint32_t high;
  uint32_t in_addr; /* of the whole input, where in_stays */
  uint32_t out_addr;
  uint8_t in_stays; /* the layer before left its output in local memory */
  uint8_t out_stays;
} convoy_abstract_room;

typedef struct convoy_abstract_plan {
  int32_t tile_c; /* of the output */
  int32_t tile_h;
  int32_t tile_w;
  uint8_t pixels_outer; /* all channels of a tile before the next rows and columns */
  uint8_t in_slots;     /* buffers: 1, or 2 to load while computing */
  uint8_t weight_slots;
  uint8_t out_slots;
  uint64_t cycles; /* of the layer alone; UINT64_MAX where there is no plan */
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

/* Whether the device runs a layer with one instruction per tile, not one per group. */
int convoy_abstract_is_whole(const convoy_abstract_device *device,
                             const convoy_abstract_layer *layer);

/* Bytes of local memory for a plan's buffers. */
uint64_t convoy_abstract_plan_bytes(const convoy_abstract_layer *layer,
                                    const convoy_abstract_room *room,
                                    const convoy_abstract_plan *plan);

/* Emits a layer; gives up once its time passes `limit`. */
void convoy_abstract_emit_layer(convoy_abstract_emitter *emitter,
                                const convoy_abstract_layer *layer,
                                const convoy_abstract_room *room, const convoy_abstract_plan *plan,
                                uint64_t limit);

/* Finds the plan with the fewest cycles. `emitter` is scratch. */
void convoy_abstract_find_plan(convoy_abstract_emitter *emitter, uint32_t tiling,
                               const convoy_abstract_layer *layer, const convoy_abstract_room *room,
                               convoy_abstract_plan *best);

#endif
