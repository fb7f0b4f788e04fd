// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests SHA-256 with published vectors, and the digests of files: the tree, and the sentence for
// each file that is refused.

#include "load/digest.h"
#include "load/sha256.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace {

using Sha = std::string; // 32 bytes

Sha sha256(const std::string &text) {
  uint8_t result[CONVOY_DIGEST_SHA_BYTES];
  convoy_sha256(text.data(), text.size(), result);
  return {reinterpret_cast<const char *>(result), sizeof(result)};
}

std::string hex(const std::string &bytes) {
  std::string text;
  for (char byte : bytes) {
    char digits[3];
    (void)std::snprintf(digits, sizeof(digits), "%02x", static_cast<unsigned char>(byte));
    text += digits;
  }
  return text;
}

TEST(Sha256, HashesPublishedVectors) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1000000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

/// Hashes the text in two parts without the instructions of the CPU.
Sha inPartsWithoutInstructions(const std::string &text, size_t first) {
  convoy_sha256_state state;
  uint8_t result[CONVOY_DIGEST_SHA_BYTES];
  convoy_sha256_start_portable(&state);
  convoy_sha256_add(&state, text.data(), first);
  convoy_sha256_add(&state, text.data() + first, text.size() - first);
  convoy_sha256_finish(&state, result);
  return {reinterpret_cast<const char *>(result), sizeof(result)};
}

TEST(Sha256, PartsAndInstructionsDoNotChangeTheResult) {
  std::string text;
  for (int i = 0; i < 200; ++i) {
    text += static_cast<char>(i * 37);
    EXPECT_EQ(inPartsWithoutInstructions(text, text.size() / 3), sha256(text)) << text.size();
  }
}

constexpr const char *kHash = "00112233445566778899aabbccddeeff";

class DigestTest : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/convoy-digest-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  static std::string digestOf(const std::string &bytes) {
    uint8_t digest[CONVOY_DIGEST_BYTES];
    EXPECT_TRUE(convoy_make_digest(bytes.data(), bytes.size(), kHash, digest));
    return {reinterpret_cast<const char *>(digest), sizeof(digest)};
  }

  std::string write(const std::string &bytes) {
    std::string path = folder + "/net.weights";
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
  }

  /// Returns the sentence of a refused file without its path.
  static std::string problemOf(const std::string &path) {
    char text[512] = "";
    EXPECT_FALSE(convoy_verify_file(path.c_str(), nullptr, nullptr, text, sizeof(text)));
    EXPECT_EQ(std::string(text).rfind(path + " ", 0), 0u) << text;
    return std::string(text).substr(path.size() + 1);
  }

  std::string folder;
};

TEST_F(DigestTest, IsATreeOfLeaves) {
  std::string bytes(2 * CONVOY_DIGEST_LEAF_BYTES + 5, 'x');
  std::string model;
  for (int i = 0; i < 16; ++i) {
    model += static_cast<char>(i * 0x11);
  }
  std::string zero(1, '\0'), one(1, '\1');
  std::string root = one + std::string("\5\0\40\0\0\0\0\0", 8) + model;
  for (size_t at = 0; at < bytes.size(); at += CONVOY_DIGEST_LEAF_BYTES) {
    root += sha256(zero + bytes.substr(at, CONVOY_DIGEST_LEAF_BYTES));
  }
  EXPECT_EQ(digestOf(bytes), CONVOY_DIGEST_MARK + sha256(root) + model);
}

TEST_F(DigestTest, AcceptsTheFile) {
  for (size_t bytes :
       {size_t(0), size_t(1), CONVOY_DIGEST_LEAF_BYTES, 3 * CONVOY_DIGEST_LEAF_BYTES + 7}) {
    std::string content(bytes, 'y');
    std::string path = write(content + digestOf(content));
    char hash[33], sha[65], text[512] = "";
    ASSERT_TRUE(convoy_verify_file(path.c_str(), hash, sha, text, sizeof(text))) << text;
    EXPECT_STREQ(hash, kHash);
    EXPECT_EQ(sha, hex(digestOf(content).substr(CONVOY_DIGEST_MARK_BYTES, 32)));
  }
}

TEST_F(DigestTest, FindsEachChangedByte) {
  std::string content(CONVOY_DIGEST_LEAF_BYTES + 100, 'z');
  std::string file = content + digestOf(content);
  // A byte of each leaf, of the SHA-256 and of the hash of the model.
  for (size_t at : {size_t(0), CONVOY_DIGEST_LEAF_BYTES + 99, file.size() - 20, file.size() - 1}) {
    std::string changed = file;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_EQ(problemOf(write(changed)),
              "is damaged: its bytes do not have the SHA-256 at its end; "
              "copy it again, or compile the model again");
  }
}

TEST_F(DigestTest, RefusesOtherFiles) {
  EXPECT_EQ(
      problemOf(write(std::string(100, 'w'))),
      "has no SHA-256 at its end: it is incomplete, or another program, such as strip, changed "
      "it, or an older version of Convoy wrote it; compile the model again");
  EXPECT_EQ(problemOf(write("short")),
            "is too short for a library or a weights file of Convoy; copy "
            "it again, or compile the model again");
  EXPECT_EQ(problemOf(folder + "/none"), "cannot be read: No such file or directory");
  EXPECT_EQ(problemOf(folder), "is no regular file");
}

TEST_F(DigestTest, RefusesAHashOfAnotherForm) {
  uint8_t digest[CONVOY_DIGEST_BYTES];
  EXPECT_FALSE(convoy_make_digest("", 0, "0011", digest));
  EXPECT_FALSE(convoy_make_digest("", 0, "X0112233445566778899aabbccddeeff", digest));
}

} // namespace
