#include "tests/architecture/markdown_links.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

#include "tests/architecture/source_tree.h"

namespace slipstream {
namespace {

namespace fs = std::filesystem;

struct Link {
  long line = 0;
  std::string path;    // Empty if it leads to the same file.
  std::string anchor;  // Empty if it leads to no heading.
};

bool IsFence(const std::string& line) {
  const size_t begin = line.find_first_not_of(' ');
  return begin != line.npos && line.compare(begin, 3, "```") == 0;
}

// The text with the lines of code blocks emptied.
std::string WithoutCodeBlocks(const std::string& text) {
  std::istringstream lines(text);
  std::string rest;
  bool in_code = false;
  for (std::string line; std::getline(lines, line); rest += '\n') {
    if (IsFence(line)) {
      in_code = !in_code;
    } else if (!in_code) {
      rest += line;
    }
  }
  return rest;
}

// Returns where the code span ends that begins with the backticks at `begin`. It ends where as many
// backticks come again within the paragraph; without these, only the backticks are skipped.
size_t EndOfCodeSpan(std::string_view text, size_t begin) {
  const size_t content = std::min(text.find_first_not_of('`', begin), text.size());
  const size_t paragraph = std::min(text.find("\n\n", begin), text.size());
  for (size_t at = content; (at = text.find('`', at)) < paragraph;) {
    const size_t end = std::min(text.find_first_not_of('`', at), text.size());
    if (end - at == content - begin) return end;
    at = end;
  }
  return content;
}

// The text without code spans, but with the ends of their lines.
std::string WithoutCodeSpans(std::string_view text) {
  std::string rest;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = std::min(text.find('`', at), text.size());
    rest += text.substr(at, begin - at);
    at = EndOfCodeSpan(text, begin);
    const std::string_view code = text.substr(begin, at - begin);
    rest.append(static_cast<size_t>(std::count(code.begin(), code.end(), '\n')), '\n');
  }
  return rest;
}

// How GitHub and others name a heading in links.
std::string AnchorOf(std::string_view heading) {
  std::string anchor;
  for (const char c : heading) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == ' ') anchor += '-';
    if (std::isalnum(byte) || byte >= 0x80 || c == '_' || c == '-') {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

// A heading that stands there again is named with a number.
std::set<std::string> AnchorsIn(const std::string& markdown) {
  static const auto& mark = *new std::regex("#{1,6} +(.*)");
  std::istringstream lines(WithoutCodeBlocks(markdown));
  std::map<std::string, int> times;
  std::set<std::string> anchors;
  std::smatch found;
  for (std::string line; std::getline(lines, line);) {
    if (!std::regex_match(line, found, mark)) continue;
    const std::string anchor = AnchorOf(found.str(1));
    const int before = times[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

// Links to other sites, which have a colon, are left out.
std::vector<Link> LinksIn(const std::string& markdown) {
  const std::string text = WithoutCodeSpans(WithoutCodeBlocks(markdown));
  std::vector<Link> links;
  for (size_t at = text.find("]("); at != text.npos; at = text.find("](", at + 2)) {
    const std::string target = text.substr(at + 2, text.find_first_of(") \n", at) - (at + 2));
    if (target.find(':') != target.npos) continue;
    const size_t mark = std::min(target.find('#'), target.size());
    links.push_back({1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n'),
                     target.substr(0, mark),
                     target.substr(std::min(mark + 1, target.size()))});
  }
  return links;
}

// The path of what a link leads to, relative to the root.
std::string TargetOf(const std::string& file, const std::string& path) {
  if (path.empty()) return file;
  std::string target = (fs::path(file).parent_path() / path).lexically_normal().generic_string();
  if (target.ends_with('/')) target.pop_back();
  return target;
}

bool IsThere(const std::vector<std::string>& files, const std::string& target) {
  return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
    return file == target || file.starts_with(target + "/");
  });
}

}  // namespace

std::vector<std::string> FindBrokenLinks(const fs::path& root,
                                         const std::vector<std::string>& files) {
  std::vector<std::string> broken;
  for (const std::string& file : files) {
    if (!file.ends_with(".md")) continue;
    for (const Link& link : LinksIn(ReadFile(root / file))) {
      const std::string target = TargetOf(file, link.path);
      const std::string place = file + ":" + std::to_string(link.line) + ": links to ";
      if (!IsThere(files, target)) {
        broken.push_back(place + "'" + link.path + "', which does not exist");
      } else if (!link.anchor.empty() && target.ends_with(".md") &&
                 !AnchorsIn(ReadFile(root / target)).contains(link.anchor)) {
        broken.push_back(place + "'#" + link.anchor + "', which is no heading of " + target);
      }
    }
  }
  return broken;
}

}  // namespace slipstream
