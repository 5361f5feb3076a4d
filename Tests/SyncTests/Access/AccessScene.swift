import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// Machines with an access group, in which one actor tries everything. Items are written before and after what happens
/// to the actor, and what it does is looked at on another machine.
struct AccessScene {
  private typealias Result = AccessMatrix.Result

  private static let group = "com.example.photo.purchases"
  private static let other = "com.example.other"
  // Safe, because tests only copy the folders, and the value itself never changes.
  nonisolated(unsafe) private static let template: Swift.Result<MemberMachines, any Error> = Swift.Result {
    let machines = try MemberMachines()
    machines.deleteAtExit()
    for account in ["old", "doomed"] { try write(account, on: machines.laptop) }
    #expect(try machines.laptop.addApp("other").exitCode == 0)
    try machines.desktop.sync()
    try machines.desktop.coffer("app", "install", other)
    try machines.sync(machines.desktop, machines.laptop, machines.member, machines.desktop)
    return machines
  }

  private let suite: MemberMachines
  private let actor: AccessActor
  /// The machine on which the actor runs.
  private let machine: Machine
  /// The plist that it presents.
  private let plist: URL
  /// The path of its headless credential; nil for an actor on a machine of the vault.
  private let credential: String?

  /// Prepares what happens to the actor.
  init(_ actor: AccessActor) throws {
    self.actor = actor
    suite = try unsafe MemberMachines(copying: Self.template.get())
    let desktop = suite.desktop
    let pro = Machine.entitlements(of: "PhotoPro")
    let wider = try suite.laptop.directory.write(
      "wider.entitlements", entitlementsPlist(Self.other, groups: ["~" + Self.other, "~" + Self.group]))
    var machine = desktop
    var plist = pro
    var credential: String?
    switch actor {
    case .entitled: break
    case .readOnly: plist = Machine.entitlements(of: "PhotoFree")
    case .notEntitled:
      plist = try desktop.directory.write(
        "other.entitlements", entitlementsPlist(Self.other, groups: ["~" + Self.other]))
    case .foreignTeam:
      plist = try desktop.directory.write(
        "foreign.entitlements",
        entitlementsPlist(app, groups: ["~" + app, "~" + Self.group])
          .replacingOccurrences(of: "$(AppIdentifierPrefix)", with: "ABCDEFGHIJ."))
    case .editedPlist: plist = wider
    case .member: machine = suite.member
    case .removedAdmin: try suite.asRoot(on: suite.laptop, "admin", "remove", "desktop", "--yes").expectSuccess()
    case .removedApp: try suite.laptop.coffer("app", "remove", app, "--device", "desktop", "--yes")
    case .revokedDevice, .copyFromBefore:
      if actor == .copyFromBefore { machine = try desktop.copied() }
      try suite.asRoot(on: suite.laptop, "device", "revoke", "desktop", "--yes").expectSuccess()
    case .headless, .expired:
      machine = try Machine()
      let isExpired = actor == .expired
      let text = try suite.laptop.makeHeadlessCredential(
        named: "runner", of: app, created: 100, expired: isExpired ? 10 : -10)
      credential = try machine.directory.write("credential", String(decoding: text, as: UTF8.self))
      try suite.sync(suite.laptop)
      if isExpired { try suite.laptop.coffer("app", "remove", app, "--device", "desktop", "--yes") }
    case .forgedStatement, .nonAdminStatement: plist = wider
    case .replayedStatement:
      plist = wider
      try suite.laptop.coffer("app", "add", wider)
      try suite.laptop.coffer(
        "app", "add", "--yes",
        suite.laptop.directory.write(
          "narrow.entitlements", entitlementsPlist(Self.other, groups: ["~" + Self.other])))
    }
    self.machine = machine
    self.plist = URL(fileURLWithPath: plist)
    self.credential = credential
    try Self.write("new", on: suite.laptop)
    try suite.sync(suite.laptop)
    if actor != .copyFromBefore, credential == nil { _ = try machine.run("coffer", "sync") }
    if let entry = try statement() { try suite.remote.put(entry) }
    // What the host shows is met by the sync of the table; until then, nothing of it is here.
  }

  private static func write(_ account: String, on machine: Machine) throws {
    try machine.coffer("set", "service", account, "--app", app, "--group", group, input: "value")
  }

  /// The entry of the log that somebody without the right to sign it puts on the host; nil if there is none.
  private func statement() throws -> SealedEntry? {
    let local = try suite.laptop.local
    let membership = try local.membership()
    let entries = try local.store.read { try $0.logEntries(after: 0) }.map { try LogEntry(bytes: $0.entry) }
    let registrations = try entries.compactMap { entry in
      if case .app(let app)? = try Statement.parse(entry) { (entry, app) } else { nil }
    }
    let signer: PartyKeys
    switch actor {
    case .replayedStatement:
      // The same bytes again, in the place of the next entry.
      let older = try #require(registrations.dropLast().last { $0.1.bundleID == Self.other })
      return try suite.laptop.seal(older.0, at: membership.head.sequence + 1)
    case .forgedStatement: signer = .random()
    case .nonAdminStatement:
      let file = try suite.member.local.folder.credentialFile(of: suite.member.local.application(named: app))
      signer = try file.read(Credential.self).open(passphrase: nil, in: membership.vault)
    default: return nil
    }
    let present = try #require(registrations.last { $0.1.bundleID == Self.other }).1
    let owner = try #require(registrations.last { $0.1.bundleID == app }).1
    let added = owner.groups.filter { $0.name.description.hasSuffix(Self.group) }
    let entry = LogEntry(
      vault: membership.vault, after: membership.head, time: .now,
      signer: .admin(AuthorID(vault: membership.vault, keys: signer.publicKeys)), key: signer.signing,
      statement: .app(
        AppStatement(
          applicationID: present.applicationID, bundleID: present.bundleID, sourcePrefix: nil,
          requiresPassphrase: false,
          groups: present.groups + added, entitlements: [UInt8](try Data(contentsOf: plist)))))
    return try suite.laptop.seal(entry, at: entry.sequence)
  }

  // MARK: Trying

  /// Lets the actor try everything, in an order in which nothing depends on what came before.
  func results() throws -> [AccessMatrix.Result] {
    let stated = actor == .forgedStatement || actor == .nonAdminStatement || actor == .replayedStatement
    // The statement has to be here for what follows to mean something.
    let early = stated ? try sync() : nil
    let readOld = read("old")
    let readNew = read("new")
    let list = attempt { (vault) throws(VaultError) in
      try vault.list(GenericPassword.self, in: Self.group).items.contains { $0.item.account == "old" }
    }
    let write = attempt { (vault) throws(VaultError) in
      try vault.set("mine", for: Self.item("mine"), in: Self.group)
      return true
    }
    let update = attempt { (vault) throws(VaultError) in
      try vault.set("updated", for: Self.item("old"), in: Self.group)
      return true
    }
    let delete = attempt { (vault) throws(VaultError) in try vault.delete(Self.item("doomed"), in: Self.group) }
    let sync = try early ?? sync()
    let change = try changeMembership()
    return [
      readOld, readNew, list,
      try seen(write) { $0["mine"] == "mine" },
      try seen(update) { $0["old"] == "updated" },
      try seen(delete) { $0["doomed"] == nil },
      sync, change,
    ]
  }

  private static func item(_ account: String) -> GenericPassword {
    GenericPassword(service: "service", account: account)
  }

  private func read(_ account: String) -> Result {
    attempt { (vault) throws(VaultError) in try vault.string(for: Self.item(account), in: Self.group) == "value" }
  }

  private func attempt(_ use: (Vault) throws(VaultError) -> Bool) -> Result {
    do throws(VaultError) {
      let vault =
        if let credential {
          try HeadlessVault.open(credentialAt: credential, repository: suite.remote.path).vault(ofApp: app)
        } else { try Vault.open(.file(plist), at: VaultLocation(folder: machine.vault)) }
      return try use(vault) ? .yes : .nothing
    } catch {
      return .error(error.code.description)
    }
  }

  private func sync() throws -> Result {
    if let credential {
      machine.environment.merge(["COFFER_CREDENTIAL_FILE": credential, "COFFER_REPOSITORY": suite.remote.path]) { $1 }
    }
    let outcome = try machine.run("coffer", "sync")
    return try #require(Result(outcome), "\(outcome)")
  }

  private func changeMembership() throws -> Result {
    let outcome = try machine.addApp("third")
    let result = try #require(Result(outcome), "\(outcome)")
    guard result == .yes else { return result }
    try suite.sync(suite.laptop)
    let apps = try suite.laptop.local.membership().apps.keys
    return apps.contains { $0.description.hasSuffix("com.example.third") } ? .yes : .hereOnly
  }

  /// What another machine sees of a change that this one has made.
  private func seen(_ result: Result, _ isDone: ([String: String]) -> Bool) throws -> Result {
    guard result == .yes else { return result }
    try suite.sync(suite.laptop)
    let vault = try Vault.open(
      .file(URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro"))),
      at: VaultLocation(folder: suite.laptop.vault))
    var values: [String: String] = [:]
    for found in try vault.list(GenericPassword.self, in: Self.group).items {
      values[found.item.account] = try vault.string(for: found.item, in: Self.group)
    }
    return isDone(values) ? .yes : .hereOnly
  }
}

extension Machine.Outcome {
  /// Throws an error with the program's output unless it exited with 0.
  fileprivate func expectSuccess() throws {
    guard exitCode == 0 else { throw SpawnedProgram.Failure(description: "\(self)") }
  }
}
