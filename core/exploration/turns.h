// The exploration "turns": once little improvement is expected, suggestions alternate between
// refining the incumbent and exploring.
//
// Little is an expected improvement below 0.01 on outputs of variance 1, or below 0.4 deviations of
// the noise, which a single result does not show: with noise some improvement is always expected
// beside the incumbent. Every third suggestion then takes the model's deviations as 0.35 times as
// large and so refines; the others take them as 1.2 times as large and so explore, or twice as
// large where it is the noise that hides the improvement, and in a space with words or conditions,
// where a process knows least of branches that it has hardly seen. A kernel that is rougher than
// the function overstates errors close to results, and one process for the whole space understates
// what may be elsewhere: the refining turns make up for the former, the exploring ones for the
// latter. In a space with words, and unless it is noise that hides the improvement, the first of
// two exploring turns tries the incumbent with words that seem not to matter, and the second one
// with a word that no trial has had, if there are such (core/acquisition/other_words.h).
//
// A model can be wrong about what it expects nothing of, or about what it expects again and again
// without getting it, and then no multiple of its own deviations helps. So results count that are
// in vain, which are no better than the best one before them (core/exploration/in_vain.h). After
// ten of these, and once little is expected, the second exploring turn is a point at random, unless
// there is more than faint noise, beside which the best result is the luckiest one. If much is
// expected, there comes a time when only every third suggestion is the acquisition's, and the
// others are words that no trial has had and points at random. In a space with words or conditions
// it comes after eight results in vain, beside no more than faint noise. In a space of numbers it
// comes after five suggestions that are about as good as at random, if the improvement expected of
// all of them adds up to 1.5 deviations.
//
// While all results look like guesses, every second suggestion is a point at random: the model then
// learns which guesses are slightly better than others, and not where there is more to learn.
//
// Where noise hides the improvement, every sixth suggestion is a point at random. Where noise
// is more than half of the outputs' variance, all suggestions are that would explore: a model that
// takes results for noise promises as little everywhere, and finds no basin that it has not met.
// tests/evidence/CHOICES.md has what was measured. Pending trials count as if they had given what
// the model expects of them.
//
// There are no turns where they were not measured to pay: on a space that is searched whole
// (candidates, few configurations), while all of the model learns from sources, with a rule for
// lengthscales, and with acquisitions that do not say what improvement they expect.
#ifndef SLIPSTREAM_CORE_EXPLORATION_TURNS_H_
#define SLIPSTREAM_CORE_EXPLORATION_TURNS_H_

#include "core/exploration/exploration.h"

namespace slipstream {

extern const ExplorationRow kTurns;

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_EXPLORATION_TURNS_H_
