#include "core/study/fact_meanings.h"

#include "absl/strings/match.h"

namespace slipstream {
namespace {

struct FactMeaning {
  absl::string_view name;  // Of a fact, or with a "*" at its end the beginning of several.
  absl::string_view meaning;
};

constexpr FactMeaning kMeanings[] = {
    // How the point was chosen.
    {"recipe", "the ingredients of the study's algorithm"},
    {"phase", "the part of the algorithm that made the suggestion"},
    {"sobol_index", "the place in a quasi-random sequence, which fills the space evenly"},
    {"random_index", "the place in the sequence of random points"},
    {"portfolio_position", "the place in the list of points that served the source tasks"},
    {"portfolio_size", "how many points served the source tasks and are tried first"},
    {"instead_of_a_model", "why a point that served the source tasks stands in for the model's"},
    {"predicted_mean", "what the model expects here if the trial has a value, in the "
                       "objective's unit"},
    {"predicted_deviation", "the standard deviation of that expectation, without noise"},
    {"chance_of_value", "the probability that the trial has a value, judging by which trials had "
                        "none"},
    {"acquisition_value", "how promising the acquisition finds the point: the most of all points "
                          "that were searched"},
    {"repeat", "why a configuration is tried again"},
    {"search_cut_short_by", "what ended the search for the most promising point early"},
    {"turn", "why this suggestion does not follow the acquisition"},
    {"deviation_factor", "the factor of the model's deviations at this suggestion: above 1 it "
                         "explores more, below 1 it refines what is known"},
    {"arm", "which of several acquisitions, or a random draw, made the suggestion"},
    {"block", "the block of suggestions that one arm makes"},
    {"step_of_block", "the place within that block"},
    {"probability_of_*", "how likely that arm was to be drawn"},
    {"gain_of_*", "how much that acquisition's points have been worth so far, according to the "
                  "model"},
    {"nominees", "how many acquisitions proposed a point"},
    // The model.
    {"instruction_set", "which of the processor's instructions the numbers were computed with"},
    {"results", "trials with a result that the model has seen"},
    {"patches", "how the model handles so many results"},
    {"subset", "which of so many results the model uses"},
    {"limited_results", "results far worse than the others, which count as less bad"},
    {"infeasible", "configurations without a value that the model avoids"},
    {"pending", "trials without a result yet, which the model takes into account"},
    {"amplitude", "the deviation of the model's function, 1 being that of the results"},
    {"noise_variance", "the variance of the results' noise, 1 being that of the results"},
    {"mean", "the model's mean far from all results, in deviations of the results from their mean"},
    {"lengthscales", "how far a parameter must change, as a fraction of its range, for the model "
                     "to expect a different result: parameters with small lengthscales matter "
                     "most"},
    {"power_evidence", "how much likelier a power transform makes the results, in natural "
                       "logarithms; it is used above 5"},
    {"task_scale", "the scale on which results and sources are compared"},
    {"calibrated_to", "how many results the hyperparameters were fitted to"},
    {"calibration_points", "how many of these the fit used"},
    {"likelihood_evaluations", "how many times the fit computed the likelihood"},
    {"members", "how many draws of the hyperparameters are averaged over"},
    {"jitter", "a small variance that was added so that the model could be computed"},
    {"r_hat", "whether the chains of draws agree: near 1 if they do"},
    {"effective_sample_size", "how many independent draws the chains are worth"},
    {"acceptance_rate", "the fraction of the chains' steps that were accepted"},
    {"pseudo_points", "points by which the consistent loss judges hyperparameters"},
    {"g", "what the lengthscales were divided by"},
    {"h", "by how much the space of functions was enlarged, through shorter lengthscales"},
    {"b", "by how much the bound on the function's norm was enlarged"},
    {"regret_estimate", "what following the shorter lengthscales is estimated to have cost"},
    {"regret_reference", "what that may cost: above it, lengthscales stay unchanged"},
    {"chosen_deviation", "the model's deviation at the point that was chosen"},
    {"bend_*", "how the parameter's scale is bent: 1 and 1 leave it straight"},
    // Source tasks.
    {"asked", "the model or models whose acquisition chose the point"},
    {"contrast", "a point chosen only to show whether the source tasks are right"},
    {"transfer", "whether the source tasks have helped, judged by all results so far, also where "
                 "this suggestion does not use them"},
    {"sources_unused", "why this suggestion does not use the source tasks"},
    {"sources_unused_here", "why this suggestion does not use the source tasks, while others may"},
    {"transfer_share", "the weight of the model with source tasks against the one without, 0 to 1"},
    {"transfer_results", "how many results were forecast by both models"},
    {"transfer_gain", "how much likelier results were with the source tasks, as a natural "
                      "logarithm"},
    {"transfer_gain_low", "the lower end of the gain's 95% interval"},
    {"transfer_gain_high", "the upper end of the gain's 95% interval"},
    {"start_trials", "the first trials, compared with evenly spread points, with which studies "
                     "without source tasks begin"},
    {"start_better", "the probability, estimated by the models, that the best result so far was "
                     "better on average over these trials than over such points"},
    {"start_worse", "how probable it is that it was worse"},
    {"sources_used", "source tasks that the model may use"},
    {"sources_left_out", "source tasks that the model does not use"},
    {"source_points_used", "the source tasks' results that the model may use"},
    {"source_points_without_result", "the source tasks' trials that failed by chance or have no "
                                     "value, which are left out"},
    {"source_points_infeasible", "the source tasks' infeasible trials, and failed ones if their "
                                 "places tell which fail; they count as the source's worst "
                                 "result"},
    {"source_points_outside_the_space", "the source tasks' results outside the study's space, "
                                        "which are left out"},
    {"source_points_thinned_out", "the source tasks' results left out because there are too many"},
    {"source_points_limited", "the source tasks' results far worse than the others, which count as "
                              "less bad"},
    {"source_points", "how many of the source tasks' results the model uses"},
    {"sources_with_*opposite_goal", "source tasks that maximise what the study minimises, or the "
                                    "reverse"},
    {"sources_without_a_usable_point", "source tasks without a point that the study can use"},
    {"sources_that_could_not_be_fitted", "source tasks without a model"},
    {"sources_without_room_in_memory", "source tasks whose models do not fit into the memory for "
                                       "them"},
    {"screened", "which of many source tasks the model uses"},
    {"least_difference", "the smallest deviation of the results from a source task's model"},
    {"largest_difference", "the largest deviation of the results from a source task's model"},
    {"difference_amplitude", "the deviation of the part that the source tasks do not explain, 1 "
                             "being that of the results"},
    {"centre_weight", "the weight of the mean of all source tasks"},
    {"clusters", "groups of similar source tasks"},
    {"cluster_weights", "the weights of these groups"},
    {"cluster_distances", "how far the results are from each group"},
    {"intra_cluster_entropy", "how far apart the source tasks of one group are, averaged over the "
                              "groups"},
    {"inter_cluster_separation", "how far apart the groups are"},
    {"source_weights", "the total weight of single source tasks"},
    {"task_correlation", "how similar the study and the source tasks are, 0 to 1"},
    {"pairs_in_order", "the fraction of pairs of results that the model puts in the right order"},
    {"levels", "source tasks that are stacked, each on the difference from those before"},
    {"level_amplitudes", "the deviations of these differences"},
    {"sources_that_teach_beliefs", "source tasks from which beliefs about hyperparameters are "
                                   "learnt"},
    {"target_weight", "the weight of the study's own model in the ensemble"},
    {"kept_sources", "source tasks with a weight"},
    {"target_median_loss", "how many pairs of results the study's own model puts in the wrong "
                           "order"},
    {"best_source_median_loss", "how many pairs the best source task puts in the wrong order"},
    {"nearest_task_distance", "how far the nearest source task is, by its results"},
    {"neighbours", "source tasks that are near"},
    {"sources_taking_part", "source tasks whose results the model uses"},
    {"sources_with_weight", "source tasks with a weight"},
    {"largest_weight", "the weight that is farthest from 0"},
    {"reversed", "the source tasks are used with the opposite sign"},
    {"source_noise_variance", "the error variance of a source task's results, taken as results of "
                              "the study"},
    {"least_source_noise_variance", "the same, of the source task that is nearest"},
    {"largest_source_noise_variance", "the same, of the source task that is farthest"},
    {"common_mean_weight", "the weight of what the source tasks have in common"},
    {"task_difference_weight", "the weight of how the source tasks differ"},
    {"nu", "the total weight of the source tasks"},
    {"rounds", "how many times the weights of the source tasks were updated"},
    {"least_gap", "how far the nearest source task is from the results"},
    {"mean_gap", "how far the source tasks are from the results, averaged by their weights"},
    {"drawn_from", "the models that a function was drawn from; the suggestion is its best point"},
    {"pretrained_*", "what was learnt from the source tasks before the first result"},
    {"empirical_divergence", "how well what was learnt fits the source tasks"},
    {"negative_log_likelihood_per_task", "how well what was learnt fits the source tasks"},
    {"pretraining_points", "how many points of the source tasks it was learnt from"},
};

// Whether the pattern, in which "*" stands for any text, is that of the name.
bool IsMeant(absl::string_view pattern, absl::string_view name) {
  const size_t any = pattern.find('*');
  if (any == absl::string_view::npos) return pattern == name;
  return name.size() + 1 >= pattern.size() && absl::StartsWith(name, pattern.substr(0, any)) &&
         absl::EndsWith(name, pattern.substr(any + 1));
}

}  // namespace

absl::string_view MeaningOfFact(absl::string_view name) {
  for (const FactMeaning& fact : kMeanings) {
    if (IsMeant(fact.name, name)) return fact.meaning;
  }
  return "";
}

}  // namespace slipstream
