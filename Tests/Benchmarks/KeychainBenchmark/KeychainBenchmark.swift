import Coffer
import CofferTestSupport
import Foundation
import Security

/// Measures the cost of a Keychain call above the typed call that does the same: reading the dictionary and building
/// the result.
///
/// Both use one vault in memory, so that nothing else differs. Each call is measured twice: with a dictionary that
/// exists already, and as callers write it, with the dictionary literal, its bridging and the cast of the result (all
/// Foundation's).
///
/// Arguments are parts of row names: only those rows are measured.
@main
enum KeychainBenchmark {
  /// The allowed cost of a call above the typed one, in microseconds.
  static let limit = 10.0
  static let size = 1_000

  static func main() throws {
    let vault = try Vault.inMemory(entitlements: .bytes(plist))
    vault.makeDefault()
    for number in 0..<size { try vault.add(value, for: item(number)) }
    print("Keychain calls over \(size) items in memory, in µs, above the typed calls (target \(Int(limit)))")
    print("  \(padded("")) typed    call   above   as written, above")
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

  private static func query(_ number: Int, _ more: [CFString: Any] = [:]) -> [String: Any] {
    var query: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
      kSecAttrAccount as String: "account-\(number)",
    ]
    for (name, value) in more { query[name as String] = value }
    return query
  }

  /// Returns queries that exist already, in turn.
  private static func prepared(_ more: [CFString: Any] = [:]) -> () -> CFDictionary {
    let queries = (0..<size).map { query($0, more) as CFDictionary }
    return { queries[.random(in: 0..<size)] }
  }

  // MARK: Reading

  private static func copy(_ query: CFDictionary) -> CFTypeRef {
    var result: CFTypeRef?
    let status = unsafe SecItemCopyMatching(query, &result)
    guard status == errSecSuccess, let result else { refuse("what was found (\(status))") }
    return result
  }

  private static func measureReading(_ vault: Vault) throws {
    let data: [CFString: Any] = [kSecReturnData: true, kSecMatchLimit: kSecMatchLimitOne]
    let queries = prepared(data)
    try row("CopyMatching, data") {
      _ = copy(queries())
    } written: {
      guard let data = copy(query(.random(in: 0..<size), data) as CFDictionary) as? Data, data == value else {
        refuse("data")
      }
    } typed: {
      guard try vault.value(for: item(.random(in: 0..<size))) != nil else { refuse("a value") }
    }
    let both: [CFString: Any] = [kSecReturnData: true, kSecReturnAttributes: true]
    let bothQueries = prepared(both)
    try row("CopyMatching, attributes and data") {
      _ = copy(bothQueries())
    } written: {
      let found = copy(query(.random(in: 0..<size), both) as CFDictionary) as? [String: Any]
      guard found?[kSecValueData as String] is Data else { refuse("attributes") }
    } typed: {
      let item = item(.random(in: 0..<size))
      guard try vault.storedItem(for: item) != nil, try vault.value(for: item) != nil else { refuse("attributes") }
    }
    let plain = prepared()
    try row("CopyMatching, whether it is there") {
      guard SecItemCopyMatching(plain(), nil) == errSecSuccess else { refuse("presence") }
    } written: {
      guard SecItemCopyMatching(query(.random(in: 0..<size)) as CFDictionary, nil) == errSecSuccess else {
        refuse("presence")
      }
    } typed: {
      guard try vault.contains(item(.random(in: 0..<size))) else { refuse("presence") }
    }
    let absent = query(-1) as CFDictionary
    try row("CopyMatching, nothing there") {
      guard SecItemCopyMatching(absent, nil) == errSecItemNotFound else { refuse("absence") }
    } written: {
      guard SecItemCopyMatching(query(-1) as CFDictionary, nil) == errSecItemNotFound else { refuse("absence") }
    } typed: {
      guard try !vault.contains(item(-1)) else { refuse("absence") }
    }
    let all: [String: Any] = [
      kSecClass as String: kSecClassGenericPassword, kSecMatchLimit as String: kSecMatchLimitAll,
      kSecReturnAttributes as String: true,
    ]
    let list = all as CFDictionary
    try row("CopyMatching, all attributes, for each item", runs: 1, of: size) {
      guard (copy(list) as? NSArray)?.count == size else { refuse("a list") }
    } written: {
      guard (copy(all as CFDictionary) as? [[String: Any]])?.count == size else { refuse("a list") }
    } typed: {
      guard try vault.list(GenericPassword.self).items.count == size else { refuse("a list") }
    }
  }

  // MARK: Writing

  private static func measureWriting(_ vault: Vault) throws {
    let (queries, changes) = (prepared(), [kSecValueData as String: value] as CFDictionary)
    try row("Update, value") {
      guard SecItemUpdate(queries(), changes) == errSecSuccess else { refuse("an update") }
    } written: {
      let changes = [kSecValueData as String: value]
      let status = SecItemUpdate(query(.random(in: 0..<size)) as CFDictionary, changes as CFDictionary)
      guard status == errSecSuccess else { refuse("an update") }
    } typed: {
      guard try vault.update(item(.random(in: 0..<size)), value: value) else { refuse("an update") }
    }
    let (addition, deletion) = (query(-2, [kSecValueData: value]) as CFDictionary, query(-2) as CFDictionary)
    try row("Add and Delete, for each of the two", of: 2) {
      guard SecItemAdd(addition, nil) == errSecSuccess else { refuse("an addition") }
      guard SecItemDelete(deletion) == errSecSuccess else { refuse("a deletion") }
    } written: {
      let item = query(-3, [kSecValueData: value])
      guard SecItemAdd(item as CFDictionary, nil) == errSecSuccess else { refuse("an addition") }
      guard SecItemDelete(query(-3) as CFDictionary) == errSecSuccess else { refuse("a deletion") }
    } typed: {
      try vault.add(value, for: item(-4))
      guard try vault.delete(item(-4)) else { refuse("a deletion") }
    }
  }

  // MARK: Reporting

  /// Measures a row and prints it; `parts` is the number of items by which the time of one run is divided.
  private static func row(
    _ name: String, runs: Int = 100, of parts: Int = 1, call: @escaping () throws -> Void,
    written: @escaping () throws -> Void, typed: @escaping () throws -> Void
  ) throws {
    guard CommandLine.arguments.dropFirst().allSatisfy(name.contains) else { return }
    let times = try medians(rounds: 9, turns: runs == 1 ? 1 : 10, repetitions: runs, of: [typed, call, written])
      .map { $0 / Double(parts) }
    let shown = [times[0], times[1], times[1] - times[0], times[2], times[2] - times[0]]
      .map { String(format: "%6.1f", $0) }.joined(separator: "  ")
    print("  \(padded(name)) \(shown)\(times[1] - times[0] <= limit ? "" : "   missed")")
  }

  private static func padded(_ name: String) -> String { name.padding(toLength: 44, withPad: " ", startingAt: 0) }

  private static func refuse(_ what: String) -> Never {
    FileHandle.standardError.write(Data("KeychainBenchmark: \(what) was wrong\n".utf8))
    exit(1)
  }
}
