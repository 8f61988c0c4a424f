#include "server/service/service.h"

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "server/service/page.h"

namespace slipstream {
namespace {

// Studies whose next suggestions are kept until a caller asks.
constexpr size_t kMostPreparedStudies = 1000;

}  // namespace

Service::Service(Store* store, ServiceOptions options)
    : store_(store),
      options_(std::move(options)),
      prepared_(kMostPreparedStudies, options_.prepared_bytes),
      catalog_(store, options_.study_cache_bytes, options_.source_cache_bytes),
      fitting_(options_.fitted_source_bytes, options_.max_waiting_fits, options_.on_fitting_thread,
               stop_.get_token(), options_.on_failed_fit,
               [this](const std::string& name) { return catalog_.GetSourceNamed(name); }),
      histories_(store, options_.history_cache_bytes),
      curves_(store, options_.max_curve_points, options_.curve_cache_bytes),
      transfer_(&catalog_, &fitting_),
      studies_(store, &catalog_, &transfer_, &reads_, &computations_,
               FullPageBytes(options_.max_message_bytes)),
      trials_(store, &catalog_, &suggest_queue_, &reads_,
              FullPageBytes(options_.max_message_bytes)),
      source_tasks_(store, &transfer_, &reads_, &computations_,
                    FullPageBytes(options_.max_message_bytes)),
      leases_(store),
      reports_(store, &catalog_, &curves_, &reads_),
      watches_(store, &feed_, &reads_),
      exchange_(store, &catalog_, &transfer_, &reads_, &computations_),
      status_(
          store, &options_, [this] { return Figures(); }, &reads_),
      backups_(options_.backups, stop_.get_token()),
      computations_("computations", options_.compute_threads, options_.max_waiting_computations,
                    /*spare_threads=*/1, options_.on_computing_thread),
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
      sweeper_(
          store, options_.lease_sweep_period,
          [this](const LeaseSweep& sweep) { NoteSweep(sweep); }, options_.on_failed_lease_sweep),
      retention_(store, options_.retention,
                 [this](const std::string& id) { catalog_.ForgetStudy(id); }) {}

void Service::NoteSweep(const LeaseSweep& sweep) {
  stale_leases_ += sweep.stale;
  queued_again_ += sweep.queued_again;
  if (sweep.stale > 0 && options_.on_lease_sweep) options_.on_lease_sweep(sweep);
  if (sweep.uncounted_ms == 0) return;
  ++lease_clock_gaps_;
  if (options_.on_lease_clock_gap) {
    options_.on_lease_clock_gap(absl::Milliseconds(sweep.uncounted_ms));
  }
}

ServiceFigures Service::Figures() {
  ServiceFigures figures;
  figures.store = store_->Figures();
  const auto queue = [&](const char* name, size_t waiting, size_t limit) {
    figures.queues.push_back({name, static_cast<int64_t>(waiting), static_cast<int64_t>(limit)});
  };
  queue("reads", reads_.waiting(), reads_.max_waiting());
  queue("computations", computations_.waiting(), computations_.max_waiting());
  queue("fits", fitting_.waiting(), fitting_.max_waiting());
  queue("writes", static_cast<size_t>(figures.store.waiting_writes),
        static_cast<size_t>(figures.store.most_waiting_writes));
  const auto cache = [&](const char* name, size_t bytes, size_t limit) {
    figures.caches.push_back({name, static_cast<int64_t>(bytes), static_cast<int64_t>(limit)});
  };
  cache("studies", catalog_.study_bytes(), options_.study_cache_bytes);
  cache("source_tasks", catalog_.source_bytes(), options_.source_cache_bytes);
  cache("histories", histories_.bytes(), options_.history_cache_bytes);
  cache("learning_curves", curves_.bytes(), options_.curve_cache_bytes);
  cache("prepared_suggestions", prepared_.bytes(), options_.prepared_bytes);
  cache("fitted_sources", fitting_.bytes(), options_.fitted_source_bytes);
  for (const Rung rung : {Rung::kRecipe, Rung::kWithoutTransfer, Rung::kQuasiRandom}) {
    figures.rungs[static_cast<size_t>(rung)] = ladder_.Of(rung);
  }
  figures.transfer_weights = ladder_.TransferWeights();
  figures.prepared = prepared_.made();
  figures.prepared_used = prepared_.used();
  figures.prepared_wasted = prepared_.wasted();
  figures.stale_leases = stale_leases_;
  figures.queued_again = queued_again_;
  figures.lease_clock_gaps = lease_clock_gaps_;
  figures.expired_studies = retention_.deleted();
  figures.failed_lease_sweeps = sweeper_.failures();
  figures.failed_expiries = retention_.failures();
  figures.failed_backups = backups_.failures();
  figures.source_fits = fitting_.fits();
  figures.failed_source_fits = fitting_.failed_fits();
  if (options_.quotas != nullptr) figures.quota_refusals = options_.quotas->Refusals();
  figures.watchers = static_cast<int64_t>(feed_.watchers());
  figures.watchers_limit = static_cast<int64_t>(options_.events.max_watchers);
  return figures;
}

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
