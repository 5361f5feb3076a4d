import CofferTestSupport
import Foundation
import Testing

/// `coffer certificate import` and `export`, with the files of OpenSSL.
@Suite struct CertificateCommandTests {
  private let machine: Machine
  private let pem: String

  init() throws {
    machine = try Machine.withExamples()
    machine.environment["COFFER_APP"] = "com.example.photo.pro"
    pem = machine.directory.path("server.pem")
    try make("server.example.com", pem)
  }

  private func make(_ name: String, _ file: String) throws {
    try Command.run(
      "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
      "/dev/null",
      "-subj", "/CN=\(name)", "-days", "30", "-out", file)
  }

  @Test func `A certificate in PEM or DER is printed in both forms, byte for byte`() throws {
    let der = machine.directory.path("server.der")
    try Command.run("openssl", "x509", "-in", pem, "-outform", "DER", "-out", der)
    let text = try Data(contentsOf: URL(fileURLWithPath: pem))
    for file in [pem, der] {
      let machine = try Machine.withExamples()
      machine.environment["COFFER_APP"] = "com.example.photo.pro"
      let stored = try machine.coffer("certificate", "import", file)
      #expect(stored.contains("Stored server.example.com in ") && stored.contains(" as cert/"), "\(stored)")
      #expect(try machine.run("coffer", "certificate", "export", "server.example.com").output == text)
      let reference = try #require(stored.firstMatch(of: /cert\/[0-9a-f]{32}/)).0
      let printed = try machine.run("coffer", "certificate", "export", "--der", "--reference", String(reference))
      #expect(printed.output == FileManager.default.contents(atPath: der))
      expectFailure(try machine.run("coffer", "certificate", "import", file), 1, "already has the item")
    }
  }

  @Test func `A chain is stored as a whole or not at all, and a key is refused`() throws {
    let second = machine.directory.path("second.pem")
    try make("second.example.com", second)
    let both = try Command.run("cat", pem, second)
    #expect(try machine.coffer("certificate", "import", "-", input: both).split(separator: "\n").count == 2)
    let third = machine.directory.path("third.pem")
    try make("third.example.com", third)
    let outcome = try machine.start(
      "coffer", ["certificate", "import", "-"], input: Data(try Command.run("cat", third, pem).utf8)
    ).wait()
    expectFailure(outcome, 1, "already has the item server.example.com")
    expectFailure(try machine.run("coffer", "certificate", "export", "third.example.com"), 3, "no such certificate")
    let key = try Command.run("openssl", "genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256")
    for text in [key, "text", ""] {
      let refused = try machine.start("coffer", ["certificate", "import", "-"], input: Data(text.utf8)).wait()
      #expect(refused.exitCode == 2 && refused.output.isEmpty, "\(refused)")
    }
  }

  @Test func `A line of JSON stores a certificate`() throws {
    let text = try String(contentsOfFile: pem, encoding: .utf8)
    let line = try JSONSerialization.data(withJSONObject: ["class": "certificate", "label": "Server", "value": text])
    #expect(try machine.start("coffer", ["set", "--json-lines"], input: line).wait().exitCode == 0)
    #expect(try machine.run("coffer", "certificate", "export", "Server").output == Data(text.utf8))
  }
}
