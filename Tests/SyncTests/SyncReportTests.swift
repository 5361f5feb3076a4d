import CofferFormat
import CofferSystem
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

@Suite struct SyncReportTests {
  /// The output of `coffer sync --json`.
  private struct Report: Decodable {
    let recordsSent: Int
    let membershipSent: Int
    let itemCount: Int
    let membershipEntries: Int
    let appsWithoutCredential: [String]
  }

  private func report(_ machine: Machine) throws -> Report {
    try JSONDecoder().decode(Report.self, from: Data(machine.coffer("sync", "--json").utf8))
  }

  @Test func `A whole vault that is sent to a second, empty remote is reported as sent`() throws {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoPro")
    for account in ["a", "b", "c"] { try machine.set(account, "1") }
    try machine.set("a", "2")
    try machine.coffer("delete", "service", "c", "--app", app)
    let entries = try machine.status("logLength")
    let remotes = try [TemporaryRemote(), TemporaryRemote()]
    for remote in remotes {
      try machine.coffer("remote", "set", remote.path)
      let content = "2 items, \(entries) membership entries at \(remote.path)"
      #expect(
        try machine.coffer("sync") == """
          Synced: \(content)
            sent:     5 item changes, \(entries) membership entries
          """)
      #expect(try machine.coffer("sync") == "Up to date: \(content)")
    }
    let third = try TemporaryRemote()
    try machine.coffer("remote", "set", third.path)
    let report = try report(machine)
    #expect(report.itemCount == 2 && "\(report.membershipEntries)" == entries)
    #expect(report.recordsSent == 5 && "\(report.membershipSent)" == entries)
    #expect(try self.report(machine).recordsSent == 0)
  }

  @Test func `The report of a sync is read from its JSON with all of its words`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("a", "1")
    try suite.laptop.sync()
    let arrived = try JSONDecoder().decode(SyncReport.self, from: Data(suite.desktop.coffer("sync", "--json").utf8))
    #expect(arrived.recordsReceived == 1 && arrived.bytesReceived > 0 && arrived.duration > .zero)
    #expect(arrived.summary.contains("  received: 1 item change"))
    let again = try JSONDecoder().decode(SyncReport.self, from: Data(suite.desktop.coffer("sync", "--json").utf8))
    #expect(try again.summary == [suite.desktop.coffer("sync")] && again.epoch == 1 && again.epochs == 0)
    let moved = try JSONDecoder().decode(SyncReport.self, from: Data(suite.laptop.coffer("compact", "--json").utf8))
    #expect(moved.epochs == 1 && moved.summary.contains("  epoch:    2, which begins with a snapshot"))
  }

  @Test func `With --progress, a sync prints its steps as lines of JSON, with the numbers of what has arrived`() throws
  {
    struct Step: Decodable {
      let step: String
      let done: Int
      let total: Int
    }
    let suite = try TwoMachines()
    for account in ["a", "b"] {
      try suite.laptop.set(account, "1")
      try suite.laptop.sync()
    }
    try suite.desktop.set("c", "1")
    let outcome = try suite.desktop.run("coffer", "sync", "--progress", "--json")
    #expect(outcome.exitCode == 0 && (try? JSONSerialization.jsonObject(with: outcome.output)) != nil, "\(outcome)")
    let steps = try outcome.errors.split(separator: "\n").map {
      try JSONDecoder().decode(Step.self, from: Data($0.utf8))
    }
    #expect(steps.first?.step == "connecting" && steps.last?.step == "sending", "\(outcome)")
    for kind in ["receiving", "importing"] {
      let last = try #require(steps.last { $0.step == kind }, "\(kind)")
      #expect(last.total > 0 && last.done == last.total, "\(outcome)")
    }
    #expect(try suite.desktop.run("coffer", "sync").errors.isEmpty)
  }

  @Test func `With --json, a sync says how often it began again, and counts conflicts, bytes and time`() throws {
    struct Costs: Decodable {
      let conflictCount: Int
      let retryCount: Int
      let bytesReceived: Int
      let bytesSent: Int
      let seconds: Double
      let problems: [SyncProblem]
    }
    func costs(_ machine: Machine) throws -> Costs {
      try JSONDecoder().decode(Costs.self, from: Data(machine.coffer("sync", "--json").utf8))
    }
    let suite = try TwoMachines()
    let idle = try costs(suite.laptop)
    #expect(idle.retryCount == 0 && idle.conflictCount == 0 && idle.seconds > 0)
    // The desktop's push comes first.
    try suite.remote.refuseNextPush()
    try suite.desktop.set("a", "desktop")
    #expect(try suite.desktop.run("coffer", "sync").exitCode == 7)
    try suite.remote.prefer(suite.remote.kept())
    try suite.laptop.set("a", String(repeating: "x", count: 40_000))
    let raced = try costs(suite.laptop)
    suite.remote.expectRaced()
    #expect(raced.retryCount == 1 && raced.conflictCount == 1 && raced.problems.isEmpty)
    #expect(raced.bytesSent > 80_000 && raced.bytesReceived > idle.bytesReceived)
    #expect(try costs(suite.desktop).bytesReceived > 40_000)
  }

  @Test func `With --json, a sync that fails prints the error with its code`() throws {
    struct Failure: Decodable {
      struct Error: Decodable {
        let code: String
        let message: String
        let recoverySuggestion: String?
      }
      let error: Error
    }
    let machine = try Machine()
    try machine.makeVault()
    let outcome = try machine.run("coffer", "sync", "--json")
    let error = try JSONDecoder().decode(Failure.self, from: outcome.output).error
    #expect(outcome.exitCode == 2 && error.code == "invalidArgument" && error.message == "this vault has no remote")
    #expect(outcome.errors == "coffer: \(error.message); \(error.recoverySuggestion ?? "")\n")
  }

  @Test func `status says when each other machine has written last, by what has arrived here`() throws {
    struct Status: Decodable {
      struct Machine: Decodable {
        let name: String
        let lastWrite: Date?
      }
      let machines: [Machine]
    }
    let suite = try TwoMachines()
    func lastWrite() throws -> Date? {
      let decoder = JSONDecoder()
      decoder.dateDecodingStrategy = .iso8601
      let status = try decoder.decode(Status.self, from: Data(suite.laptop.coffer("status", "--json").utf8))
      return status.machines.first { $0.name == "desktop" }?.lastWrite
    }
    let enrolled = try lastWrite()
    let start = Date.now
    try waitUntil("a second has passed") { Date.now > start.addingTimeInterval(1.1) }
    try suite.desktop.set("a", "1")
    try suite.desktop.sync()
    #expect(try lastWrite() == enrolled)
    try suite.laptop.sync()
    let time = try #require(try lastWrite())
    #expect(time >= start)
    #expect(try suite.laptop.coffer("status").contains("desktop 20"))
  }

  @Test func `What an interrupted sync has prepared is reported as sent by the next one`() throws {
    let suite = try TwoMachines()
    try suite.remote.setPushHook("exit 1")
    try suite.laptop.set("a", "1")
    #expect(try suite.laptop.run("coffer", "sync").exitCode == 7)
    try suite.remote.setPushHook(nil)
    #expect(try suite.laptop.coffer("sync").hasSuffix("  sent:     1 item change"))
  }

  @Test func `A remote with problems, and records that wait, are not called up to date`() throws {
    let suite = try TwoMachines()
    try suite.remote.tamper { try Data("x".utf8).write(to: $0.appending(path: "note")) }
    let outcome = try suite.laptop.run("coffer", "sync")
    #expect(
      outcome.exitCode == 6 && outcome.text.hasPrefix("Synced with \(suite.remote.path).\n  removed:"), "\(outcome)")
  }

  @Test func `A sync that learns of an app without a credential here names it and the command, once`() throws {
    let suite = try TwoMachines()
    let plist = try suite.laptop.directory.write(
      "Third.entitlements",
      String(contentsOfFile: Machine.entitlements(of: "PhotoFree"), encoding: .utf8)
        .replacing("photo.free", with: "photo.third"))
    try suite.laptop.coffer("app", "add", plist)
    let lines = try suite.desktop.coffer("sync").split(separator: "\n")
    #expect(
      lines.suffix(2) == [
        "1 app has no credential on this machine; run:", "  coffer app install com.example.photo.third",
      ])
    let again = try suite.desktop.coffer("sync")
    #expect(again.hasPrefix("Up to date: ") && !again.contains("credential"), "\(again)")
    #expect(try report(suite.desktop).appsWithoutCredential == ["com.example.photo.third"])
    // The machine that registered the app has its credential.
    #expect(try !suite.laptop.coffer("sync").contains("credential"))
    #expect(try report(suite.laptop).appsWithoutCredential.isEmpty)

    let fourth = try suite.laptop.directory.write(
      "Fourth.entitlements",
      String(contentsOfFile: plist, encoding: .utf8).replacing("photo.third", with: "photo.fourth"))
    try suite.laptop.coffer("app", "add", fourth)
    #expect(
      try suite.desktop.coffer("sync").hasSuffix(
        """

        2 apps have no credential on this machine; run:
          coffer app install com.example.photo.fourth
          coffer app install com.example.photo.third
        """))
    try suite.desktop.coffer("app", "install", "com.example.photo.third")
    #expect(try report(suite.desktop).appsWithoutCredential == ["com.example.photo.fourth"])
  }

  @Test func `status says when the last sync was, how long ago, and when it counted the changes`() throws {
    let suite = try TwoMachines()
    try suite.laptop.set("a", "1")
    suite.laptop.environment["TZ"] = "Asia/Tokyo"
    let tokyo = try #require(TimeZone(identifier: "Asia/Tokyo"))
    for (seconds, age) in [
      (0, "just now)"), (61, "1 minute ago)"), (7_300, "2 hours ago)"), (86_400 * 3 + 60, "3 days ago)"),
      (-3_600, "in the future by this machine's clock)"),
    ] {
      let now = Date()
      let date = now.addingTimeInterval(-Double(seconds))
      try suite.laptop.setLastSync(date)
      let rows = try suite.laptop.coffer("status").split(separator: "\n")
      let last = try #require(rows.first { $0.hasPrefix("Last sync ") })
      let shown = date.formatted(
        Date.ISO8601FormatStyle(timeZone: tokyo).year().month().day().dateSeparator(.dash)
          .dateTimeSeparator(.space).time(includingFractionalSeconds: false).timeSeparator(.colon))
      // Less than a second may have become some seconds.
      let isRight = last.hasSuffix(age) || (seconds == 0 && last.hasSuffix(" ago)"))
      #expect(last.contains("  \(shown) (") && isRight, "\(last)")
      let open = try #require(rows.first { $0.hasPrefix("Not synced ") })
      #expect(
        open.firstMatch(of: /1 change of this machine, as of \d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/) != nil, "\(open)")
      let (lastSync, asOf) = (try suite.laptop.status("lastSync"), try suite.laptop.status("asOf"))
      let reader = ISO8601DateFormatter()
      let distance = abs(try #require(reader.date(from: lastSync)).timeIntervalSince(date))
      #expect(distance < 1, "\(lastSync)")
      #expect(try #require(reader.date(from: asOf)) >= now.addingTimeInterval(-1))
    }
  }

  @Test func `A sync that finds no change writes nothing to the store, and status says when it was`() throws {
    let suite = try TwoMachines()
    try suite.laptop.sync()
    let before = try suite.laptop.storeBytes()
    let start = Date()
    #expect(try suite.laptop.coffer("sync").hasPrefix("Up to date"))
    #expect(try suite.laptop.storeBytes() == before)
    let lastSync = try #require(ISO8601DateFormatter().date(from: suite.laptop.status("lastSync")))
    #expect(lastSync >= start.addingTimeInterval(-1))
    // After a clock that was wrong, it does.
    try suite.laptop.setLastSync(Date(timeIntervalSinceNow: 600))
    try suite.laptop.sync()
    let next = try #require(ISO8601DateFormatter().date(from: suite.laptop.status("lastSync")))
    #expect(abs(next.timeIntervalSinceNow) < 300)
  }

  @Test func `A change of membership that a sync cannot push is one of the problems that status counts`() throws {
    let two = try TwoMachines()
    try two.desktop.sync()
    let plist = try two.laptop.directory.write("new.entitlements", entitlementsPlist("com.example.new"))
    try two.laptop.kill("coffer", ["app", "add", plist], at: FaultStep(point: .commitWritten, occurrence: 1))
    let membership = try two.desktop.local.membership()
    // Who has seen an entry that the remote lacks proves that the end of the log is missing.
    let claimed = LogPosition(sequence: 1 << 40, hash: membership.head.hash)
    let segment = try two.desktop.sealSegment(
      of: [], in: #require(membership.groups.keys.first), log: claimed)
    try two.remote.put([segment])
    let sync = try two.laptop.run("coffer", "sync")
    #expect(sync.exitCode == 6 && sync.errors.contains("lacks entry \(claimed.sequence)"), "\(sync)")
    #expect(sync.errors.contains("the change of membership was not pushed"), "\(sync)")
    let status = try two.laptop.coffer("status")
    #expect(status.contains("2 problems in the last sync"), "\(status)")
  }
}

extension Machine {
  /// Changes the time of the last sync in the store, and removes the file that has the exact one.
  fileprivate func setLastSync(_ date: Date) throws {
    try? FileManager.default.removeItem(at: vault.appending(path: "sync-health"))
    let microseconds = Int(date.timeIntervalSince1970 * 1_000_000)
    try Command.run(
      "sqlite3", vault.appending(path: "store.sqlite").path,
      "UPDATE setting SET value = CAST('\(microseconds)' AS BLOB) WHERE name = 'last-sync'")
  }

  fileprivate func storeBytes() throws -> Data { try Data(contentsOf: vault.appending(path: "store.sqlite")) }
}
