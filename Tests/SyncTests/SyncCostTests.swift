#if os(Linux)
  import CofferTestSupport
  import Foundation
  import Testing

  /// What a sync must not do, because it takes longer than the sync itself.
  @Suite struct SyncCostTests {
    /// Runs a sync and returns its calls of the kernel with these names.
    private func calls(_ names: String, of machine: Machine) throws -> [Substring] {
      let trace = machine.directory.path("calls-\(UUID().uuidString)")
      let outcome = try machine.run(
        "coffer", "sync", wrapper: ["strace", "-f", "-qq", "-e", "trace=\(names)", "-o", trace])
      #expect(outcome.exitCode == 0, "\(outcome)")
      return try String(contentsOfFile: trace, encoding: .utf8).split(separator: "\n")
    }

    @Test func `A sync does not read the certificates of the system`() throws {
      let remote = try TemporaryRemote()
      let machine = try Machine()
      try machine.makeVault()
      try machine.coffer("remote", "set", remote.path)
      let opened = try calls("openat", of: machine)
      #expect(opened.contains { $0.contains("libgit2") })
      #expect(!opened.contains { $0.contains("/certs/") || $0.contains("/ssl/") && $0.contains(".crt") })
    }

    @Test func `A sync imports many segments with few writes to the disk`() throws {
      let suite = try TwoMachines()
      try suite.desktop.sync()
      let idle = try calls("fsync,fdatasync", of: suite.desktop).count
      let segments = 16
      for index in 0..<segments {
        try suite.laptop.set("account-\(index)", "value")
        try suite.laptop.sync()
      }
      let count = try calls("fsync,fdatasync", of: suite.desktop).count
      #expect(try suite.desktop.values().count == segments)
      // Some writes are those of the pack that arrives.
      #expect(count - idle < segments, "\(count) with segments, \(idle) without")
    }
  }
#endif
