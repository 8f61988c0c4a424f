// Makes requests of every RPC that make sense one after the other, as far as nobody has mutated
// them: names are those of few studies, trials and request ids, so that calls meet each other.
#ifndef SLIPSTREAM_TESTS_FUZZ_REQUEST_MAKER_H_
#define SLIPSTREAM_TESTS_FUZZ_REQUEST_MAKER_H_

#include <google/protobuf/message.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "server/access/rpc_table.h"
#include "slipstream/v1/services.pb.h"
#include "tests/fuzz/dice.h"

namespace slipstream::fuzz {

struct MadeRequest {
  Rpc rpc = Rpc::kGetStudy;
  std::string bytes;
};

class RequestMaker {
 public:
  // Silences protobuf, which would tell of every text that is not UTF-8.
  RequestMaker();

  // A request of any RPC, legal in itself or mutated.
  MadeRequest Any(Dice& dice);
  // A legal one of this RPC.
  std::unique_ptr<google::protobuf::Message> Legal(Rpc rpc, Dice& dice);

  // Told of a request that succeeded, or was to delete what is not there, so that later ones can
  // name the source task that it made, and delete what no other request names: however many
  // requests there are, the server holds little.
  void Learn(const MadeRequest& request, const std::string& response);

 private:
  void LearnSource(const std::string& name);
  MadeRequest DeletionOfStranger();
  std::string Study(Dice& dice);
  std::string Trial(Dice& dice);
  std::string Source(Dice& dice);
  v1::Study StudyToMake(Dice& dice);
  v1::ImportStudyRequest StudyToImport(Dice& dice);

  // Studies and source tasks that mutated requests made, the ones to delete next first.
  std::deque<std::string> strangers_;
  std::vector<std::string> sources_ = {"sourceTasks/0123456789abcdef0123456789abcdef"};
};

}  // namespace slipstream::fuzz

#endif  // SLIPSTREAM_TESTS_FUZZ_REQUEST_MAKER_H_
