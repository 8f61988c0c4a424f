"""The messages and methods of the server, made from its protocol's descriptors.

No generated code: one package works with every protobuf runtime from 3.21 on."""
