// The server's version, from the build.
#ifndef SLIPSTREAM_SERVER_VERSION_H_
#define SLIPSTREAM_SERVER_VERSION_H_

namespace slipstream {

inline constexpr char kVersion[] = SLIPSTREAM_VERSION;

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_VERSION_H_
