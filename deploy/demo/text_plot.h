// A comparison as a plot of plain characters.
#ifndef SLIPSTREAM_DEPLOY_DEMO_TEXT_PLOT_H_
#define SLIPSTREAM_DEPLOY_DEMO_TEXT_PLOT_H_

#include <string>

#include "deploy/demo/curve.h"

namespace slipstream {

// The error on a logarithmic scale over the evaluations: means, and bars between the quartiles.
// Both curves must have as many evaluations, and errors above 0.
std::string TextPlot(const Comparison& comparison);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_TEXT_PLOT_H_
