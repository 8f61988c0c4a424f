#include "server/service/service.h"

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace slipstream {

Service::Service(Store* store, ServiceOptions options)
    : store_(store),
      options_(std::move(options)),
      catalog_(store, options_.study_cache_bytes, options_.source_cache_bytes),
      fitting_(options_.fitted_source_bytes, options_.max_waiting_fits, options_.on_fitting_thread),
      histories_(store, options_.history_cache_bytes),
      transfer_(&catalog_, &fitting_),
      studies_(store, &catalog_, &transfer_, &reads_),
      trials_(store, &catalog_, &suggest_queue_, &reads_),
      source_tasks_(store, &transfer_, &reads_, &computations_),
      computations_("computations", options_.compute_threads, options_.max_waiting_computations),
      suggest_queue_(
          {.store = store,
           .catalog = &catalog_,
           .sources = &fitting_,
           .histories = &histories_,
           .ladder = &ladder_,
           .options = &options_,
           .on_unready_sources = [this](const std::string& id) { transfer_.PrepareStudy(id); }},
          &computations_),
      reads_("reads", options_.read_threads, options_.max_waiting_reads) {}

// A callback may have answered a call and still be leaving an executor. Callbacks run one at a time,
// so when a later write is answered, which is refused as there is no such study, they have all left.
Service::~Service() {
  const auto answered = std::make_shared<std::promise<void>>();
  Write<Unit> write;
  write.done = [answered](absl::Status, std::optional<std::string>) { answered->set_value(); };
  store_->DeleteStudy("", std::move(write));
  answered->get_future().wait();
}

}  // namespace slipstream
