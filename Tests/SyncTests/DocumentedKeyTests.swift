import CofferTestSupport
import Foundation
import Testing

/// The JSON of the commands that remove something from a vault, and the page that lists its keys.
@Suite struct DocumentedKeyTests {
  private let suite: TwoMachines
  private let purchases = "com.example.photo.purchases"

  init() throws { suite = try TwoMachines() }

  /// Returns the JSON that a command prints.
  private func json(_ machine: Machine, _ arguments: String...) throws -> Any {
    try JSONSerialization.jsonObject(with: Data(machine.succeed("coffer", arguments + ["--json"]).utf8))
  }

  /// Returns the keys of a value and of all values in it.
  private func keys(of value: Any) -> Set<String> {
    switch value {
    case let object as [String: Any]: object.reduce(into: Set(object.keys)) { $0.formUnion(keys(of: $1.value)) }
    case let array as [Any]: array.reduce(into: []) { $0.formUnion(keys(of: $1)) }
    default: []
    }
  }

  @Test func `Every key of device list, rename and revoke, app remove, refused and rotate is on the page of JSON keys`()
    throws
  {
    for account in ["one", "two"] {
      try suite.laptop.coffer("set", "service", account, "--app", app, "--group", purchases, input: "x")
    }
    for machine in [suite.laptop, suite.desktop] { try machine.sync() }
    // The desktop has not heard that the app loses its rights there.
    try suite.desktop.coffer("set", "service", "one", "--app", app, "--group", purchases, input: "late")
    var printed: [String: Any] = [:]
    printed["app remove"] = try json(suite.laptop, "app", "remove", app, "--device", "desktop", "--yes")
    _ = try suite.desktop.run("coffer", "sync")
    printed["refused"] = try json(suite.desktop, "refused")
    printed["rotate dismiss"] = try json(
      suite.laptop, "rotate", "dismiss", "service", "one", "--group", purchases, "--reason", "x")
    printed["rotate"] = try json(suite.laptop, "rotate", "--dismissed")
    printed["refused adopt"] = try json(suite.desktop, "refused", "adopt", "--all")
    printed["device rename"] = try json(suite.laptop, "device", "rename", "laptop", "office")
    printed["device revoke"] = try json(
      suite.laptop, "device", "revoke", "desktop", "--vault-key-file", suite.key, "--yes")
    printed["device list"] = try json(suite.laptop, "device", "list", "--revoked")
    let expected: [String: Set<String>] = [
      "app remove": ["machines", "apps", "groups", "itemCount", "recordCount", "id", "group"],
      "refused": [
        "version", "class", "group", "service", "account", "written", "writerApp", "writerMachine", "isDeletion",
        "reason",
      ],
      "refused adopt": ["versions", "version", "group", "versionCount", "remainingCount"],
      "rotate": [
        "class", "reference", "group", "service", "account", "written", "writerApp", "writerMachine",
        "revocationEntry", "revoked", "exposedTo", "exposedToVaultKeys", "app", "machine", "dismissal", "number",
        "time", "signedBy", "reason",
      ],
      "rotate dismiss": ["dismissal", "reason"],
      "device revoke": ["machines", "name", "machineID", "apps", "id", "groups", "group", "itemCount", "recordCount"],
      "device rename": ["name", "formerName", "machineID"],
      "device list": ["name", "machineID", "isThisMachine", "isAdmin", "enrolled", "revoked"],
    ]
    let page = try DocumentationPage("JSONOutput").lines.joined(separator: "\n")
    for (command, value) in printed {
      let found = keys(of: value)
      #expect(expected[command]?.isSubset(of: found) == true, "\(command): \(found.sorted())")
      for key in found {
        #expect(page.contains("`\(key)`") || page.contains("`…\(key.suffix(5))`"), "\(command): \(key)")
      }
    }
    #expect(printed.count == expected.count)
    let removed = try #require(printed["device revoke"] as? [String: Any])
    let machines = try #require(removed["machines"] as? [[String: String]])
    #expect(machines.map { $0["name"] } == ["desktop"])
    let list = try #require(printed["device list"] as? [[String: Any]])
    let listed = list.first { $0["name"] as? String == "desktop" }?["machineID"] as? String
    #expect(listed?.count == 32 && machines[0]["machineID"] == listed)
  }

  @Test func `Every key of status and sync is on the page of JSON keys`() throws {
    try suite.laptop.set("a", "1")
    // A refused record, a problem, and a sync that fails.
    try suite.desktop.set("b", "1")
    try suite.laptop.coffer("app", "remove", app, "--device", "desktop", "--yes")
    _ = try suite.desktop.run("coffer", "sync")
    let sync = try json(suite.laptop, "sync")
    try suite.laptop.coffer("compact")
    let remote = suite.remote.path
    try FileManager.default.moveItem(atPath: remote, toPath: remote + ".away")
    let failed = try suite.laptop.run("coffer", "sync", "--json")
    let status = [try json(suite.laptop, "status"), try json(suite.desktop, "status")]
    #expect(failed.exitCode == 7, "\(failed)")
    let expected: Set<String> = [
      "epoch", "epochBegun", "epochBegunBy", "epochByteCount", "snapshotByteCount", "missingSegmentCount",
      "unsyncedChanges", "lastWrite", "unadmittedRecords", "isAuthorCutOff", "lastError", "recoverySuggestion",
      "epochCount", "bytesSent", "problems",
    ]
    let found = try [sync, status, JSONSerialization.jsonObject(with: failed.output)].reduce(into: Set<String>()) {
      $0.formUnion(keys(of: $1))
    }
    #expect(expected.isSubset(of: found), "\(found.sorted())")
    let page = try DocumentationPage("JSONOutput").lines.joined(separator: "\n")
    for key in found { #expect(page.contains("`\(key)`") || page.contains("`…\(key.suffix(5))`"), "\(key)") }
  }
}
