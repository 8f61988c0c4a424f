#include "slipstream/study.h"

#include <utility>

#include "client/cpp/background.h"
#include "client/cpp/open_study.h"
#include "client/cpp/study_name.h"

namespace slipstream::client {
namespace {

using client_internal::Background;
using client_internal::OpenStudy;
using Held = std::shared_ptr<client_internal::HeldTrial>;

absl::StatusOr<Trial> SuggestOne(OpenStudy& open, const std::shared_ptr<Background>& background,
                                 const std::function<bool()>& is_wanted = nullptr) {
  absl::StatusOr<std::vector<Held>> held = open.Suggest(1, is_wanted);
  if (!held.ok()) return held.status();
  if (held->empty()) return absl::InternalError("the server sent no trial for " + open.name());
  return Trial(std::move(held->front()), background);
}

Study Open(std::shared_ptr<Client> client, const v1::Study& message) {
  auto background = std::make_shared<Background>(client->options().background);
  return Study(std::make_shared<OpenStudy>(std::move(client), message), std::move(background));
}

// Calls `open` with a client that has these options.
template <typename Function>
absl::StatusOr<Study> OnNewConnection(const ClientOptions& options, Function open) {
  absl::StatusOr<std::unique_ptr<Client>> client = Client::Connect(options);
  if (!client.ok()) return client.status();
  return open(std::shared_ptr<Client>(*std::move(client)));
}

}  // namespace

Study::Study(std::shared_ptr<OpenStudy> open, std::shared_ptr<Background> background)
    : open_(std::move(open)), background_(std::move(background)) {}

const std::string& Study::id() const { return open_->description().id; }
const std::string& Study::name() const { return open_->name(); }
const NewStudy& Study::description() const { return open_->description(); }
const std::string& Study::worker() const { return open_->worker(); }
const std::shared_ptr<Client>& Study::messages() const { return open_->client(); }

absl::StatusOr<Trial> Study::Suggest() { return SuggestOne(*open_, background_); }

absl::StatusOr<Trial> Study::SuggestIf(const std::function<bool()>& is_wanted) {
  return SuggestOne(*open_, background_, is_wanted);
}

absl::StatusOr<std::vector<Trial>> Study::Suggest(int count) {
  absl::StatusOr<std::vector<Held>> held = open_->Suggest(count);
  if (!held.ok()) return held.status();
  std::vector<Trial> trials;
  for (Held& one : *held) trials.emplace_back(std::move(one), background_);
  return trials;
}

std::future<absl::StatusOr<Trial>> Study::SuggestAsync() {
  // The call does not keep the threads that make it, but a trial needs them.
  const std::weak_ptr<Background> background = background_;
  return background_->Run([open = open_, background]() -> absl::StatusOr<Trial> {
    const std::shared_ptr<Background> there = background.lock();
    if (there == nullptr) return absl::CancelledError("nobody holds the study any more");
    return SuggestOne(*open, there);
  });
}

absl::StatusOr<std::vector<TrialRecord>> Study::Trials() { return open_->Trials(); }
absl::StatusOr<std::optional<TrialRecord>> Study::Best() { return open_->Best(); }

absl::StatusOr<TrialRecord> Study::Enqueue(const Configuration& params) {
  return open_->Add(params, std::nullopt);
}

absl::StatusOr<TrialRecord> Study::Record(const Configuration& params, const Outcome& outcome) {
  return open_->Add(params, outcome);
}

absl::StatusOr<TrialRecord> Study::Find(int64_t number) { return open_->Find(number); }

absl::StatusOr<TrialRecord> Study::Tell(int64_t number, const Outcome& outcome) {
  return open_->Tell(number, outcome);
}

absl::StatusOr<TrialRecord> Study::Annotate(int64_t number, const Annotation& annotation) {
  return open_->Annotate(number, annotation);
}

absl::StatusOr<NewStudy> Study::Change(const StudyChange& change) { return open_->Change(change); }

absl::Status Study::Pause() { return open_->SetState(v1::Study::PAUSED); }
absl::Status Study::Resume() { return open_->SetState(v1::Study::ACTIVE); }
absl::Status Study::Complete() { return open_->SetState(v1::Study::COMPLETED); }

absl::StatusOr<Study> CreateOrLoad(const NewStudy& asked, std::shared_ptr<Client> client) {
  const absl::StatusOr<v1::Study> study = client_internal::CreateOrRead(*client, asked);
  if (!study.ok()) return study.status();
  return Open(std::move(client), *study);
}

absl::StatusOr<Study> CreateOrLoad(const NewStudy& asked, const ClientOptions& options) {
  return OnNewConnection(options, [&asked](std::shared_ptr<Client> client) {
    return CreateOrLoad(asked, std::move(client));
  });
}

absl::StatusOr<Study> Load(const std::string& id, std::shared_ptr<Client> client) {
  const absl::StatusOr<client_internal::StudyName> name =
      client_internal::ReadStudyName(id, "", client->options().project);
  if (!name.ok()) return name.status();
  const absl::StatusOr<v1::Study> study = client->GetStudy(name->Full());
  if (!study.ok()) return study.status();
  return Open(std::move(client), *study);
}

absl::StatusOr<Study> Load(const std::string& id, const ClientOptions& options) {
  return OnNewConnection(
      options, [&id](std::shared_ptr<Client> client) { return Load(id, std::move(client)); });
}

}  // namespace slipstream::client
