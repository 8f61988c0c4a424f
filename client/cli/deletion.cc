#include "client/cli/deletion.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

namespace slipstream::cli {

void PrintDeleted(const std::string& name, Session& session) {
  switch (session.format()) {
    case Format::kJson: {
      const nlohmann::ordered_json json = {{"name", name}, {"deleted", true}};
      return session.Print(json.dump(2) + "\n");
    }
    case Format::kCsv:
      return session.Print(Table{{{"name"}, {"deleted"}}, {{name, "true"}}});
    case Format::kTable:
      return session.Print(absl::StrCat("deleted ", name, "\n"));
  }
}

}  // namespace slipstream::cli
