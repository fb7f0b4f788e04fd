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
  EXPECT_EQ(full, "the blob folder has reached its limit of 150 bytes, and its blobs are in use; "
                  "raise the limit");
}

/// Sets the time of the last use of a blob.
void setUsed(BlobStore &store, const std::string &name, time_t secondsAgo) {
  std::string path = llvm::cantFail(store.path(name));
  timespec times[2] = {{time(nullptr) - secondsAgo, 0}, {time(nullptr) - secondsAgo, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
}

TEST_F(BlobStoreTest, a_full_store_removes_the_least_recently_used_libraries) {
  BlobStoreOptions options;
  options.maxTotalBytes = 400;
  std::unique_ptr<BlobStore> store = open(options);
  std::string data = llvm::cantFail(store->put(std::string(100, 'd')));
  std::vector<std::string> libraries;
  for (char c : {'a', 'b', 'c'}) {
    libraries.push_back(llvm::cantFail(store->put(std::string(100, c), BlobKind::Library)));
  }
  setUsed(*store, data, 6000); // longer ago than any library, but data
  setUsed(*store, libraries[0], 1000);
  setUsed(*store, libraries[1], 2000);
  setUsed(*store, libraries[2], 200); // may wait for a device
  std::string next = llvm::cantFail(store->put(std::string(60, 'n'), BlobKind::Library));
  EXPECT_FALSE(store->find(libraries[1]));
  EXPECT_TRUE(store->find(libraries[0]));
  EXPECT_TRUE(store->find(libraries[2]));
  EXPECT_TRUE(store->find(data));
  EXPECT_TRUE(store->find(next));
  EXPECT_EQ(store->totalBytes(), 360);
  // All libraries were used just now, and the data of a task in use is never removed.
  std::string full = llvm::toString(store->put(std::string(60, 'o')).takeError());
  EXPECT_NE(full.find("its blobs are in use"), std::string::npos) << full;
}

TEST_F(BlobStoreTest, old_data_follows_the_libraries) {
  BlobStoreOptions options;
  options.maxTotalBytes = 200;
  std::unique_ptr<BlobStore> store = open(options);
  std::string data = llvm::cantFail(store->put(std::string(100, 'd')));
  std::string library = llvm::cantFail(store->put(std::string(100, 'a'), BlobKind::Library));
  setUsed(*store, data, 8000);
  setUsed(*store, library, 400);
  llvm::cantFail(store->put(std::string(50, 'x')));
  EXPECT_FALSE(store->find(library));
  EXPECT_TRUE(store->find(data));
  setUsed(*store, data, 8000);
  llvm::cantFail(store->put(std::string(140, 'y')));
  EXPECT_FALSE(store->find(data));
}

TEST_F(BlobStoreTest, two_stores_share_a_folder) {
  BlobStoreOptions options;
  options.maxTotalBytes = 1000;
  std::unique_ptr<BlobStore> leader = open(options), standby = open(options);
  std::string name = llvm::cantFail(leader->put("hello blob"));
  EXPECT_EQ(standby->find(name), 10);
  // While one store writes a blob, the other one does not touch the file.
  std::string other;
  std::string bytes = "other bytes";
  {
    TemporaryFolder elsewhere;
    ASSERT_FALSE(elsewhere.createInSystem());
    BlobStoreOptions own;
    own.folder = elsewhere.path().str();
    other = llvm::cantFail(llvm::cantFail(BlobStore::open(own))->put(bytes));
  }
  llvm::cantFail(leader->receive(other, 0, true, [&](BlobStore::Append append) {
    EXPECT_TRUE(append("other "));
    EXPECT_EQ(receive(*standby, other, 0, true, bytes),
              "another upload of the blob " + other + " is running");
    return append("bytes");
  }));
  EXPECT_EQ(llvm::cantFail(standby->read(other)), bytes);
  // A blob that the other store has removed does not exist.
  setUsed(*leader, name, 100 * 3600);
  EXPECT_EQ(leader->collect(), 1);
  EXPECT_EQ(standby->find(name), std::nullopt);
  EXPECT_EQ(llvm::toString(standby->read(name).takeError()), "there is no blob " + name);
  EXPECT_EQ(standby->collect(), 0);
  EXPECT_EQ(standby->totalBytes(), 11);
  EXPECT_EQ(llvm::cantFail(standby->put("hello blob")), name);
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
