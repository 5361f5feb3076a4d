import Coffer
import CofferVault
import CofferStore
import CofferTestSupport
import CofferTrust
import Foundation
import GRDB

/// A vault in a folder with one app, whose file tests can change as another program of the same user could.
final class TamperedVault {
  let machine: Machine
  let vault: Vault
  private let plist: [UInt8]
  private let database: DatabaseQueue

  /// Copies a vault that was made once.
  ///
  /// - Parameter hasSecondGroup: Whether the app has the group `com.example.two` beside `com.example.one`.
  /// - Throws: An error if the vault cannot be made, copied or opened.
  init(hasSecondGroup: Bool = false) throws {
    machine = try unsafe (hasSecondGroup ? Self.withTwoGroups : Self.withOneGroup).get().copied()
    plist = Array(Self.plist(hasSecondGroup: hasSecondGroup).utf8)
    try machine.directory.write("one.entitlements", String(decoding: plist, as: UTF8.self))
    let location = VaultLocation(folder: machine.vault)
    vault = try Vault.open(.bytes(plist), at: location)
    database = try DatabaseQueue(path: machine.vault.appending(path: "store.sqlite").path)
  }

  // Made once, and its files are only copied.
  nonisolated(unsafe) private static let withOneGroup = Result { try makeMachine(hasSecondGroup: false) }
  nonisolated(unsafe) private static let withTwoGroups = Result { try makeMachine(hasSecondGroup: true) }

  private static func makeMachine(hasSecondGroup: Bool) throws -> Machine {
    let machine = try Machine()
    machine.directory.deleteAtExit()
    try machine.makeVault()
    let file = try machine.directory.write("one.entitlements", plist(hasSecondGroup: hasSecondGroup))
    try machine.coffer("app", "add", file)
    return machine
  }

  private static func plist(hasSecondGroup: Bool) -> String {
    let groups = ["com.example.one"] + (hasSecondGroup ? ["com.example.two"] : [])
    let list = groups.map { "<string>$(AppIdentifierPrefix)\($0)</string>" }.joined()
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <plist version="1.0"><dict>
      <key>application-identifier</key><string>$(AppIdentifierPrefix)com.example.one</string>
      <key>keychain-access-groups</key><array>\(list)</array>
      </dict></plist>
      """
  }

  var plistPath: String { machine.directory.path("one.entitlements") }

  /// Opens the vault again, as another process would.
  func reopened() throws -> Vault { try Vault.open(.bytes(plist), at: VaultLocation(folder: machine.vault)) }

  func checkIntegrity() throws { try LocalVault.open(VaultFolder(machine.vault)).store.checkIntegrity() }

  /// Runs SQL on the store's file.
  func tamper(_ sql: String, _ arguments: [any DatabaseValueConvertible] = []) throws {
    try database.write { try $0.execute(sql: sql, arguments: StatementArguments(arguments)) }
  }

  /// Returns a column of a row of `record`.
  func blob(_ column: String, of row: Int64) throws -> Data {
    try database.read { try Data.fetchOne($0, sql: "SELECT \(column) FROM record WHERE id = ?", arguments: [row]) }
      ?? Data()
  }

  /// Returns a number in a row of `record`.
  func number(_ column: String, of row: Int64) throws -> Int64 {
    try database.read { try Int64.fetchOne($0, sql: "SELECT \(column) FROM record WHERE id = ?", arguments: [row]) }
      ?? 0
  }

  /// Returns the row of the newest record.
  func newestRow() throws -> Int64 {
    try database.read { try Int64.fetchOne($0, sql: "SELECT max(id) FROM record") } ?? 0
  }
}

/// The outcome of reading an item.
enum ReadOutcome: Equatable {
  case value(String?)
  case error(VaultError.Code)

  init(_ body: () throws -> String?) {
    do {
      self = .value(try body())
    } catch {
      self = .error((error as? VaultError)?.code ?? .io)
    }
  }
}
