import CofferTestSupport
import Foundation
import Testing

/// Files and repositories with which a headless credential does not work, each with an error that says why.
@Suite struct UnusableHeadlessTests {
  private let suite: HeadlessMachine

  init() throws { suite = try HeadlessMachine.copy(withCredential: true) }

  private func expect(
    _ code: Int32, _ words: String, from repository: String? = nil, environment: [String: String] = [:],
    _ location: SourceLocation = #_sourceLocation
  ) throws {
    for arguments in [["get", "service", "token"], ["status"]] {
      let variables = [
        "COFFER_CREDENTIAL_FILE": suite.credential, "COFFER_REPOSITORY": repository ?? suite.remote.path,
      ]
      let outcome = try suite.runner.start(
        "coffer", arguments, environment: variables.merging(environment) { $1 }
      ).wait()
      #expect(
        outcome.exitCode == code && outcome.errors.contains(words) && outcome.text.isEmpty, "\(arguments): \(outcome)",
        sourceLocation: location)
      #expect(!outcome.errors.contains("BEGIN"), sourceLocation: location)
    }
  }

  @Test func `A file that is altered, cut off or something else is named as damaged`() throws {
    let text = try suite.text
    // In the middle of the base64, in the name of the vault, and in the app's keys.
    for (index, exitCode) in [(text.count / 2, Int32(6)), (60, 6), (text.count - 50, 4)] {
      var altered = text
      altered[index] = altered[index] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
      try suite.write(altered)
      let outcome = try suite.run("get", "service", "token")
      #expect(outcome.exitCode == exitCode && outcome.text.isEmpty, "\(index): \(outcome)")
    }
    try suite.write(Array(text.dropLast(40)))
    try expect(6, "the headless credential at \(suite.credential) is damaged")
    for other in ["", "COFFER1-0000", "garbage\n"] {
      try suite.write(Array(other.utf8))
      try expect(6, "the file \(suite.credential) does not contain the headless credential")
      try expect(6, "create another one with: coffer device create")
    }
    try suite.write([UInt8](repeating: 65, count: 2 << 20))
    try expect(6, "is not a regular file of at most 1 MiB")
    try FileManager.default.removeItem(atPath: suite.credential)
    try expect(1, "cannot read the headless credential")
  }

  @Test func `A repository whose URL has a password is refused before a program gets it as an argument`() throws {
    try expect(2, "the URL in COFFER_REPOSITORY has a password", from: "https://me:token@127.0.0.1:1/vault.git")
  }

  @Test func `A file that other users can read is refused, and a link is followed`() throws {
    let text = try suite.text
    for permissions in [0o644, 0o640, 0o602] {
      try suite.write(text, permissions: permissions)
      try expect(1, "can be read by other users (mode \(String(permissions, radix: 8)))")
    }
    try suite.write(text, permissions: 0o400)
    // As systems for containers mount secrets.
    let link = suite.runner.directory.path("link")
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: suite.credential)
    let outcome = try suite.run("get", "service", "token", environment: ["COFFER_CREDENTIAL_FILE": link])
    #expect(outcome.text == "of the free app", "\(outcome)")
  }

  @Test func `Another vault, an older state, and what is no vault are told apart`() throws {
    let other = try TwoMachines.ofNewVault()
    try expect(6, "holds another vault than that of the credential", from: other.remote.path)
    // The state before the credential was created.
    let old = suite.runner.directory.path("old.git")
    try Command.run("git", "clone", "--quiet", "--bare", suite.remote.path, old)
    let first = try suite.remote.git("rev-list", "--first-parent", "vault-1").split(separator: "\n").last
    try Command.run("git", "-C", old, "update-ref", "refs/heads/vault-1", String(try #require(first)))
    try expect(6, "and the credential has seen entry", from: old)
    let empty = try TemporaryRemote()
    try expect(6, "contains no vault", from: empty.path)
    try expect(7, "there is no repository at", from: suite.runner.directory.path("missing"))
    try expect(7, "there is no repository at", from: suite.runner.directory.path)
    try expect(2, "COFFER_REPOSITORY is not", environment: ["COFFER_REPOSITORY": ""])
    try expect(2, "has an unknown scheme", from: "ftp://example.com/vault.git")
  }

  @Test func `What was altered by a push is named, and read from the history`() throws {
    try alterSegments()
    let outcome = try suite.run("get", "service", "token")
    #expect(outcome.text == "of the free app" && outcome.errors.contains("segment"), "\(outcome)")
    try suite.remote.tamper { try Data("x".utf8).write(to: $0.appending(path: "log/0/2")) }
    let later = try suite.run("get", "service", "token")
    #expect(later.text == "of the free app" && later.errors.contains("log entry 2 "), "\(later)")
  }

  @Test func `A repository with altered objects and no history is named, and what is sound is read`() throws {
    let clone = try suite.cloneReadOnly()
    try alterSegments()
    try suite.remote.forgetHistory()
    let outcome = try suite.run("get", "service", "token")
    #expect(outcome.exitCode == 3 && outcome.errors.contains("that is not valid"), "\(outcome)")
    #expect(try suite.run("get", "service", "token", from: clone).text == "of the free app")
    try suite.remote.tamper { try Data("x".utf8).write(to: $0.appending(path: "log/0/2")) }
    try suite.remote.forgetHistory()
    try expect(6, "lacks log entry 2, or has it in another form")
  }

  private func alterSegments() throws {
    try suite.remote.tamper { tree in
      let folder = tree.appending(path: "segments")
      let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: [.isRegularFileKey])
      let segments = (files?.compactMap { $0 as? URL } ?? []).filter { !$0.hasDirectoryPath }
      for segment in segments { try Data("nonsense".utf8).write(to: segment) }
    }
  }
}
