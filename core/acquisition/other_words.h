// The incumbent with other words: what a search by promise alone does not come to.
//
// A process that was calibrated to few results may take a word for one that does not matter, or an
// unseen one for no better than those that were seen. Once the incumbent is refined, all results
// are beside it and say no more about either. So a study whose incumbent has one wrong word stays
// there, however little it costs to look.
//
// "Words" are the values of categorical and of boolean parameters. The space must have no
// candidates. Both functions are pure, hence thread-safe; they take about as long as looking at a
// few hundred points, whatever the space.
#ifndef SLIPSTREAM_CORE_ACQUISITION_OTHER_WORDS_H_
#define SLIPSTREAM_CORE_ACQUISITION_OTHER_WORDS_H_

#include <optional>

#include "absl/types/span.h"
#include "core/acquisition/next_point.h"
#include "core/space/configuration.h"
#include "core/study/study_view.h"

namespace slipstream {

// The incumbent with a word that no trial has had, of several that which promises most: the mean
// plus twice the deviation. If the incumbent lacks the word's parameter, it also has words that it
// takes to have it. Trials are those of `ended`, however they ended, and those of the request that
// are not to be suggested again. None where there is no such word.
std::optional<Configuration> UnseenWord(const NextPointRequest& request,
                                        absl::Span<const EndedTrial> ended);

// The incumbent with one or more words drawn again that seem not to matter: of draws that are
// expected to be as good, within 0.1 on outputs of variance 1, the one whose value is least
// certain. One draw tests many words at once. None where no draw is as good.
std::optional<Configuration> WordsThatSeemNotToMatter(const NextPointRequest& request);

}  // namespace slipstream

#endif  // SLIPSTREAM_CORE_ACQUISITION_OTHER_WORDS_H_
