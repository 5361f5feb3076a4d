import Coffer
import CofferCrypto
import CofferFormat
import CofferKeys
import CofferVault
import CofferStore
import CofferTrust
import Foundation

/// A vault with one app whose only access group is its own, so that a search without a group searches one group.
struct BenchmarkVault {
  let location: VaultLocation
  let vault: Vault

  /// The size of every value in bytes: that of a token.
  static let valueByteCount = 64

  private static let application = "com.example.benchmark"

  private static let plist = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>application-identifier</key><string>$(AppIdentifierPrefix)\(application)</string>
    </dict></plist>
    """.utf8)

  /// Opens the vault in a folder as the app.
  init(at folder: URL) throws {
    location = VaultLocation(folder: folder)
    vault = try Vault.open(.bytes(Self.plist), at: location)
  }

  /// Creates a vault in a folder that does not exist yet. With a summary of the rows, it is as after the first sync.
  init(creatingAt folder: URL, hasSummary: Bool = true) throws {
    let location = VaultLocation(folder: folder)
    try VaultCreation.create(at: location, deviceName: "benchmark", protection: .none) { (_) throws(VaultError) in }
    let local = try LocalVault.open(VaultFolder(location))
    let registered = try AppRegistration(local, passphrase: .unavailable)
      .register(.init(plist: Self.plist, source: "the benchmark", bundleID: nil, sourcePrefix: nil))
    try registered.credential?.install(in: local)
    if hasSummary { _ = try VaultCheck.open(VaultFolder(location)).repair() }
    try self.init(at: folder)
  }

  var storePath: String { VaultFolder(location).storePath }

  /// Returns the item of a number: the attributes that apps typically set, with a label to search by.
  static func item(_ number: Int) -> GenericPassword {
    var item = GenericPassword(service: "service-\(number % 997).example.com", account: "account-\(number)")
    item.label = label(number)
    return item
  }

  static func label(_ number: Int) -> String { "Account \(number)" }

  static func value(_ number: Int) -> [UInt8] {
    let digits = Array("\(number)".utf8)
    return digits + [UInt8](repeating: 0x2e, count: valueByteCount - digits.count)
  }

  func set(_ number: Int) throws { try vault.set(Self.value(number), for: Self.item(number)) }

  /// Adds the items of these numbers in one transaction.
  func importItems(_ numbers: Range<Int>) throws {
    try vault.transaction {
      for number in numbers { try set(number) }
    }
  }

  /// Gives new values to items of the vault, chosen at random, in one transaction.
  func changeItems(_ count: Int) throws {
    let present = try vault.count(GenericPassword.self)
    try vault.transaction {
      for _ in 0..<count {
        let value = (0..<Self.valueByteCount).map { _ in UInt8.random(in: 0x61...0x7a) }
        try vault.set(value, for: Self.item(.random(in: 0..<present)))
      }
    }
  }

  /// Adds versions of each of these items that follow its current one, as machines write them that do not know of each
  /// other.
  func addConcurrentVersions(_ count: Int, ofItems numbers: Range<Int>) throws {
    let local = vault.local
    let membership = try local.membership()
    let credential: Credential = try local.folder.credentialFile(of: local.application(named: Self.application)).read()
    let party = try credential.open(passphrase: nil, in: membership.vault)
    let author = AuthorID(vault: membership.vault, keys: party.publicKeys)
    guard let group = membership.groups.values.first(where: { $0.name.description.hasSuffix(Self.application) }),
      let keys = try group.keys(for: author, opening: party.agreement).last
    else { ItemBenchmark.refuse("the app has no group") }
    try local.store.write { writer in
      for number in numbers {
        let attributes = Self.item(number)._fields.attributes
        let item = keys.itemID(.genericPassword, isSynchronizable: false, attributes: attributes)
        guard let current = try writer.heads(of: item, in: group.id).first?.record() else {
          ItemBenchmark.refuse("an item is missing")
        }
        let header = current.header
        var shown = try current.attributes(with: keys)
        for version in 1...count {
          shown[.label] = .string("Version \(version)")
          let next = RecordHeader(
            vault: header.vault, group: group.id, generation: keys.generation, item: item, itemClass: header.itemClass,
            content: .value, isDeviceLocal: false, bases: [current.hash],
            time: Timestamp(microseconds: header.time.microseconds + Int64(version)), created: header.created,
            author: author, tokens: keys.tokens(of: header.itemClass, shown))
          let record = Record(
            header: next, attributes: shown, value: Self.value(version), keys: keys, signer: party.signing)
          try writer.insert(record, validity: .valid, intoOutbox: true)
        }
      }
    }
  }
}
