"""Each way to break the protocol is found, and additions are not taken for one."""

import pathlib
import subprocess
import tempfile
import unittest

import contract
from google.protobuf import descriptor_pb2

BEFORE = """
syntax = "proto3";
package some.v1;
// A thing.
message Thing {
  // A name.
  string name = 1;
  // How many.
  optional int64 count = 2;
  // One of two.
  oneof kind {
    // Left.
    bool left = 3;
    // Right.
    bool right = 4;
  }
  // Parts by name.
  map<string, Thing> parts = 5;
  // A state.
  enum State {
    // Never sent.
    STATE_UNSPECIFIED = 0;
    // Open.
    OPEN = 1;
  }
}
// What there is to call.
service Things {
  // Gets one.
  rpc GetThing(GetThingRequest) returns (Thing);
  // Watches them.
  rpc WatchThings(WatchThingsRequest) returns (stream Thing);
}
message GetThingRequest {}
message WatchThingsRequest {}
"""


def compiled(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "some/v1/thing.proto")
        path.parent.mkdir(parents=True)
        path.write_text(text)
        output = pathlib.Path(folder, "output")
        subprocess.run(["protoc", f"-I{folder}", "--include_source_info",
                        f"--descriptor_set_out={output}", "some/v1/thing.proto"], check=True)
        return descriptor_pb2.FileDescriptorSet.FromString(output.read_bytes())


def changed(*replacements):
    text = BEFORE
    for old, new in replacements:
        assert old in text, old
        text = text.replace(old, new)
    return compiled(text)


class Breaks(unittest.TestCase):
    def breaks_of(self, *replacements):
        released = contract.parse(contract.text_of(contract.promises(compiled(BEFORE))))
        return list(contract.breaks(released, changed(*replacements)))

    def test_no_change_and_additions_break_nothing(self):
        self.assertEqual(self.breaks_of(), [])
        self.assertEqual(self.breaks_of(
            ("string name = 1;", "string name = 1;\n  string title = 6;"),
            ("OPEN = 1;", "OPEN = 1;\n CLOSED = 2;"),
            ("message WatchThingsRequest {}", "message WatchThingsRequest {}\nmessage New {}")), [])

    def test_each_change_of_a_field_is_found(self):
        for new in ("string title = 1;", "bytes name = 1;", "repeated string name = 1;",
                    "optional string name = 1;", "string name = 7;"):
            (found,) = self.breaks_of(("string name = 1;", new))
            self.assertTrue(found.startswith("field some.v1.Thing 1"), found)

    def test_a_field_may_go_if_its_number_and_name_are_reserved(self):
        self.assertEqual(self.breaks_of(
            ("string name = 1;", 'reserved 1;\n  reserved "name";')), [])
        for words in ("reserved 1;", 'reserved "name";', ""):
            self.assertEqual(len(self.breaks_of(("string name = 1;", words))), 1)

    def test_a_field_that_leaves_its_oneof_is_found(self):
        found = self.breaks_of(("    bool right = 4;\n  }", "  }\n  bool right = 4;"))
        self.assertEqual(len(found), 1)
        self.assertIn("oneof(kind)", found[0])

    def test_values_messages_and_methods_are_kept(self):
        self.assertIn("value some.v1.Thing.State 1", self.breaks_of(("OPEN = 1", "SHUT = 1"))[0])
        self.assertIn("value some.v1.Thing.State 1", self.breaks_of(("OPEN = 1", "OPEN = 2"))[0])
        self.assertIn("method some.v1.Things GetThing", self.breaks_of(
            ("rpc GetThing(GetThingRequest) returns (Thing);", ""))[0])
        self.assertIn("stream", self.breaks_of(("(stream Thing)", "(Thing)"))[0])
        self.assertIn("is '.some.v1.Thing to .some.v1.Thing'", self.breaks_of(
            ("(GetThingRequest) returns", "(Thing) returns"))[0])
        self.assertTrue(self.breaks_of(("package some.v1", "package some.v2")))


class Lint(unittest.TestCase):
    def test_what_is_in_order_is_not_complained_of(self):
        self.assertEqual(list(contract.lint(compiled(BEFORE))), [])

    def test_each_rule_is_enforced(self):
        for old, new, words in (
                ("// A name.\n", "", "some.v1.Thing.name has no comment"),
                ("// A thing.\n", "", "some.v1.Thing has no comment"),
                ("// Open.\n", "", "some.v1.Thing.State.OPEN has no comment"),
                ("// Gets one.\n", "", "some.v1.Things.GetThing has no comment"),
                ("// What there is to call.\n", "", "some.v1.Things has no comment"),
                ("string name", "string theName", "some.v1.Thing.theName: the name does not"),
                ("OPEN", "Open", "some.v1.Thing.State.Open: the name does not"),
                ("STATE_UNSPECIFIED", "NONE", "first value must be 0 and end in _UNSPECIFIED"),
                ("rpc GetThing(", "rpc Fetch(", "takes GetThingRequest, not FetchRequest"),
                ("package some.v1", "package other", "is of package other")):
            found = list(contract.lint(changed((old, new))))
            self.assertTrue(any(words in one for one in found), (words, found))


if __name__ == "__main__":
    unittest.main()
