/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Emits the tiles of a layer. If a second buffer exists, the loads of the next tile are issued
 * before the instructions of the current tile:
 *
 *   DMA       load 0 | load 1          | store 0  load 2 | store 1  load 3 |
 *   compute          | tile 0          | tile 1          | tile 2          |
 *
 * Waits are lags (isa.h). A dependence is recorded as the number of DMA instructions up to it.
 */

#include "tiles.h"

#include <string.h>

static uint32_t align_up(uint32_t bytes) { return (bytes + 15u) & ~15u; }

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

static int32_t tiles_of(int32_t extent, int32_t tile) { return (extent + tile - 1) / tile; }

void convoy_abstract_emitter_reset(convoy_abstract_emitter *emitter) {
  memset(emitter->known, 0, sizeof(emitter->known));
  emitter->words = 0;
  convoy_abstract_clock_reset(&emitter->clock);
}

uint64_t convoy_abstract_emitter_time(const convoy_abstract_emitter *emitter) {
  const uint64_t dma = emitter->clock.end[0];
  const uint64_t compute = emitter->clock.end[1];
  return dma > compute ? dma : compute;
}

static void emit_words(convoy_abstract_emitter *emitter, uint32_t first, uint32_t second) {
  if (emitter->program != NULL && emitter->words + 2 <= emitter->capacity) {
    emitter->program[emitter->words] = first;
    emitter->program[emitter->words + 1] = second;
  }
  emitter->words += 2;
}

void convoy_abstract_emit_mark(convoy_abstract_emitter *emitter, uint32_t opcode, uint32_t value) {
  ++emitter->clock.now;
  emit_words(emitter, opcode, value);
}

/* Sets a register. Registers keep their values, so only a change costs an instruction. */
static void set(convoy_abstract_emitter *emitter, uint32_t reg, int32_t value) {
  uint32_t bits;
  if (emitter->known[reg] && emitter->regs[reg] == value) {
    return;
  }
  emitter->known[reg] = 1;
  emitter->regs[reg] = value;
  memcpy(&bits, &value, sizeof(bits));
  ++emitter->clock.now;
  emit_words(emitter, CONVOY_ABSTRACT_OP_set | reg << 8, bits);
}

#define SET(name, value) set(e, CONVOY_ABSTRACT_R_##name, (int32_t)(value))

static void start(convoy_abstract_emitter *e, uint32_t opcode, uint32_t dma_lag,
                  uint32_t compute_lag) {
  const uint64_t cycles = convoy_abstract_cycles(e->device, opcode, e->regs);
  emit_words(e, opcode | dma_lag << 16 | compute_lag << 24, 0);
  convoy_abstract_clock_issue(&e->clock, e->device, convoy_abstract_engine(opcode), dma_lag,
                              compute_lag, cycles);
}

static int has_weights(const convoy_abstract_layer *layer) {
  return layer->op == CONVOY_ABSTRACT_OP_conv || layer->op == CONVOY_ABSTRACT_OP_lookup;
}

static int has_second(const convoy_abstract_layer *layer) {
  return layer->op == CONVOY_ABSTRACT_OP_add || layer->op == CONVOY_ABSTRACT_OP_mul;
}

/* Returns whether a tile's input channels are determined by its output channels. */
static int is_channelwise(const convoy_abstract_layer *layer) {
  return layer->op != CONVOY_ABSTRACT_OP_conv || layer->groups > 1;
}

static int32_t in_channels(const convoy_abstract_layer *layer, int32_t out_channels) {
  if (!is_channelwise(layer)) {
    return layer->in_c;
  }
  return layer->op == CONVOY_ABSTRACT_OP_conv
             ? out_channels / (layer->out_c / layer->groups) * (layer->in_c / layer->groups)
             : out_channels;
}

int convoy_abstract_is_whole(const convoy_abstract_device *device,
                             const convoy_abstract_layer *layer) {
  const int is_depthwise = layer->groups == layer->in_c && layer->groups == layer->out_c;
  return layer->op != CONVOY_ABSTRACT_OP_conv || layer->groups == 1 ||
         (is_depthwise && device->depthwise);
}

/* Returns the bytes of one output channel's weights. */
static int32_t filter_bytes(const convoy_abstract_layer *layer) {
  return layer->kernel_h * layer->kernel_w * (layer->in_c / layer->groups);
}

/* The addresses and sizes of buffers. */
typedef struct buffers {
  uint32_t in;
  uint32_t in_bytes;
  uint32_t in2;
  uint32_t weights;
  uint32_t weight_bytes; /* of the weights alone; their table follows */
  uint32_t slot_bytes;   /* of weights and table */
  uint32_t out;
  uint32_t out_bytes;
  uint64_t end;
} buffers;

static int32_t window_extent(int32_t tile, int32_t kernel, int32_t stride, int32_t dilation,
                             int32_t extent) {
  return least(extent, (tile - 1) * stride + (kernel - 1) * dilation + 1);
}

static uint64_t tile_bytes(int32_t channels, int32_t rows, int32_t columns, int32_t type) {
  return (uint64_t)channels * (uint64_t)rows * (uint64_t)columns * convoy_abstract_type_bytes(type);
}

static int is_too_large(uint64_t bytes) { return bytes > (1u << 30); }

static buffers lay_out(const convoy_abstract_layer *layer, const convoy_abstract_area *area,
                       const convoy_abstract_plan *plan) {
  buffers b;
  const int32_t rows =
      window_extent(plan->tile_h, layer->kernel_h, layer->stride_h, layer->dilation_h, layer->in_h);
  const int32_t columns =
      window_extent(plan->tile_w, layer->kernel_w, layer->stride_w, layer->dilation_w, layer->in_w);
  const int32_t channels = in_channels(layer, plan->tile_c);
  const uint64_t in = area->in_stays ? 0 : tile_bytes(channels, rows, columns, layer->in_type);
  const uint64_t in2 =
      has_second(layer) ? tile_bytes(plan->tile_c, rows, columns, layer->in2_type) : 0;
  const uint64_t out =
      area->out_stays ? 0 : tile_bytes(plan->tile_c, plan->tile_h, plan->tile_w, layer->out_type);
  uint64_t weights = layer->op == CONVOY_ABSTRACT_OP_lookup ? 256 : 0;
  if (layer->op == CONVOY_ABSTRACT_OP_conv) {
    weights = (uint64_t)plan->tile_c * (uint64_t)filter_bytes(layer);
  }
  memset(&b, 0, sizeof(b));
  if (is_too_large(in) || is_too_large(in2) || is_too_large(out) || is_too_large(weights)) {
    b.end = UINT64_MAX;
    return b;
  }
  b.in_bytes = align_up((uint32_t)in);
  b.weight_bytes = align_up((uint32_t)weights);
  b.slot_bytes = b.weight_bytes;
  if (layer->op == CONVOY_ABSTRACT_OP_conv) {
    b.slot_bytes += (uint32_t)plan->tile_c * CONVOY_ABSTRACT_TABLE_BYTES;
  }
  b.out_bytes = align_up((uint32_t)out);
  b.in = area->low;
  /* The second input is loaded with the first, so both have the same number of buffers. */
  b.in2 = b.in + b.in_bytes * plan->in_slots;
  b.end = (uint64_t)b.in2 + (uint64_t)align_up((uint32_t)in2) * plan->in_slots;
  b.weights = (uint32_t)b.end;
  b.end += (uint64_t)b.slot_bytes * plan->weight_slots;
  b.out = (uint32_t)b.end;
  b.end += (uint64_t)b.out_bytes * plan->out_slots;
  return b;
}

uint64_t convoy_abstract_plan_bytes(const convoy_abstract_layer *layer,
                                    const convoy_abstract_area *area,
                                    const convoy_abstract_plan *plan) {
  const buffers b = lay_out(layer, area, plan);
  return b.end == UINT64_MAX ? b.end : b.end - area->low;
}

/* One tile: its position in the output, its input window and its buffers. */
typedef struct tile {
  int32_t c, y, x; /* position in the output */
  int32_t channels, rows, columns;
  int32_t in_c, in_channels;
  convoy_abstract_window window_y, window_x;
  int32_t in_key, weight_key; /* tiles with equal keys share the loaded data */
  uint32_t in_slot, weight_slot;
  uint64_t ready; /* number of DMA instructions that must end first */
} tile;

typedef struct walk {
  convoy_abstract_emitter *e;
  const convoy_abstract_layer *layer;
  const convoy_abstract_area *area;
  const convoy_abstract_plan *plan;
  buffers at;
  int32_t along_c, along_y, along_x;
  uint64_t in_ready, weight_ready;
  uint64_t stored[2]; /* number of DMA instructions up to the store of each output buffer */
} walk;

static tile find_tile(const walk *w, int32_t index) {
  const convoy_abstract_layer *layer = w->layer;
  const int32_t pixels = w->along_y * w->along_x;
  const int32_t c = w->plan->pixels_outer ? index % w->along_c : index / pixels;
  const int32_t pixel = w->plan->pixels_outer ? index / w->along_c : index % pixels;
  tile t;
  memset(&t, 0, sizeof(t));
  t.c = c * w->plan->tile_c;
  t.y = pixel / w->along_x * w->plan->tile_h;
  t.x = pixel % w->along_x * w->plan->tile_w;
  t.channels = least(w->plan->tile_c, layer->out_c - t.c);
  t.rows = least(w->plan->tile_h, layer->out_h - t.y);
  t.columns = least(w->plan->tile_w, layer->out_w - t.x);
  t.in_c = is_channelwise(layer) ? in_channels(layer, t.c) : 0;
  t.in_channels = in_channels(layer, t.channels);
  t.window_y = convoy_abstract_find_window(t.y, t.rows, layer->kernel_h, layer->stride_h,
                                           layer->dilation_h, layer->pad_top, layer->in_h);
  t.window_x = convoy_abstract_find_window(t.x, t.columns, layer->kernel_w, layer->stride_w,
                                           layer->dilation_w, layer->pad_left, layer->in_w);
  t.in_key = is_channelwise(layer) ? index : pixel;
  t.weight_key = layer->op == CONVOY_ABSTRACT_OP_lookup ? 0 : c;
  return t;
}

/* Sets the registers for a transfer between a box of a tensor in system memory and a dense tile. */
static void set_box(convoy_abstract_emitter *e, int32_t segment, int32_t offset, uint32_t local,
                    int32_t bytes, int32_t planes, int32_t rows, int32_t columns,
                    int32_t plane_elements, int32_t row_elements) {
  SET(dma_segment, segment);
  SET(dma_offset, offset);
  SET(dma_local, local);
  SET(dma_run, columns * bytes);
  SET(dma_rows, rows);
  SET(dma_planes, planes);
  SET(dma_row, row_elements * bytes);
  SET(dma_plane, plane_elements * bytes);
  SET(dma_local_row, columns * bytes);
  SET(dma_local_plane, rows * columns * bytes);
}

static void load_input(const walk *w, const tile *t, int32_t segment, int32_t offset, int32_t type,
                       uint32_t local) {
  const convoy_abstract_layer *layer = w->layer;
  const int32_t bytes = (int32_t)convoy_abstract_type_bytes(type);
  const int32_t plane = layer->in_h * layer->in_w;
  set_box(w->e, segment,
          offset + bytes * (t->in_c * plane + t->window_y.first * layer->in_w + t->window_x.first),
          local, bytes, t->in_channels, t->window_y.count, t->window_x.count, plane, layer->in_w);
  start(w->e, CONVOY_ABSTRACT_OP_load, CONVOY_ABSTRACT_NO_WAIT, 0);
}

static void load_constants(const walk *w, int32_t offset, uint32_t local, int32_t bytes) {
  set_box(w->e, CONVOY_ABSTRACT_CONSTANTS, offset, local, 1, 1, 1, bytes, bytes, bytes);
  start(w->e, CONVOY_ABSTRACT_OP_load, CONVOY_ABSTRACT_NO_WAIT, 0);
}

static int needs_input(const walk *w, const tile *t, const tile *before) {
  return (!w->area->in_stays || has_second(w->layer)) &&
         (before == NULL || t->in_key != before->in_key);
}

static int needs_weights(const walk *w, const tile *t, const tile *before) {
  return has_weights(w->layer) && (before == NULL || t->weight_key != before->weight_key);
}

static void load_tile(walk *w, tile *t, const tile *before) {
  const convoy_abstract_layer *layer = w->layer;
  t->in_slot = before == NULL ? 0 : before->in_slot;
  t->weight_slot = before == NULL ? 0 : before->weight_slot;
  if (needs_input(w, t, before)) {
    t->in_slot = before == NULL ? 0 : (t->in_slot + 1) % w->plan->in_slots;
    if (!w->area->in_stays) {
      load_input(w, t, layer->in_segment, layer->in_offset, layer->in_type,
                 w->at.in + t->in_slot * w->at.in_bytes);
    }
    if (has_second(layer)) {
      load_input(w, t, layer->in2_segment, layer->in2_offset, layer->in2_type,
                 w->at.in2 + t->in_slot * (w->at.weights - w->at.in2) / w->plan->in_slots);
    }
    w->in_ready = w->e->clock.issued[0];
  }
  if (needs_weights(w, t, before)) {
    const int32_t bytes =
        layer->op == CONVOY_ABSTRACT_OP_lookup ? 256 : t->channels * filter_bytes(layer);
    uint32_t slot;
    t->weight_slot = before == NULL ? 0 : (t->weight_slot + 1) % w->plan->weight_slots;
    slot = w->at.weights + t->weight_slot * w->at.slot_bytes;
    load_constants(w, layer->weight_offset + t->c * filter_bytes(layer), slot, bytes);
    if (layer->op == CONVOY_ABSTRACT_OP_conv) {
      load_constants(w, layer->table_offset + t->c * (int32_t)CONVOY_ABSTRACT_TABLE_BYTES,
                     slot + w->at.weight_bytes, t->channels * (int32_t)CONVOY_ABSTRACT_TABLE_BYTES);
    }
    w->weight_ready = w->e->clock.issued[0];
  }
  t->ready = w->in_ready > w->weight_ready ? w->in_ready : w->weight_ready;
}

/* Sets the registers that all tiles of a layer have in common. */
static void set_layer(convoy_abstract_emitter *e, const convoy_abstract_layer *layer) {
  SET(in_type, layer->in_type);
  SET(in_zero, layer->in_zero);
  SET(out_type, layer->out_type);
  SET(out_zero, layer->out_zero);
  SET(out_min, layer->out_min);
  SET(out_max, layer->out_max);
  SET(kernel_h, layer->kernel_h);
  SET(kernel_w, layer->kernel_w);
  SET(stride_h, layer->stride_h);
  SET(stride_w, layer->stride_w);
  SET(dilation_h, layer->dilation_h);
  SET(dilation_w, layer->dilation_w);
  SET(rounding, layer->rounding);
  if (layer->op == CONVOY_ABSTRACT_OP_conv) {
    SET(weight_type, layer->weight_type);
  } else {
    SET(scale, layer->scale);
    SET(shift, layer->shift);
  }
  if (has_second(layer)) {
    SET(in2_type, layer->in2_type);
    SET(in2_zero, layer->in2_zero);
    SET(scale2, layer->scale2);
  }
}

/* Sets the input registers and returns the address of a tile's input, in a buffer or in a
 * resident tensor. */
static uint32_t set_input(const walk *w, const tile *t) {
  convoy_abstract_emitter *e = w->e;
  const convoy_abstract_layer *layer = w->layer;
  const int32_t bytes = (int32_t)convoy_abstract_type_bytes(layer->in_type);
  const int32_t row = (w->area->in_stays ? layer->in_w : t->window_x.count) * bytes;
  const int32_t plane = (w->area->in_stays ? layer->in_h : t->window_y.count) * row;
  uint32_t addr = w->at.in + t->in_slot * w->at.in_bytes;
  if (w->area->in_stays) {
    addr = w->area->in_addr +
           (uint32_t)(t->in_c * plane + t->window_y.first * row + t->window_x.first * bytes);
  }
  SET(in_h, t->window_y.count);
  SET(in_w, t->window_x.count);
  SET(in_row, row);
  SET(in_plane, plane);
  SET(pad_top, t->window_y.pad);
  SET(pad_left, t->window_x.pad);
  return addr;
}

static uint32_t set_output(const walk *w, const tile *t, uint32_t slot) {
  convoy_abstract_emitter *e = w->e;
  const convoy_abstract_layer *layer = w->layer;
  const int32_t bytes = (int32_t)convoy_abstract_type_bytes(layer->out_type);
  const int32_t row = (w->area->out_stays ? layer->out_w : t->columns) * bytes;
  const int32_t plane = (w->area->out_stays ? layer->out_h : t->rows) * row;
  SET(out_h, t->rows);
  SET(out_w, t->columns);
  SET(out_row, row);
  SET(out_plane, plane);
  return w->area->out_stays
             ? w->area->out_addr + (uint32_t)(t->c * plane + t->y * row + t->x * bytes)
             : w->at.out + slot * w->at.out_bytes;
}

/* Emits one instruction, or one per group if the device does not support more at a time. */
static void compute_tile(const walk *w, const tile *t, uint32_t slot) {
  convoy_abstract_emitter *e = w->e;
  const convoy_abstract_layer *layer = w->layer;
  const int is_whole = convoy_abstract_is_whole(e->device, layer);
  const int32_t out_step = is_whole ? t->channels : layer->out_c / layer->groups;
  const int32_t in_step = is_whole ? t->in_channels : layer->in_c / layer->groups;
  const uint32_t in = set_input(w, t);
  const uint32_t out = set_output(w, t, slot);
  const uint32_t weights = w->at.weights + t->weight_slot * w->at.slot_bytes;
  const uint64_t ready = t->ready > w->stored[slot] ? t->ready : w->stored[slot];
  uint64_t lag = e->clock.issued[0] - ready;
  uint32_t opcode = (uint32_t)layer->op;
  int32_t group;
  lag = lag < CONVOY_ABSTRACT_MOST_LAG ? lag : CONVOY_ABSTRACT_MOST_LAG;
  if (opcode == CONVOY_ABSTRACT_OP_conv && layer->groups > 1 && is_whole) {
    opcode = CONVOY_ABSTRACT_OP_dwconv;
  }
  SET(in_c, in_step);
  SET(out_c, out_step);
  for (group = 0; group * out_step < t->channels; ++group) {
    SET(in_addr, in + (uint32_t)(group * in_step * e->regs[CONVOY_ABSTRACT_R_in_plane]));
    SET(out_addr, out + (uint32_t)(group * out_step * e->regs[CONVOY_ABSTRACT_R_out_plane]));
    if (has_weights(layer)) {
      SET(weight_addr, weights + (uint32_t)(group * out_step * filter_bytes(layer)));
    }
    if (layer->op == CONVOY_ABSTRACT_OP_conv) {
      SET(table_addr, weights + w->at.weight_bytes +
                          (uint32_t)(group * out_step) * CONVOY_ABSTRACT_TABLE_BYTES);
    }
    if (has_second(layer)) {
      const int32_t row = t->columns * (int32_t)convoy_abstract_type_bytes(layer->in2_type);
      SET(in2_addr, w->at.in2 + t->in_slot * (w->at.weights - w->at.in2) / w->plan->in_slots);
      SET(in2_row, row);
      SET(in2_plane, row * t->rows);
    }
    start(e, opcode, (uint32_t)lag, CONVOY_ABSTRACT_NO_WAIT);
  }
}

static void store_tile(walk *w, const tile *t, uint32_t slot) {
  const convoy_abstract_layer *layer = w->layer;
  const int32_t bytes = (int32_t)convoy_abstract_type_bytes(layer->out_type);
  const int32_t plane = layer->out_h * layer->out_w;
  if (w->area->out_stays) {
    return;
  }
  set_box(w->e, layer->out_segment,
          layer->out_offset + bytes * (t->c * plane + t->y * layer->out_w + t->x),
          w->at.out + slot * w->at.out_bytes, bytes, t->channels, t->rows, t->columns, plane,
          layer->out_w);
  start(w->e, CONVOY_ABSTRACT_OP_store, CONVOY_ABSTRACT_NO_WAIT, 0);
  w->stored[slot] = w->e->clock.issued[0];
}

/* Returns whether the next tile's loads leave the data of the current tile intact. */
static int may_load_ahead(const walk *w, const tile *next, const tile *now) {
  return (!needs_input(w, next, now) || w->plan->in_slots == 2) &&
         (!needs_weights(w, next, now) || w->plan->weight_slots == 2);
}

void convoy_abstract_emit_layer(convoy_abstract_emitter *emitter,
                                const convoy_abstract_layer *layer,
                                const convoy_abstract_area *area, const convoy_abstract_plan *plan,
                                uint64_t limit) {
  walk w;
  tile now;
  tile next;
  int32_t count;
  int32_t index;
  memset(&w, 0, sizeof(w));
  w.e = emitter;
  w.layer = layer;
  w.area = area;
  w.plan = plan;
  w.at = lay_out(layer, area, plan);
  w.along_c = tiles_of(layer->out_c, plan->tile_c);
  w.along_y = tiles_of(layer->out_h, plan->tile_h);
  w.along_x = tiles_of(layer->out_w, plan->tile_w);
  w.in_ready = w.weight_ready = w.stored[0] = w.stored[1] = emitter->clock.issued[0];
  count = w.along_c * w.along_y * w.along_x;
  set_layer(emitter, layer);
  next = find_tile(&w, 0);
  load_tile(&w, &next, NULL);
  for (index = 0; index < count; ++index) {
    const uint32_t slot = (uint32_t)index % plan->out_slots;
    const int has_next = index + 1 < count;
    int is_ahead;
    now = next;
    next = has_next ? find_tile(&w, index + 1) : now;
    is_ahead = has_next && may_load_ahead(&w, &next, &now);
    if (is_ahead) {
      load_tile(&w, &next, &now);
    }
    compute_tile(&w, &now, slot);
    if (has_next && !is_ahead) {
      load_tile(&w, &next, &now);
    }
    store_tile(&w, &now, slot);
    if (convoy_abstract_emitter_time(emitter) > limit) {
      return;
    }
  }
}
