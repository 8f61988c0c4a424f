#include "core/exploration/blocks.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "core/exploration/exp3.h"

namespace slipstream {
namespace {

// The note on a trial: block, step in it from 1 on, arm, its probability.
constexpr char kBlockNote[] = "block";
constexpr size_t kBlockNoteSize = 4;
constexpr size_t kRandomArm = 0;
constexpr size_t kArms = 2;
constexpr double kMostCount = 1e9;
// No arm is ever drawn with a smaller probability.
constexpr double kLeastProbability = 1e-9;

struct BlockNote {
  double block = 0;
  int step = 0;
  size_t arm = 0;
  double probability = 1;
};

// Absent if the trial has no such note, or it is malformed.
std::optional<BlockNote> BlockNoteOf(const Notes& notes) {
  const std::vector<double>* values = FindNote(notes, kBlockNote);
  if (values == nullptr || values->size() != kBlockNoteSize) return std::nullopt;
  const auto is_count = [](double value) { return value >= 0 && value <= kMostCount; };
  if (!is_count((*values)[0]) || !is_count((*values)[1])) return std::nullopt;
  const BlockNote note{(*values)[0], static_cast<int>((*values)[1]),
                       (*values)[2] == 0 ? kRandomArm : 1, (*values)[3]};
  if (!(note.probability >= kLeastProbability && note.probability <= 1)) return std::nullopt;
  return note;
}

// A block and the results of its trials so far.
struct Block {
  size_t arm = 0;
  double probability = 1;
  std::set<int> ended;         // Its steps of which a trial has ended.
  std::optional<double> best;  // More is better.
};

class RewardScale {
 public:
  void Add(double value) {
    worst_ = std::min(worst_, value);
    best_ = std::max(best_, value);
  }
  double Reward(double value) const {
    // In halves, as the difference may overflow; of the smallest numbers nothing is left of it.
    const double range = 0.5 * best_ - 0.5 * worst_;
    if (range > 0) return std::clamp((0.5 * value - 0.5 * worst_) / range, 0.0, 1.0);
    return value > best_ ? 1 : 0;
  }

 private:
  double worst_ = std::numeric_limits<double>::infinity();
  double best_ = -std::numeric_limits<double>::infinity();
};

class BlockHistory {
 public:
  BlockHistory(const StudyView& view, absl::Span<const Suggestion> made, int steps,
               bool running_rewards)
      : steps_(steps), running_rewards_(running_rewards) {
    for (const EndedTrial& trial : view.ended) AddEnded(trial, view.goal);
    for (const OpenTrial& trial : view.open) AddLatest(BlockNoteOf(trial.notes));
    for (const Suggestion& suggestion : made) AddLatest(BlockNoteOf(suggestion.provenance.notes));
  }

  // The block that the next suggestion goes on with, if the latest is not whole.
  std::optional<BlockNote> Unfinished() const {
    if (!latest_.has_value() || latest_->step >= steps_) return std::nullopt;
    return latest_;
  }
  double next_block() const { return latest_.has_value() ? latest_->block + 1 : 1; }

  std::vector<Exp3Round> Rounds() const {
    std::vector<Exp3Round> rounds;
    for (const auto& [number, block] : blocks_) {
      if (static_cast<int>(block.ended.size()) < steps_ || !block.best.has_value()) continue;
      rounds.push_back({block.arm, block.probability, scale_.Reward(*block.best)});
    }
    return rounds;
  }

 private:
  void AddEnded(const EndedTrial& trial, Goal goal) {
    const bool has_value = InformsModels(trial);
    const double value = has_value ? (goal == Goal::kMaximize ? *trial.value : -*trial.value) : 0;
    const std::optional<BlockNote> note = BlockNoteOf(trial.notes);
    if (has_value && (running_rewards_ || !note.has_value())) scale_.Add(value);
    if (!note.has_value()) return;
    AddLatest(note);
    Block& block = blocks_[note->block];
    block.arm = note->arm;
    block.probability = note->probability;
    block.ended.insert(note->step);
    if (has_value) block.best = std::max(block.best.value_or(value), value);
  }

  // Not by the trials' numbers: one that is queued again has a later number and the same note.
  void AddLatest(const std::optional<BlockNote>& note) {
    if (!note.has_value()) return;
    const bool is_later = !latest_.has_value() || std::pair(note->block, note->step) >
                                                      std::pair(latest_->block, latest_->step);
    if (is_later) latest_ = note;
  }

  const int steps_;
  const bool running_rewards_;
  RewardScale scale_;
  std::map<double, Block> blocks_;
  std::optional<BlockNote> latest_;
};

ExplorationStep NextInBlock(const BlockOptions& options, const ExplorationInput& input, int steps) {
  const BlockHistory history(input.view, input.made, steps, options.running_rewards);
  const std::vector<double> probabilities = Exp3Probabilities(
      history.Rounds(), kArms, Exp3Rate(kArms, std::max(1.0, options.horizon / steps)));
  std::optional<BlockNote> note = history.Unfinished();
  if (note.has_value()) {
    ++note->step;
  } else {
    const size_t arm = ArmAt(probabilities, ExplorationUniform(input));
    note = BlockNote{history.next_block(), 1, arm, probabilities[arm]};
  }
  ExplorationStep step;
  step.is_random = note->arm == kRandomArm && note->step == 1;
  step.notes.push_back({kBlockNote,
                        {note->block, static_cast<double>(note->step),
                         static_cast<double>(note->arm), note->probability}});
  step.facts.push_back({"block", note->block});
  step.facts.push_back({"step_of_block", static_cast<double>(note->step)});
  step.facts.push_back({"arm", std::string(note->arm == kRandomArm ? "random" : "acquisition")});
  const double of_random = note->arm == kRandomArm ? note->probability : 1 - note->probability;
  step.facts.push_back({"probability_of_random", of_random});  // When the block's arm was drawn.
  step.facts.push_back({"probability_of_random_now", probabilities[kRandomArm]});
  return step;
}

constexpr Option<BlockOptions> kBlockOptions[] = {
    OptionAt<&BlockOptions::horizon>(
        {"exploration_horizon", "suggestions", 2, 1e6, true,
         "The number of suggestions that exp3 and portfolio plan for"}),
    OptionAt<&BlockOptions::running_rewards>(
        {"running_rewards", "", 0, 1, true,
         "1: exp3 and portfolio scale rewards by all results so far"}),
};

OptionSet DefaultBlockOptions() { return OptionSet(BlockOptions(), kBlockOptions); }

// Blocks of `steps` suggestions.
template <int steps>
class Blocks final : public Exploration {
 public:
  explicit Blocks(const BlockOptions& options) : options_(options) {}

  ExplorationStep Next(const ExplorationInput& input) const override {
    return NextInBlock(options_, input, steps);
  }

 private:
  const BlockOptions options_;
};

template <int steps>
std::unique_ptr<Exploration> MakeBlocks(const OptionSet& options) {
  return std::make_unique<Blocks<steps>>(options.As<BlockOptions>());
}

}  // namespace

const ExplorationRow kExp3 = {
    .about = {.name = "exp3",
              .summary = "EXP3 chooses, for two suggestions at a time, whether the first is random",
              .source = "UHE-BO: Ha et al., arXiv 2306.06844, algorithm 1",
              .options = DefaultBlockOptions},
    .make = MakeBlocks<2>,
    .reads_notes = true,
};

const ExplorationRow kPortfolio = {
    .about = {.name = "portfolio",
              .summary = "EXP3 chooses between a random point and the acquisition's at each "
                         "suggestion",
              .source = "Hoffman, Brochu and de Freitas 2011, in UHE-BO's form",
              .options = DefaultBlockOptions},
    .make = MakeBlocks<1>,
    .reads_notes = true,
};

}  // namespace slipstream
