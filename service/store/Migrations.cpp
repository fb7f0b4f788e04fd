// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A lock of the transaction makes processes that start at the same time migrate one after the
// other.

#include "Migrations.h"
#include "service/store/LockKeys.h"
#include "llvm/ADT/ArrayRef.h"

namespace convoy::service::store {
namespace {

constexpr Migration kMigrations[] = {
#include "Migrations.inc"
};

llvm::Error checkNotNewer(int64_t version) {
  int64_t known = std::size(kMigrations);
  if (version <= known) {
    return llvm::Error::success();
  }
  return llvm::make_error<StoreError>(
      StoreError::Kind::Invalid,
      "the database has schema version " + std::to_string(version) +
          ", but this convoy-tuningd knows versions up to " + std::to_string(known) +
          "; start the convoy-tuningd that migrated the database, or a newer one");
}

llvm::Error migrate(Transaction &transaction) {
  // Waiting for another process that migrates may take long.
  transaction.script("set local statement_timeout = 0; set local lock_timeout = 0");
  transaction.run("select pg_advisory_xact_lock($1)", kMigrationLock);
  transaction.script(
      "create table if not exists schema_migrations (number bigint primary key, name "
      "text not null, at timestamptz not null default now())");
  pqxx::result newest = transaction.run("select coalesce(max(number), 0) from schema_migrations");
  int64_t version = newest[0][0].as<int64_t>();
  if (llvm::Error error = checkNotNewer(version)) {
    return error;
  }
  for (const Migration &migration : llvm::ArrayRef(kMigrations).drop_front(version)) {
    transaction.script(migration.sql);
    transaction.run("insert into schema_migrations (number, name) values ($1, $2)",
                    migration.number, migration.name);
  }
  return llvm::Error::success();
}

} // namespace

llvm::Error applyMigrations(Session &session) {
  return session.transact("migrate the database", migrate);
}

} // namespace convoy::service::store
