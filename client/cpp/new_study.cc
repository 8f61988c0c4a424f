#include "slipstream/new_study.h"

namespace slipstream::client {

Parameter Parameter::When(std::string parent, std::vector<Value> values) const {
  Parameter parameter = *this;
  parameter.parent_ = std::move(parent);
  parameter.parent_values_ = std::move(values);
  return parameter;
}

Parameter Parameter::Default(Value value) const {
  Parameter parameter = *this;
  parameter.default_ = std::move(value);
  return parameter;
}

Parameter Parameter::On(Scale scale) const {
  Parameter parameter = *this;
  parameter.scale_ = scale;
  return parameter;
}

Parameter Real(double min, double max) { return Parameter(Parameter::RealRange{min, max}); }

Parameter Log(double min, double max) { return Real(min, max).On(Parameter::Scale::kLog); }

Parameter ReverseLog(double min, double max) {
  return Real(min, max).On(Parameter::Scale::kReverseLog);
}

Parameter Integer(int64_t min, int64_t max) { return Parameter(Parameter::IntegerRange{min, max}); }

Parameter Discrete(std::vector<double> values) { return Parameter(std::move(values)); }

Parameter Choice(std::vector<std::string> values) { return Parameter(std::move(values)); }

Parameter Boolean() { return Parameter(Parameter::Boolean{}); }

}  // namespace slipstream::client
