#include "tests/evidence/workers_problems.h"

#include "tests/evidence/moved_functions.h"

namespace slipstream::evidence {
namespace {

constexpr MovedShape kGriewank = {Griewank, Origin, 5, 2};
constexpr MovedShape kStyblinskiTang = {StyblinskiTang, StyblinskiTangOptimum, 5, 1};
constexpr MovedShape kTrid = {Trid, TridOptimum, 6, 7};
constexpr MovedShape kDixonPrice = {DixonPrice, DixonPriceOptimum, 4, 2};
constexpr MovedShape kZakharov = {Zakharov, Origin, 5, 1.5};
constexpr MovedShape kPowell = {Powell, Origin, 4, 1};
constexpr MovedShape kRastrigin = {Rastrigin, Origin, 4, 0.5};
constexpr MovedShape kSalomon = {Salomon, Origin, 5, 0.5};

}  // namespace

std::vector<ContinuousProblem> WorkersProblems() {
  return {
      MovedProblem<kGriewank>(kWorkers, "turned_griewank5",
                              "Waves on a wide bowl, turned and shifted by the seed"),
      MovedProblem<kStyblinskiTang>(kWorkers, "turned_styblinski_tang5",
                             "32 minima, of which one is deepest; turned by the seed"),
      MovedProblem<kTrid>(kWorkers, "turned_trid6",
                          "A badly scaled bowl, turned and shifted by the seed"),
      MovedProblem<kDixonPrice>(kWorkers, "turned_dixon_price4",
                                "Curved valleys, turned and shifted by the seed"),
      MovedProblem<kZakharov>(kWorkers, "turned_zakharov5",
                              "A flat plate between steep walls, turned by the seed"),
      MovedProblem<kPowell>(kWorkers, "turned_powell4",
                            "A valley that is flat at its end, turned by the seed"),
      MovedProblem<kRastrigin>(kWorkers, "turned_rastrigin4",
                               "A lattice of minima, turned and shifted by the seed"),
      MovedProblem<kSalomon>(kWorkers, "turned_salomon5",
                             "Rings around the minimum, shifted by the seed"),
  };
}

}  // namespace slipstream::evidence
