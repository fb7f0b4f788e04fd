// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Uses the SHA instructions if the CPU has them, and LLVM otherwise.

#include "tuning/build/HashFile.h"
#include "tuning/records/Record.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MemoryBuffer.h"
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace convoy::tuning {

#if defined(__x86_64__)
namespace {

constexpr size_t kBlock = 64;

/// FIPS 180-4, section 4.2.2.
alignas(16) constexpr uint32_t kRoundConstants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

bool hasShaInstructions() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kSha = 1u << 29;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & kSha) != 0;
}

/// The state in the order of the instructions: words A, B, E, F and C, D, G, H.
struct State {
  __m128i abef, cdgh;
};

__attribute__((target("sha,sse4.1"))) void addBlocks(State &state, const char *data,
                                                     size_t blocks) {
  const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
  for (; blocks > 0; --blocks, data += kBlock) {
    __m128i abef = state.abef, cdgh = state.cdgh, words[4];
    for (int i = 0; i < 4; ++i) {
      words[i] =
          _mm_shuffle_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i *>(data) + i), swap);
    }
    for (int group = 0; group < 16; ++group) {
      __m128i now = words[group % 4];
      __m128i sum = _mm_add_epi32(
          now, _mm_load_si128(reinterpret_cast<const __m128i *>(kRoundConstants) + group));
      cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
      abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
      // The words of the group after the next three.
      __m128i last = words[(group + 3) % 4];
      __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(now, words[(group + 1) % 4]),
                                   _mm_alignr_epi8(last, words[(group + 2) % 4], 4));
      words[group % 4] = _mm_sha256msg2_epu32(next, last);
    }
    state.abef = _mm_add_epi32(state.abef, abef);
    state.cdgh = _mm_add_epi32(state.cdgh, cdgh);
  }
}

std::string hashByInstructions(llvm::StringRef bytes) {
  // FIPS 180-4, section 5.3.3.
  State state = {_mm_set_epi32(0x6a09e667, static_cast<int>(0xbb67ae85), 0x510e527f,
                               static_cast<int>(0x9b05688c)),
                 _mm_set_epi32(0x3c6ef372, static_cast<int>(0xa54ff53a), 0x1f83d9ab, 0x5be0cd19)};
  size_t whole = bytes.size() / kBlock, rest = bytes.size() % kBlock;
  addBlocks(state, bytes.data(), whole);
  // The end: a bit, zeros and the length in bits.
  char end[2 * kBlock] = {};
  std::memcpy(end, bytes.data() + whole * kBlock, rest);
  end[rest] = static_cast<char>(0x80);
  size_t blocks = rest + 1 + sizeof(uint64_t) > kBlock ? 2 : 1;
  llvm::support::endian::write64be(end + blocks * kBlock - sizeof(uint64_t), bytes.size() * 8);
  addBlocks(state, end, blocks);
  uint32_t abef[4], cdgh[4];
  std::memcpy(abef, &state.abef, sizeof(abef));
  std::memcpy(cdgh, &state.cdgh, sizeof(cdgh));
  uint8_t digest[32];
  const uint32_t order[8] = {abef[3], abef[2], cdgh[3], cdgh[2],
                             abef[1], abef[0], cdgh[1], cdgh[0]};
  for (size_t i = 0; i < 8; ++i) {
    llvm::support::endian::write32be(digest + 4 * i, order[i]);
  }
  return llvm::toHex(digest, /*LowerCase=*/true);
}

} // namespace

std::string fastSha256(llvm::StringRef bytes) {
  return hasShaInstructions() ? hashByInstructions(bytes) : sha256(bytes);
}
#else
std::string fastSha256(llvm::StringRef bytes) { return sha256(bytes); }
#endif

std::string hashOfFile(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  return file ? fastSha256((*file)->getBuffer()) : "";
}

} // namespace convoy::tuning
