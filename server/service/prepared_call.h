// A Suggest call that is answered from what is there: its worker's own trials, then queued ones,
// then suggestions made beforehand. The transaction itself decides, so that the call waits for one
// commit and nothing else, as an Observe does. Thread-safe: free functions without state.
#ifndef SLIPSTREAM_SERVER_SERVICE_PREPARED_CALL_H_
#define SLIPSTREAM_SERVER_SERVICE_PREPARED_CALL_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "server/service/catalog.h"
#include "server/service/lease_batch.h"
#include "server/service/suggest_call.h"

namespace slipstream {

// The study, if suggestions for it were made beforehand, so that calls can perhaps be answered from
// them; else null. Never reads the store.
std::shared_ptr<const CatalogStudy> FindPreparedStudy(const LeaseBatchContext& context,
                                                      const std::string& study_id);

// Tries to answer the call. `finished` is called once, on any thread: with the call if it needs a
// batch, because what was made beforehand does not suffice or no longer holds; with nothing after
// the call was answered. `context` must outlive that. Without memory to begin, throws
// std::bad_alloc and leaves the call as it was.
void AnswerFromPrepared(const LeaseBatchContext& context,
                        std::shared_ptr<const CatalogStudy> study, SuggestCall&& call,
                        std::function<void(std::optional<SuggestCall>)> finished);

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_PREPARED_CALL_H_
