// Walks a list page by page.
#ifndef SLIPSTREAM_CLIENT_CPP_PAGING_H_
#define SLIPSTREAM_CLIENT_CPP_PAGING_H_

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"

namespace slipstream::client_internal {

// Calls `visit` for every element of every page until it returns false. `list`
// maps a request to a StatusOr of its response, `elements` a response to its
// elements. INTERNAL if a page's next_page_token is the page's own, as the walk
// would never end.
template <typename Request, typename List, typename Elements, typename Visit>
absl::Status VisitAllPages(Request request, const List& list, const Elements& elements,
                           const Visit& visit) {
  for (;;) {
    const auto page = list(request);
    if (!page.ok()) return page.status();
    for (const auto& element : elements(*page)) {
      if (!visit(element)) return absl::OkStatus();
    }
    if (page->next_page_token().empty()) return absl::OkStatus();
    if (page->next_page_token() == request.page_token()) {
      return absl::InternalError(absl::StrCat("the server sent page '", request.page_token(),
                                              "' with its own token as the next page's"));
    }
    request.set_page_token(page->next_page_token());
  }
}

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_PAGING_H_
