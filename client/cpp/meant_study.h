// The study that a call is about. Another one may have its name after it was deleted, and the time
// of its creation keeps what this process does from that one: the server answers NOT_FOUND.
#ifndef SLIPSTREAM_CLIENT_CPP_MEANT_STUDY_H_
#define SLIPSTREAM_CLIENT_CPP_MEANT_STUDY_H_

#include <optional>
#include <string>
#include <utility>

#include "google/protobuf/timestamp.pb.h"
#include "slipstream/v1/study.pb.h"

namespace slipstream::client_internal {

class MeantStudy {
 public:
  explicit MeantStudy(const v1::Study& study) : name_(study.name()) {
    if (study.has_create_time()) created_ = study.create_time();
  }
  // Any study of the name.
  explicit MeantStudy(std::string name) : name_(std::move(name)) {}

  // Whether it is this one, by the time of its creation.
  bool Is(const v1::Study& study) const {
    return !created_.has_value() || (study.create_time().seconds() == created_->seconds() &&
                                     study.create_time().nanos() == created_->nanos());
  }

  // "studies/{study}".
  const std::string& name() const { return name_; }

  // A text that no other study has on the same server.
  std::string Identity() const {
    if (!created_.has_value()) return name_;
    return name_ + "@" + std::to_string(created_->seconds()) + "." +
           std::to_string(created_->nanos());
  }

  // Names the study in a request with the fields `study` and `study_create_time`.
  template <typename Request>
  void NameIn(Request* request) const {
    request->set_study(name_);
    TellTimeIn(request);
  }
  // For requests that name it in another way.
  template <typename Request>
  void TellTimeIn(Request* request) const {
    if (created_.has_value()) *request->mutable_study_create_time() = *created_;
  }

 private:
  std::string name_;
  std::optional<google::protobuf::Timestamp> created_;
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_MEANT_STUDY_H_
