#include "server/service/service.h"

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace slipstream {
namespace {

// Studies whose next suggestions are kept until somebody asks.
constexpr size_t kMostPreparedStudies = 1000;

}  // namespace

Service::Service(Store* store, ServiceOptions options)
    : store_(store),
      options_(std::move(options)),
      prepared_(kMostPreparedStudies),
      catalog_(store, options_.study_cache_bytes, options_.source_cache_bytes),
      fitting_(options_.fitted_source_bytes, options_.max_waiting_fits, options_.on_fitting_thread,
               stop_.get_token()),
      histories_(store, options_.history_cache_bytes),
      curves_(store, options_.max_curve_points, options_.curve_cache_bytes),
      transfer_(&catalog_, &fitting_),
      studies_(store, &catalog_, &transfer_, &reads_),
      trials_(store, &catalog_, &suggest_queue_, &reads_),
      source_tasks_(store, &transfer_, &reads_, &computations_),
      leases_(store),
      reports_(store, &catalog_, &curves_, &reads_),
      watches_(store, &feed_, &reads_),
      computations_("computations", options_.compute_threads, options_.max_waiting_computations,
                    /*spare_threads=*/1),
      suggest_queue_(
          {.store = store,
           .catalog = &catalog_,
           .sources = &fitting_,
           .histories = &histories_,
           .ladder = &ladder_,
           .options = &options_,
           .prepared = &prepared_,
           .executor = &computations_,
           .stop = stop_.get_token(),
           .on_unready_sources = [this](const std::string& id) { transfer_.PrepareStudy(id); }},
          &computations_),
      reads_("reads", options_.read_threads, options_.max_waiting_reads),
      feed_(store, options_.events),
      sweeper_(store, options_.lease_sweep_period, options_.on_lease_sweep) {}

void Service::StopComputing() { stop_.request_stop(); }

// A callback may have answered a call and still be leaving an executor. Callbacks run one at a
// time, so when a later write is answered, which is refused as there is no such study, they have
// all left.
Service::~Service() {
  stop_.request_stop();  // What is being prepared is not needed any more.
  const auto answered = std::make_shared<std::promise<void>>();
  Write<Unit> write;
  write.done = [answered](absl::Status, std::optional<std::string>) { answered->set_value(); };
  store_->DeleteStudy("", std::move(write));
  answered->get_future().wait();
}

}  // namespace slipstream
