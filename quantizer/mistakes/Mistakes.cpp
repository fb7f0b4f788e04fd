// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tests forms of preprocessing. With labels, all forms are tried on some samples, and the best
// forms are tested on other samples, so that the choice does not bias the test.

#include "quantizer/mistakes/Mistakes.h"
#include "quantizer/evaluate/Evaluate.h"
#include "quantizer/mistakes/Alternatives.h"
#include "quantizer/mistakes/ImageStatistics.h"
#include "quantizer/mistakes/NormStatistics.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>
#include <map>
#include <numeric>

namespace convoy::quantizer {
namespace {

constexpr size_t kFinalists = 3;
/// Fewer samples, or more standard deviations above independent labels, give no evidence of labels
/// that belong to other samples.
constexpr size_t kLeastLabeled = 50;
constexpr double kIndependentDeviations = 3;
constexpr size_t kLeastScreened = 20, kMostScreened = 100;

/// Returns the probability of at least `successes` of `trials` fair coins.
double coinTail(int64_t successes, int64_t trials) {
  double sum = 0;
  for (int64_t k = successes; k <= trials; ++k) {
    auto n = static_cast<double>(trials), m = static_cast<double>(k);
    sum += std::exp(std::lgamma(n + 1) - std::lgamma(m + 1) - std::lgamma(n - m + 1) -
                    n * std::log(2.0));
  }
  return std::min(sum, 1.0);
}

/// Paired answers of the given form and another form.
struct Comparison {
  size_t samples = 0, right = 0, otherRight = 0;
  int64_t lost = 0, gained = 0; // right in the given form only, in the other form only

  void add(bool isRight, bool isOtherRight) {
    ++samples;
    right += isRight;
    otherRight += isOtherRight;
    lost += isRight && !isOtherRight;
    gained += !isRight && isOtherRight;
  }
  /// The exact one-sided test that both forms are equally good.
  double pValue() const { return coinTail(gained, lost + gained); }
  double gain() const {
    return samples ? static_cast<double>(gained - lost) / static_cast<double>(samples) : 0;
  }
  std::string text() const {
    std::string result;
    llvm::raw_string_ostream os(result);
    auto share = [&](size_t count) {
      return 100.0 * static_cast<double>(count) / static_cast<double>(samples);
    };
    os << "of " << samples << " samples, "
       << llvm::format("%.1f %% are right as given and %.1f %% with the remedy (p = %.1g)",
                       share(right), share(otherRight), pValue());
    return result;
  }
};

class LabelTest {
public:
  LabelTest(const Model &model, const InputPins &pins, const io::Dataset &data,
            const MistakeOptions &options)
      : workflow(Workflow(model).with([&](CompileRequest &request) { request.inputs = pins; })),
        data(data), options(options) {}

  Result<std::vector<Mistake>> run(const std::vector<Alternative> &forms,
                                   const std::vector<size_t> &samples) {
    size_t screened =
        std::clamp(samples.size() / 4, std::min(kLeastScreened, samples.size()), kMostScreened);
    std::vector<size_t> first(samples.begin(), samples.begin() + static_cast<ptrdiff_t>(screened));
    std::vector<size_t> others(samples.begin() + static_cast<ptrdiff_t>(screened), samples.end());
    std::vector<const Alternative *> all{nullptr};
    for (const Alternative &form : forms) {
      all.push_back(&form);
    }
    if (!evaluate(first, all) || others.empty()) {
      return done();
    }
    std::vector<const Alternative *> finalists = best(first.size(), all);
    if (!evaluate(others, finalists)) {
      return done();
    }
    // Two tests are about labels.
    double alpha = options.alpha / static_cast<double>(finalists.size() - 1 + 2);
    testForms(others.size(), finalists, alpha);
    testLabels(others, alpha);
    testIndependence(others);
    return done();
  }

private:
  Result<std::vector<Mistake>> done() {
    return problems.hasErrors() ? Result<std::vector<Mistake>>(problems)
                                : Result<std::vector<Mistake>>(std::move(mistakes), problems);
  }

  /// Evaluates the samples in all forms.
  bool evaluate(const std::vector<size_t> &samples, const std::vector<const Alternative *> &forms) {
    AlteredData altered(data, samples, forms);
    std::vector<size_t> numbers(altered.size());
    std::iota(numbers.begin(), numbers.end(), 0);
    EvaluateOptions evaluation;
    evaluation.threads = options.threads;
    evaluation.progress = options.progress;
    Result<std::vector<Answer>> result =
        quantizer::evaluate(workflow, altered, numbers, evaluation);
    problems.append(result.problems());
    if (result) {
      answers = std::move(*result);
    }
    return bool(result);
  }

  /// Returns the given form and the forms with the most correct answers.
  std::vector<const Alternative *> best(size_t count,
                                        const std::vector<const Alternative *> &forms) const {
    std::vector<std::pair<int64_t, size_t>> order; // fewest wrong first, then in the given order
    for (size_t f = 1; f < forms.size(); ++f) {
      int64_t right = 0;
      for (size_t i = 0; i < count; ++i) {
        right += answers[f * count + i].isRight;
      }
      order.push_back({-right, f});
    }
    llvm::sort(order);
    std::vector<const Alternative *> result{nullptr};
    for (size_t i = 0; i < std::min(order.size(), kFinalists); ++i) {
      result.push_back(forms[order[i].second]);
    }
    return result;
  }

  /// Keeps a comparison if it is significant and better than the best one before. A wrong form
  /// can be right more often than a form with wrong labels, so only the best is a mistake.
  void test(const Comparison &comparison, double alpha, MistakeKind kind,
            const std::string &mistake, const std::string &remedy) {
    if (comparison.pValue() < alpha && comparison.gain() >= kLeastGain &&
        comparison.otherRight > mostRight) {
      mostRight = comparison.otherRight;
      mistakes = {{kind, Severity::Warning, mistake + ": " + comparison.text() + "; " + remedy}};
    }
  }

  void testForms(size_t count, const std::vector<const Alternative *> &forms, double alpha) {
    for (size_t f = 1; f < forms.size(); ++f) {
      Comparison comparison;
      for (size_t i = 0; i < count; ++i) {
        comparison.add(answers[i].isRight, answers[f * count + i].isRight);
      }
      test(comparison, alpha, forms[f]->kind, forms[f]->mistake, forms[f]->remedy);
    }
  }

  /// Compares with labels that are one larger or smaller.
  void testLabels(const std::vector<size_t> &samples, double alpha) {
    for (int64_t shift : {-1, 1}) {
      Comparison comparison;
      for (size_t i = 0; i < samples.size(); ++i) {
        int64_t wanted = *data.label(samples[i]) + shift;
        comparison.add(answers[i].isRight, answers[i].top == wanted);
      }
      test(comparison, alpha, MistakeKind::Labels, "the labels are off by one",
           shift < 0 ? "subtract 1 from each label" : "add 1 to each label");
    }
  }

  /// Compares the correct answers with those of independent labels of the same frequencies.
  void testIndependence(const std::vector<size_t> &samples) {
    std::map<int64_t, double> labels, tops;
    auto count = static_cast<double>(samples.size());
    double right = 0, expected = 0;
    for (size_t i = 0; i < samples.size(); ++i) {
      right += answers[i].isRight ? 1 / count : 0;
      labels[*data.label(samples[i])] += 1 / count;
      tops[answers[i].top] += 1 / count;
    }
    for (auto [label, share] : labels) {
      expected += share * tops[label];
    }
    double deviation = std::sqrt(expected * (1 - expected) / count);
    if (!mistakes.empty() || samples.size() < kLeastLabeled || labels.size() < 2 ||
        right > expected + kIndependentDeviations * deviation) {
      return;
    }
    std::string text;
    llvm::raw_string_ostream(text)
        << "the answers of the float model are independent of the labels: of " << samples.size()
        << llvm::format(" samples, %.1f %% are right, and labels in random order would make %.1f "
                        "%% right",
                        100 * right, 100 * expected)
        << "; the labels belong to other samples, or the model has other classes: check the order "
           "of --labels and of the samples";
    mistakes = {{MistakeKind::Labels, Severity::Warning, text}};
  }

  Workflow workflow;
  const io::Dataset &data;
  const MistakeOptions &options;
  Problems problems;
  std::vector<Answer> answers;
  size_t mostRight = 0; // of the forms that are significantly better
  std::vector<Mistake> mistakes;
};

/// Returns at most `count` samples in an order that does not depend on their classes, because a
/// data set can be sorted by class.
std::vector<size_t> spread(const io::Dataset &data, std::vector<size_t> samples, size_t count) {
  std::vector<std::pair<uint64_t, size_t>> order;
  for (size_t sample : samples) {
    order.push_back({data.hashOf(sample), sample});
  }
  llvm::sort(order);
  samples.clear();
  for (size_t i = 0; i < std::min(count, order.size()); ++i) {
    samples.push_back(order[i].second);
  }
  return samples;
}

} // namespace

std::string nameOf(MistakeKind kind) {
  switch (kind) {
  case MistakeKind::Range:
    return "range";
  case MistakeKind::ChannelOrder:
    return "channel order";
  case MistakeKind::MeanStd:
    return "mean and standard deviation";
  case MistakeKind::Layout:
    return "layout";
  case MistakeKind::Signedness:
    return "sign";
  case MistakeKind::Inversion:
    return "inversion";
  case MistakeKind::Size:
    return "size";
  case MistakeKind::Labels:
    return "labels";
  case MistakeKind::DeadChannels:
    return "dead channels";
  case MistakeKind::Saturation:
    return "saturation";
  case MistakeKind::Outliers:
    return "outliers";
  }
  llvm_unreachable("all kinds are handled");
}

Result<std::vector<Mistake>> findMistakes(const Model &model, const InputPins &pins,
                                          const io::Dataset &data,
                                          const std::vector<size_t> &samples,
                                          const MistakeOptions &options) {
  std::vector<size_t> chosen = spread(data, samples, options.samples);
  std::vector<Alternative> forms = alternativesOf(model, pins, data, chosen);
  std::vector<Mistake> mistakes = findImageMistakes(model, pins, data, chosen, forms);
  bool hasWarning = llvm::any_of(
      mistakes, [](const Mistake &mistake) { return mistake.severity == Severity::Warning; });
  if (hasWarning) {
    return mistakes; // one mistake hides others
  }
  Result<std::vector<Mistake>> others =
      data.hasLabels() ? LabelTest(model, pins, data, options).run(forms, chosen)
                       : findNormMistakes(model, pins, data, chosen, forms, options);
  if (others) {
    others->insert(others->end(), mistakes.begin(), mistakes.end());
  }
  return others;
}

} // namespace convoy::quantizer
