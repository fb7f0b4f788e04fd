// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The files of a blob store: names, limits, incomplete uploads, collection.

#include "Support/TemporaryFolder.h"
#include "service/blobs/BlobStore.h"
#include "llvm/Support/FormatVariadic.h"
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

using namespace convoy;
using namespace convoy::service;

namespace {

// The SHA-256 of "hello blob".
constexpr char kHello[] = "b5b6a1a0c12f3bf5e7d0d1dbf0e4a54f0b0e3dba6ddbcbbaf8b4a8f4a3e1a0f0";

class BlobStoreTest : public testing::Test {
protected:
  void SetUp() override { ASSERT_FALSE(folder.createInSystem()); }
  std::unique_ptr<BlobStore> open(BlobStoreOptions options = {}) {
    options.folder = folder.file("blobs");
    llvm::Expected<std::unique_ptr<BlobStore>> store = BlobStore::open(options);
    EXPECT_TRUE(static_cast<bool>(store));
    return std::move(*store);
  }
  /// Receives one part.
  static std::string receive(BlobStore &store, llvm::StringRef name, int64_t offset, bool isLast,
                             llvm::StringRef bytes, bool isWhole = true) {
    llvm::Error error = store.receive(
        name, offset, isLast, [&](BlobStore::Append append) { return append(bytes) && isWhole; });
    return error ? llvm::toString(std::move(error)) : "";
  }

  TemporaryFolder folder;
};

TEST_F(BlobStoreTest, stores_bytes_by_their_hash) {
  std::unique_ptr<BlobStore> store = open();
  llvm::Expected<std::string> name = store->put("hello blob");
  ASSERT_TRUE(static_cast<bool>(name));
  EXPECT_TRUE(isBlobName(*name));
  EXPECT_EQ(store->find(*name), 10);
  EXPECT_EQ(llvm::cantFail(store->read(*name)), "hello blob");
  EXPECT_EQ(llvm::cantFail(store->put("hello blob")), *name);
  EXPECT_EQ(store->totalBytes(), 10);
  EXPECT_EQ(open()->totalBytes(), 10);
}

TEST_F(BlobStoreTest, refuses_other_names) {
  std::unique_ptr<BlobStore> store = open();
  EXPECT_EQ(receive(*store, "../../etc/passwd", 0, true, "x"),
            "the name of a blob is a SHA-256 of 64 hexadecimal digits, got '../../etc/passwd'");
  EXPECT_EQ(llvm::toString(store->path("abc").takeError()), "there is no blob abc");
}

TEST_F(BlobStoreTest, refuses_a_wrong_hash) {
  std::unique_ptr<BlobStore> store = open();
  std::string problem = receive(*store, kHello, 0, true, "other bytes");
  EXPECT_NE(problem.find("have the SHA-256"), std::string::npos) << problem;
  EXPECT_EQ(store->find(kHello), std::nullopt);
  EXPECT_EQ(store->totalBytes(), 0);
}

TEST_F(BlobStoreTest, continues_an_interrupted_upload) {
  std::unique_ptr<BlobStore> store = open();
  TemporaryFolder other;
  ASSERT_FALSE(other.createInSystem());
  BlobStoreOptions options;
  options.folder = other.path().str();
  std::string name = llvm::cantFail(llvm::cantFail(BlobStore::open(options))->put("0123456789"));

  EXPECT_EQ(receive(*store, name, 0, true, "0123", /*isWhole=*/false),
            "the upload of the blob " + name + " was interrupted");
  EXPECT_EQ(store->receivedBytes(name), 4);
  EXPECT_EQ(store->find(name), std::nullopt);
  EXPECT_EQ(receive(*store, name, 7, true, "789"),
            "the upload of the blob " + name +
                " continues at byte 7, but the store has 4 bytes; continue there");
  EXPECT_EQ(receive(*store, name, 4, true, "456789"), "");
  EXPECT_EQ(store->find(name), 10);
  EXPECT_EQ(store->totalBytes(), 10);
}

TEST_F(BlobStoreTest, limits_one_blob_and_all_blobs) {
  BlobStoreOptions options;
  options.maxBlobBytes = 100;
  options.maxTotalBytes = 150;
  std::unique_ptr<BlobStore> store = open(options);
  std::string large = llvm::toString(store->put(std::string(101, 'a')).takeError());
  EXPECT_NE(large.find("exceeds the limit of 100 bytes"), std::string::npos) << large;
  ASSERT_TRUE(static_cast<bool>(store->put(std::string(100, 'b'))));
  std::string full = llvm::toString(store->put(std::string(60, 'c')).takeError());
  EXPECT_EQ(full, "the blob folder has reached its limit of 150 bytes, and all blobs were used in "
                  "the last 72 hours");
}

TEST_F(BlobStoreTest, collects_unused_blobs) {
  BlobStoreOptions options;
  options.maxTotalBytes = 150;
  options.unusedHours = 1;
  std::unique_ptr<BlobStore> store = open(options);
  std::string old = llvm::cantFail(store->put(std::string(100, 'a')));
  std::string used = llvm::cantFail(store->put("used"));
  timespec times[2] = {{time(nullptr) - 7200, 0}, {time(nullptr) - 7200, 0}};
  for (const std::string &name : {old, used}) {
    std::string path = llvm::cantFail(store->path(name));
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  }
  EXPECT_TRUE(store->find(used)); // marks the blob as used
  // The second blob needs the space of the unused one.
  EXPECT_TRUE(static_cast<bool>(store->put(std::string(60, 'c'))));
  EXPECT_FALSE(store->find(old));
  EXPECT_TRUE(store->find(used));
  EXPECT_EQ(store->totalBytes(), 64);
  EXPECT_EQ(store->collect(), 0);
}

} // namespace
