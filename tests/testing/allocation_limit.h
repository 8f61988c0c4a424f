// Has the allocations of one thread fail, as if there were no memory left.
//
//   AllocationLimit limit(3);  // The next three succeed, and none after them.
//   CallWhatIsTested();
//   done = !limit.was_reached();
#ifndef SLIPSTREAM_TESTS_TESTING_ALLOCATION_LIMIT_H_
#define SLIPSTREAM_TESTS_TESTING_ALLOCATION_LIMIT_H_

namespace slipstream {

// Concerns the thread that makes it, which also destroys it; one at a time.
class AllocationLimit {
 public:
  explicit AllocationLimit(int allocations);
  ~AllocationLimit();

  AllocationLimit(const AllocationLimit&) = delete;
  AllocationLimit& operator=(const AllocationLimit&) = delete;

  // Whether an allocation has failed.
  bool was_reached() const;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_ALLOCATION_LIMIT_H_
