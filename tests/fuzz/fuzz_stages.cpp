// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles arbitrary ONNX models to C and, through all stages, for a CPU with wide vectors. A
// compile must succeed or fail with an error that is not a bug of the compiler.

#include "Pipeline/Pipeline.h"
#include "Support/TemporaryFolder.h"
#include "convoy/compiler.h"
#include "tests/fuzz/Target.h"

using namespace convoy;

static void compile(const Model &model, const CompileRequest &request) {
  Result<Artifact> artifact = compileModel(model, request);
  for (const Problem &problem : artifact.problems().all()) {
    if (problem.kind == ProblemKind::Bug || problem.text.empty()) {
      fuzz::reportFinding(request.target.name + ": " + problem.text);
    }
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Result<Model> model = Model::parse({reinterpret_cast<const char *>(data), size}, "fuzz");
  if (!model) {
    return -1; // fuzz_import tests the reader.
  }
  CompileRequest source;
  source.target.name = "x86-64-v3";
  source.output.emit = Emit::Source;
  TemporaryFolder folder;
  llvm::cantFail(folder.createInSystem());
  source.output.folder = folder.path().str();
  source.debugging.verifiesStages = true;
  compile(*model, source);
  CompileRequest machine;
  machine.target.name = "x86-64-v4";
  machine.debugging.stopAfter = stages().back().name.str();
  machine.debugging.verifiesStages = true;
  compile(*model, machine);
  return 0;
}
