// Comparisons as an SVG picture, one beside the other.
#ifndef SLIPSTREAM_DEPLOY_DEMO_SVG_PLOT_H_
#define SLIPSTREAM_DEPLOY_DEMO_SVG_PLOT_H_

#include <string>
#include <vector>

#include "deploy/demo/curve.h"

namespace slipstream {

// The error on a logarithmic scale over the evaluations: means as lines, and between the quartiles
// a band. All curves must have as many evaluations, at least two, and errors above 0.
std::string SvgPlot(const std::string& title, const std::vector<Comparison>& comparisons);

}  // namespace slipstream

#endif  // SLIPSTREAM_DEPLOY_DEMO_SVG_PLOT_H_
