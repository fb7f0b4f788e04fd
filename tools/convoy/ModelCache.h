// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache of compiled models of `convoy run`. A model is loaded from it only if nothing that
// decides the code has changed, so the key is a hash of all of it; the names of files are not part
// of it.

#pragma once

#include "Driver/LibraryProgram.h"
#include "tools/convoy/Request.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <optional>
#include <string>

namespace convoy::tool {

/// A model that runs as a library of the cache.
struct CachedModel {
  std::unique_ptr<driver::LibraryProgram> program;
  llvm::json::Object built; // report::builtToJson of the compile
  std::string target;       // CompileReport::target of the compile
  bool isHit = false;
};

/// Returns the hash of the model with its external data, of every member of the request, of the
/// description of the CPU and of this compiler. Equal keys give equal libraries. Returns an empty
/// text if something in the request has no hash.
std::string cacheKey(const Request &request);

/// Loads the model from the cache, or compiles it to a library and keeps it. Adds the warnings of
/// the compile. Returns nothing if the request is not for the cache, the library cannot be written
/// or the compile fails; the caller then compiles in memory and reports the problems.
std::optional<CachedModel> compileByCache(const Request &request, const CacheFlags &flags,
                                          Problems &problems);

} // namespace convoy::tool
