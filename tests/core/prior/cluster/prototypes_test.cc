#include "core/prior/cluster/prototypes.h"

#include <cmath>

#include "core/prior/cluster/barycenter.h"
#include "gtest/gtest.h"
#include "tests/core/gp/dense_oracle.h"
#include "tests/core/linalg/dense.h"
#include "tests/core/prior/cluster/naive_cluster.h"
#include "tests/core/prior/prior_fixtures.h"

namespace slipstream {
namespace {

SourceModels WavesAndBowls(Index dimension = 2, Index count = 24) {
  return {SourceOf("a", Wave, dimension, count, 1), SourceOf("b", Bowl, dimension, count, 2),
          SourceOf("c", Wave, dimension, count + 3, 3), SourceOf("d", Bowl, dimension, count, 4),
          SourceOf("e", Wave, dimension, count, 5)};
}

std::vector<NaiveProcess> NaiveSources(const SourceModels& sources) {
  std::vector<NaiveProcess> naive;
  for (const auto& source : sources) naive.push_back(NaiveSource(source->data, kSourceNoise));
  return naive;
}

// What the first prototype says at its places and elsewhere.
void ExpectFirstIs(const NaiveProcess& process, const SourcePrototypes& made,
                   const SourceModels& sources) {
  const NaiveNormal expected = NaiveAt(process, made.places);
  const PlacedNormal& actual = made.prototypes[0].at_places;
  EXPECT_LT((actual.mean() - expected.mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((actual.covariance() - expected.covariance).cwiseAbs().maxCoeff(), 1e-9);
  const PointMatrix x = RandomPoints(Numbers(2), 20, 8);
  const PrototypeValues values = ValuesOf(made.prototypes[0], made.places, sources, x);
  EXPECT_LT((values.mean - process.MeanAt(x)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((values.within - process.CovarianceOf(x, x)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((values.to_places - process.CovarianceOf(x, made.places)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Prototypes, AreComparedAtFewerPlacesWhereTheirMatricesWouldBeLarge) {
  EXPECT_EQ(ComparedPlaces(300, 106), 300);  // A hundred sources in six barycenters.
  EXPECT_EQ(ComparedPlaces(100, 1000), 100);
  EXPECT_EQ(ComparedPlaces(300, 1000), 105);
  EXPECT_EQ(ComparedPlaces(1000, 100), 334);
  EXPECT_EQ(ComparedPlaces(1000, 10), 1000);
  EXPECT_EQ(ComparedPlaces(1000, 1'000'000), 16);
  EXPECT_EQ(ComparedPlaces(8, 1'000'000), 8);
}

TEST(Prototypes, TakeNoMoreMemoryThanTheirBound) {
  SourceModels sources;
  for (uint64_t i = 0; i < 250; ++i) sources.push_back(SourceOf("s", Wave, 1, 3, i + 1));
  const PointMatrix places = RandomPoints(Numbers(1), 400, 6);
  PrototypeOptions options;
  options.weight_places = 400;
  options.grouping = SourceGrouping::kIndividual;
  const SourcePrototypes made = MakePrototypes(sources, places, options).value();
  EXPECT_EQ(made.places.rows(), 211);
  EXPECT_GT(MemoryBytes(made), kMostPrototypeBytes / 2);
  EXPECT_LT(MemoryBytes(made), kMostPrototypeBytes + kMostPrototypeBytes / 64);
}

TEST(Prototypes, AreGeometricCentresOfSourcesThatResembleEachOther) {
  const SourceModels sources = WavesAndBowls();
  const PointMatrix places = RandomPoints(Numbers(2), 40, 6);
  for (NormalDistance distance : {NormalDistance::kJeffreys, NormalDistance::kWasserstein}) {
    PrototypeOptions options;
    options.clustering.distance = distance;
    const SourcePrototypes made = MakePrototypes(sources, places, options).value();
    ASSERT_EQ(made.prototypes.size(), 2U);
    EXPECT_EQ(made.prototypes[0].members, (std::vector<size_t>{0, 2, 4}));
    EXPECT_EQ(made.prototypes[1].members, (std::vector<size_t>{1, 3}));
    ASSERT_TRUE(made.clustering.has_value());
    EXPECT_EQ(made.places, places);
    const std::vector<NaiveProcess> naive = NaiveSources(sources);
    const double third = 1.0 / 3;
    const NaiveProcess centre =
        NaiveMixture({naive[0], naive[2], naive[4]}, {third, third, third}, {third, third, third});
    ExpectFirstIs(centre, made, sources);
  }
}

TEST(Prototypes, AreOneOfAllOrEachSourceItself) {
  const SourceModels sources = WavesAndBowls();
  const PointMatrix places = RandomPoints(Numbers(2), 20, 6);
  PrototypeOptions options;
  options.grouping = SourceGrouping::kTogether;
  const SourcePrototypes together = MakePrototypes(sources, places, options).value();
  ASSERT_EQ(together.prototypes.size(), 1U);
  EXPECT_EQ(together.prototypes[0].members, (std::vector<size_t>{0, 1, 2, 3, 4}));
  EXPECT_FALSE(together.clustering.has_value());
  options.grouping = SourceGrouping::kIndividual;
  const SourcePrototypes each = MakePrototypes(sources, places, options).value();
  ASSERT_EQ(each.prototypes.size(), 5U);
  EXPECT_EQ(each.prototypes[3].members, (std::vector<size_t>{3}));
  EXPECT_LT((each.prototypes[3].at_places.mean() - sources[3]->process->Predict(places).mean)
                .cwiseAbs()
                .maxCoeff(),
            1e-9);
}

TEST(Prototypes, OfManySourcesSomeLendTheirCovariancesToTheGroup) {
  const SourceModels sources = WavesAndBowls();
  const PointMatrix places = RandomPoints(Numbers(2), 30, 6);
  PrototypeOptions options;
  options.most_covariances = 4;  // Two of three members and one of two.
  const SourcePrototypes made = MakePrototypes(sources, places, options).value();
  ASSERT_EQ(made.prototypes.size(), 2U);
  EXPECT_EQ(made.prototypes[0].members, (std::vector<size_t>{0, 2, 4}));
  EXPECT_EQ(made.prototypes[0].varying, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(made.prototypes[1].varying, (std::vector<size_t>{1}));
  const std::vector<NaiveProcess> naive = NaiveSources(sources);
  const double third = 1.0 / 3;
  const NaiveProcess centre =
      NaiveMixture({naive[0], naive[2], naive[4]}, {third, third, third}, {0.5, 0.5, 0});
  ExpectFirstIs(centre, made, sources);
  double variances = 0;
  double means = 0;
  for (const AddedTerm& term : TermsOfPrototype(made.prototypes[0], sources, 0.6, 0.6 * 0.6)) {
    variances += term.covariance_factor;
    means += term.mean_factor;
  }
  EXPECT_NEAR(variances, 0.36, 1e-12);
  EXPECT_NEAR(means, 0.6, 1e-12);
}

TEST(Prototypes, SayTheSameOfPointsWhateverComesAfterThem) {
  const SourceModels sources = WavesAndBowls(3, 21);
  for (PrototypeKind kind :
       {PrototypeKind::kGeometricCentre, PrototypeKind::kWassersteinBarycenter}) {
    PrototypeOptions options;
    options.kind = kind;
    const SourcePrototypes made =
        MakePrototypes(sources, RandomPoints(Numbers(3), 27, 6), options).value();
    const PointMatrix x = RandomPoints(Numbers(3), 50, 8);
    for (const Prototype& prototype : made.prototypes) {
      const PrototypeValues all = ValuesOf(prototype, made.places, sources, x);
      for (Index count = 1; count < 50; ++count) {
        const PrototypeValues some = ValuesOf(prototype, made.places, sources, x.topRows(count));
        ASSERT_EQ(some.mean, all.mean.head(count)) << count;
        ASSERT_EQ(some.within, all.within.topLeftCorner(count, count)) << count;
        ASSERT_EQ(some.to_places, all.to_places.topRows(count)) << count;
      }
    }
  }
}

TEST(Prototypes, ABarycenterHasItsCovarianceOnTheGridAndTheMeanOfMeansAnywhere) {
  const SourceModels sources = WavesAndBowls();
  const PointMatrix places = RandomPoints(Numbers(2), 30, 6);
  PrototypeOptions options;
  options.kind = PrototypeKind::kWassersteinBarycenter;
  const SourcePrototypes made = MakePrototypes(sources, places, options).value();
  ASSERT_EQ(made.prototypes.size(), 2U);
  const std::vector<NaiveProcess> naive = NaiveSources(sources);
  std::vector<PlacedNormal> members;
  for (size_t i : {0, 2, 4}) {
    members.push_back(
        PlacedNormal::Of(naive[i].MeanAt(places), naive[i].CovarianceOf(places, places)).value());
  }
  Matrix expected =
      WassersteinBarycenter({&members[0], &members[1], &members[2]}).value().covariance;
  const PlacedNormal& actual = made.prototypes[0].at_places;
  EXPECT_LT((actual.covariance() - expected).norm(), 0.01 * expected.norm());
  ASSERT_NE(made.prototypes[0].barycenter, nullptr);
  const PointMatrix x = RandomPoints(Numbers(2), 9, 8);
  const KnownTerm there = KnownPartAt(TermsOfPrototype(made.prototypes[0], sources, 0.5, 0.25),
                                      SourceErrors::kCorrelated, x);
  const Vector mean = (naive[0].MeanAt(x) + naive[2].MeanAt(x) + naive[4].MeanAt(x)) / 3;
  EXPECT_LT((there.mean - 0.5 * mean).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LT((there.covariance - 0.25 * made.prototypes[0].barycenter->Covariance(x, x))
                .cwiseAbs()
                .maxCoeff(),
            1e-9);
}

// N(m, S) at the points under noise b: with G = (K + b I)^-1,
// mean k G m, covariance k - k G k + k G S G k.
TEST(Prototypes, AProcessGoesThroughANormalUnderNoise) {
  const std::shared_ptr<const Kernel> kernel =
      MakeStationary(Smoothness::kMatern52, Numbers(2), Lengthscales::kEach);
  const Vector parameters{{0.2, -0.5, -1}};
  const PointMatrix points = RandomPoints(Numbers(2), 12, 1);
  const NaiveNormal normal = RandomNormal(12, 2, 0.2);
  const PointMatrix x = RandomPoints(Numbers(2), 7, 3);
  for (double noise : {0.0, 0.1}) {
    const KernelExpansion process = KernelExpansion::Through(kernel, parameters, 0.7, points,
                                                             normal.mean, normal.covariance, noise)
                                        .value();
    Matrix k = kernel->Covariance(parameters, points, points);
    k.diagonal().array() += noise;
    const Matrix solved = DenseSolve(k, kernel->Covariance(parameters, points, x));
    const Vector mean = (solved.transpose() * Vector(normal.mean.array() - 0.7)).array() + 0.7;
    EXPECT_LT((process.Means(x) - mean).cwiseAbs().maxCoeff(), 1e-8);
    const Matrix covariance = kernel->Covariance(parameters, x, x) -
                              solved.transpose() * k * solved +
                              solved.transpose() * normal.covariance * solved;
    EXPECT_LT((process.Covariance(x, x) - covariance).cwiseAbs().maxCoeff(), 1e-7);
  }
}

// Smooth functions on a line are all but known from a few places: the kernel's
// matrix is singular on the grid. Nothing may explode between its places.
TEST(Prototypes, ABarycenterOfSmoothProcessesIsTameBetweenPlaces) {
  SourceModels sources;
  for (uint64_t i = 0; i < 3; ++i) {
    const TrainingData data = Sampled(Wave, 1, 12, i + 1);
    const std::shared_ptr<const Kernel> kernel =
        MakeStationary(Smoothness::kSquaredExponential, Numbers(1), Lengthscales::kEach);
    const double lengthscale = 0.3 + 0.4 * static_cast<double>(i);
    sources.push_back(
        FitSourceModel("s", data, kernel, {Vector{{0, std::log(lengthscale)}}, std::log(0.01), 0})
            .value());
  }
  PrototypeOptions options;
  options.grouping = SourceGrouping::kTogether;
  options.kind = PrototypeKind::kWassersteinBarycenter;
  const SourcePrototypes made =
      MakePrototypes(sources, RandomPoints(Numbers(1), 100, 6), options).value();
  const PointMatrix x = RandomPoints(Numbers(1), 500, 9);
  double most = 0;
  for (const auto& source : sources) {
    most = std::max(most, source->process->Predict(x).variance.maxCoeff());
  }
  const Matrix covariance = made.prototypes[0].barycenter->Covariance(x, x);
  EXPECT_GT(covariance.diagonal().minCoeff(), -1e-6);
  EXPECT_LT(covariance.diagonal().maxCoeff(), 1.5 * most);
}

TEST(Prototypes, TakePlacesEvenlyAndEachOnce) {
  PointMatrix places(10, 1);
  places.col(0) = Vector::LinSpaced(10, 0, 9);
  EXPECT_EQ(EvenlyChosen(places, 5).col(0), (Vector{{0, 2, 4, 6, 8}}));
  EXPECT_EQ(EvenlyChosen(places, 3).col(0), (Vector{{0, 3, 6}}));
  EXPECT_EQ(EvenlyChosen(places, 20), places);
  places(6, 0) = 2;
  EXPECT_EQ(EvenlyChosen(places, 5).col(0), (Vector{{0, 2, 4, 8}}));
  EXPECT_EQ(EvenlyChosen(PointMatrix(0, 3), 5).rows(), 0);
}

SourceModels SourcesOf(size_t count, Index points) {
  SourceModels sources;
  for (size_t i = 0; i < count; ++i) {
    auto source = std::make_shared<SourceModel>();
    source->data.x = PointMatrix::Zero(points, 2);
    sources.push_back(source);
  }
  return sources;
}

TEST(MostCovariances, AreAsManyAsCostNoMoreThanAHundredOfAHundredPoints) {
  PrototypeOptions options;
  EXPECT_EQ(MostCovariances(options, SourcesOf(49, 50)), 49U);
  EXPECT_EQ(MostCovariances(options, SourcesOf(1000, 100)), 100U);
  EXPECT_EQ(MostCovariances(options, SourcesOf(100, 500)), 8U);
  EXPECT_EQ(MostCovariances(options, SourcesOf(20, 1000)), 8U);
  EXPECT_EQ(MostCovariances(options, SourcesOf(3, 1000)), 3U);
  options.most_covariances = 5;
  EXPECT_EQ(MostCovariances(options, SourcesOf(49, 50)), 5U);
}

}  // namespace
}  // namespace slipstream
