import CofferTestSupport
import Foundation
import Testing

/// `coffer key` and `coffer identity`, with the files of OpenSSL.
@Suite struct KeyCommandTests {
  private let machine: Machine

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
  }

  private func path(_ name: String) -> String { machine.directory.path(name) }
  private func contents(_ name: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path(name))) }

  /// Runs `openssl` in the machine's folder.
  @discardableResult private func openssl(_ arguments: String...) throws -> Data {
    let outcome = try machine.start("/usr/bin/openssl", arguments).wait()
    guard outcome.exitCode == 0 else { throw SpawnedProgram.Failure(description: "openssl: \(outcome)") }
    return outcome.output
  }

  private func makeKey(_ algorithm: String, _ file: String) throws {
    if algorithm == "RSA" {
      try openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-out", path(file))
    } else if let curve = algorithm.wholeMatch(of: /EC (.+)/)?.output.1 {
      try openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:\(curve)", "-out", path(file))
    } else {
      try openssl("genpkey", "-algorithm", algorithm, "-out", path(file))
    }
  }

  @Test(arguments: ["EC P-256", "EC P-384", "EC P-521", "RSA"])
  func `A key in every form is stored, and written as the PKCS #8 of OpenSSL`(algorithm: String) throws {
    try makeKey(algorithm, "key.pem")
    let der = try openssl("pkcs8", "-topk8", "-nocrypt", "-in", path("key.pem"), "-outform", "DER")
    try der.write(to: URL(fileURLWithPath: path("key.der")))
    try openssl("pkey", "-in", path("key.pem"), "-traditional", "-out", path("old.pem"))
    // PKCS #1 and SEC 1.
    let command = algorithm == "RSA" ? ["rsa", "-traditional"] : ["ec"]
    let old = command + ["-in", path("key.pem"), "-outform", "DER", "-out", path("old.der")]
    #expect(try machine.start("/usr/bin/openssl", old).wait().exitCode == 0)
    #expect(try contents("old.der") != der)
    for form in ["key.pem", "key.der", "old.pem", "old.der"] {
      let stored = try machine.coffer("key", "import", path(form), "--label", form, "--tag", form)
      #expect(stored.contains("Stored \(form) in ") && stored.contains(" as keys/"), "\(stored)")
      #expect(try machine.run("coffer", "key", "export", form, "--der").output == der, "\(form)")
    }
    expectFailure(try machine.run("coffer", "key", "import", path("old.pem"), "--tag", "key.pem"), 1, "already has")
    try machine.coffer("key", "export", "old.der", "--output", path("out.pem"))
    #expect(try contents("out.pem") == contents("key.pem"))
    let mode = try FileManager.default.attributesOfItem(atPath: path("out.pem"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
    // An app finds the key and its certificate as one identity.
    try openssl("req", "-x509", "-key", path("key.pem"), "-subj", "/CN=site", "-days", "30", "-out", path("c.pem"))
    try machine.coffer("certificate", "import", path("c.pem"))
    #expect(try machine.coffer("show", "--class", "identity", "site").contains("site"))
  }

  @Test func `A key that cannot be stored is refused by name, and nothing of it is repeated`() throws {
    try makeKey("ED25519", "ed.pem")
    try makeKey("EC P-256", "ok.pem")
    try makeKey("EC secp256k1", "k1.pem")
    try openssl("pkcs8", "-topk8", "-in", path("ok.pem"), "-passout", "pass:x", "-out", path("locked.pem"))
    try openssl(
      "pkcs8", "-topk8", "-in", path("ok.pem"), "-passout", "pass:x", "-outform", "DER", "-out", path("locked.der"))
    try openssl(
      "ec", "-in", path("ok.pem"), "-aes256", "-passout", "pass:x", "-out", path("headers.pem"))
    try (contents("ok.pem") + contents("ok.pem")).write(to: URL(fileURLWithPath: path("two.pem")))
    try Command.run("ssh-keygen", "-q", "-t", "ecdsa", "-N", "", "-f", path("ssh"))
    try Data("-----BEGIN PRIVATE KEY-----\nAAAA\n".utf8).write(to: URL(fileURLWithPath: path("cut.pem")))
    for (file, reason) in [
      ("ed.pem", "the key is of Ed25519"), ("k1.pem", "another curve"), ("locked.pem", "the key is encrypted"),
      ("locked.der", "the key is encrypted"), ("headers.pem", "the key is encrypted"),
      ("two.pem", "more than one key"), ("ssh", "the format of OpenSSH"), ("cut.pem", "no private key"),
      ("ssh.pub", "not DER"),
    ] {
      let outcome = try machine.run("coffer", "key", "import", path(file), "--label", "x")
      #expect(outcome.exitCode == 2 && outcome.output.isEmpty, "\(file): \(outcome)")
      #expect(outcome.errors.contains(reason), "\(file): \(outcome)")
    }
    expectFailure(try machine.run("coffer", "key", "export", "x"), 3, "no such private key")
  }

  @Test func `A terminal shows a private key only if asked to`() throws {
    try makeKey("EC P-256", "key.pem")
    try machine.coffer("key", "import", path("key.pem"))
    for (options, isShown) in [([], false), (["--output", "-"], false), (["--show"], true)] {
      let arguments = ["key", "export", "key"] + options
      let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), arguments)
      #expect((terminal.wait() == 0) == isShown)
      #expect(terminal.screen.contains("BEGIN PRIVATE KEY") == isShown, "\(terminal.screen)")
      #expect(terminal.screen.contains("--output") != isShown)
    }
    let terminal = try PseudoTerminal(machine, program: Machine.path(of: "coffer"), ["identity", "export", "key"])
    #expect(terminal.wait() == 2 && terminal.screen.contains("--output"), "\(terminal.screen)")
  }

  /// An authority, and a certificate of it with its key, in the machine's folder.
  private func makeIdentity() throws {
    try makeKey("EC P-256", "ca.key")
    try openssl("req", "-x509", "-key", path("ca.key"), "-subj", "/CN=Authority", "-days", "30", "-out", path("ca.pem"))
    try makeKey("RSA", "key.pem")
    try openssl("req", "-new", "-key", path("key.pem"), "-subj", "/CN=site", "-out", path("request"))
    try openssl(
      "x509", "-req", "-in", path("request"), "-CA", path("ca.pem"), "-CAkey", path("ca.key"), "-CAcreateserial",
      "-days", "30", "-out", path("c.pem"))
    _ = try machine.directory.write("password", "Passwort ä\n")
  }

  @Test(arguments: [[], ["-legacy"], ["-certpbe", "NONE", "-keypbe", "NONE"]])
  func `An identity of OpenSSL is stored with its chain, and its export is read by OpenSSL`(options: [String]) throws {
    try makeIdentity()
    let arguments = [
      "pkcs12", "-export", "-in", path("c.pem"), "-inkey", path("key.pem"), "-certfile", path("ca.pem"), "-name",
      "My site", "-out", path("in.p12"), "-passout", "file:\(path("password"))",
    ]
    let made = try machine.start("/usr/bin/openssl", arguments + options).wait()
    #expect(made.exitCode == 0, "\(made)")
    let password = ["--password-file", path("password")]
    let stored = try machine.succeed("coffer", ["identity", "import", path("in.p12")] + password)
    #expect(stored.split(separator: "\n").count == 3 && stored.contains("Stored My site in "), "\(stored)")
    let again = try machine.succeed("coffer", ["identity", "import", path("in.p12")] + password)
    #expect(again.ranges(of: "Already there:").count == 3, "\(again)")
    #expect(try machine.run("coffer", "certificate", "export", "My site").output == contents("c.pem"))

    try machine.succeed("coffer", ["identity", "export", "My site", "--output", path("out.p12")] + password)
    let mode = try FileManager.default.attributesOfItem(atPath: path("out.p12"))[.posixPermissions] as? Int
    #expect(mode == 0o600)
    let read = ["pkcs12", "-in", path("out.p12"), "-passin", "file:\(path("password"))", "-nodes"]
    let text = try machine.start("/usr/bin/openssl", read).wait()
    let printed = String(decoding: text.output, as: UTF8.self)
    for file in ["key.pem", "c.pem", "ca.pem"] {
      #expect(printed.contains(String(decoding: try contents(file), as: UTF8.self)), "\(file)")
    }
    #expect(printed.contains("friendlyName: My site"))
  }

  @Test func `A wrong password, a foreign key and a certificate without its key are refused by name`() throws {
    try makeIdentity()
    try openssl(
      "pkcs12", "-export", "-in", path("c.pem"), "-inkey", path("key.pem"), "-out", path("in.p12"), "-passout", "pass:x"
    )
    let wrong = try machine.run("coffer", "identity", "import", path("in.p12"), "--password-file", path("password"))
    expectFailure(wrong, 5, "the password of the PKCS #12 file is wrong")
    expectFailure(try machine.run("coffer", "identity", "import", path("in.p12")), 5, "give --password-file FILE")
    try makeKey("ED25519", "ed.pem")
    try openssl("req", "-x509", "-key", path("ed.pem"), "-subj", "/CN=ed", "-days", "30", "-out", path("ed.crt"))
    try openssl(
      "pkcs12", "-export", "-in", path("ed.crt"), "-inkey", path("ed.pem"), "-out", path("ed.p12"), "-passout", "pass:")
    expectFailure(
      try machine.run("coffer", "identity", "import", path("ed.p12")), 2, "neither RSA nor on P-256, P-384 or P-521")
    expectFailure(try machine.run("coffer", "certificate", "export", "ed"), 3, "no such certificate")
    try machine.coffer("certificate", "import", path("c.pem"))
    let password = ["--password-file", path("password")]
    expectFailure(
      try machine.start("coffer", ["identity", "export", "site"] + password).wait(), 3, "no private key")
  }
}
