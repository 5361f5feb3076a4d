internal import Coffer
internal import CofferTestSupport
internal import Security

/// A new encrypted vault with an app of three groups: two that it may write and one that it may only read.
struct TemporaryKeychain {
  static let own = "com.example.app"
  static let shared = "com.example.shared"
  static let readOnly = "com.example.readable"

  let vault: Vault

  init(passphrase: String? = nil) throws {
    let plist = EntitlementsSource.bytes(
      Self.plist(Self.own, groups: [Self.own, Self.shared], readOnly: [Self.readOnly]))
    vault =
      if let passphrase {
        try Vault.inMemory(entitlements: plist, passphrase: passphrase)
      } else {
        try Vault.inMemory(entitlements: plist)
      }
  }

  /// Returns an entitlements plist with groups given without their prefix.
  static func plist(_ application: String, groups: [String], readOnly: [String] = []) -> [UInt8] {
    Array(entitlementsPlist(application, groups: groups.map { "~\($0)" }, readOnly: readOnly.map { "~\($0)" }).utf8)
  }

  /// Runs Keychain calls with the vault.
  func run(_ body: () throws -> Void) throws { try vault.asDefault(body) }

  /// Runs Keychain calls as another app.
  func run(as application: String, groups: [String], _ body: () throws -> Void) throws {
    try vault.reopened(as: .bytes(Self.plist(application, groups: groups))).asDefault(body)
  }

  /// Returns the full name of a group.
  func fullName(_ group: String) throws -> String {
    let names = try vault.accessGroups.map(\.name)
    guard let name = names.first(where: { $0.hasSuffix("." + group) }) else { throw MissingGroup(name: group) }
    return name
  }

  struct MissingGroup: Error {
    let name: String
  }
}

/// Runs Keychain calls with a new vault.
func withKeychain(passphrase: String? = nil, _ body: () throws -> Void) throws {
  try TemporaryKeychain(passphrase: passphrase).run(body)
}

typealias Query = [CFString: Any]

/// Returns the attributes of a generic password of the account, with further attributes.
func password(_ account: Any? = "jane", _ more: Query = [:]) -> Query {
  var query: Query = [kSecClass: kSecClassGenericPassword, kSecAttrService: "service"]
  query[kSecAttrAccount] = account
  return query.merging(more) { $1 }
}

func add(_ item: Query) -> OSStatus { SecItemAdd(item as CFDictionary, nil) }

func update(_ query: Query, _ changes: Query) -> OSStatus {
  SecItemUpdate(query as CFDictionary, changes as CFDictionary)
}

func delete(_ query: Query) -> OSStatus { SecItemDelete(query as CFDictionary) }

/// Returns the result of a call and its status.
func copy(_ query: Query, _ more: Query = [:]) -> (status: OSStatus, result: CFTypeRef?) {
  var result: CFTypeRef?
  let status = unsafe SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, &result)
  return (status, result)
}

/// Returns the value of an item; nil if it does not exist.
func value(_ query: Query) -> Data? { copy(query, [kSecReturnData: true]).result as? Data }

/// Returns the attributes of every item that is found.
func list(_ query: Query) -> [Query] {
  copy(query, [kSecMatchLimit: kSecMatchLimitAll, kSecReturnAttributes: true]).result as? [Query] ?? []
}

/// Returns an access control.
func accessControl(
  _ protection: CFString = kSecAttrAccessibleWhenUnlocked, _ flags: SecAccessControlCreateFlags
) throws -> SecAccessControl {
  var error: Unmanaged<CFError>?
  guard let control = unsafe SecAccessControlCreateWithFlags(nil, protection, flags, &error) else {
    throw unsafe error?.takeRetainedValue() ?? NSError(domain: NSOSStatusErrorDomain, code: Int(errSecParam))
  }
  return control
}

func text(_ string: String) -> Data { Data(string.utf8) }
