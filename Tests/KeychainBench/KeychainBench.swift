import Coffer
import CofferTestSupport
import Foundation
import Security

/// Measures what a Keychain call costs above the typed call that does the same: reading the dictionary, building the result.
///
/// Both work on one vault in memory, where nothing else differs. What a caller writes is measured whole: the dictionary's literal, its
/// bridging, the call and the cast of the result.
@main
enum KeychainBench {
  /// What the issue of overheads may come to, in microseconds.
  static let limit = 10.0
  static let size = 1_000

  static func main() throws {
    let vault = try Vault.inMemory(entitlements: .bytes(plist))
    vault.share()
    for number in 0..<size { try vault.add(value, for: item(number)) }
    print("Keychain calls over \(size) items in memory, beside the typed calls")
    try measureReading(vault)
    try measureWriting(vault)
  }

  private static let plist = Array(
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <plist version="1.0"><dict>
    <key>application-identifier</key><string>$(AppIdentifierPrefix)com.example.bench</string>
    </dict></plist>
    """.utf8)

  private static let value = Data(repeating: 0x2e, count: 64)
  private static let service = "service.example.com"

  private static func item(_ number: Int) -> GenericPassword {
    GenericPassword(service: service, account: "account-\(number)")
  }

  private static func query(_ number: Int) -> [String: Any] {
    [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
      kSecAttrAccount as String: "account-\(number)",
    ]
  }

  // MARK: Reading

  private static func measureReading(_ vault: Vault) throws {
    try row("CopyMatching, data") {
      var query = query(.random(in: 0..<size))
      query[kSecReturnData as String] = true
      query[kSecMatchLimit as String] = kSecMatchLimitOne
      var result: CFTypeRef?
      let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
      guard status == errSecSuccess, let data = result as? Data, data.count == value.count else { refuse("data") }
    } beside: {
      guard try vault.value(for: item(.random(in: 0..<size))) != nil else { refuse("a value") }
    }
    try row("CopyMatching, attributes and data") {
      var query = query(.random(in: 0..<size))
      query[kSecReturnData as String] = true
      query[kSecReturnAttributes as String] = true
      var result: CFTypeRef?
      let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
      guard status == errSecSuccess, let found = result as? [String: Any], found[kSecValueData as String] is Data else {
        refuse("attributes")
      }
    } beside: {
      let item = item(.random(in: 0..<size))
      guard try vault.attributes(of: item) != nil, try vault.value(for: item) != nil else { refuse("attributes") }
    }
    try row("CopyMatching, whether it is there") {
      let status = SecItemCopyMatching(query(.random(in: 0..<size)) as CFDictionary, nil)
      guard status == errSecSuccess else { refuse("presence") }
    } beside: {
      guard try vault.contains(item(.random(in: 0..<size))) else { refuse("presence") }
    }
    try row("CopyMatching, nothing there") {
      let status = SecItemCopyMatching(query(-1) as CFDictionary, nil)
      guard status == errSecItemNotFound else { refuse("absence") }
    } beside: {
      guard try !vault.contains(item(-1)) else { refuse("absence") }
    }
    try row("CopyMatching, all attributes, for each item", runs: 1, of: size) {
      let query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword, kSecMatchLimit as String: kSecMatchLimitAll,
        kSecReturnAttributes as String: true,
      ]
      var result: CFTypeRef?
      let status = unsafe SecItemCopyMatching(query as CFDictionary, &result)
      guard status == errSecSuccess, (result as? NSArray)?.count == size else { refuse("a list") }
    } beside: {
      guard try vault.list(GenericPassword.self).items.count == size else { refuse("a list") }
    }
  }

  // MARK: Writing

  private static func measureWriting(_ vault: Vault) throws {
    try row("Update, value") {
      let changes = [kSecValueData as String: value]
      let status = SecItemUpdate(query(.random(in: 0..<size)) as CFDictionary, changes as CFDictionary)
      guard status == errSecSuccess else { refuse("an update") }
    } beside: {
      guard try vault.update(item(.random(in: 0..<size)), value: value) else { refuse("an update") }
    }
    var (ours, theirs) = (size, 2 * size * size)
    try row("Add and Delete, for each of the two", of: 2) {
      ours += 1
      var item = query(ours)
      item[kSecValueData as String] = value
      guard SecItemAdd(item as CFDictionary, nil) == errSecSuccess else { refuse("an addition") }
      guard SecItemDelete(query(ours) as CFDictionary) == errSecSuccess else { refuse("a deletion") }
    } beside: {
      theirs += 1
      try vault.add(value, for: item(theirs))
      guard try vault.delete(item(theirs)) else { refuse("a deletion") }
    }
  }

  // MARK: Reporting

  /// - Parameter parts: What one run's time is divided by.
  private static func row(
    _ name: String, runs: Int = 100, of parts: Int = 1, _ keychain: () throws -> Void,
    beside typed: () throws -> Void
  ) throws {
    let times = try withoutActuallyEscaping(keychain) { keychain in
      try withoutActuallyEscaping(typed) { typed in
        try medians(rounds: 9, turns: runs == 1 ? 1 : 10, repetitions: runs, of: [keychain, typed])
      }
    }
    let (call, base) = (times[0] / Double(parts), times[1] / Double(parts))
    let verdict = call - base <= limit ? "" : ", missed"
    let shown = [call, base, call - base].map { String(format: "%7.1f", $0) }
    print(
      "  \(name.padding(toLength: 44, withPad: " ", startingAt: 0)) \(shown[0]) µs, typed \(shown[1]) µs, above \(shown[2]) µs"
        + " (target \(Int(limit))\(verdict))")
  }

  private static func refuse(_ what: String) -> Never {
    FileHandle.standardError.write(Data("KeychainBench: \(what) was not as it must be\n".utf8))
    exit(1)
  }
}
