// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits a data set by the content of its samples, and identifies a set of samples by a hash.

#include "io/Dataset.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/SHA256.h"
#include <algorithm>

namespace convoy::io {

Split splitDataset(const Dataset &data, double calibrateShare, double selectShare) {
  // The upper 48 bits of the hash depend on the content only, not on the label (Dataset.cpp).
  constexpr double kValues = 0x1p48;
  Split split;
  for (size_t i = 0; i < data.size(); ++i) {
    double place = static_cast<double>(data.hashOf(i) >> 16) / kValues;
    std::vector<size_t> &part = place < calibrateShare                 ? split.calibrate
                                : place < calibrateShare + selectShare ? split.select
                                                                       : split.prove;
    part.push_back(i);
  }
  return split;
}

std::string contentHash(const Dataset &data, const std::vector<size_t> &samples) {
  std::vector<uint64_t> hashes;
  for (size_t i : samples) {
    hashes.push_back(data.hashOf(i));
  }
  llvm::sort(hashes);
  llvm::SHA256 sum;
  for (uint64_t hash : hashes) {
    std::array<uint8_t, 8> bytes;
    llvm::support::endian::write64le(bytes.data(), hash);
    sum.update(bytes);
  }
  return llvm::toHex(sum.final(), /*LowerCase=*/true);
}

} // namespace convoy::io
