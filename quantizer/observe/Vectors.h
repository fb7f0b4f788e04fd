// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of 8 elements for the loops over observed values. They are the vector extension of clang
// and gcc, which every CPU supports, because the vectorizer may not change the order of additions
// and minima.

#pragma once

#include <cstdint>
#include <cstring>

/// Compiles a function also for AVX2 and selects by the CPU that it runs on.
#if defined(__x86_64__)
#define CONVOY_HAS_AVX2_CLONES 1
#define CONVOY_AVX2 __attribute__((target("avx2,fma")))
#endif
#define CONVOY_INLINE inline __attribute__((always_inline))

namespace convoy::quantizer {

constexpr int64_t kVectorLanes = 8;

using FloatVector = float __attribute__((vector_size(kVectorLanes * sizeof(float))));
using IntVector = int32_t __attribute__((vector_size(kVectorLanes * sizeof(int32_t))));

/// Vectors are results by reference: returned by value, their registers would depend on the CPU.
CONVOY_INLINE void load(const float *source, FloatVector &vector) {
  std::memcpy(&vector, source, sizeof vector);
}

inline bool hasAvx2() {
#ifdef CONVOY_HAS_AVX2_CLONES
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
  return false;
#endif
}

} // namespace convoy::quantizer
