#include "core/prior/pretrained/task_group.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

#include "core/base/counter_random.h"
#include "core/base/even_parts.h"

namespace slipstream {
namespace {

constexpr uint64_t kThinningSeed = 0x7461736B67726F75;

TaskGroup GroupOfTask(const TrainingData& data, Index most) {
  const Index size = data.y.size();
  TaskGroup group{data.x, data.y, data.repeats.cwiseInverse(),
                  data.known_noise.size() > 0 ? data.known_noise : Vector(Vector::Zero(size))};
  return Thinned(group, most);
}

bool IsSameDesign(const TaskGroup& a, const TaskGroup& b) {
  return a.x.rows() == b.x.rows() && a.x == b.x && a.inverse_repeats == b.inverse_repeats &&
         a.known_noise == b.known_noise;
}

void AppendToGroup(const TaskGroup& task, TaskGroup& group) {
  group.values.conservativeResize(Eigen::NoChange, group.values.cols() + 1);
  group.values.col(group.values.cols() - 1) = task.values.col(0);
}

// The rows of `x` in lexicographic order, of equal ones the first first.
std::vector<Index> RowsInOrder(const PointMatrix& x) {
  std::vector<Index> order(static_cast<size_t>(x.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&x](Index a, Index b) {
    for (Index i = 0; i < x.cols(); ++i) {
      if (x(a, i) != x(b, i)) return x(a, i) < x(b, i);
    }
    return false;
  });
  return order;
}

}  // namespace

std::vector<Index> ThinnedRows(Index size, Index most) {
  const Index count = std::min(size, most);
  std::vector<Index> rows;
  for (Index i = 0; i < count; ++i) {
    const Index first = PartBegin(i, size, count);
    const auto length = static_cast<double>(PartBegin(i + 1, size, count) - first);
    const double u = CounterRandomUniform(kThinningSeed, static_cast<uint64_t>(i), 0);
    rows.push_back(first + static_cast<Index>(u * length));
  }
  return rows;
}

TaskGroup Thinned(const TaskGroup& group, Index most) {
  if (group.x.rows() <= most) return group;
  const std::vector<Index> rows = ThinnedRows(group.x.rows(), most);
  return {group.x(rows, Eigen::all), group.values(rows, Eigen::all), group.inverse_repeats(rows),
          group.known_noise(rows)};
}

std::vector<TaskGroup> GroupedResults(const SourceModels& sources, Index most) {
  std::vector<TaskGroup> groups;
  for (const auto& source : sources) {
    TaskGroup task = GroupOfTask(source->data, most);
    const auto same = std::find_if(groups.begin(), groups.end(), [&task](const TaskGroup& group) {
      return IsSameDesign(group, task);
    });
    if (same == groups.end()) {
      groups.push_back(std::move(task));
    } else {
      AppendToGroup(task, *same);
    }
  }
  return groups;
}

std::optional<TaskGroup> MatchingResults(const SourceModels& sources, Index most) {
  TaskGroup group = GroupOfTask(sources.front()->data, sources.front()->data.y.size());
  const std::vector<Index> order = RowsInOrder(group.x);
  const PointMatrix ordered = group.x(order, Eigen::all);
  for (size_t k = 1; k < sources.size(); ++k) {
    if (sources[k]->data.y.size() != ordered.rows()) return std::nullopt;
    TaskGroup task = GroupOfTask(sources[k]->data, ordered.rows());
    const std::vector<Index> its_order = RowsInOrder(task.x);
    if (PointMatrix(task.x(its_order, Eigen::all)) != ordered) return std::nullopt;
    std::vector<Index> rows(order.size());  // The task's rows in the first one's order.
    for (size_t i = 0; i < order.size(); ++i) rows[static_cast<size_t>(order[i])] = its_order[i];
    task.values = Matrix(task.values(rows, Eigen::all));
    group.inverse_repeats += task.inverse_repeats(rows);
    group.known_noise += task.known_noise(rows);
    AppendToGroup(task, group);
  }
  group.inverse_repeats /= static_cast<double>(sources.size());
  group.known_noise /= static_cast<double>(sources.size());
  return Thinned(group, most);
}

TaskGroup MeansAt(const SourceModels& sources, const PointMatrix& places, Index most) {
  TaskGroup group;
  group.x = places(ThinnedRows(places.rows(), most), Eigen::all);
  const Index size = group.x.rows();
  group.values.resize(size, static_cast<Index>(sources.size()));
  group.inverse_repeats = Vector::Ones(size);
  group.known_noise = Vector::Zero(size);
  for (size_t k = 0; k < sources.size(); ++k) {
    group.values.col(static_cast<Index>(k)) = sources[k]->expansion->Means(group.x);
  }
  return group;
}

}  // namespace slipstream
