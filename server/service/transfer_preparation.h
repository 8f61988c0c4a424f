// Prepares in the background what studies transfer from source tasks: the models
// of the sources, and what a study's strategy precomputes from them together.
// Suggestions do not wait for it; until it is done they are made without
// transfer. Thread-safe.
#ifndef SLIPSTREAM_SERVER_SERVICE_TRANSFER_PREPARATION_H_
#define SLIPSTREAM_SERVER_SERVICE_TRANSFER_PREPARATION_H_

#include <string>

#include "server/convert/study_conversion.h"
#include "server/service/catalog.h"
#include "server/service/source_fitting.h"

namespace slipstream {

class TransferPreparation {
 public:
  // Both must outlive this; work that waits in `fitting` uses the catalog.
  TransferPreparation(Catalog* catalog, SourceFitting* fitting)
      : catalog_(*catalog), fitting_(*fitting) {}

  // Whether a study makes use of models of its sources.
  static bool NeedsFits(const StudyDefinition& definition);

  // These read nothing themselves, as observations may be many: the thread that fits
  // does.
  //
  // Has a source task fitted in its own space, which most studies share.
  void FitSource(const std::string& source_id);
  // Has a study's sources fitted, and then its strategy precompute what it needs from
  // them together.
  void PrepareStudy(const std::string& study_id);

 private:
  Catalog& catalog_;
  SourceFitting& fitting_;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_SERVICE_TRANSFER_PREPARATION_H_
