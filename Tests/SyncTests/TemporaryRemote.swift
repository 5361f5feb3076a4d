import CofferTestSupport
import Foundation
import Testing

/// A bare repository on this machine's disk in place of a git host.
final class TemporaryRemote {
  let directory: TemporaryDirectory
  var path: String { directory.path("vault.git") }
  /// The disk on which the repository is; nil for this machine's.
  private var disk: SmallDisk?

  init() throws {
    directory = try TemporaryDirectory()
    try directory.makeRepository("vault.git")
  }

  /// Copies a remote with its state.
  init(copying other: TemporaryRemote) throws {
    directory = try TemporaryDirectory()
    try Command.run("cp", "-a", other.path, path)
  }

  /// Moves the repository to a disk of its own, which only the programs see that the disk's wrapper runs.
  func moveToSmallDisk() throws -> SmallDisk {
    let disk = try SmallDisk(replacing: directory.path)
    self.disk = disk
    return disk
  }

  @discardableResult
  func git(_ arguments: String...) throws -> String {
    try Command.run(
      arguments: (disk?.wrapper ?? []) + [
        "git", "-C", path, "-c", "user.name=host", "-c", "user.email=host@localhost",
      ] + arguments)
  }

  /// The hash of the branch's tip, or an empty string if the branch does not exist.
  var tip: String { (try? git("rev-parse", "--verify", "--quiet", "refs/heads/vault-1")) ?? "" }

  /// Puts a commit without a parent in place of a branch, as a forced push can.
  func forgetHistory(of branch: String = "vault-1") throws {
    let commit = try git("commit-tree", "-m", "x", "\(branch)^{tree}")
    try git("update-ref", "refs/heads/\(branch)", commit)
  }

  /// Serves a commit as the tip of the vault's branch.
  func serve(_ commit: String) throws { try git("update-ref", "refs/heads/vault-1", commit) }

  /// Returns a commit with the segments of one commit and everything else of another.
  func commit(segmentsOf source: String, on base: String) throws -> String {
    let tree = try Command.run(
      "sh", "-c", "{ git ls-tree \"$1\" | grep -v segments$; git ls-tree \"$2\" segments; } | git mktree", "sh", base,
      source, in: URL(fileURLWithPath: path))
    return try git("commit-tree", "-m", "x", "-p", base, tree)
  }

  /// Makes the host run a shell script before it accepts a push; nil for none.
  func setPushHook(_ script: String?) throws {
    let hook = path + "/hooks/pre-receive"
    guard let script else { return try FileManager.default.removeItem(atPath: hook) }
    try directory.writeScript("vault.git/hooks/pre-receive", script)
  }

  /// Makes the host keep the objects of the next push to the vault's branch, run a command, and refuse the push.
  func refuseNextPush(then command: String = "true") throws {
    try setPushHook(
      """
      read old new ref
      cp -R "$GIT_QUARANTINE_PATH"/. "$GIT_DIR"/objects/
      printf %s "$new" > "$GIT_DIR"/kept
      \(command)
      rm -f "$0"
      exit 1
      """)
  }

  /// Makes the host serve a commit instead of the next push to `vault-1`, as if that had come first.
  func prefer(_ tip: String) throws {
    try? FileManager.default.removeItem(atPath: path + "/raced")
    try setPushHook(
      """
      while read old new ref; do
        if [ "$ref" = refs/heads/vault-1 ] && [ ! -e raced ]; then
          touch raced
          unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
          git update-ref refs/heads/vault-1 \(tip)
          exit 1
        fi
      done
      """)
  }

  /// The commit of a push that the host refused and kept.
  func kept() throws -> String { try String(contentsOfFile: path + "/kept", encoding: .utf8) }

  /// Expects that a push has lost the race that ``prefer(_:)`` prepared.
  func expectRaced(_ location: SourceLocation = #_sourceLocation) {
    #expect(FileManager.default.fileExists(atPath: path + "/raced"), sourceLocation: location)
  }

  /// Returns the paths of all files on the vault's branch.
  func files() throws -> [String] {
    try git("ls-tree", "-r", "--name-only", "vault-1").split(separator: "\n").map(String.init)
  }

  /// Commits a change of the tree on top of the vault's branch, as a hostile host or a person by mistake might.
  func tamper(_ change: (_ workTree: URL) throws -> Void) throws {
    let files = try TemporaryDirectory()
    let tree = files.url.appending(path: "tree", directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: tree, withIntermediateDirectories: false)
    func run(_ script: String) throws {
      try Command.run(
        "sh", "-ec", script, in: URL(fileURLWithPath: path),
        environment: ["GIT_DIR": path, "GIT_WORK_TREE": tree.path, "GIT_INDEX_FILE": files.path("index")])
    }
    try run("git read-tree vault-1; git checkout-index --all")
    try change(tree)
    // A host needs no push, and asks no hook.
    try run(
      """
      git add --all
      commit=$(git -c user.name=host -c user.email=host@localhost commit-tree -p vault-1 -m tampered "$(git write-tree)")
      git update-ref refs/heads/vault-1 "$commit"
      """)
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
