#include "tests/testing/places.h"

namespace slipstream {

std::string RepositoryPath(const std::string& relative) {
  return SLIPSTREAM_REPOSITORY "/" + relative;
}

std::string BuildPath(const std::string& relative) {
  return SLIPSTREAM_BUILD "/" + relative;
}

}  // namespace slipstream
