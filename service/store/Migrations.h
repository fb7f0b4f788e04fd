// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbered changes of the schema, from service/store/migrations.

#pragma once

#include "service/store/Session.h"

namespace convoy::service::store {

struct Migration {
  int64_t number; // from 1, without gaps
  const char *name;
  const char *sql;
};

/// Applies the migrations that the database lacks, all or none.
llvm::Error applyMigrations(Session &session);

} // namespace convoy::service::store
