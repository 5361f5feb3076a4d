import Coffer
import CofferTestSupport
import CofferVault
import Foundation
import Testing

/// The app that reads and writes the tests' items.
let app = "com.example.photo.pro"

extension Machine {
  /// Registers an app that has a group of its own name.
  ///
  /// - Parameters:
  ///   - name: The last part of its bundle identifier.
  ///   - groups: More groups.
  ///   - options: More arguments of `coffer app add`.
  /// - Returns: The outcome of the program.
  /// - Throws: Errors of the file system.
  func addApp(_ name: String, groups: [String] = [], _ options: String...) throws -> Outcome {
    let plist = try directory.write(
      "\(name).entitlements", entitlementsPlist("com.example.\(name)", groups: ["~com.example.\(name)"] + groups))
    return try start("coffer", ["app", "add", plist] + options).wait()
  }

  /// Accounts and values of all items that the app sees, which the same functions read as `coffer list` and
  /// `coffer get`.
  func values() throws -> [String: String] {
    let vault = try exampleVault()
    let list = try vault.list(GenericPassword.self)
    try #require(list.damaged.isEmpty)
    var values: [String: String] = [:]
    for stored in list.items where stored.item.service == "service" {
      values[stored.item.account] = try vault.string(for: stored.item)
    }
    return values
  }

  /// Returns the commit of the remote that this machine has seen last.
  func rememberedTip() throws -> String {
    let path = vault.appending(path: "store.sqlite").path
    return try Command.run("sqlite3", path, "SELECT lower(hex(value)) FROM setting WHERE name = 'remote-tip'")
  }
}
