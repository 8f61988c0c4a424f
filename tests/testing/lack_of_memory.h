// Has the allocations of one thread fail, as if there were no memory left.
//
//   LackOfMemory lack(3);  // The next three succeed, and none after them.
//   CallWhatIsTested();
//   done = !lack.has_struck();
#ifndef SLIPSTREAM_TESTS_TESTING_LACK_OF_MEMORY_H_
#define SLIPSTREAM_TESTS_TESTING_LACK_OF_MEMORY_H_

namespace slipstream {

// Concerns the thread that makes it, which also destroys it; one at a time.
class LackOfMemory {
 public:
  explicit LackOfMemory(int allocations);
  ~LackOfMemory();

  LackOfMemory(const LackOfMemory&) = delete;
  LackOfMemory& operator=(const LackOfMemory&) = delete;

  // Whether an allocation has failed.
  bool has_struck() const;
};

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_LACK_OF_MEMORY_H_
