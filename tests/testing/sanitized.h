// Whether a sanitizer is on. It makes code some ten times slower and needs only one run to find a
// fault, so tests of many steps take fewer.
#ifndef SLIPSTREAM_TESTS_TESTING_SANITIZED_H_
#define SLIPSTREAM_TESTS_TESTING_SANITIZED_H_

namespace slipstream {

// GCC's; the last one is defined where the build takes away the second.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || defined(_GLIBCXX_TSAN)
inline constexpr bool kSanitized = true;
#elif defined(__has_feature)  // Clang's.
inline constexpr bool kSanitized =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace slipstream

#endif  // SLIPSTREAM_TESTS_TESTING_SANITIZED_H_
