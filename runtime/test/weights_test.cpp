// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests weights files: the runtime maps a file that belongs to the model and rejects any other file
// with a reason. Also tests the state of a library with its weights.

#include "convoy/convoy.h"
#include "runtime/core/library.h"
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

constexpr const char *kHash = "0123456789abcdef0123456789abcdef";
constexpr const char *kOtherHash = "0123456789abcdef0123456789abcdee";

class WeightsTest : public testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/convoy-weights-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
  }
  void TearDown() override { std::filesystem::remove_all(folder); }

  /// Writes a weights file as the compiler does.
  std::string write(const std::string &weights, const char *mark = CONVOY_WEIGHTS_MARK) {
    std::string trailer = std::string(mark) + kHash;
    trailer.resize(CONVOY_WEIGHTS_TRAILER_BYTES);
    std::string path = folder + "/net.weights";
    std::ofstream(path, std::ios::binary) << weights << trailer;
    return path;
  }

  std::string folder;
};

TEST_F(WeightsTest, MapsTheFileOfTheModel) {
  std::string weights(10000, 'w');
  std::string path = write(weights);
  const void *mapped = nullptr;
  ASSERT_EQ(convoy_map_weights(path.c_str(), weights.size(), kHash, &mapped), CONVOY_OK);
  EXPECT_EQ(std::memcmp(mapped, weights.data(), weights.size()), 0);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(mapped) % 4096, 0u);
  // The mapping outlives the file name, as during a system update.
  std::filesystem::remove(path);
  EXPECT_EQ(static_cast<const char *>(mapped)[9999], 'w');
  convoy_unmap_weights(mapped, weights.size());
}

TEST_F(WeightsTest, AModelWithoutWeightsHasAFileToo) {
  const void *mapped = nullptr;
  ASSERT_EQ(convoy_map_weights(write("").c_str(), 0, kHash, &mapped), CONVOY_OK);
  EXPECT_NE(mapped, nullptr);
  convoy_unmap_weights(mapped, 0);
}

TEST_F(WeightsTest, RefusesTheFileOfAnotherModel) {
  const void *mapped = nullptr;
  std::string path = write("12345678");
  EXPECT_EQ(convoy_map_weights(path.c_str(), 8, kOtherHash, &mapped), CONVOY_ERROR_WRONG_WEIGHTS);
  EXPECT_EQ(convoy_map_weights(path.c_str(), 7, kHash, &mapped), CONVOY_ERROR_WRONG_WEIGHTS);
  EXPECT_EQ(convoy_map_weights(path.c_str(), 8, "short", &mapped), CONVOY_ERROR_WRONG_WEIGHTS);
  EXPECT_EQ(convoy_map_weights(path.c_str(), SIZE_MAX, kHash, &mapped), CONVOY_ERROR_WRONG_WEIGHTS);
  path = write("12345678", "convoy weights 1");
  EXPECT_EQ(convoy_map_weights(path.c_str(), 8, kHash, &mapped), CONVOY_ERROR_WRONG_WEIGHTS);
  EXPECT_EQ(mapped, nullptr);
}

TEST_F(WeightsTest, FindsTheEarlierWeightsOfAnUnfinishedCompile) {
  const void *mapped = nullptr;
  std::string path = write("12345678");
  std::filesystem::rename(path, path + CONVOY_EARLIER_WEIGHTS);
  std::ofstream(path, std::ios::binary) << "the weights of the new library";
  ASSERT_EQ(convoy_map_weights(path.c_str(), 8, kHash, &mapped), CONVOY_OK);
  EXPECT_EQ(std::memcmp(mapped, "12345678", 8), 0);
  convoy_unmap_weights(mapped, 8);
  EXPECT_EQ(convoy_map_weights(path.c_str(), 8, kOtherHash, &mapped), CONVOY_ERROR_WRONG_WEIGHTS);
}

TEST_F(WeightsTest, TellsWhyAFileCannotBeMapped) {
  const void *mapped = nullptr;
  std::string path = folder + "/absent";
  EXPECT_EQ(convoy_map_weights(path.c_str(), 8, kHash, &mapped), CONVOY_ERROR_WEIGHTS_FILE);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(convoy_map_weights(nullptr, 8, kHash, &mapped), CONVOY_ERROR_NULL_POINTER);
  EXPECT_EQ(convoy_map_weights(path.c_str(), 8, nullptr, &mapped), CONVOY_ERROR_NULL_POINTER);
  EXPECT_EQ(convoy_map_weights(path.c_str(), 8, kHash, nullptr), CONVOY_ERROR_NULL_POINTER);
  convoy_unmap_weights(nullptr, 8);
}

/// A library's record as the compiler fills it.
struct Library {
  explicit Library(const char *features, bool isFile) {
    record.model = "net";
    record.target = "future";
    record.features = features;
    record.weights_bytes = 8;
    record.weights_hash = kHash;
    record.status = &status;
    record.weights = isFile ? &weights : nullptr;
  }

  convoy_library record = {};
  int status = -1;
  const void *weights = nullptr;
};

TEST_F(WeightsTest, ALibraryWithItsWeightsIsReadyAtOnce) {
  Library library("sse2", false);
  convoy_library_start(&library.record);
  EXPECT_EQ(library.status, CONVOY_OK);
}

TEST_F(WeightsTest, ALibraryForAnotherCpuSaysWhatToDo) {
  for (bool isFile : {false, true}) {
    Library library("sse2,warp9,flux", isFile);
    convoy_library_start(&library.record);
    EXPECT_EQ(library.status, CONVOY_ERROR_UNSUPPORTED_CPU);
    EXPECT_STREQ(convoy_library_error_text(&library.record, library.status),
                 "model 'net' was compiled for target 'future', and this CPU lacks warp9, flux; "
                 "recompile it here with --target=host, or for an older CPU (see `convoy "
                 "targets`)");
    // Opening weights does not clear the error.
    EXPECT_EQ(convoy_library_open(&library.record, write("12345678").c_str()),
              CONVOY_ERROR_UNSUPPORTED_CPU);
    EXPECT_EQ(library.weights, nullptr);
  }
}

TEST_F(WeightsTest, ALongListOfFeaturesIsCut) {
  std::string features;
  for (int i = 0; i < 400; ++i) {
    features += "feature" + std::to_string(i) + ",";
  }
  Library library(features.c_str(), false);
  convoy_library_start(&library.record);
  std::string text = convoy_library_error_text(&library.record, CONVOY_ERROR_UNSUPPORTED_CPU);
  EXPECT_NE(text.find(" and more; recompile"), std::string::npos) << text;
  EXPECT_LT(text.size(), sizeof(library.record.text));
}

TEST_F(WeightsTest, ALibraryOpensAndClosesItsFile) {
  Library library("sse2", true);
  convoy_library_start(&library.record);
  EXPECT_EQ(library.status, CONVOY_ERROR_NOT_OPEN);
  std::string path = write("12345678");
  EXPECT_EQ(convoy_library_open(&library.record, path.c_str()), CONVOY_OK);
  EXPECT_EQ(library.status, CONVOY_OK);
  const void *first = library.weights;
  ASSERT_NE(first, nullptr);
  EXPECT_EQ(std::memcmp(first, "12345678", 8), 0);
  // A second open has no effect, because another thread may be using the first mapping.
  EXPECT_EQ(convoy_library_open(&library.record, "absent"), CONVOY_OK);
  EXPECT_EQ(library.weights, first);
  convoy_library_close(&library.record);
  convoy_library_close(&library.record);
  EXPECT_EQ(library.status, CONVOY_ERROR_NOT_OPEN);
  EXPECT_EQ(library.weights, nullptr);
  EXPECT_EQ(convoy_library_open(&library.record, path.c_str()), CONVOY_OK);
  convoy_library_close(&library.record);
}

TEST_F(WeightsTest, ALibraryExplainsItsFile) {
  Library library("sse2", true);
  convoy_library_start(&library.record);
  std::string absent = folder + "/absent";
  int code = convoy_library_open(&library.record, absent.c_str());
  EXPECT_EQ(code, CONVOY_ERROR_WEIGHTS_FILE);
  EXPECT_EQ(convoy_library_error_text(&library.record, code),
            "model 'net': weights file '" + absent +
                "' cannot be mapped: No such file or directory");
  std::string path = write("123456789");
  code = convoy_library_open(&library.record, path.c_str());
  EXPECT_EQ(code, CONVOY_ERROR_WRONG_WEIGHTS);
  EXPECT_EQ(convoy_library_error_text(&library.record, code),
            "model 'net': weights file '" + path +
                "' does not belong to it (expected 8 bytes, hash " + kHash +
                "); use the file that the same compilation wrote");
  EXPECT_STREQ(convoy_library_error_text(&library.record, CONVOY_ERROR_NOT_OPEN),
               convoy_error_text(CONVOY_ERROR_NOT_OPEN));
  EXPECT_EQ(library.status, CONVOY_ERROR_NOT_OPEN);
}

} // namespace
