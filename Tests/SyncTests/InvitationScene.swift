import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// Two admins, the laptop and the desktop, and a machine that is new.
struct InvitationScene {
  /// An invitation as `coffer device invite --json` prints it.
  struct Invitation: Decodable {
    let invitation: String
    let code: String
    let command: String
  }

  static let free = "com.example.photo.free"

  let two: TwoMachines
  let new: Machine

  var remote: TemporaryRemote { two.remote }
  var laptop: Machine { two.laptop }

  init() throws {
    two = try TwoMachines()
    new = try Machine()
  }

  init(_ two: TwoMachines, new: Machine) { (self.two, self.new) = (two, new) }

  /// Makes an invitation on the laptop.
  func invite(_ options: String...) throws -> Invitation {
    let text = try laptop.succeed("coffer", ["device", "invite", "--json"] + options)
    return try JSONDecoder().decode(Invitation.self, from: Data(text.utf8))
  }

  /// Starts `coffer clone --invite` on a machine, by default on the new one.
  func clone(
    _ code: String?, on machine: Machine? = nil, named name: String = "tablet", from url: String? = nil,
    timeout: String = "10m", options: [String] = ["--no-passphrase"], environment: [String: String] = [:]
  ) throws -> RunningProgram {
    let machine = machine ?? new
    let file = try code.map { ["--invite-code-file", try machine.directory.write("code", $0)] } ?? []
    return try machine.start(
      "coffer",
      ["clone", "--invite", "--name", name, "--wait", timeout] + options + file + [url ?? remote.path],
      environment: environment)
  }

  /// The branches with requests, without `refs/heads/`.
  func branches(of remote: TemporaryRemote? = nil) throws -> [String] {
    try (remote ?? self.remote).git("for-each-ref", "--format=%(refname:short)", "refs/heads/invite-*")
      .split(separator: "\n").map(String.init)
  }

  /// Waits until a number of requests is in the repository, and returns their branches.
  @discardableResult
  func waitForRequests(_ count: Int = 1) throws -> [String] {
    try waitUntil("\(count) requests are posted") { try branches().count >= count }
    return try branches()
  }

  /// Posts the request of the new machine, which then does not run, and returns its branch.
  func post(_ invitation: Invitation) throws -> String {
    _ = try clone(invitation.code, timeout: "0s").wait()
    return try #require(branches().first)
  }

  /// The words that a clone has shown.
  func words(of program: RunningProgram) throws -> String {
    let text = String(decoding: try program.outputSoFar(), as: UTF8.self)
    return try Self.words(in: text)
  }

  static func words(in text: String) throws -> String {
    let match = try #require(text.firstMatch(of: /words[^:]*: ([a-z]{5}(-[a-z]{5}){5})\b/), "\(text)")
    return String(match.output.1)
  }

  func approve(_ options: String...) throws -> Machine.Outcome {
    try laptop.start("coffer", ["device", "approve", "--yes"] + options).wait()
  }

  /// Enrols the new machine, by the commands that a user types.
  @discardableResult
  func enrol(_ invitation: Invitation, named name: String = "tablet", approval: [String] = []) throws -> Machine.Outcome
  {
    let program = try clone(invitation.code, named: name)
    try waitForRequests()
    let approved = try laptop.start("coffer", ["device", "approve", "--yes"] + approval).wait()
    try #require(approved.exitCode == 0, "\(approved)")
    return try program.wait()
  }

  /// The folder in which the new machine waits.
  var waitingFolder: URL { new.home.appending(path: "vaults/.join-default") }

  /// Whether the new machine has a vault.
  var isEnrolled: Bool { FileManager.default.fileExists(atPath: new.vault.path) }

  /// Whether the log has no machine but the two.
  func expectNobodyElse(_ location: SourceLocation = #_sourceLocation) throws {
    #expect(try laptop.roles() == ["laptop": "admin", "desktop": "admin"], sourceLocation: location)
    #expect(try two.desktop.run("coffer", "sync").exitCode == 0, sourceLocation: location)
    #expect(try two.desktop.roles() == ["laptop": "admin", "desktop": "admin"], sourceLocation: location)
    #expect(!isEnrolled, sourceLocation: location)
  }

  /// The names and states of the laptop's invitations.
  func states() throws -> [String: String] {
    struct Row: Decodable {
      let invitation: String
      let state: String
    }
    let text = try laptop.coffer("device", "list", "--invitations", "--json")
    let rows = try JSONDecoder().decode([Row].self, from: Data(text.utf8))
    return Dictionary(uniqueKeysWithValues: rows.map { ($0.invitation, $0.state) })
  }

  /// Changes the laptop's invitations, as its clock or another program could.
  func change(_ body: (CofferFormat.Invitation) -> CofferFormat.Invitation) throws {
    try laptop.local.invitationBook().update { (invitations) throws(VaultError) in
      invitations = invitations.map(body)
    }
  }
}

extension InvitationScene.Invitation {
  var key: InvitationKey {
    get throws { try InvitationCode(parsing: SecretText(copying: code.utf8)).key }
  }
}

/// What a host does with the branches of requests.
extension TemporaryRemote {
  func bytes(of path: String, on branch: String) throws -> [UInt8] {
    let file = directory.path("content")
    try Command.run(
      "sh", "-c", "git -C \"$1\" cat-file blob \"$2:$3\" > \"$4\"", "sh", self.path, branch, path, file)
    return [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
  }

  /// Serves files as the content of a branch, in place of what it had.
  func serve(_ files: [String: [UInt8]], as branch: String) throws {
    var entries = ""
    for (name, bytes) in files {
      let file = directory.path("planted")
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      entries += "100644 blob \(try git("hash-object", "-w", file))\t\(name)\n"
    }
    let list = try directory.write("planted-tree", entries)
    let tree = try Command.run(
      "sh", "-c", "git -C \"$1\" mktree < \"$2\"", "sh", path, list)
    try git("update-ref", "refs/heads/\(branch)", git("commit-tree", "-m", "x", tree))
  }

  func drop(_ branch: String) throws { try git("update-ref", "-d", "refs/heads/\(branch)") }

  /// Creates any number of branches at a commit.
  func plant(_ names: [String], at commit: String) throws {
    let file = try directory.write(
      "planted-branches", names.map { "create refs/heads/\($0) \(commit)\n" }.joined())
    try Command.run("sh", "-c", "git -C \"$1\" update-ref --stdin < \"$2\"", "sh", path, file)
    // As a host does.
    try git("pack-refs", "--all")
  }
}
