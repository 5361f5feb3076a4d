import CofferGit
import CofferTestSupport
import Foundation

/// A bare repository as the remote, and folders for caches.
final class TemporaryRemote {
  let directory: TemporaryDirectory
  let remotePath: String

  init() throws {
    directory = try TemporaryDirectory()
    remotePath = directory.path("remote.git")
    try Command.run("git", "init", "-q", "--bare", remotePath)
  }

  var url: RemoteURL {
    get throws { try RemoteURL(remotePath) }
  }

  func open(_ name: String, programs: TransportPrograms = TransportPrograms()) throws -> Repository {
    try Repository.open(at: directory.path(name), creatingIfNeeded: true, programs: programs)
  }

  func revision(_ name: String) throws -> String {
    try Command.run("git", "-C", remotePath, "rev-parse", name)
  }

  /// Installs a hook in the remote.
  func installHook(_ name: String, _ script: String) throws {
    try directory.writeScript("remote.git/hooks/\(name)", script)
  }

  /// Writes a program that runs in place of git at the far end of a path.
  func installGit(_ script: String) throws -> TransportPrograms {
    TransportPrograms(
      git: try directory.writeScript("git-\(UUID().uuidString)", script))
  }

  /// Writes a program that runs in place of ssh.
  func installSSH(_ script: String) throws -> TransportPrograms {
    TransportPrograms(
      ssh: try directory.writeScript("ssh-\(UUID().uuidString)", script))
  }

  /// Returns the number that a script writes to a file, as soon as it has.
  func processIdentifier(in file: String) throws -> Int32 {
    let path = directory.path(file)
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      if let data = FileManager.default.contents(atPath: path), data.last == UInt8(ascii: "\n"),
        let number = Int32(String(decoding: data.dropLast(), as: UTF8.self))
      {
        return number
      }
      usleep(1000)
    }
    throw SpawnedProgram.Failure(description: "\(file) was not written")
  }

  /// Returns whether a killed process has ended, or only waits to be reaped by the process that adopted it. The kernel
  /// needs a moment to end a process that is not our own child.
  static func ends(_ identifier: Int32) -> Bool {
    let deadline = ContinuousClock.now + .seconds(20)
    while isRunning(identifier) {
      guard ContinuousClock.now < deadline else { return false }
      usleep(1000)
    }
    return true
  }

  private static func isRunning(_ identifier: Int32) -> Bool {
    guard let data = FileManager.default.contents(atPath: "/proc/\(identifier)/stat") else { return false }
    let state = String(decoding: data, as: UTF8.self).split(separator: ")").last?.split(separator: " ").first
    return state != "Z" && state != "X"
  }

  /// Timeouts and limits that let a test end soon, without prompts at a terminal.
  static var limits: TransferLimits {
    var limits = TransferLimits()
    limits.connectTimeout = .seconds(20)
    limits.idleTimeout = .seconds(20)
    limits.promptTimeout = nil
    return limits
  }
}

extension Repository {
  /// Fetches branches into references of this repository.
  @discardableResult
  func fetch(
    _ branches: [String: String], from url: RemoteURL, limits: TransferLimits,
    progress: ((TransferProgress) -> Void)? = nil
  ) throws(GitError) -> [String: ObjectID] {
    try fetch(from: url, limits: limits, progress: progress) { _ in branches }
  }

  /// The references of a remote, from a fetch of no branches.
  func remoteReferences(
    of url: RemoteURL, limits: TransferLimits, cancellation: Cancellation = Cancellation()
  ) throws(GitError) -> [String: ObjectID] {
    try fetch(from: url, limits: limits, cancellation: cancellation) { _ in [:] }
  }
}

let branch = "refs/heads/vault-1"
let scratch = "refs/coffer/fetched"

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

/// Returns the error that `body` throws, or nil.
func failure(_ body: () throws -> Void) -> GitError? {
  do {
    try body()
    return nil
  } catch {
    return error as? GitError
  }
}
