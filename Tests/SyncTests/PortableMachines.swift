import Coffer
import CofferAdministration
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation
import Testing

/// The laptop and the desktop of one vault, a third machine without a vault, and the host of the remote. All of them
/// can be copied with their state, because the remote's URL does not contain its path on this disk.
final class PortableMachines {
  let laptop: Machine
  let desktop: Machine
  let third: Machine
  let host: TemporaryDirectory

  /// The URL of the vault's remote.
  static let url = "host.example:vault.git"
  /// The file with the vault key.
  var key: String { host.path("vault-key") }
  /// The file with the key of another vault, which the third machine creates.
  var otherKey: String { host.path("other-vault-key") }
  /// The path of the remote on this disk.
  var remote: String { host.path("vault.git") }

  /// Creates a vault on the laptop, with the example apps, and clones it to the desktop.
  convenience init() throws {
    try self.init(connected: TemporaryDirectory())
    // In place of ssh: runs the command for the host in the host's folder. A host that has lost objects sends all
    // others.
    try host.writeScript(
      "ssh",
      """
      for last; do :; done
      cd "$COFFER_TEST_HOST" || exit 1
      case $last in
      git-upload-pack*)
        if [ -e lost ]; then exec git -c uploadpack.packObjectsHook="$0-pack" upload-pack vault.git; fi ;;
      esac
      eval "exec $last"
      """)
    try host.writeScript(
      "ssh-pack",
      """
      cat > /dev/null
      git cat-file --batch-all-objects --batch-check='%(objectname)' | grep -vxFf "$COFFER_TEST_HOST/lost" |
        git pack-objects --stdout -q
      """)
    try makeRemote("vault")
    try laptop.coffer("init", "--name", "laptop", "--no-passphrase", "--vault-key-file", key)
    try laptop.register("PhotoPro")
    try laptop.coffer("remote", "set", Self.url)
    try laptop.sync()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, Self.url)
    for machine in [laptop, desktop] { try machine.sync() }
  }

  /// Clones the vault to the third machine.
  func enrolThird() throws {
    try third.coffer("clone", "--name", "third", "--no-passphrase", "--vault-key-file", key, Self.url)
    for machine in [laptop, desktop, third] { try machine.sync() }
  }

  /// Copies machines and host.
  convenience init(copying other: PortableMachines) throws {
    try self.init(connected: TemporaryDirectory())
    try Self.copy(other.host.path, to: host.path)
    for (old, new) in zip(other.all, all) where FileManager.default.fileExists(atPath: old.home.path) {
      try Self.copy(old.home.path, to: new.home.path)
    }
  }

  private init(connected host: TemporaryDirectory) throws {
    (self.host, laptop, desktop, third) = (host, try Machine(), try Machine(), try Machine())
    for machine in all { connect(machine) }
  }

  private var all: [Machine] { [laptop, desktop, third] }

  private func connect(_ machine: Machine) {
    machine.environment["COFFER_SSH"] = host.path("ssh")
    machine.environment["COFFER_TEST_HOST"] = host.path
  }

  private static func copy(_ old: String, to new: String) throws {
    try Command.run("sh", "-c", "mkdir -p \"$2\" && cp -a \"$1/.\" \"$2\"", "sh", old, new)
  }

  /// Creates an empty repository on the host: `host.example:NAME.git`.
  func makeRemote(_ name: String) throws {
    try Command.run("git", "init", "--quiet", "--bare", "--template=", host.path("\(name).git"))
  }

  /// Returns a copy of a machine with its state.
  func copy(of machine: Machine) throws -> Machine {
    let copy = try Machine()
    connect(copy)
    try Self.copy(machine.home.path, to: copy.home.path)
    return copy
  }

  /// Runs git in the remote.
  @discardableResult
  func git(_ arguments: String...) throws -> String {
    try Command.run(
      arguments: ["git", "-C", remote, "-c", "user.name=host", "-c", "user.email=host@localhost"] + arguments)
  }

  /// The branch of the latest epoch that was opened.
  var branch: String {
    get throws {
      let names = try git("for-each-ref", "--format=%(refname:short)", "--sort=-version:refname", "refs/heads/vault-*")
      return try names.split(separator: "\n").map(String.init).first {
        try $0 == "vault-1" || !git("ls-tree", "--name-only", $0, "opened").isEmpty
      } ?? "vault-1"
    }
  }

  /// The tip of the vault's branch.
  var tip: String { get throws { try git("rev-parse", "refs/heads/vault-1") } }

  /// Moves the vault's branch of the host.
  func setTip(_ commit: String) throws { try git("update-ref", "refs/heads/vault-1", commit) }

  /// Returns the paths of all files on the vault's branch.
  func files() throws -> [String] {
    try git("ls-tree", "-r", "--name-only", branch).split(separator: "\n").map(String.init)
  }

  /// Commits a change of the index on the vault's branch. The script finds the index in its environment.
  private func commit(_ script: String, _ arguments: [String]) throws {
    try Command.run(
      arguments: [
        "sh", "-ec",
        """
        cd "$1" && shift
        export GIT_INDEX_FILE="$PWD/test-index" GIT_AUTHOR_NAME=host GIT_AUTHOR_EMAIL=host@localhost \
          GIT_COMMITTER_NAME=host GIT_COMMITTER_EMAIL=host@localhost
        git read-tree vault-1
        \(script)
        git update-ref refs/heads/vault-1 "$(git commit-tree -m test -p vault-1 "$(git write-tree)")"
        rm "$GIT_INDEX_FILE"
        """, "sh", remote,
      ] + arguments)
  }

  /// Commits the removal of files on the vault's branch.
  func remove(_ paths: [String]) throws { try commit("git --work-tree=. update-index --force-remove -- \"$@\"", paths) }

  /// Commits a file on the vault's branch.
  func add(_ path: String, _ bytes: [UInt8]) throws {
    let file = host.path("added")
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    try commit(
      "git update-index --add --cacheinfo \"100644,$(git hash-object -w \"$2\"),$1\"", [path, file])
  }

  /// Commits the files of another commit on the vault's branch.
  func restore(_ commit: String) throws { try self.commit("git read-tree \"$1\"", [commit]) }

  /// Returns the next generation of the transport key, signed by the laptop, and its position in the log.
  func nextTransportKey() throws -> (sequence: UInt64, envelope: Envelope) {
    let local = try LocalVault.open(VaultFolder(laptop.vault))
    let membership = try local.membership()
    let admin = try local.folder.adminFile.read { try AdminFile(secretBytes: $0).open(passphrase: nil) }
    let key = TransportKey(generation: 2, key: .random())
    let first = try #require(local.deviceFile().transportKey(1))
    let boxes = try [laptop, desktop].map { machine in
      try LocalVault.open(VaultFolder(machine.vault)).deviceFile().keys.publicKeys.box.seal(key.key.secret)
    }
    let entry = LogEntry(
      vault: membership.vault, after: membership.head, time: .now,
      signer: .admin(AuthorID(vault: membership.vault, keys: admin.publicKeys)), key: admin.signing,
      statement: .transportKey(
        TransportKeyStatement(
          generation: 2, commitment: key.commitment, wrappedPrevious: key.wrap(first, in: membership.vault),
          boxes: boxes)))
    return (
      entry.sequence,
      Envelope(sealing: entry.bytes, as: .logEntry, key: key.key, generation: 2, boxes: boxes)
    )
  }
}

extension Machine {
  /// The accounts and values of the items of the app in its own group, read in this process.
  func storedValues(_ location: SourceLocation = #_sourceLocation) throws -> [String: String] {
    let plist = try Data(contentsOf: URL(fileURLWithPath: Machine.entitlements(of: "PhotoPro")))
    let vault = try Vault.open(.bytes(Array(plist)), at: VaultLocation(folder: self.vault))
    let list = try vault.list(GenericPassword.self)
    #expect(list.damaged.isEmpty, sourceLocation: location)
    var values: [String: String] = [:]
    for stored in list.items where stored.item.service == "service" {
      #expect(!stored.hasConflict, sourceLocation: location)
      #expect(values[stored.item.account] == nil, sourceLocation: location)
      values[stored.item.account] = try vault.string(for: stored.item)
    }
    return values
  }

  /// The state of the vault, read in this process.
  func storedStatus() throws -> VaultStatus { try .read(from: LocalVault.open(VaultFolder(vault))) }
}
