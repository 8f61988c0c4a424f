// The definition of a study that is to be created or loaded, in a few words for each parameter:
//
//   using namespace slipstream::client;
//   auto study = CreateOrLoad(NewStudy{
//       .id = "digits",
//       .space = {{"lr", Log(1e-5, 1)},
//                 {"layers", Integer(1, 8)},
//                 {"kernel", Choice({"rbf", "poly"})},
//                 {"degree", Integer(2, 5).When("kernel", {"poly"})}},
//       .maximize = "accuracy"});
#ifndef SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_NEW_STUDY_H_
#define SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_NEW_STUDY_H_

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace slipstream::client {

// A value of a real or discrete, an integer, a boolean parameter or a choice.
using Value = std::variant<double, int64_t, bool, std::string>;
// A value for each active parameter, by its name.
using Configuration = std::map<std::string, Value>;

// What one parameter may be. Made by the functions below.
class Parameter {
 public:
  struct RealRange {
    double min, max;
    bool operator==(const RealRange&) const = default;
  };
  struct IntegerRange {
    int64_t min, max;
    bool operator==(const IntegerRange&) const = default;
  };
  struct Boolean {
    bool operator==(const Boolean&) const = default;
  };
  using Words = std::vector<std::string>;
  using Numbers = std::vector<double>;
  using Domain = std::variant<RealRange, IntegerRange, Numbers, Words, Boolean>;

  // How distance is measured: by differences, by ratios, or by ratios of the distance to the
  // upper bound, as for a momentum from 0.9 to 0.9999.
  enum class Scale { kLinear, kLog, kReverseLog };

  explicit Parameter(Domain domain, Scale scale = Scale::kLinear)
      : domain_(std::move(domain)), scale_(scale) {}

  // The same parameter, active only while another one has one of these values.
  Parameter When(std::string parent, std::vector<Value> values) const;
  // The same parameter with a default: the value used where it is not set, and that source
  // tasks without the parameter are assumed to have used.
  Parameter Default(Value value) const;
  // The same parameter, measured on this scale.
  Parameter On(Scale scale) const;

  const Domain& domain() const { return domain_; }
  Scale scale() const { return scale_; }
  const std::optional<Value>& default_value() const { return default_; }
  // Empty for a parameter that is always active.
  const std::string& parent() const { return parent_; }
  const std::vector<Value>& parent_values() const { return parent_values_; }

  bool operator==(const Parameter&) const = default;

 private:
  Domain domain_;
  Scale scale_;
  std::optional<Value> default_;
  std::string parent_;
  std::vector<Value> parent_values_;
};

// Real numbers between two bounds, both legal; with Log those whose ratios matter, such as a
// learning rate, with ReverseLog those whose distance to the upper bound does.
Parameter Real(double min, double max);
Parameter Log(double min, double max);
Parameter ReverseLog(double min, double max);
// Whole numbers between two bounds, both legal.
Parameter Integer(int64_t min, int64_t max);
// One of several numbers, in ascending order.
Parameter Discrete(std::vector<double> values);
// One of several categories, which have no order.
Parameter Choice(std::vector<std::string> values);
Parameter Boolean();

// The parameters with their names, in the order of columns in tables.
using Space = std::vector<std::pair<std::string, Parameter>>;

// Exactly one of `maximize` and `minimize` is the name of what is measured.
struct NewStudy {
  // Also the full name, "projects/vision/studies/digits". Empty: the server makes up one.
  std::string id = {};
  // Empty: ClientOptions::project.
  std::string project = {};
  Space space = {};
  std::string maximize = {};
  std::string minimize = {};
  bool exact = false;  // The same configuration always gives the same value.
  // Unless empty, the only configurations that may be suggested; each once, or any number of
  // times with `allow_repeats`.
  std::vector<Configuration> candidates = {};
  bool allow_repeats = false;
  // Full names of the source tasks to learn from. {"sourceTasks/-"} stands for all of the study's
  // project that exist when it is created and have its objective and a parameter in common with it.
  std::vector<std::string> sources = {};
  std::string preset = {};                // Empty: the server's default.
  // Ingredients and options of the preset to replace, such as {{"acquisition", "ei"},
  // {"most_sources", 5.0}}.
  std::map<std::string, std::variant<double, std::string>> recipe = {};
  std::optional<uint64_t> seed = {};
  std::string stopping = {};  // The rule of early stopping; empty: none.
  std::map<std::string, double> stopping_options = {};
  // How long a worker holds a trial unless it renews its lease (zero: for ever), and how often its
  // configuration is queued again after that.
  std::optional<std::chrono::nanoseconds> lease = {};
  std::optional<int> requeues = {};
  std::string title = {};  // For people.
  std::map<std::string, std::string> labels = {};
};

}  // namespace slipstream::client

#endif  // SLIPSTREAM_CLIENT_CPP_SLIPSTREAM_NEW_STUDY_H_
