import Coffer
import CofferCrypto
import CofferFormat
import CofferInspection
import CofferStore
import CofferTestSupport
import CofferTrust
import CofferVault
import Foundation

/// A vault in a temporary folder with two groups, as a person sees it who acts as an app.
final class TemporaryInspection {
  static let plist = Array(
    entitlementsPlist("com.example.one", groups: ["~com.example.one", "~com.example.shared"]).utf8)

  private let directory: TemporaryDirectory
  private let location: VaultLocation
  /// The app's vault, as another process has it.
  let app: Vault
  let vault: InspectedVault

  init(groups: [String] = ["~com.example.one", "~com.example.shared"], readOnly: [String] = []) throws {
    directory = try TemporaryDirectory()
    location = VaultLocation(folder: directory.url.appending(path: "vault"))
    try VaultCreation.create(at: location, deviceName: "laptop", protection: .none) { (_) throws(VaultError) in }
    let local = try LocalVault.open(VaultFolder(location))
    if !readOnly.isEmpty { try Self.register("com.example.writer", groups: readOnly, in: local) }
    let plist = try Self.register("com.example.one", groups: groups, readOnly: readOnly, in: local)
    app = try Vault.open(.bytes(plist), at: location)
    let opened = try Vault.open(.bytes(plist), at: location)
    vault = InspectedVault(vault: opened, local: opened.local)
  }

  @discardableResult
  private static func register(
    _ application: String, groups: [String], readOnly: [String] = [], in local: LocalVault
  ) throws -> [UInt8] {
    let plist = Array(entitlementsPlist(application, groups: groups, readOnly: readOnly).utf8)
    try AppRegistration(local, passphrase: .unavailable)
      .register(.init(plist: plist, source: "test", bundleID: nil, sourcePrefix: nil)).credential?.install(in: local)
    return plist
  }

  /// Opens the vault as another app that is registered.
  func app(_ application: String, groups: [String]) throws -> Vault {
    try Vault.open(.bytes(Array(entitlementsPlist(application, groups: groups).utf8)), at: location)
  }

  /// The full name of a group.
  func group(_ name: String) throws -> String { "\(try vault.local.membership().team).\(name)" }

  /// Writes a version of an item on a copy of the vault and then adds it to this one, as a sync of a machine that did
  /// not know of `meanwhile`. The item is in conflict then.
  func write(beside meanwhile: () throws -> Void, _ write: (Vault) throws -> Void) throws {
    let copy = directory.url.appending(path: "copy-\(UUID().uuidString)")
    try FileManager.default.copyItem(at: location.folder, to: copy)
    let other = try Vault.open(.bytes(Self.plist), at: VaultLocation(folder: copy))
    let start = try other.itemChanges(after: nil).position
    try write(other)
    let addresses = try other.itemChanges(after: start).addresses ?? []
    let records = try other.local.store.read { reader in
      try addresses.flatMap { try reader.heads(of: $0.item, in: $0.group) }.map { try $0.record() }
    }
    try meanwhile()
    _ = try app.local.store.write { writer in
      for record in records { try writer.insert(record, validity: .valid, intoOutbox: false) }
    }
  }
}

/// A vault in memory, as a person sees it who acts as an app with two groups.
struct MemoryInspection {
  let app: Vault
  let vault: InspectedVault

  init(passphrase: String? = nil) throws {
    let plist = EntitlementsSource.bytes(TemporaryInspection.plist)
    app =
      try passphrase.map { try Vault.inMemory(entitlements: plist, passphrase: $0) } ?? .inMemory(entitlements: plist)
    vault = InspectedVault(vault: app, local: app.local)
  }
}

/// Returns the code of the error that `body` throws; nil if it throws none.
func code(_ body: () throws -> Void) -> VaultError.Code? {
  do {
    try body()
    return nil
  } catch {
    return (error as? VaultError)?.code
  }
}

extension ItemValue {
  /// The value as text.
  var text: String { unsafe bytes.withBytes { unsafe String(decoding: $0, as: UTF8.self) } }
}

extension SecretText {
  convenience init(_ text: String) { self.init(copying: Array(text.utf8)) }
}
