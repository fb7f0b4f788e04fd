// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of advisory locks in the service's database.

#pragma once

#include <cstdint>

namespace convoy::service::store {

inline constexpr int64_t kMigrationLock = 0x636f6e766f790001; // "convoy", 1
inline constexpr int64_t kLeaderLock = 0x636f6e766f790002;

} // namespace convoy::service::store
