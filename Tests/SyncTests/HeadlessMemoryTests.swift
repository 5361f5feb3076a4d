#if os(Linux)
  import CofferCrypto
  import CofferFormat
  import CofferKeys
  import CofferTestSupport
  import Foundation
  import Testing

  /// What a headless read leaves in the memory of its programs.
  @Suite(.enabled(if: geteuid() == 0, "only root can read the memory of a program without core dumps"))
  struct HeadlessMemoryTests {
    @Test func `While a headless read waits for the host, its keys are in guarded memory only`() throws {
      let machines = try HeadlessMachine.copy(withCredential: true)
      let server = try ScriptedServer(answer: [], isSilent: true)
      defer { extendLifetime((machines, server)) }
      let reader = try machines.runner.start(
        "coffer", ["get", "service", "token"],
        environment: [
          "COFFER_CREDENTIAL_FILE": machines.credential,
          "COFFER_REPOSITORY": "git://127.0.0.1:\(server.port)/vault.git",
          "TMPDIR": machines.runner.directory.url.path,
        ])
      defer { reader.kill() }
      var child: Int32?
      try waitUntil("the read waits for the host") {
        let parents = ProcessParents.all()
        child = parents.first { $0.value == reader.processIdentifier }?.key
        return parents.values.contains { $0 == child }
      }
      let credential = try machines.keys
      let secrets =
        credential.device.transportKeys.map(\.key.secret)
        + ([credential.device.keys] + credential.apps.map(\.keys)).flatMap { [$0.signing.seed, $0.agreement.secret] }
      #expect(secrets.count == 5)
      for (program, process) in [("coffer", reader.processIdentifier), ("coffer-sync", try #require(child))] {
        let memory = ProcessMemory(of: process)
        var guarded = 0
        for (index, secret) in secrets.enumerated() {
          let digits = unsafe secret.withBytes { hexadecimal(unsafe Array($0)) }
          // A register holds half of a key.
          for half in [digits.prefix(32), digits.suffix(32)] {
            let counts = try memory.counts(ofHexadecimal: String(half))
            #expect(counts.ordinary == 0, "\(program), secret \(index)")
            guarded += counts.guarded
          }
        }
        #expect(guarded > 0, "\(program): the memory that is searched is the program's")
      }
    }
  }
#endif
