// Objects that all of this process share by a name, for as long as somebody holds them.
#ifndef SLIPSTREAM_CLIENT_CPP_SHARED_OBJECTS_H_
#define SLIPSTREAM_CLIENT_CPP_SHARED_OBJECTS_H_

#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace slipstream::client_internal {

// Thread-safe.
template <typename Object>
class SharedObjects {
 public:
  // The object of this name, which `make` makes, as a shared_ptr, if there is none.
  template <typename Make>
  std::shared_ptr<Object> Get(const std::string& name, const Make& make) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(objects_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<Object>& known = objects_[name];
    std::shared_ptr<Object> object = known.lock();
    if (object == nullptr) known = object = make();
    return object;
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::weak_ptr<Object>> objects_;
};

}  // namespace slipstream::client_internal

#endif  // SLIPSTREAM_CLIENT_CPP_SHARED_OBJECTS_H_
