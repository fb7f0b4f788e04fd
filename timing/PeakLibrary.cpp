// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes the loops as LLVM IR text and compiles them without LLVM's optimizer, because the
// optimizer would remove them.

#include "timing/PeakLibrary.h"
#include "Codegen/LLVM/Library.h"
#include "Codegen/LLVM/Object.h"
#include "Support/TypedError.h"
#include "io/Files.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetMachine.h"

namespace convoy::timing {
namespace {

// The number of vectors that one iteration of the reading loop loads. It divides 4096 bytes for
// vectors of up to 512 bytes.
constexpr int kLoads = 8;

struct Shape {
  int64_t lanes;
  int accumulators;
};

/// The number of independent chains: more than the multiply-adds in flight of any target (two
/// ports, six cycles) and less than the number of registers.
Shape shapeOf(const targets::Target &target) {
  return {std::clamp<int64_t>(target.vectorBytes / 4, 1, 64),
          target.vectorRegisters >= 32 ? 24 : 12};
}

std::string multiplyAddText(const targets::Target &target) {
  Shape shape = shapeOf(target);
  std::string v = llvm::formatv("<{0} x float>", shape.lanes);
  std::string fma = llvm::formatv("@llvm.fma.v{0}f32", shape.lanes);
  std::string ir;
  llvm::raw_string_ostream os(ir);
  os << "declare " << v << " " << fma << "(" << v << ", " << v << ", " << v << ")\n"
     << "define void @convoy_peak_multiply_add(i64 %n, ptr %data) nounwind {\nentry:\n"
     << "  %m = load " << v << ", ptr %data, align 4\n"
     << "  %p = getelementptr float, ptr %data, i64 64\n"
     << "  %s = load " << v << ", ptr %p, align 4\n"
     << "  %q = getelementptr float, ptr %data, i64 128\n"
     << "  %i0 = fadd " << v << " %s, %s\n";
  // Each chain starts with a different number, so that no two chains are merged.
  for (int k = 1; k < shape.accumulators; ++k) {
    os << llvm::formatv("  %i{0} = fadd {1} %i{2}, %s\n", k, v, k - 1);
  }
  os << "  br label %loop\nloop:\n  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n";
  for (int k = 0; k < shape.accumulators; ++k) {
    os << llvm::formatv("  %a{0} = phi {1} [ %i{0}, %entry ], [ %b{0}, %loop ]\n", k, v);
  }
  for (int k = 0; k < shape.accumulators; ++k) {
    if (target.hasFma) {
      os << llvm::formatv("  %b{0} = call {1} {2}({1} %a{0}, {1} %m, {1} %s)\n", k, v, fma);
    } else {
      os << llvm::formatv("  %c{0} = fmul {1} %a{0}, %m\n", k, v)
         << llvm::formatv("  %b{0} = fadd {1} %c{0}, %s\n", k, v);
    }
  }
  os << "  %next = add i64 %i, 1\n  %more = icmp slt i64 %next, %n\n"
     << "  br i1 %more, label %loop, label %done\ndone:\n  %r0 = fadd " << v << " %b0, %s\n";
  for (int k = 1; k < shape.accumulators; ++k) {
    os << llvm::formatv("  %r{0} = fadd {1} %r{2}, %b{0}\n", k, v, k - 1);
  }
  os << llvm::formatv("  store {0} %r{1}, ptr %q, align 4\n  ret void\n}\n", v,
                      shape.accumulators - 1);
  return ir;
}

std::string readText(const targets::Target &target) {
  int64_t lanes = shapeOf(target).lanes;
  std::string v = llvm::formatv("<{0} x i32>", lanes);
  std::string ir;
  llvm::raw_string_ostream os(ir);
  os << "define void @convoy_peak_read(ptr %data, i64 %bytes, ptr %sink) nounwind {\nentry:\n"
     << "  br label %loop\nloop:\n  %i = phi i64 [ 0, %entry ], [ %next, %loop ]\n";
  for (int k = 0; k < kLoads; ++k) {
    os << llvm::formatv("  %a{0} = phi {1} [ zeroinitializer, %entry ], [ %b{0}, %loop ]\n", k, v);
  }
  for (int k = 0; k < kLoads; ++k) {
    os << llvm::formatv("  %o{0} = add i64 %i, {1}\n", k, k * lanes * 4)
       << llvm::formatv("  %p{0} = getelementptr i8, ptr %data, i64 %o{0}\n", k)
       << llvm::formatv("  %x{0} = load {1}, ptr %p{0}, align 4\n", k, v)
       << llvm::formatv("  %b{0} = xor {1} %a{0}, %x{0}\n", k, v);
  }
  os << llvm::formatv("  %next = add i64 %i, {0}\n", kLoads * lanes * 4)
     << "  %more = icmp slt i64 %next, %bytes\n"
     << "  br i1 %more, label %loop, label %done\ndone:\n";
  for (int k = 1; k < kLoads; ++k) {
    os << llvm::formatv("  %r{0} = xor {1} {2}{3}, %b{0}\n", k, v, k == 1 ? "%b" : "%r", k - 1);
  }
  os << llvm::formatv("  store {0} %r{1}, ptr %sink, align 4\n  ret void\n}\n", v, kLoads - 1);
  return ir;
}

llvm::Expected<codegen::ObjectBytes> emit(const targets::Target &target) {
  codegen::CodegenOptions options;
  options.target = target;
  auto machine = codegen::createMachine(options);
  if (!machine) {
    return machine.takeError();
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  auto module = llvm::parseAssemblyString(peakLibraryText(target), problem, context);
  if (!module) {
    return createBug("line " + llvm::Twine(problem.getLineNo()) +
                     " of the loops that measure the peak: " + problem.getMessage() +
                     "; this is a bug in convoy");
  }
  module->setDataLayout((*machine)->createDataLayout());
  module->setTargetTriple(target.triple);
  module->setPICLevel(llvm::PICLevel::BigPIC);
  codegen::tuneFor(*module, target);
  codegen::ObjectBytes bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if ((*machine)->addPassesToEmitFile(passes, stream, nullptr, llvm::CodeGenFileType::ObjectFile)) {
    return createUnsupported("not supported: LLVM writes no object files for " + target.triple);
  }
  passes.run(*module);
  return bytes;
}

} // namespace

std::string peakLibraryText(const targets::Target &target) {
  return multiplyAddText(target) + readText(target);
}

llvm::Expected<PeakLibrary> writePeakLibrary(const targets::Target &target,
                                             llvm::StringRef folder) {
  llvm::Expected<codegen::ObjectBytes> object = emit(target);
  if (!object) {
    return object.takeError();
  }
  llvm::SmallString<128> objectPath(folder);
  llvm::sys::path::append(objectPath, "peak.o");
  if (llvm::Error error =
          io::writeFile(objectPath, llvm::StringRef(object->data(), object->size()))) {
    return error;
  }
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "peak.so");
  if (llvm::Error error = codegen::linkLibrary({objectPath.str().str()}, "peak.so", path, path)) {
    return error;
  }
  Shape shape = shapeOf(target);
  return PeakLibrary{path.str().str(), 2.0 * static_cast<double>(shape.lanes) * shape.accumulators};
}

} // namespace convoy::timing
