#include "slipstream/messages/study_differences.h"

#include "client/cpp/differences.h"
#include "client/cpp/existing_study.h"
#include "client/cpp/new_study_message.h"

namespace slipstream {

std::vector<std::string> StudyDifferences(
    const v1::Study& asked, const v1::Study& existing,
    const std::function<std::string(const v1::Parameter&)>& text) {
  const auto written = [&text](const std::string& name, const client::Parameter& parameter) {
    client::NewStudy study;
    study.space = {{name, parameter}};
    return text(client_internal::MessageOf(study).space().parameters(0));
  };
  return client_internal::Differences(
      client_internal::DescriptionOf(asked), client_internal::DescriptionOf(existing),
      text ? written : client_internal::ParameterText());
}

}  // namespace slipstream
