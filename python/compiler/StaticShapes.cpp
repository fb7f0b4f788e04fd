// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Imports the model and drops the result. convoy-conformance decides by the same functions.

#include "StaticShapes.h"
#include "Driver/ImportRequested.h"

namespace convoy::python {

bool isStatic(const BuildRequest &request) {
  Problems problems;
  ModelRequest wanted = request.complete(Emit::Memory, problems);
  py::gil_scoped_release release;
  driver::CompileContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module =
      driver::importRequested(wanted.model, wanted.request, driver::ResolvedTarget(), context);
  return module && driver::isStatic(*module);
}

} // namespace convoy::python
