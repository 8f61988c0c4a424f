#include "slipstream/messages/study_differences.h"

#include "client/cpp/differences.h"
#include "client/cpp/existing_study.h"

namespace slipstream {

std::vector<std::string> StudyDifferences(const v1::Study& asked, const v1::Study& existing) {
  return client_internal::Differences(client_internal::DescriptionOf(asked),
                                      client_internal::DescriptionOf(existing));
}

}  // namespace slipstream
