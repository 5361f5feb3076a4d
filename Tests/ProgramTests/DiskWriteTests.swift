#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  @Suite struct DiskWriteTests {
    @Test func `A durable set of a new item makes the disk write exactly once`() throws {
      let directory = try TemporaryDirectory()
      let trace = directory.path("calls")
      let sets = 20
      // The program sets one item first, and marks beginning and end with a call that names no file.
      try Command.run(
        "strace", "-f", "-qq", "-e", "trace=fsync,fdatasync", "-o", trace,
        Machine.path(of: "ItemBenchmark"), "sets", directory.path("vault"), "\(sets)")
      let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
      let marks = calls.indices.filter { calls[$0].contains("(-1)") }
      try #require(marks.count == 2)
      let between = calls[marks[0] + 1..<marks[1]]
      #expect(between.count == sets, "\(between.joined(separator: "\n"))")
      #expect(between.allSatisfy { $0.hasSuffix("= 0") })
    }

    @Test(.enabled(if: geteuid() == 0, "only root can see the descriptors of a hardened process"))
    func `Before init ends, the disk has the vault key's file and its name in the folder`() throws {
      let machine = try Machine()
      let trace = machine.directory.path("calls")
      let folder = machine.directory.path("keys")
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      for (name, working) in [("\(folder)/key", "/"), ("other-key", folder)] {
        let outcome = try machine.run(
          "coffer", "init", "--no-passphrase", "--vault-key-file", name,
          environment: ["COFFER_VAULT": working == "/" ? "one" : "two"],
          wrapper: ["env", "-C", working, "strace", "-f", "-qq", "-y", "-e", "trace=fsync", "-o", trace])
        #expect(outcome.exitCode == 0, "\(outcome)")
        let calls = try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n").map(String.init)
        let file = "/keys/\((name as NSString).lastPathComponent)>)"
        let written = try #require(calls.firstIndex { $0.contains(file) }, "\(calls)")
        #expect(calls[written...].contains { $0.contains("/keys>)") && $0.hasSuffix("= 0") }, "\(calls)")
      }
    }
  }
#endif
