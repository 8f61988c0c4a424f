#include "core/base/option_set.h"

namespace slipstream {

std::vector<OptionInfo> OptionSet::Infos() const {
  std::vector<OptionInfo> infos;
  for (size_t i = 0; values_ != nullptr && i < values_->size(); ++i) {
    infos.push_back(values_->info(i));
  }
  return infos;
}

size_t OptionSet::PlaceOf(absl::string_view name) const {
  const size_t size = values_ == nullptr ? 0 : values_->size();
  for (size_t i = 0; i < size; ++i) {
    if (values_->info(i).name == name) return i;
  }
  return size;
}

bool OptionSet::Has(absl::string_view name) const {
  return values_ != nullptr && PlaceOf(name) < values_->size();
}

std::optional<double> OptionSet::Get(absl::string_view name) const {
  return Has(name) ? values_->Get(PlaceOf(name)) : std::nullopt;
}

void OptionSet::Set(absl::string_view name, double value) {
  if (!Has(name)) return;
  const std::shared_ptr<AnyValues> changed = values_->Copy();
  changed->Set(PlaceOf(name), value);
  values_ = changed;
}

void OptionSet::TakeFrom(const OptionSet& other) {
  for (const OptionInfo& info : other.Infos()) {
    const std::optional<double> value = other.Get(info.name);
    if (value.has_value()) Set(info.name, *value);
  }
}

bool operator==(const OptionSet& a, const OptionSet& b) {
  if (a.values_ == nullptr || b.values_ == nullptr) return a.values_ == b.values_;
  return a.values_ == b.values_ || a.values_->Equals(*b.values_);
}

}  // namespace slipstream
