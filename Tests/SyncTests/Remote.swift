import CofferTestSupport
import Foundation

/// A bare repository on this machine's disk in place of a git host.
final class Remote {
  let directory: TemporaryDirectory
  var path: String { directory.path("vault.git") }

  init() throws {
    directory = try TemporaryDirectory()
    try Command.run("git", "init", "--quiet", "--bare", path)
  }

  @discardableResult
  func git(_ arguments: String...) throws -> String {
    try Command.run(
      arguments: ["git", "-C", path, "-c", "user.name=host", "-c", "user.email=host@localhost"] + arguments)
  }

  /// The hash of the branch's tip, or an empty string if the branch does not exist.
  var tip: String { (try? git("rev-parse", "--verify", "--quiet", "refs/heads/vault-1")) ?? "" }

  /// Returns the paths of all files on the vault's branch.
  func files() throws -> [String] {
    try git("ls-tree", "-r", "--name-only", "vault-1").split(separator: "\n").map(String.init)
  }

  /// Commits a change of the tree on top of the vault's branch, as a hostile host or a person by mistake might.
  func tamper(_ change: (_ workTree: URL) throws -> Void) throws {
    let tree = try TemporaryDirectory()
    try Command.run("git", "clone", "--quiet", "--branch", "vault-1", path, tree.path("tree"))
    let url = tree.url.appending(path: "tree")
    try change(url)
    for arguments in [
      ["add", "--all"], ["commit", "--quiet", "-m", "tampered"], ["push", "--quiet", "origin", "vault-1"],
    ] {
      try Command.run(
        arguments: ["git", "-C", url.path, "-c", "user.name=host", "-c", "user.email=host@localhost"] + arguments)
    }
  }

  /// Returns every byte that the host stores: objects, names of references, commits.
  func everything() throws -> Data {
    let file = directory.path("everything")
    try Command.run(
      "sh", "-c",
      "git -C \"$1\" cat-file --batch-all-objects --batch > \"$2\"; git -C \"$1\" for-each-ref >> \"$2\"; git -C \"$1\" log --all >> \"$2\"",
      "sh", path, file)
    return try Data(contentsOf: URL(fileURLWithPath: file))
  }
}

/// Two enrolled machines with one remote and both example apps.
struct Suite {
  let remote: Remote
  let laptop: Machine
  let desktop: Machine
  let key: String

  init() throws {
    remote = try Remote()
    laptop = try Machine()
    key = try laptop.makeVault(name: "laptop")
    try laptop.register("PhotoFree")
    try laptop.register("PhotoPro")
    try laptop.coffer("remote", "set", remote.path)
    try laptop.coffer("sync")
    desktop = try Machine()
    try desktop.coffer("clone", "--name", "desktop", "--no-passphrase", "--vault-key-file", key, remote.path)
    try laptop.coffer("sync")
  }
}

/// The app that reads and writes the tests' items.
let app = "com.example.photo.pro"

extension Machine {
  func set(_ account: String, _ value: String) throws {
    try coffer("set", "service", account, "--app", app, input: value)
  }

  func get(_ account: String) throws -> String { try coffer("get", "service", account, "--app", app) }

  /// Accounts and values of all items that the app sees in its own group.
  func values() throws -> [String: String] {
    struct Row: Decodable {
      let service: String
      let account: String
    }
    let list = try coffer("list", "--app", app, "--json")
    var values: [String: String] = [:]
    for row in try JSONDecoder().decode([Row].self, from: Data(list.utf8)) where row.service == "service" {
      values[row.account] = try get(row.account)
    }
    return values
  }

  /// Returns one field of `status --json` as text.
  func status(_ field: String) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(coffer("status", "--json").utf8)) as? [String: Any]
    return object?[field].map { "\($0)" } ?? "none"
  }
}
