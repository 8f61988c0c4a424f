// The links in Markdown files that lead nowhere.
#ifndef SLIPSTREAM_TESTS_ARCHITECTURE_MARKDOWN_LINKS_H_
#define SLIPSTREAM_TESTS_ARCHITECTURE_MARKDOWN_LINKS_H_

#include <filesystem>
#include <string>
#include <vector>

namespace slipstream {

// The relative links of the Markdown files among `files` to a file or folder that none of `files`
// is or is in, or to a heading that is not there, each in a sentence such as
// "README.md:12: links to ...". `files` are paths relative to `root`.
std::vector<std::string> FindBrokenLinks(const std::filesystem::path& root,
                                         const std::vector<std::string>& files);

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_ARCHITECTURE_MARKDOWN_LINKS_H_
