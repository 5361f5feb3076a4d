import CofferGit
import CofferTestSupport
import Foundation
import Testing

/// A bare repository as the remote, and folders for caches.
final class TemporaryRemote {
  let directory: TemporaryDirectory
  let remotePath: String

  init() throws {
    directory = try TemporaryDirectory()
    remotePath = try directory.makeRepository("remote.git")
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
    var number: Int32?
    try waitUntil("\(file) is written") {
      guard let data = FileManager.default.contents(atPath: path), data.last == UInt8(ascii: "\n") else { return false }
      number = Int32(String(decoding: data.dropLast(), as: UTF8.self))
      return true
    }
    guard let number else { throw SpawnedProgram.Failure(description: "\(file) contains no number") }
    return number
  }

  /// Timeouts that only bound a failure, without prompts at a terminal.
  static var limits: TransferLimits {
    var limits = TransferLimits()
    limits.connectTimeout = longestWait
    limits.idleTimeout = longestWait
    limits.promptTimeout = nil
    return limits
  }
}

extension TransportPrograms {
  /// Programs that carry HTTP and the git protocol.
  static func forTests(authorities: String? = nil) -> TransportPrograms {
    var programs = TransportPrograms(transport: Machine.path(of: "coffer-transport"))
    programs.http.certificateAuthorityFile = authorities
    return programs
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

/// Reads an identifier as git prints it.
func objectID(_ digits: String) throws -> ObjectID {
  let bytes = stride(from: 0, to: digits.count, by: 2).compactMap { UInt8(digits.dropFirst($0).prefix(2), radix: 16) }
  return try #require(ObjectID(bytes: bytes))
}

/// Returns the error that `body` throws, or nil.
func failure(_ body: () throws -> Void) -> GitError? {
  do {
    try body()
    return nil
  } catch {
    return error as? GitError
  }
}
