// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stand-in for ONNX Runtime in the tests of `convoy bench`. Its only model is y = x times a
// factor: PLAIN_FACTOR without graph optimizations and OPTIMIZED_FACTOR with them. The function
// table has the layout that tools/convoy-measure/OnnxRuntime.cpp reads.

#include <stddef.h>
#include <stdint.h>

typedef struct {
  float *data;
  size_t bytes;
} Value;

static float factor = PLAIN_FACTOR;
static Value values[2]; // the input, then the output
static int valueCount = 0;

static void *createEnv(int level, const char *name, void **result) {
  (void)level, (void)name;
  *result = &factor;
  return NULL;
}

static void *createSession(void *env, const char *model, void *options, void **result) {
  (void)env, (void)model, (void)options;
  *result = &factor;
  return NULL;
}

static void *createOptions(void **result) {
  *result = &factor;
  return NULL;
}

static void *setOptimization(void *options, int level) {
  (void)options;
  factor = level == 0 ? PLAIN_FACTOR : OPTIMIZED_FACTOR;
  return NULL;
}

static void *setThreads(void *options, int threads) {
  (void)options, (void)threads;
  return NULL;
}

static void *createMemoryInfo(int allocator, int type, void **result) {
  (void)allocator, (void)type;
  *result = &factor;
  return NULL;
}

static void *createTensor(void *memory, void *data, size_t bytes, const int64_t *shape, size_t rank,
                          int32_t type, void **result) {
  (void)memory, (void)shape, (void)rank, (void)type;
  values[valueCount].data = data;
  values[valueCount].bytes = bytes;
  *result = &values[valueCount++];
  return NULL;
}

static void *run(void *session, void *options, const char *const *inputNames, const void *inputs,
                 size_t inputCount, const char *const *outputNames, size_t outputCount,
                 void *outputs) {
  (void)session, (void)options, (void)inputNames, (void)inputs, (void)inputCount;
  (void)outputNames, (void)outputCount, (void)outputs;
  for (size_t i = 0; i < values[0].bytes / sizeof(float); ++i) {
    values[1].data[i] = values[0].data[i] * factor;
  }
  return NULL;
}

typedef void (*Function)(void);

static const Function *getApi(uint32_t version) {
  static const Function table[] = {[3] = (Function)createEnv,
                                   [7] = (Function)createSession,
                                   [9] = (Function)run,
                                   [10] = (Function)createOptions,
                                   [23] = (Function)setOptimization,
                                   [24] = (Function)setThreads,
                                   [25] = (Function)setThreads,
                                   [49] = (Function)createTensor,
                                   [69] = (Function)createMemoryInfo};
  (void)version;
  return table;
}

static const char *getVersion(void) { return "fake"; }

typedef struct {
  const Function *(*getApi)(uint32_t);
  const char *(*getVersion)(void);
} Base;

// ONNX Runtime defines this name.
const Base *OrtGetApiBase(void);  // NOLINT(readability-identifier-naming)
const Base *OrtGetApiBase(void) { // NOLINT(readability-identifier-naming)
  static const Base base = {getApi, getVersion};
  return &base;
}
