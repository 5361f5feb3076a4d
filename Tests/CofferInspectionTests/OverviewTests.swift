import Coffer
import CofferAdministration
import CofferCertificates
import CofferCrypto
import CofferFormat
@testable import CofferInspection
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

@Suite struct OverviewTests {
  private let name = GenericPassword(service: "service", account: "account")

  private func kinds(_ overview: Overview) -> [String] { overview.attention.map(\.kind.name) }

  private func certificate(in directory: TemporaryDirectory, days: Int) throws -> KeychainCertificate {
    let der = directory.path("c.der")
    try Command.run(
      arguments: [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
        directory.path("k.pem"), "-outform", "DER", "-out", der, "-subj", "/CN=Jane", "-days", "\(days)",
      ])
    return try KeychainCertificate(der: Data(contentsOf: URL(fileURLWithPath: der)))
  }

  @Test func `An overview has the number of items of each group`() throws {
    let fixture = try TemporaryVault()
    let one = try fixture.app("com.example.one", groups: ["~com.example.one", "~com.example.shared"])
    try one.set("v", for: name)
    try one.set("v", for: GenericPassword(service: "service", account: "other"))
    try one.set("v", for: InternetPassword(server: "example.com", account: "jane"), in: "com.example.shared")
    let overview = try fixture.inspected().overview()
    let prefix = try fixture.prefix
    #expect(overview.status.groups.map(\.name) == ["com.example.one", "com.example.shared"].map { prefix + $0 })
    #expect(overview.status.groups.map(\.itemCount) == [2, 1])
    #expect(overview.status.applications.map(\.bundleID) == ["com.example.one"])
  }

  @Test func `A new vault's attention names what protects nothing yet, the most urgent first`() throws {
    let fixture = try TemporaryVault()
    try fixture.register("com.example.one")
    let overview = try fixture.inspected().overview()
    #expect(kinds(overview) == ["no-passphrase", "open-credentials", "single-machine", "no-remote"])
    #expect(overview.attention.map(\.severity) == overview.attention.map(\.severity).sorted(by: >))
    for entry in overview.attention {
      #expect(entry.sentence.hasSuffix(".") && !entry.advice.isEmpty, "\(entry)")
    }
    #expect(
      overview.attention[1].sentence
        == "Any process of this user can act as com.example.one, because its credential is not sealed under the passphrase."
    )
  }

  @Test func `A passphrase, sealed credentials and a second machine leave nothing to say about them`() throws {
    let fixture = try TemporaryVault(passphrase: "secret")
    try fixture.register("com.example.sealed", isLocked: true)
    try fixture.enrol("desktop")
    #expect(try kinds(Overview.read(from: fixture.local)) == ["no-remote"])
  }

  @Test func `Apps without a credential here, and with one that does not work, are named with the command`() throws {
    let fixture = try TemporaryVault()
    try fixture.register("com.example.absent", isInstalled: false)
    try fixture.register("com.example.broken")
    let file = try fixture.local.folder.credentialFile(of: fixture.local.application(named: "com.example.broken"))
    try Data("broken".utf8).write(to: URL(fileURLWithPath: file.path))
    let attention = try Overview.read(from: fixture.local).attention
    #expect(attention.contains(.noCredential(apps: ["com.example.absent"])))
    #expect(attention.contains(.unusableCredential(apps: ["com.example.broken"])))
    #expect(!attention.contains { $0.kind.name == "open-credentials" })
    #expect(
      Attention.noCredential(apps: ["com.example.absent"]).advice
        == "Give it one with: coffer app install com.example.absent")
  }

  @Test func `Items in conflict and refused records are named with their group and author`() throws {
    let fixture = try TemporaryVault()
    try fixture.app("com.example.one", groups: ["~com.example.one", "~com.example.shared"])
    try fixture.app("com.example.reader", readOnly: ["~com.example.shared"])
    try fixture.plant(fixture.forge("account", in: "com.example.one", by: "com.example.one"))
    try fixture.plant(fixture.forge("account", in: "com.example.one", by: "com.example.one", isLate: true))
    try fixture.plant(
      fixture.forge("account", in: "com.example.shared", by: "com.example.reader"), validity: .unadmitted)
    let overview = try Overview.read(from: fixture.local)
    #expect(overview.attention.contains(.conflicts(items: 1, groups: ["com.example.one"])))
    #expect(overview.status.groups.map(\.conflictCount) == [1, 0, 0])
    #expect(overview.status.groups.map(\.itemCount) == [1, 0, 0])
    let refused = try #require(overview.attention.first { $0.kind.name == "refused" })
    #expect(refused.severity == .urgent && overview.attention[0] == refused)
    let prefix = try fixture.prefix
    #expect(
      refused.sentence
        == "Refused: 1 record by \(prefix)com.example.reader on laptop, because it may not write \(prefix)com.example.shared."
    )
    #expect(refused.advice.hasSuffix(": coffer app add FILE.entitlements"))
  }

  @Test func `A store that another program has changed is named, unless the overview was asked not to look`() throws {
    let fixture = try TemporaryVault()
    try fixture.local.writeSummary()
    try fixture.app("com.example.one").set("v", for: name)
    #expect(try !kinds(Overview.read(from: fixture.local)).contains("store-changed"))
    try Command.run("sqlite3", fixture.local.folder.storePath, "UPDATE record SET time = time + 1")
    #expect(try kinds(Overview.read(from: fixture.local))[0] == "store-changed")
    #expect(try !kinds(Overview.read(from: fixture.local, checksStore: false)).contains("store-changed"))
  }

  @Test func `An inspector compares the store on another thread, once for each commit of another program`() throws {
    let fixture = try TemporaryVault()
    try fixture.local.writeSummary()
    let one = try fixture.app("com.example.one")
    let inspected = try fixture.inspected()
    func isNamed(waits: Bool = false) throws -> Bool {
      try kinds(inspected.overview(waitsForStore: waits)).contains("store-changed")
    }
    #expect(try !isNamed())
    inspected.comparison.wait()
    #expect(try !isNamed())
    try one.set("v", for: name)
    inspected.comparison.wait()
    #expect(try !isNamed(waits: true))
    try Command.run("sqlite3", fixture.local.folder.storePath, "UPDATE record SET time = time + 1")
    // The comparison begins here, and the last result is named until it ends.
    _ = try isNamed()
    inspected.comparison.wait()
    #expect(try isNamed() && isNamed(waits: true))
    try Command.run("sqlite3", fixture.local.folder.storePath, "UPDATE record SET time = time - 1")
    #expect(try !isNamed(waits: true) && !isNamed())
  }

  @Test func `Changes that wait for a sync are named after the limit, by the time of the oldest`() throws {
    let fixture = try TemporaryVault()
    let one = try fixture.app("com.example.one")
    try fixture.set(.remoteURL, Array("/srv/vault.git".utf8))
    #expect(try kinds(Overview.read(from: fixture.local)).contains("never-synced"))
    try fixture.publishLog()
    try fixture.set(.lastSync, Timestamp.now.stored)
    let week = Date().addingTimeInterval(7 * 86_400 + 60)
    #expect(try !kinds(Overview.read(from: fixture.local, now: week)).contains("unsynced"))
    try one.set("v", for: name)
    #expect(try !kinds(Overview.read(from: fixture.local)).contains("unsynced"))
    let late = try Overview.read(from: fixture.local, now: week)
    let unsynced = try #require(late.attention.first { $0.kind.name == "unsynced" })
    #expect(unsynced.sentence == "1 change of this machine has waited for a sync for 7 days.")
    let earlier = week.addingTimeInterval(-86_400)
    #expect(try !kinds(Overview.read(from: fixture.local, now: earlier)).contains("unsynced"))
  }

  @Test func `Another machine without a sign of life is named after 30 days, and its last write is one`() throws {
    let fixture = try TemporaryVault()
    try fixture.enrol("desktop")
    func silent(afterDays days: Double) throws -> Attention? {
      let now = Date().addingTimeInterval(days * 86_400 + 60)
      return try Overview.read(from: fixture.local, now: now).attention.first { $0.kind.name == "silent" }
    }
    #expect(try silent(afterDays: 29) == nil)
    let found = try #require(try silent(afterDays: 30))
    #expect(found.severity == .notice)
    #expect(found.sentence == "The machine desktop has given no sign of life for 30 days.")
    #expect(found.advice.hasSuffix("remove it with: coffer device revoke desktop"))
    let late = Date().addingTimeInterval(45 * 86_400 + 60)
    #expect(try AccessFacts.read(from: fixture.local).machines.map { $0.machine.silentDays(asOf: late) } == [nil, 45])
    #expect(try VaultStatus.read(from: fixture.local).machines.map { $0.silentDays(asOf: late) } == [nil, 45])
  }

  @Test func `A sync that has failed is named with its reason and what to do, until one succeeds`() throws {
    let fixture = try TemporaryVault()
    try fixture.set(.remoteURL, Array("/srv/vault.git".utf8))
    SyncHealth.update(in: fixture.local.folder) { health in
      health.failureCount = 3
      health.lastError = VaultError.Report(
        VaultError(.network, "the host away.example is not known", recoverySuggestion: "check the name"))
    }
    let failure = try #require(
      try Overview.read(from: fixture.local).attention.first { $0.kind.name == "sync-fails" })
    #expect(
      failure.sentence == "The last sync has failed, 3 times in a row: the host away.example is not known.")
    #expect(failure.advice == "Check the name." && failure.severity == .warning)
    SyncHealth.update(in: fixture.local.folder) { $0.lastError = nil }
    #expect(try !kinds(Overview.read(from: fixture.local)).contains("sync-fails"))
  }

  @Test func `Certificates are named 30 days before they expire, and as urgent once they have`() throws {
    let fixture = try TemporaryVault()
    let one = try fixture.app("com.example.one")
    try one.add(certificate(in: fixture.directory, days: 100))
    let inspected = try fixture.inspected()
    let start = Date()
    func entry(afterDays days: Double) throws -> Attention? {
      try inspected.overview(now: start.addingTimeInterval(days * 86_400)).attention.first {
        $0.kind.name == "certificate"
      }
    }
    #expect(try entry(afterDays: 69) == nil)
    let soon = try #require(try entry(afterDays: 90.5))
    let group = try fixture.prefix + "com.example.one"
    #expect(soon.severity == .warning && soon.sentence == "The certificate Jane in \(group) expires in 9 days.")
    let expired = try #require(try entry(afterDays: 102.5))
    #expect(expired.severity == .urgent && expired.sentence == "The certificate Jane in \(group) expired 2 days ago.")
  }

  @Test func `An app's overview has its own groups, credential and conflicts, and nothing of other apps`() throws {
    let fixture = try TemporaryVault()
    let one = try fixture.app("com.example.one", groups: ["~com.example.one"])
    let two = try fixture.app("com.example.two", groups: ["~com.example.two"])
    try one.set("v", for: name)
    try two.set("v", for: name)
    for app in ["one", "two"] {
      try fixture.plant(fixture.forge("account", in: "com.example.\(app)", by: "com.example.\(app)"))
      try fixture.plant(fixture.forge("account", in: "com.example.\(app)", by: "com.example.\(app)", isLate: true))
    }
    let inspected = InspectedVault(vault: one, local: one.local)
    let overview = try inspected.overview(of: fixture.prefix + "com.example.one")
    #expect(try overview.groups.map(\.name) == [fixture.prefix + "com.example.one"])
    #expect(
      overview.attention == [
        .conflicts(items: 1, groups: ["com.example.one"]),
        .openCredentials(apps: ["com.example.one"], hasPassphrase: false),
      ])
    let error = #expect(throws: VaultError.self) { try inspected.overview(of: fixture.prefix + "com.example.none") }
    #expect(error?.code == .itemNotFound)
  }

  @Test func `Every source of attention has words, a severity and a name of its own`() throws {
    let position = LogPosition(sequence: 3, hash: EntryHash(.zero))
    let all: [Attention] = [
      .removed("this machine was removed from the vault", remote: nil), .lostRemote("/srv/vault.git"),
      .toReplace(items: 1),
      .unconfirmed(machines: ["a"]), .unconfirmed(machines: ["a", "b"]), .expiredCredentials(["a"]),
      .enrolmentRequests(invitations: ["a", "b"]),
      .logFork(LogFork(parent: position, heads: [position, position])), .logClaim("lacks entry 3"), .storeChanged,
      .conflicts(items: 2, groups: ["a", "b"]), .unsynced(changes: 2, since: Date(), days: 9), .neverSynced, .noRemote,
      .noCredential(apps: ["A", "B"]), .unusableCredential(apps: ["A"]), .lackingRights(apps: ["A"]),
      .noPassphrase, .openCredentials(apps: ["a"], hasPassphrase: true),
      .ownCredentials(apps: ["a"], hasPassphrase: true),
      .singleMachine, .silent(machines: ["a"], days: 30), .silent(machines: ["a", "b"], days: 31),
      .syncFails(times: 2, since: Date(), message: "it is away", suggestion: "try again with: coffer sync"),
      .syncFails(times: 1, since: nil, message: "it is away", suggestion: nil),
      .unreadProblems(1), .unreadProblems(2),
    ]
    #expect(Set(all.map(\.kind)).count == all.count - 4)
    for entry in all {
      #expect(entry.sentence.first?.isLowercase == false && entry.sentence.hasSuffix("."), "\(entry.sentence)")
      #expect(entry.advice.first?.isUppercase == true, "\(entry.advice)")
      // A line beside a button.
      #expect(!entry.heading.isEmpty && entry.heading.count < 60 && !entry.heading.hasSuffix("."), "\(entry.heading)")
    }
  }

  @Test func `Entries of one kind are one line with their number, in the order of the first of each kind`() throws {
    let fixture = try TemporaryVault()
    let app = try fixture.app("com.example.one", groups: ["~com.example.one"])
    for label in ["Jane", "John"] {
      var certificate = try self.certificate(in: fixture.directory, days: 9)
      certificate.label = label
      try app.add(certificate)
    }
    let found = try fixture.inspected().overview().attention.filter { $0.kind == .certificate }
    let merged = Attention.merged([.conflicts(items: 2, groups: ["a"]), found[0], .toReplace(items: 397), found[1]])
    #expect(
      merged.map(\.heading) == ["2 conflicts", "2 certificates have expired, or will soon", "397 items to replace"])
    #expect(merged.map(\.entries.count) == [1, 2, 1])
    #expect(Attention.merged([found[0]]).map(\.heading) == ["Jane expires in 8 days"])
  }
}
