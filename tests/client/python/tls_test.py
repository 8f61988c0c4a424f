"""What a caller is told of mistakes about TLS."""

import asyncio
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from servers import SPAWN, ServerProcess

import slipstream
import slipstream.aio
from slipstream import Options

HOSTS = "DNS:localhost,IP:127.0.0.1"


@unittest.skipUnless(shutil.which("openssl"), "makes certificates by the program openssl")
class Mistakes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        for authority in "ca", "other-ca":
            cls.openssl("req", "-x509", *cls.new_key(authority), "-days", "1",
                        "-out", cls.path(authority), "-addext", "keyUsage=critical,keyCertSign")
        cls.issue("server")
        cls.issue("own")
        (cls.folder / "text").write_text("precious")
        (cls.folder / "empty").write_text("")

    @classmethod
    def path(cls, name):
        return str(cls.folder / name)

    @classmethod
    def openssl(cls, *arguments):
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, **SPAWN)

    @classmethod
    def new_key(cls, name):
        return ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-keyout", cls.path(f"{name}-key"), "-subj", f"/CN={name}")

    @classmethod
    def issue(cls, name, hosts=HOSTS, days=1, authority="ca"):
        """Writes a certificate and its key."""
        (cls.folder / "extensions").write_text(f"subjectAltName={hosts}\n")
        cls.openssl("req", "-new", *cls.new_key(name), "-out", cls.path("request"))
        cls.openssl("x509", "-req", "-in", cls.path("request"), "-CA", cls.path(authority),
                    "-CAkey", cls.path(f"{authority}-key"), "-days", str(days),
                    "-extfile", cls.path("extensions"), "-out", cls.path(name))

    def serve(self, name="server", *flags):
        server = ServerProcess(["--tls-certificate", self.path(name),
                                "--tls-key", self.path(f"{name}-key"), *flags])
        self.addCleanup(server.close)
        return server

    def check(self, server, text, **files):
        """Calls are refused at once with this text, also by asyncio."""
        options = Options(**{option: name if name == "system" else self.path(name)
                             for option, name in files.items()})

        async def list_sources():
            await slipstream.aio.sources(address=server.address, options=options)

        begin = time.monotonic()
        for call in (lambda: slipstream.sources(address=server.address, options=options),
                     lambda: asyncio.run(list_sources())):
            with self.assertRaises(slipstream.NoAnswer) as raised:
                call()
            told = str(raised.exception)
            self.assertIn(text, told)
            self.assertTrue(told.startswith("cannot list"), told)
            self.assertNotIn("running there", told)
        self.assertLess(time.monotonic() - begin, 60)  # A call is repeated for so long.

    def test_a_file_that_is_none_is_named_before_any_call(self):
        for name, kind, reason in (("nowhere", FileNotFoundError, "No such file or directory"),
                                   (".", IsADirectoryError, "Is a directory"),
                                   ("empty", ValueError, "it is empty"),
                                   ("text", ValueError, "it has no certificate in PEM form"),
                                   ("own-key", ValueError, "it has no certificate in PEM form")):
            path = f"{self.folder}/{name}"
            with self.subTest(name), self.assertRaises(kind) as raised:
                slipstream.sources(options=Options(ca=path))
            self.assertEqual(
                str(raised.exception),
                f"the file {path} cannot be used as ca= (SLIPSTREAM_CA): {reason}; give a file in "
                "PEM form with the certificates that sign the server's, or \"system\" for those "
                "that the system trusts")

    def test_a_key_belongs_to_its_certificate(self):
        self.issue("another")

        def refusal(certificate, key):
            with self.assertRaises(ValueError) as raised:
                slipstream.sources(options=Options(
                    ca=self.path("ca"), certificate=self.path(certificate), key=self.path(key)))
            return str(raised.exception)

        self.assertIn(f"the key in {self.path('another-key')} does not belong to the certificate "
                      f"in {self.path('own')} (key values mismatch); give a certificate= "
                      "(SLIPSTREAM_CERTIFICATE) and a key= (SLIPSTREAM_KEY) that were made together",
                      refusal("own", "another-key"))
        self.assertIn("cannot be used as key= (SLIPSTREAM_KEY): it has no private key in PEM form",
                      refusal("own", "own"))
        self.assertIn("cannot be used as certificate=", refusal("text", "own-key"))
        self.openssl("pkey", "-in", self.path("own-key"), "-aes128", "-passout", "pass:secret",
                     "-out", self.path("encrypted"))
        self.assertIn("it is encrypted", refusal("own", "encrypted"))

    def test_plaintext_to_a_server_with_tls(self):
        self.check(self.serve(), "the server speaks TLS, and this caller plaintext; give ca= "
                                 "(SLIPSTREAM_CA) the file with the certificate")

    def test_tls_to_a_server_with_plaintext(self):
        server = ServerProcess()
        self.addCleanup(server.close)
        for ca in "ca", "system":
            self.check(server, "the server speaks plaintext, and this caller TLS; leave ca= "
                               "(SLIPSTREAM_CA) out", ca=ca)

    def test_a_server_that_is_not_trusted(self):
        server = self.serve()
        options = Options(ca=self.path("ca"))
        self.assertEqual(list(slipstream.sources(address=server.address, options=options)), [])
        self.check(server, f"the server's certificate is not signed by any in "
                           f"{self.path('other-ca')}; give ca= (SLIPSTREAM_CA) the file with the "
                           "certificate that signs it", ca="other-ca")
        self.check(server, "is not signed by any that the system trusts", ca="system")

    def test_a_servers_certificate_that_has_expired(self):
        self.issue("ended", days=-1)
        self.check(self.serve("ended"), "has expired; the server's operator must renew it", ca="ca")

    def test_a_servers_certificate_for_another_name(self):
        self.issue("elsewhere", hosts="DNS:trains.example")
        self.check(self.serve("elsewhere"), "the server's certificate is not for 127.0.0.1; use an "
                                            "address with a name that it is for", ca="ca")

    def test_a_server_that_asks_for_the_callers_certificate(self):
        server = self.serve("server", "--tls-client-ca", self.path("ca"))
        self.check(server, "requires a client certificate; give certificate= "
                           "(SLIPSTREAM_CERTIFICATE) and key= (SLIPSTREAM_KEY)", ca="ca")
        self.issue("forged", authority="other-ca")
        self.check(server, f"the server does not accept the certificate in {self.path('forged')}",
                   ca="ca", certificate="forged", key="forged-key")
        options = Options(ca=self.path("ca"), certificate=self.path("own"),
                          key=self.path("own-key"))
        self.assertEqual(list(slipstream.sources(address=server.address, options=options)), [])

    def test_certificates_are_replaced_while_a_program_runs(self):
        def issue_by(authority):
            for name in "rotated", "mine":
                self.issue(name, authority=authority)
            shutil.copy(self.path(authority), self.path("trusted"))

        issue_by("ca")
        server = self.serve("rotated", "--tls-client-ca", self.path("trusted"))
        options = Options(ca=self.path("trusted"), certificate=self.path("mine"),
                          key=self.path("mine-key"))

        def create(study_id):
            return slipstream.create_or_load(study_id, {"x": slipstream.real(0, 1)}, minimize="y",
                                             address=server.address, options=options)

        async def read_while_replaced():
            async with await slipstream.aio.load("before", address=server.address,
                                                 options=options) as study:
                server.kill()
                issue_by("other-ca")
                server.start()
                return await study.trials()

        study = create("before")
        self.assertEqual(list(asyncio.run(read_while_replaced())), [])
        self.assertEqual(list(study.trials), [])
        (self.folder / "mine").write_text("half wr")
        server.kill()
        server.start()
        self.assertEqual(list(study.trials), [])


if __name__ == "__main__":
    unittest.main()
