import Coffer
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@testable import CofferInspection

/// What the overview of the inspector, and so `coffer doctor`, advises is carried out, and ends what needs attention.
@Suite struct AttentionAdviceTests {
  private static let purchases = "com.example.photo.purchases"

  @Test(arguments: Attention.Kind.allCases)
  func `The advice for each kind of attention can be carried out, and ends it`(_ kind: Attention.Kind) throws {
    try Self.scene(of: kind).carryOut(kind.name)
  }

  private static func scene(of kind: Attention.Kind) throws -> AdviceScene {
    switch kind {
    case .noPassphrase, .openCredentials, .ownCredentials, .vaultKeyKept, .noRemote, .neverSynced, .singleMachine,
      .unusableCredential, .storeChanged:
      try aloneScene(of: kind)
    case .removed, .unconfirmed: try removalScene(of: kind)
    case .lostRemote: try damagedScene()
    case .logFork, .logClaim, .pending: try logScene(of: kind)
    case .expiredCredentials: try expiredScene()
    case .enrolmentRequests: try requestScene()
    case .certificate: try certificateScene()
    case .toReplace, .conflicts, .unsynced, .syncFails, .unreadProblems, .silent, .noCredential, .lackingRights,
      .refused:
      try sharedScene(of: kind)
    }
  }

  // MARK: Scenes

  /// A vault on one machine.
  private static func aloneScene(of kind: Attention.Kind) throws -> AdviceScene {
    let machine = try Machine()
    if kind != .vaultKeyKept { try machine.makeVault() }
    let passphrase = try machine.directory.write("passphrase", "correct horse")
    let (key, remote) = (machine.directory.path("vault-key"), machine.directory.path("remote.git"))
    try Command.run("git", "init", "--quiet", "--bare", remote)
    var scene = AdviceScene(ofVaultOn: machine)
    scene.texts = ["URL": remote]
    scene.answers = [
      "coffer passphrase set": "--new-passphrase-file \(passphrase)",
      "coffer passphrase change": "--passphrase-file \(passphrase) --new-passphrase-file \(passphrase)",
      "coffer app add": "--passphrase-file \(passphrase)", "coffer vault-key show": "--vault-key-file \(key)",
      "coffer clone": "--no-passphrase --name desktop --vault-key-file \(key)",
    ]
    switch kind {
    case .openCredentials: try machine.register("PhotoPro")
    case .unusableCredential:
      try machine.register("PhotoPro")
      try Data("broken".utf8).write(to: try machine.credential(of: app))
    case .ownCredentials:
      try machine.coffer("set", "example.com", input: "s3cret")
      let file = try #require(machine.files().first { $0.path.hasSuffix("coffer.personal/credential") })
      let open = try Data(contentsOf: file)
      try machine.coffer("passphrase", "set", "--new-passphrase-file", passphrase)
      // As an earlier version has left it.
      try open.write(to: file)
    case .vaultKeyKept: try machine.coffer("set", "example.com", input: "s3cret")
    case .storeChanged:
      try machine.coffer("set", "example.com", input: "s3cret")
      try machine.local.writeSummary()
      try Command.run(
        "sqlite3", machine.vault.appending(path: "store.sqlite").path, "UPDATE record SET time = time + 1")
    case .neverSynced, .singleMachine:
      try machine.coffer("remote", "set", remote)
      guard kind == .singleMachine else { break }
      try machine.sync()
      let other = try Machine()
      scene.run = AdviceScene(other).run
      scene.after = { try machine.sync() }
    default: break
    }
    return scene
  }

  /// The laptop has removed the desktop.
  private static func removalScene(of kind: Attention.Kind) throws -> AdviceScene {
    let suite = try ThreeMachines()
    try suite.revoke()
    guard kind == .removed else {
      var scene = AdviceScene(ofVaultOn: suite.laptop)
      scene.run = { command in
        _ = try AdviceScene(suite.third).run(command)
        return try AdviceScene(suite.laptop).run(command)
      }
      return scene
    }
    let refused = try suite.desktop.run("coffer", "sync")
    var scene = AdviceScene(ofVaultOn: suite.desktop)
    let command = "COFFER_HOME=~/new coffer clone \(suite.remote.path)"
    #expect(refused.exitCode == 4 && refused.errors.hasSuffix("\(command)\n"), "\(refused)")
    let (old, new) = (scene.find, suite.desktop.directory.url.appending(path: "new/vaults/default"))
    scene.find = {
      guard FileManager.default.fileExists(atPath: new.path) else { return try old() }
      return try findings(in: LocalVault.open(VaultFolder(new)))
    }
    scene.keepsAlive = [suite]
    scene.answers = [command: "--no-passphrase --name again --vault-key-file \(suite.key)"]
    return scene
  }

  /// What `coffer check --repair` leaves of a store whose file was damaged.
  private static func damagedScene() throws -> AdviceScene {
    let suite = try TwoMachines()
    try suite.laptop.set("kept", "1")
    try suite.laptop.sync()
    try suite.laptop.overwriteSettingsAndLog()
    #expect(try suite.laptop.run("coffer", "check", "--repair").exitCode == 6)
    var scene = AdviceScene(ofVaultOn: suite.laptop)
    scene.after = {
      try suite.laptop.sync()
      #expect(try suite.laptop.get("kept") == "1")
    }
    scene.keepsAlive = [suite]
    return scene
  }

  /// The host shows the desktop another log than the laptop.
  private static func logScene(of kind: Attention.Kind) throws -> AdviceScene {
    let suite = try TwoMachines()
    try suite.desktop.sync()
    let shared = suite.remote.tip
    #expect(try suite.laptop.addApp("one").exitCode == 0)
    try suite.laptop.coffer("set", "service", "of one", "--app", "com.example.one", input: "first")
    try suite.laptop.sync()
    let whole = suite.remote.tip
    var scene = AdviceScene(ofVaultOn: suite.desktop)
    scene.texts = ["URL": suite.remote.path]
    if kind == .logFork {
      try suite.remote.serve(shared)
      #expect(try suite.desktop.addApp("two").exitCode == 0)
      #expect(try suite.laptop.run("coffer", "sync").exitCode == 6)
      try suite.laptop.coffer("log", "resolve", "--vault-key-file", suite.key, "--yes")
    } else {
      try suite.remote.serve(suite.remote.commit(segmentsOf: whole, on: shared))
    }
    #expect(try suite.desktop.run("coffer", "sync").exitCode == 6)
    switch kind {
    case .logClaim:
      // It names what the host had withheld, and sends it again.
      scene.before = {
        let sync = try suite.laptop.run("coffer", "sync")
        #expect(sync.exitCode == 6, "\(sync)")
      }
    case .pending:
      let here = scene.run
      scene.run = { command in
        // It names what the host had withheld.
        #expect(try AdviceScene(suite.laptop).run(command).exitCode == 6)
        return try here(command)
      }
    default: scene.keepsAlive = [suite]
    }
    return scene
  }

  private static func expiredScene() throws -> AdviceScene {
    let suite = try HeadlessMachine.copy(withCredential: false)
    try suite.createExpired()
    try suite.laptop.sync()
    var scene = AdviceScene(ofVaultOn: suite.laptop)
    scene.answers = ["coffer device revoke": "--yes"]
    scene.keepsAlive = [suite]
    return scene
  }

  private static func certificateScene() throws -> AdviceScene {
    let machine = try Machine()
    try machine.makeVault()
    func certificate(_ name: String, days: Int) throws -> String {
      let file = machine.directory.path(name)
      try Command.run(
        arguments: [
          "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
          "\(file).key", "-out", file, "-subj", "/CN=Jane", "-days", "\(days)",
        ])
      return file
    }
    try machine.coffer("certificate", "import", certificate("old", days: 20))
    var scene = AdviceScene(ofVaultOn: machine)
    scene.find = {
      let vault = InspectedVault(
        vault: try Vault.open(asOwnerOf: machine.local, passphrase: .unavailable), local: try machine.local)
      return try vault.overview().attention.map {
        AdviceScene.Finding(kind: $0.kind.name, subject: "the vault", message: $0.sentence, fix: $0.advice)
      }
    }
    scene.texts = ["FILE": try certificate("new", days: 3_650)]
    scene.after = {
      // The one that follows.
      let left = try machine.coffer("list", "--tree")
      #expect(left.contains("Jane"), "\(left)")
    }
    return scene
  }

  private static func requestScene() throws -> AdviceScene {
    let invitations = try InvitationScene()
    _ = try invitations.post(invitations.invite())
    try invitations.laptop.coffer("sync")
    var scene = AdviceScene(ofVaultOn: invitations.laptop)
    scene.answers = ["coffer device approve": "--yes"]
    scene.keepsAlive = [invitations]
    return scene
  }

  /// A vault on two machines.
  private static func sharedScene(of kind: Attention.Kind) throws -> AdviceScene {
    let suite = try TwoMachines()
    let (laptop, desktop) = (suite.laptop, suite.desktop)
    func plist(_ groups: String...) throws -> String {
      try laptop.directory.write("App.entitlements", entitlementsPlist(app, groups: groups.map { "~" + $0 }))
    }
    func sync() throws { for machine in [laptop, desktop, laptop] { _ = try machine.run("coffer", "sync") } }
    var scene = AdviceScene(ofVaultOn: laptop)
    scene.answers = ["coffer device revoke": "--yes --vault-key-file \(suite.key)"]
    switch kind {
    case .toReplace:
      try laptop.coffer("set", "service", "item", "--group", purchases, input: "before")
      try laptop.coffer("app", "add", "--yes", plist(app))
      scene.after = { try laptop.coffer("set", "service", "item", "--group", purchases, input: "after") }
    case .conflicts:
      for machine in [laptop, desktop] { try machine.set("item", "\(machine === laptop)") }
      try sync()
      scene.after = { try laptop.set("item", "chosen") }
    case .unsynced:
      try laptop.set("item", "value")
      scene = AdviceScene(ofVaultOn: laptop, days: 8)
    case .silent:
      try sync()
      scene.find = AdviceScene(ofVaultOn: laptop, days: 40).find
    case .syncFails:
      try laptop.set("item", "value")
      try suite.remote.setPushHook("exit 1")
      #expect(try laptop.run("coffer", "sync").exitCode != 0)
      scene.before = { try suite.remote.setPushHook("exit 0") }
    case .unreadProblems:
      try laptop.set("item", "value")
      try laptop.sync()
      let path = try #require(try suite.remote.files().last { $0.hasPrefix("segments/") })
      try suite.remote.tamper { try FileManager.default.removeItem(at: $0.appending(path: path)) }
      #expect(try laptop.run("coffer-sync", "sync", "--leave-unread").exitCode == 6)
      scene.exitCode = 6
    case .noCredential:
      #expect(try laptop.addApp("one").exitCode == 0)
      try sync()
      scene = AdviceScene(ofVaultOn: desktop)
    case .lackingRights:
      try laptop.coffer("app", "add", "--yes", plist(app))
      try laptop.coffer("app", "add", plist(app, purchases))
      try sync()
      scene = AdviceScene(ofVaultOn: desktop)
    default:
      try laptop.coffer("app", "add", "--yes", plist(app))
      try desktop.coffer("set", "service", "late", "--app", app, "--group", purchases, input: "late")
      try sync()
      scene = AdviceScene(ofVaultOn: desktop)
    }
    scene.keepsAlive = [suite]
    return scene
  }
}

extension AdviceScene {
  /// A scene on a machine, whose overview some days from now has the findings.
  fileprivate init(ofVaultOn machine: Machine, days: Double = 0) {
    let run = AdviceScene(machine).run
    self.init(
      find: {
        try findings(in: machine.local, now: Date(timeIntervalSinceNow: days * 86_400))
      }, run: run)
  }
}

/// What the overview of a vault finds.
private func findings(in local: LocalVault, now: Date = Date()) throws -> [AdviceScene.Finding] {
  try Overview.read(from: local, now: now).attention.map {
    AdviceScene.Finding(kind: $0.kind.name, subject: "the vault", message: $0.sentence, fix: $0.advice)
  }
}
