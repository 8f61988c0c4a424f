// Compares a study that is asked for with one that exists, so that a program can use the latter in
// place of creating its own.
//
//   for (const std::string& line : StudyDifferences(asked, *client->GetStudy(name))) Print(line);
//
// Thread-safe: a free function without state.
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_STUDY_DIFFERENCES_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_STUDY_DIFFERENCES_H_

#include <functional>
#include <string>
#include <vector>

#include "slipstream/v1/space.pb.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream {

// A line for each difference; none if `existing`, which a server has answered, is as asked for.
// What `asked` leaves out matches anything, and so do titles, labels and the source task
// "sourceTasks/-", as which tasks those are is decided when a study is created. Parameters are
// written as in C++ unless `text` writes them.
std::vector<std::string> StudyDifferences(
    const v1::Study& asked, const v1::Study& existing,
    const std::function<std::string(const v1::Parameter&)>& text = {});

}  // namespace slipstream

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_MESSAGES_STUDY_DIFFERENCES_H_
