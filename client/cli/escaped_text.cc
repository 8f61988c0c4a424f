#include "client/cli/escaped_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace slipstream::cli {

std::vector<std::string> SplitEscaped(absl::string_view text, char separator, size_t limit) {
  std::vector<std::string> parts(1);
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == separator && parts.size() < limit) {
      parts.emplace_back();
      continue;
    }
    parts.back().push_back(text[i]);
    if (text[i] == '\\' && i + 1 < text.size()) parts.back().push_back(text[++i]);
  }
  return parts;
}

std::string Unescape(absl::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    plain.push_back(text[i]);
  }
  return plain;
}

std::string Escape(absl::string_view text) {
  constexpr absl::string_view kSpecial = "\\=:;,|";
  std::string escaped;
  for (const char character : text) {
    if (absl::StrContains(kSpecial, character)) escaped.push_back('\\');
    escaped.push_back(character);
  }
  return escaped;
}

std::string ShellWord(absl::string_view text) {
  constexpr absl::string_view kPlain = "_-.,:/@%+=";
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || absl::StrContains(kPlain, c);
  });
  if (is_plain) return std::string(text);
  return absl::StrCat("'", absl::StrReplaceAll(text, {{"'", "'\\''"}}), "'");
}

}  // namespace slipstream::cli
