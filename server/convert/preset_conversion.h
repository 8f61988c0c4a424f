// The tables of presets, ingredients and options for the wire.
#ifndef SLIPSTREAM_SERVER_CONVERT_PRESET_CONVERSION_H_
#define SLIPSTREAM_SERVER_CONVERT_PRESET_CONVERSION_H_

#include "slipstream/v1/services.pb.h"

namespace slipstream {

// All of core's tables, in their order.
v1::ListPresetsResponse PresetsToProto();

}  // namespace slipstream

#endif  // SLIPSTREAM_SERVER_CONVERT_PRESET_CONVERSION_H_
