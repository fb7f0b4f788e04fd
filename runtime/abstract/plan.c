/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Chooses the tiles of a layer. For every candidate that fits in local memory, the planner
 * computes a lower bound of its cycles. If the bound is better than the best plan so far, the
 * planner emits the candidate without storing the words, to measure it. On a tie the earlier
 * candidate wins; larger tiles are tried first.
 */

#include "tiles.h"

#include <string.h>

typedef struct search {
  convoy_abstract_emitter *e;
  const convoy_abstract_layer *layer;
  const convoy_abstract_area *area;
  uint32_t tiling;
  convoy_abstract_plan *best;
} search;

static int32_t divide_up(int32_t value, int32_t by) { return (value + by - 1) / by; }

/* The number of channels of a tile is a multiple of the channels of a group. */
static int32_t channel_unit(const convoy_abstract_layer *layer) {
  return layer->op == CONVOY_ABSTRACT_OP_conv && layer->groups > 1 ? layer->out_c / layer->groups
                                                                   : 1;
}

static int fits(const search *s, const convoy_abstract_plan *plan) {
  return convoy_abstract_plan_bytes(s->layer, s->area, plan) <= s->area->high - s->area->low;
}

/* Returns the cycles of the compute engine for `channels` output channels of all pixels. */
static uint64_t compute_cycles(const convoy_abstract_device *device,
                               const convoy_abstract_layer *layer, int32_t channels) {
  const int is_whole = convoy_abstract_is_whole(device, layer);
  const int32_t unit = channel_unit(layer);
  uint32_t opcode = (uint32_t)layer->op;
  int32_t regs[CONVOY_ABSTRACT_REGISTERS] = {0};
  if (is_whole && layer->groups > 1) {
    opcode = CONVOY_ABSTRACT_OP_dwconv;
  }
  regs[CONVOY_ABSTRACT_R_in_type] = layer->in_type;
  regs[CONVOY_ABSTRACT_R_in_c] = layer->in_c / layer->groups;
  regs[CONVOY_ABSTRACT_R_out_c] = is_whole ? channels : unit;
  regs[CONVOY_ABSTRACT_R_out_h] = layer->out_h;
  regs[CONVOY_ABSTRACT_R_out_w] = layer->out_w;
  regs[CONVOY_ABSTRACT_R_kernel_h] = layer->kernel_h;
  regs[CONVOY_ABSTRACT_R_kernel_w] = layer->kernel_w;
  return convoy_abstract_cycles(device, opcode, regs) *
         (is_whole ? 1u : (uint64_t)(channels / unit));
}

/* Returns the cycles before the first tile can start and after the last tile has ended. */
static uint64_t edge_cycles(const search *s, const convoy_abstract_plan *plan) {
  const convoy_abstract_layer *layer = s->layer;
  const convoy_abstract_device *device = s->e->device;
  const uint64_t pixels = (uint64_t)plan->tile_h * (uint64_t)plan->tile_w;
  uint64_t bytes = 0;
  uint64_t transfers = 0;
  if (layer->op == CONVOY_ABSTRACT_OP_conv) {
    bytes += (uint64_t)plan->tile_c * (uint64_t)(layer->in_c / layer->groups) *
             (uint64_t)layer->kernel_h * (uint64_t)layer->kernel_w;
    transfers += 2;
  }
  if (!s->area->in_stays) {
    bytes += pixels * (uint64_t)(layer->groups > 1 ? plan->tile_c : layer->in_c / layer->groups);
    transfers += 1;
  }
  if (!s->area->out_stays) {
    const int32_t rest = layer->out_c % plan->tile_c;
    const int is_last_smaller =
        rest > 0 || layer->out_h % plan->tile_h != 0 || layer->out_w % plan->tile_w != 0;
    bytes += is_last_smaller ? 0 : pixels * (uint64_t)plan->tile_c;
    transfers += 1;
  }
  return bytes / device->dma_bytes_per_cycle + transfers * device->dma_latency_cycles;
}

static uint64_t moved_bytes(const convoy_abstract_layer *layer, const convoy_abstract_area *area) {
  uint64_t bytes = 0;
  if (!area->out_stays) {
    bytes += (uint64_t)layer->out_c * (uint64_t)layer->out_h * (uint64_t)layer->out_w;
  }
  if (!area->in_stays && layer->stride_h == 1 && layer->stride_w == 1) {
    bytes += (uint64_t)layer->in_c * (uint64_t)layer->out_h * (uint64_t)layer->out_w;
  }
  if (layer->op == CONVOY_ABSTRACT_OP_conv) {
    bytes += (uint64_t)layer->out_c * (uint64_t)(layer->in_c / layer->groups) *
             (uint64_t)layer->kernel_h * (uint64_t)layer->kernel_w;
  }
  return bytes;
}

/* Returns a lower bound of the cycles with these tiles: every product is computed and every byte
 * is moved. */
static uint64_t least_cycles(const search *s, const convoy_abstract_plan *plan) {
  const convoy_abstract_layer *layer = s->layer;
  const int32_t rest = layer->out_c % plan->tile_c;
  const convoy_abstract_device *device = s->e->device;
  const uint64_t dma = moved_bytes(layer, s->area) / device->dma_bytes_per_cycle;
  uint64_t compute =
      (uint64_t)(layer->out_c / plan->tile_c) * compute_cycles(device, layer, plan->tile_c);
  if (rest > 0) {
    compute += compute_cycles(device, layer, rest);
  }
  compute += edge_cycles(s, plan);
  return compute > dma ? compute : dma;
}

/* Gains below 1/256 are ignored, because planning also runs on microcontrollers. */
#define LEAST_GAIN 256

static void try_plan(const search *s, convoy_abstract_plan *plan) {
  if (!fits(s, plan) || least_cycles(s, plan) >= s->best->cycles - s->best->cycles / LEAST_GAIN) {
    return;
  }
  convoy_abstract_emitter_reset(s->e);
  convoy_abstract_emit_layer(s->e, s->layer, s->area, plan, s->best->cycles);
  plan->cycles = convoy_abstract_emitter_time(s->e);
  if (plan->cycles < s->best->cycles) {
    *s->best = *plan;
  }
}

static void try_orders(const search *s, convoy_abstract_plan *plan) {
  plan->pixels_outer = 0;
  try_plan(s, plan);
  if (plan->tile_c < s->layer->out_c &&
      (plan->tile_h < s->layer->out_h || plan->tile_w < s->layer->out_w)) {
    plan->pixels_outer = 1;
    try_plan(s, plan);
  }
}

/* Tries the largest number of rows that fits and smaller ones, which overlap more of the loads
 * with computation. Returns whether any number of rows fits. */
static int try_rows(const search *s, convoy_abstract_plan *plan) {
  const int32_t extent = s->layer->out_h;
  int32_t low = 0;
  int32_t high = extent;
  int32_t least_tiles;
  int32_t factor;
  while (low < high) {
    plan->tile_h = low + (high - low + 1) / 2;
    if (fits(s, plan)) {
      low = plan->tile_h;
    } else {
      high = plan->tile_h - 1;
    }
  }
  if (low == 0 || (s->tiling == CONVOY_ABSTRACT_TILE_CHANNELS && low < extent)) {
    return 0;
  }
  least_tiles = divide_up(extent, low);
  for (factor = 0; factor < 4; ++factor) {
    const int32_t tiles = factor < 2 ? least_tiles + factor : least_tiles << (factor - 1);
    if (tiles > extent || (factor > 0 && s->tiling == CONVOY_ABSTRACT_TILE_CHANNELS)) {
      break;
    }
    plan->tile_h = divide_up(extent, tiles);
    try_orders(s, plan);
  }
  return 1;
}

/* Short runs are expensive: tries all columns and half of them, and fewer only if more do not
 * fit. */
static void try_columns(const search *s, convoy_abstract_plan *plan) {
  int32_t width = s->layer->out_w;
  int halvings = 0;
  for (;; ++halvings) {
    int is_fitting;
    plan->tile_w = width;
    is_fitting = try_rows(s, plan);
    if (width == 1 || s->tiling == CONVOY_ABSTRACT_TILE_CHANNELS || (is_fitting && halvings > 0)) {
      return;
    }
    width = divide_up(width, 2);
  }
}

static void try_slots(const search *s, int32_t channels) {
  const int32_t unit = channel_unit(s->layer);
  convoy_abstract_plan plan;
  int slots;
  memset(&plan, 0, sizeof(plan));
  plan.tile_c = divide_up(channels, unit) * unit;
  plan.tile_c = plan.tile_c < s->layer->out_c ? plan.tile_c : s->layer->out_c;
  for (slots = 7; slots >= 0; --slots) {
    plan.in_slots = (uint8_t)(1 + (slots & 1));
    plan.weight_slots = (uint8_t)(1 + (slots >> 1 & 1));
    plan.out_slots = (uint8_t)(1 + (slots >> 2 & 1));
    plan.tile_h = s->layer->out_h;
    plan.tile_w = s->layer->out_w;
    if (compute_cycles(s->e->device, s->layer, plan.tile_c) < s->best->cycles) {
      try_columns(s, &plan);
    }
  }
}

/* Returns the largest number of channels that fits with all pixels and one buffer each. */
static int32_t most_channels(const search *s) {
  convoy_abstract_plan plan;
  const int32_t unit = channel_unit(s->layer);
  int32_t low = 0;
  int32_t high = s->layer->out_c / unit;
  memset(&plan, 0, sizeof(plan));
  plan.tile_h = s->layer->out_h;
  plan.tile_w = s->layer->out_w;
  plan.in_slots = plan.weight_slots = plan.out_slots = 1;
  while (low < high) {
    const int32_t middle = low + (high - low + 1) / 2;
    plan.tile_c = middle * unit;
    if (fits(s, &plan)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low * unit;
}

void convoy_abstract_find_plan(convoy_abstract_emitter *emitter, uint32_t tiling,
                               const convoy_abstract_layer *layer, const convoy_abstract_area *area,
                               convoy_abstract_plan *best) {
  const search s = {emitter, layer, area, tiling, best};
  const int32_t pes = (int32_t)emitter->device->pes;
  int32_t channels;
  int32_t step;
  memset(best, 0, sizeof(*best));
  best->cycles = UINT64_MAX;
  if (area->high < area->low) {
    return;
  }
  try_slots(&s, layer->out_c);
  channels = most_channels(&s);
  if (channels > 0) {
    try_slots(&s, channels);
  }
  /* Whole vectors, at most 16 different counts. */
  step = divide_up(layer->out_c, 16 * pes) * pes;
  for (channels = (layer->out_c - 1) / step * step; channels > 0; channels -= step) {
    try_slots(&s, channels);
  }
  for (step = 2; step <= 8 && step <= layer->out_c; ++step) {
    try_slots(&s, divide_up(layer->out_c, step));
  }
  for (channels = pes / 2; channels > 0; channels /= 2) {
    if (channels < layer->out_c) {
      try_slots(&s, channels);
    }
  }
  if (best->cycles == UINT64_MAX) {
    try_slots(&s, 1); /* the smallest tile */
  }
}

uint64_t convoy_abstract_layer_bytes(const convoy_abstract_layer *layer, uint32_t tiling) {
  convoy_abstract_plan plan;
  convoy_abstract_area area;
  memset(&plan, 0, sizeof(plan));
  memset(&area, 0, sizeof(area));
  plan.tile_c = channel_unit(layer);
  plan.tile_h = tiling == CONVOY_ABSTRACT_TILE_CHANNELS ? layer->out_h : 1;
  plan.tile_w = tiling == CONVOY_ABSTRACT_TILE_CHANNELS ? layer->out_w : 1;
  plan.in_slots = plan.weight_slots = plan.out_slots = 1;
  return convoy_abstract_plan_bytes(layer, &area, &plan);
}

uint64_t convoy_abstract_layer_cycles(const convoy_abstract_device *device,
                                      const convoy_abstract_layer *layer) {
  const convoy_abstract_area area = {0, 0, 0, 0, 0, 0};
  const uint64_t dma = moved_bytes(layer, &area) / device->dma_bytes_per_cycle;
  const uint64_t compute = compute_cycles(device, layer, layer->out_c);
  return compute > dma ? compute : dma;
}
