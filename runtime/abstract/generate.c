/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Generates the stream of a layer list. Decides which outputs stay in local memory for the next
 * layer, then emits each layer with its cheapest tiles. An output can stay if only the next layer
 * reads it, so the decision is a dynamic program along the list with two states per layer.
 * Resident outputs alternate between the two ends of local memory.
 */

#include "tiles.h"

#include <string.h>

typedef struct choice {
  convoy_abstract_plan plans[2][2]; /* indexed by whether the input and the output stay */
  uint64_t cycles[2];               /* of all layers so far, indexed by whether the output stays */
  uint8_t in_stays[2];              /* on the cheapest path to this state */
  uint8_t taken;                    /* bit 0: the input stays, bit 1: the output stays */
} choice;

size_t convoy_abstract_scratch_bytes(const void *list, size_t bytes) {
  convoy_abstract_header header;
  if (convoy_abstract_read_header(list, bytes, &header) != CONVOY_ABSTRACT_OK) {
    return 0;
  }
  return sizeof(convoy_abstract_emitter) + header.layer_count * sizeof(choice);
}

static uint32_t bytes_of(int32_t channels, int32_t rows, int32_t columns, int32_t type) {
  const uint64_t bytes =
      (uint64_t)channels * (uint64_t)rows * (uint64_t)columns * convoy_abstract_type_bytes(type);
  return bytes > (1u << 30) ? UINT32_MAX : (uint32_t)(bytes + 15u) & ~15u;
}

/* Returns the areas of a layer's tensors and buffers; `high` is less than `low` if they do not
 * fit. */
static convoy_abstract_area find_area(const convoy_abstract_device *device, uint32_t index,
                                      const convoy_abstract_layer *layer, int in_stays,
                                      int out_stays) {
  const uint32_t in = bytes_of(layer->in_c, layer->in_h, layer->in_w, layer->in_type);
  const uint32_t out = bytes_of(layer->out_c, layer->out_h, layer->out_w, layer->out_type);
  const uint32_t memory = device->memory_bytes & ~15u;
  const uint64_t kept = (uint64_t)(in_stays ? in : 0) + (out_stays ? out : 0);
  const int out_low = index % 2 == 0;
  convoy_abstract_area area;
  memset(&area, 0, sizeof(area));
  area.in_stays = (uint8_t)in_stays;
  area.out_stays = (uint8_t)out_stays;
  if (kept > memory) {
    area.low = 1;
    return area;
  }
  area.high = memory;
  if (out_stays) {
    area.out_addr = out_low ? 0 : memory - out;
    area.low += out_low ? out : 0;
    area.high -= out_low ? 0 : out;
  }
  if (in_stays) {
    area.in_addr = out_low ? memory - in : 0;
    area.low += out_low ? 0 : in;
    area.high -= out_low ? in : 0;
  }
  return area;
}

typedef struct generator {
  const convoy_abstract_device *device;
  uint32_t tiling;
  const void *list;
  convoy_abstract_header header;
  convoy_abstract_emitter *e;
  choice *choices;
  convoy_abstract_fault *fault;
} generator;

static int plan_layer(generator *g, uint32_t index, const convoy_abstract_layer *layer,
                      int may_receive) {
  choice *here = &g->choices[index];
  const choice *before = index > 0 ? here - 1 : NULL;
  const int may_leave = layer->chains && index + 1 < g->header.layer_count;
  int in;
  int out;
  here->cycles[0] = here->cycles[1] = UINT64_MAX;
  for (out = 0; out <= may_leave; ++out) {
    for (in = 0; in <= may_receive; ++in) {
      const convoy_abstract_area area = find_area(g->device, index, layer, in, out);
      const uint64_t base = before == NULL ? 0 : before->cycles[in];
      convoy_abstract_plan *plan = &here->plans[in][out];
      if (base == UINT64_MAX) {
        continue;
      }
      convoy_abstract_find_plan(g->e, g->tiling, layer, &area, plan);
      if (plan->cycles != UINT64_MAX && base + plan->cycles < here->cycles[out]) {
        here->cycles[out] = base + plan->cycles;
        here->in_stays[out] = (uint8_t)in;
      }
    }
  }
  return here->cycles[0] == UINT64_MAX && here->cycles[1] == UINT64_MAX ? CONVOY_ABSTRACT_MEMORY
                                                                        : CONVOY_ABSTRACT_OK;
}

static int plan_layers(generator *g) {
  convoy_abstract_layer layer;
  int may_receive = 0;
  uint32_t index;
  for (index = 0; index < g->header.layer_count; ++index) {
    int code;
    convoy_abstract_read_layer(g->list, index, &layer);
    g->fault->layer = index;
    code = convoy_abstract_check_layer(g->device, &layer);
    if (code == CONVOY_ABSTRACT_OK) {
      code = plan_layer(g, index, &layer, may_receive);
    }
    if (code != CONVOY_ABSTRACT_OK) {
      g->fault->needed =
          code == CONVOY_ABSTRACT_MEMORY ? convoy_abstract_layer_bytes(&layer, g->tiling) : 0;
      return code;
    }
    may_receive = layer.chains != 0;
  }
  return CONVOY_ABSTRACT_OK;
}

/* Follows the cheapest path back from the end, where no output stays. */
static void take_choices(generator *g) {
  int out = 0;
  uint32_t index;
  for (index = g->header.layer_count; index > 0; --index) {
    choice *here = &g->choices[index - 1];
    const int in = here->in_stays[out];
    here->taken = (uint8_t)(in | out << 1);
    out = in;
  }
}

static void emit_layers(generator *g) {
  convoy_abstract_layer layer;
  uint32_t index;
  for (index = 0; index < g->header.layer_count; ++index) {
    const choice *here = &g->choices[index];
    const int in = here->taken & 1;
    const int out = here->taken >> 1;
    convoy_abstract_area area;
    convoy_abstract_read_layer(g->list, index, &layer);
    area = find_area(g->device, index, &layer, in, out);
    convoy_abstract_emit_mark(g->e, CONVOY_ABSTRACT_OP_layer, index);
    convoy_abstract_emit_layer(g->e, &layer, &area, &here->plans[in][out], UINT64_MAX);
  }
  convoy_abstract_emit_mark(g->e, CONVOY_ABSTRACT_OP_end, 0);
}

int convoy_abstract_generate(const convoy_abstract_device *device,
                             const convoy_abstract_options *options, const void *list, size_t bytes,
                             void *scratch, size_t scratch_bytes, uint32_t *program,
                             size_t capacity_words, size_t *words, convoy_abstract_fault *fault) {
  generator g;
  int code = convoy_abstract_check_device(device);
  memset(&g, 0, sizeof(g));
  memset(fault, 0, sizeof(*fault));
  if (code == CONVOY_ABSTRACT_OK) {
    code = convoy_abstract_read_header(list, bytes, &g.header);
  }
  if (code != CONVOY_ABSTRACT_OK) {
    return code;
  }
  fault->needed = convoy_abstract_scratch_bytes(list, bytes);
  if (scratch == NULL || scratch_bytes < fault->needed) {
    return CONVOY_ABSTRACT_SCRATCH;
  }
  g.device = device;
  g.tiling = options->tiling;
  g.list = list;
  g.e = scratch;
  g.choices = (choice *)(g.e + 1);
  g.fault = fault;
  g.e->device = device;
  g.e->program = NULL;
  code = plan_layers(&g);
  if (code != CONVOY_ABSTRACT_OK) {
    return code;
  }
  take_choices(&g);
  convoy_abstract_emitter_reset(g.e);
  g.e->program = program;
  g.e->capacity = capacity_words;
  emit_layers(&g);
  *words = g.e->words;
  fault->needed = g.e->words;
  return g.e->words <= capacity_words ? CONVOY_ABSTRACT_OK : CONVOY_ABSTRACT_SPACE;
}
