// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contains the table of reasons and writes the report. A reason applies to a test that ran and
// did not pass. Only a row that names the test can excuse a wrong result or a crash.

#include "Report.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include <map>

namespace convoy::conformance {
namespace {

struct Row {
  const char *target;  // "" for all
  const char *test;    // pattern on the test's name; "" for all
  const char *problem; // pattern on the problem; "" for all
  const char *reason;
};

constexpr Row kRows[] = {
    {"", "^test_qlinearmatmul_[23]D_int8_", "wrong result: output 'y' is -128 ",
     "expected values contradict the ONNX text: they wrap around, but the text requires "
     "saturation"},
    {"", "^test_adam_multiple$", "wrong result: output 'X1_new' is 0.7559593",
     "expected values contradict the ONNX text: they use an epsilon that the node does not set"},
    {"", "^test_dft_inverse(_opset19)?$", "is 3\\.06161689e-15 .* expected 1\\.90734866e-07",
     "expected values contain rounding errors of an f32 transform; the exact value is 0"},
    {"", "^test_cast(like)?_(BFLOAT16_to_FLOAT|FLOAT_to_BFLOAT16)(_expanded)?$",
     "ui16|uint16|expected 16117|has 2 dimensions, but --input-shape or the input data has 1",
     "data files of ONNX 1.12 store bfloat16 as uint16, some with a different shape"},
    {"", "^test_attention_(3d_with_past_and_present|4d_with)_qk_matmul_softcap$",
     "wrong result: output 'Y' ",
     "expected values of ONNX 1.20 cap the scores of Attention after the mask, not before it"},
    {"", "^test_attention_[34]d_with(_past_and_present)?_qk_matmul_bias(_[34]d_mask(_causal)?)?$",
     "wrong result: output 'qk_matmul_output' ",
     "expected values of ONNX 1.20 have modes 1 and 2 of qk_matmul_output_mode swapped"},
    {"", "", "not supported: .*ai\\.onnx\\.preview\\.training\\.", "training op"},
    {"host", "^test_image_decoder", "not supported on the CPU: ",
     "image decoding: only the reference supports it, with system libraries"},
    {"host", "", "not supported on the CPU: it works on strings",
     "strings: they have no fixed size, so the arena cannot hold them"},
    {"host", "", "not supported on the CPU: the tensors of its sequence or optional are not known",
     "sequences and optionals: their length depends on data, so the arena cannot hold them"},
    {"host", "", "not supported on the CPU: the size of its result depends on data",
     "data-dependent output shape: the arena is planned at compile time"},
    {"", "", "not supported: ", "not supported yet"},
};

bool matches(const char *pattern, const std::string &text) {
  return !*pattern || llvm::Regex(pattern).match(text);
}

std::string statusOf(const Outcome &outcome, const char *reason) {
  return outcome.isPassed ? "passed" : reason ? "skipped" : "failed";
}

/// Prints the number of passed tests per group.
void printGroups(llvm::raw_ostream &os, llvm::ArrayRef<TestCase> tests,
                 llvm::ArrayRef<Outcome> outcomes) {
  std::map<std::string, std::pair<size_t, size_t>> groups;
  for (size_t i = 0; i < tests.size(); ++i) {
    groups[tests[i].group].first += outcomes[i].isPassed;
    groups[tests[i].group].second++;
  }
  for (const auto &[group, counts] : groups) {
    os << "group " << group << ": " << counts.first << " of " << counts.second << " passed\n";
  }
}

} // namespace

const char *skipReason(const TestCase &test, const Outcome &outcome,
                       const driver::ResolvedTarget &target) {
  for (const Row &row : kRows) {
    bool isExcusable = *row.test || (!outcome.isWrongResult && !outcome.isCrash);
    // The C targets cannot run what the host cannot run, because both use the same stages.
    bool isTarget = !*row.target || target.name == row.target || target.stagesOf == row.target;
    if (isExcusable && isTarget && matches(row.test, test.name) &&
        matches(row.problem, outcome.problem)) {
      return row.reason;
    }
  }
  return nullptr;
}

Counts count(llvm::ArrayRef<TestCase> tests, llvm::ArrayRef<Outcome> outcomes,
             const driver::ResolvedTarget &target) {
  Counts counts;
  for (size_t i = 0; i < tests.size(); ++i) {
    if (outcomes[i].isPassed) {
      counts.passed++;
      counts.bound += !outcomes[i].bound.empty();
      counts.drawn += outcomes[i].isDrawn;
    } else if (skipReason(tests[i], outcomes[i], target)) {
      counts.skipped++;
    } else {
      counts.failed++;
    }
  }
  return counts;
}

void printReport(llvm::raw_ostream &os, llvm::ArrayRef<TestCase> tests,
                 llvm::ArrayRef<Outcome> outcomes, const driver::ResolvedTarget &target) {
  llvm::MapVector<llvm::StringRef, size_t> reasons;
  for (size_t i = 0; i < tests.size(); ++i) {
    if (outcomes[i].isPassed) {
      continue;
    }
    const char *reason = skipReason(tests[i], outcomes[i], target);
    os << statusOf(outcomes[i], reason) << " " << tests[i].group << "/" << tests[i].name << ": ";
    if (reason) {
      os << "[" << reason << "] ";
      reasons[reason]++;
    }
    os << outcomes[i].problem << "\n";
  }
  for (const auto &[reason, tally] : reasons) {
    os << "reason " << reason << ": " << tally << "\n";
  }
  printGroups(os, tests, outcomes);
  Counts counts = count(tests, outcomes, target);
  if (!target.backend->facts.allowsOpenDims) {
    os << "of which " << counts.bound << " bound\n";
  }
  if (counts.drawn > 0) {
    os << "of which " << counts.drawn << " random, compared by type, shape and range\n";
  }
  os << counts.passed << " passed, " << counts.failed << " failed, " << counts.skipped
     << " skipped\n";
}

void writeJson(llvm::raw_ostream &os, llvm::ArrayRef<TestCase> tests,
               llvm::ArrayRef<Outcome> outcomes, const driver::ResolvedTarget &target) {
  llvm::json::OStream json(os, 1);
  Counts counts = count(tests, outcomes, target);
  json.object([&] {
    json.attribute("target", target.name);
    json.attribute("passed", int64_t(counts.passed));
    json.attribute("failed", int64_t(counts.failed));
    json.attribute("skipped", int64_t(counts.skipped));
    json.attribute("bound", int64_t(counts.bound));
    json.attribute("drawn", int64_t(counts.drawn));
    json.attributeArray("tests", [&] {
      for (size_t i = 0; i < tests.size(); ++i) {
        const char *reason =
            outcomes[i].isPassed ? nullptr : skipReason(tests[i], outcomes[i], target);
        json.object([&] {
          json.attribute("group", tests[i].group);
          json.attribute("name", tests[i].name);
          json.attribute("status", statusOf(outcomes[i], reason));
          json.attribute("seconds", outcomes[i].seconds);
          json.attribute("bound", llvm::json::Array(outcomes[i].bound));
          if (reason) {
            json.attribute("reason", reason);
          }
          if (!outcomes[i].isPassed) {
            json.attribute("problem", outcomes[i].problem);
          }
        });
      }
    });
  });
  os << "\n";
}

} // namespace convoy::conformance
