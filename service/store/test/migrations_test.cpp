// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The schema: from empty, again, at the same time, and from a newer program.

#include "StoreCase.h"
#include <thread>

namespace convoy::service::store::test {
namespace {

class Migrations : public StoreCase {
protected:
  void SetUp() override {
    dropTables();
    StoreCase::SetUp();
  }
  void TearDown() override { dropTables(); }
};

TEST_F(Migrations, second_call_changes_nothing) {
  std::string before = sql("select string_agg(number || name || at, ',') from schema_migrations");
  EXPECT_NE(before, "");
  check(store->migrate());
  EXPECT_EQ(sql("select string_agg(number || name || at, ',') from schema_migrations"), before);
}

TEST_F(Migrations, processes_migrate_at_the_same_time) {
  dropTables();
  std::vector<std::thread> threads;
  for (int count = 0; count < 4; ++count) {
    threads.emplace_back([] { check(open()->migrate()); });
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  EXPECT_EQ(sql("select epoch from leader"), "0");
}

TEST_F(Migrations, newer_schema_is_refused) {
  std::string known = sql("select max(number) from schema_migrations");
  sql("insert into schema_migrations (number, name) values (900, 'future')");
  EXPECT_EQ(expect(StoreError::Kind::Invalid, store->migrate()),
            "the database has schema version 900, but this convoy-tuningd knows versions up to " +
                known + "; start the convoy-tuningd that migrated the database, or a newer one");
}

TEST_F(Migrations, failed_migration_leaves_nothing) {
  dropTables();
  sql("create table verdicts (stranger text)");
  EXPECT_EQ(expect(StoreError::Kind::Invalid, store->migrate()),
            "cannot migrate the database: relation \"verdicts\" already exists");
  EXPECT_EQ(sql("select count(*) from pg_tables where schemaname = 'public'"), "1");
}

TEST_F(Migrations, missing_schema_is_named) {
  dropTables();
  EXPECT_EQ(expect(StoreError::Kind::Invalid, store->jobs().takeError()),
            "cannot read jobs: the database has no tables of the tuning service (relation \"jobs\" "
            "does not exist); apply the migrations first");
}

TEST(StoreOpen, bad_connection_string_is_named) {
  StoreOptions options;
  options.connection = "hots=db";
  llvm::Expected<std::unique_ptr<Store>> store = Store::open(options);
  ASSERT_FALSE(static_cast<bool>(store));
  EXPECT_EQ(llvm::toString(store.takeError()),
            "cannot read the connection string of PostgreSQL: invalid connection option \"hots\"; "
            "expected 'host=... dbname=...' or 'postgresql://...'");
}

TEST(StoreOpen, weaker_tls_than_verify_full_is_refused) {
  StoreOptions options; // the environment names certificates
  options.connection = "sslmode=require";
  llvm::Expected<std::unique_ptr<Store>> store = Store::open(options);
  ASSERT_FALSE(static_cast<bool>(store));
  EXPECT_EQ(llvm::toString(store.takeError()),
            "the connection to PostgreSQL has a certificate (sslcert or sslrootcert) and "
            "sslmode=require; expected sslmode=verify-full; remove sslmode");
}

TEST(StoreOpen, the_name_of_the_server_is_verified) {
  std::string mode = getenv("PGSSLMODE");
  unsetenv("PGSSLMODE"); // a user who configures certificates only
  StoreOptions options;
  options.reconnectSeconds = 0.2;
  // An address of the server that its certificate does not contain.
  options.connection = "host=another.example hostaddr=127.0.0.1";
  llvm::Expected<std::unique_ptr<Store>> other = Store::open(options);
  EXPECT_FALSE(static_cast<bool>(other));
  std::string problem = llvm::toString(other.takeError());
  EXPECT_NE(problem.find("does not match host name \"another.example\""), std::string::npos)
      << problem;
  options.connection = "";
  EXPECT_TRUE(static_cast<bool>(llvm::cantFail(Store::open(options))));
  setenv("PGSSLMODE", mode.c_str(), 1);
}

TEST(StoreOpen, unreachable_server_is_unavailable) {
  StoreOptions options;
  options.connection = "port=1";
  options.reconnectSeconds = 0.2;
  llvm::Expected<std::unique_ptr<Store>> store = Store::open(options);
  ASSERT_FALSE(static_cast<bool>(store));
  llvm::Error error = store.takeError();
  EXPECT_EQ(storeErrorKind(error), StoreError::Kind::Unavailable);
  EXPECT_EQ(llvm::toString(std::move(error)),
            "cannot connect to PostgreSQL: connection to server at \"127.0.0.1\", port 1 failed: "
            "Connection refused");
}

} // namespace

Servers *const kServers = Servers::add("postgres");

} // namespace convoy::service::store::test
