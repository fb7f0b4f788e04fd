// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compares the hash by instructions with LLVM's hash.

#include "tuning/build/HashFile.h"
#include "tuning/records/Record.h"
#include <gtest/gtest.h>

namespace convoy::tuning {
namespace {

TEST(HashFile, GivesTheSameHashAsLLVM) {
  std::string bytes;
  for (size_t length = 0; length < 300; ++length) {
    EXPECT_EQ(fastSha256(bytes), sha256(bytes)) << length << " bytes";
    bytes.push_back(static_cast<char>(length * 7));
  }
  EXPECT_EQ(fastSha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hashOfFile("no such file"), "");
}

} // namespace
} // namespace convoy::tuning
