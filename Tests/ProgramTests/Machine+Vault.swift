import CofferTestSupport
import Foundation
import Testing

extension Machine {
  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let examples = Result {
    let machine = try makeExamples()
    machine.directory.deleteAtExit()
    return machine
  }

  /// Returns a machine with a vault without a passphrase and both example apps registered. The vault is the same each
  /// time.
  static func withExamples() throws -> Machine { try unsafe examples.get().copied() }

  /// Makes a vault that no other machine has, without a passphrase, and registers both example apps.
  static func makeExamples() throws -> Machine {
    let machine = try Machine()
    try machine.makeVault()
    try machine.register("PhotoFree")
    try machine.register("PhotoPro")
    return machine
  }

  /// Runs a command and parses its output as JSON.
  func json<Value: Decodable>(_ type: Value.Type = Value.self, _ arguments: String...) throws -> Value {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    return try decoder.decode(Value.self, from: Data(try succeed("coffer", arguments + ["--json"]).utf8))
  }

  /// Syncs the vault to a new repository, and returns the environment of a job that reads it as PhotoPro.
  func makeHeadlessJob() throws -> [String: String] {
    let remote = directory.path("remote.git")
    try Command.run("git", "init", "--bare", "--quiet", remote)
    let app = environment.removeValue(forKey: "COFFER_APP")
    defer { environment["COFFER_APP"] = app }
    try coffer("remote", "set", remote)
    let file = directory.path("ci.credential")
    try coffer("device", "create", "--name", "ci", "--apps", "com.example.photo.pro", "--read-only", "--out", file)
    try coffer("sync")
    return ["COFFER_CREDENTIAL_FILE": file, "COFFER_REPOSITORY": remote]
  }

  /// Returns the vault's team identifier.
  func team() throws -> String { try json(StatusReport.self, "status").team }

  /// Writes a plist with these keychain groups and returns its path; `~` stands for the team's prefix.
  func plist(_ application: String, groups: [String], readOnly: [String] = [], as name: String = "App") throws -> String
  {
    func list(_ names: [String]) -> String {
      names.map { "<string>\($0.replacingOccurrences(of: "~", with: "$(AppIdentifierPrefix)"))</string>" }.joined()
    }
    return try directory.write(
      "\(name).entitlements",
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><dict>
      <key>application-identifier</key><string>$(AppIdentifierPrefix)\(application)</string>
      <key>keychain-access-groups</key><array>\(list(groups))</array>
      <key>coffer-read-only-access-groups</key><array>\(list(readOnly))</array>
      </dict></plist>
      """)
  }

  /// Returns the path of an app's credential.
  func credential(of bundleID: String) throws -> URL {
    vault.appending(path: "apps/\(try team()).\(bundleID)/credential")
  }

  /// Returns every path below `COFFER_HOME` with its mode.
  func modes() throws -> [String: Int] {
    var modes: [String: Int] = [:]
    let all = FileManager.default.enumerator(at: home, includingPropertiesForKeys: nil)
    for case let url as URL in try #require(all) {
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      modes[url.path] = (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    return modes
  }
}

/// Expects that a command failed with this exit code and one line that contains `parts`.
func expectFailure(
  _ outcome: Machine.Outcome, _ exitCode: Int32, _ parts: String..., at location: SourceLocation = #_sourceLocation
) {
  #expect(outcome.exitCode == exitCode, "\(outcome)", sourceLocation: location)
  for part in parts { #expect(outcome.errors.contains(part), "\(outcome)", sourceLocation: location) }
  let lines = outcome.errors.split(separator: "\n", omittingEmptySubsequences: false)
  #expect(lines.count == 2 && lines.last == "", "one line: \(outcome.errors)", sourceLocation: location)
}
