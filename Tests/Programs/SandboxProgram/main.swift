import Coffer
import Foundation
import Security

// An app as its author writes it: nothing in it says whether it runs in a sandbox. It prints what its calls return.
let service = "notes.example.com"
let purchases = "com.example.photo.purchases"

/// Prints a line at once, also into a pipe.
func say(_ words: Any...) {
  FileHandle.standardOutput.write(Data((words.map { "\($0)" }.joined(separator: " ") + "\n").utf8))
}

/// Prints what a call returns, or the code of its error.
func show(_ name: String, _ call: () throws -> Any?) {
  do {
    say(name, try call().map { "\($0)" } ?? "nil")
  } catch let error as VaultError {
    say(name, "throws", error.code)
  } catch {
    say(name, "throws", error)
  }
}

/// The calls for items, each class once.
func callItems(of vault: Vault) throws {
  show("locked") { vault.isLocked }
  show("groups") { try vault.accessGroups.map { "\($0.name.suffix(15)) \($0.isWritable)" } }
  show("default") { try vault.defaultAccessGroup?.suffix(9) }
  var note = GenericPassword(service: service, account: "jane", label: "First")
  show("add") { try vault.add("one", for: note).data.count }
  show("add again") { try vault.add("two", for: note) }
  show("set") { try vault.set("two", for: GenericPassword(service: service, account: "jane")).data.count }
  show("string") { try vault.string(for: note) }
  show("missing") { try vault.string(for: GenericPassword(service: service, account: "nobody")) }
  show("stored") { try vault.storedItem(for: note).map { "\($0.item) \($0.accessGroup.suffix(9)) \($0.hasConflict)" } }
  show("wrong group") { try vault.string(for: note, in: "com.other.group") }
  for number in 0..<5 {
    try vault.set("value \(number)", for: GenericPassword(service: "list.example.com", account: "\(number)"))
  }
  let list = ItemQuery<GenericPassword>().matching(.service, "list.example.com")
  show("list") { try vault.list(list).items.map(\.account) }
  show("conditions") { try vault.list(list.matching(.account, "3", .contains).limit(1)).items.map(\.account) }
  show("limit") { try vault.list(list.limit(2)).items.map(\.account) }
  show("first") { try vault.first(list)?.account }
  show("count") { try vault.count(list) }
  var seen: [String] = []
  show("each") {
    try vault.forEach(list) { seen.append($0.account) }.count
  }
  show("seen") { seen }
  show("update") {
    try vault.update(note) { (item: inout GenericPassword) throws(VaultError) in item.label = "Second" }
  }
  show("update value") { try vault.update(note, value: "three") }
  show("update all") {
    try vault.update(list) { (item: inout GenericPassword) throws(VaultError) in item.comment = "all" }
  }
  show("comments") { try Set(vault.list(list).items.map(\.item.comment)) }
  show("rename") {
    try vault.update(note) { (item: inout GenericPassword) throws(VaultError) in item.account = "june" }
  }
  note.account = "june"
  show("rename to another") {
    try vault.update(list.limit(1)) { (item: inout GenericPassword) throws(VaultError) in item.account = "4" }
  }
  show("move") { try vault.update(note, movingTo: purchases) }
  show("moved") { try vault.string(for: note, in: purchases) }
  let versions = try vault.history(of: note, in: purchases).versions
  show("history") { versions.map { "\($0.item?.label ?? "-") \($0.isCurrent)" } }
  try vault.set("four", for: note, in: purchases)
  let earlier = try vault.history(of: note, in: purchases).versions
  show("version") { try vault.value(of: earlier[1]).map { String(decoding: $0, as: UTF8.self) } }
  show("differences") { try vault.differences(between: earlier[0], and: earlier[1]) }
  show("restore") { try vault.restore(earlier[1]) }
  show("restored") { try vault.string(for: note, in: purchases) }
  show("conflicts") { try vault.conflicts(GenericPassword.self).count }
  show("delete") { try vault.delete(note, in: purchases) }
  show("delete again") { try vault.delete(note, in: purchases) }
  show("delete some") { try vault.delete(list.matching(.account, "2", .contains)) }
  show("delete all") { try vault.delete(list) }
  let page = InternetPassword(server: "example.com", account: "jane")
  show("internet") { try vault.set("secret", for: page).data.count }
  show("internet list") { try vault.list(InternetPassword.self).items.map(\.server) }
  show("large") { try vault.set([UInt8](repeating: 7, count: Vault.maximumValueByteCount), for: page).data.count }
  show("large read") { try vault.bytes(for: page)?.allSatisfy { $0 == 7 } }
  show("too large") { try vault.set([UInt8](repeating: 7, count: Vault.maximumValueByteCount + 1), for: page) }
  show("lock") {
    vault.lock()
    return vault.isLocked
  }
  show("while locked") { try vault.string(for: page) }
  show("unlock") { try vault.unlock() }
  show("afterwards") { try vault.bytes(for: page)?.count }
}

/// Calls of Keychain, for all classes.
func callKeychain() {
  let name = "security.example.com"
  let query: [String: Any] = [kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: name]
  func copy(_ more: [String: Any]) -> Any? {
    var result: CFTypeRef?
    let status = SecItemCopyMatching(query.merging(more) { $1 } as CFDictionary, &result)
    return status == errSecSuccess ? result : status
  }
  for account in ["a", "b"] {
    show("SecItemAdd") {
      SecItemAdd(
        query.merging([kSecAttrAccount as String: account, kSecValueData as String: Data(account.utf8)]) { $1 }
          as CFDictionary, nil)
    }
  }
  show("duplicate") {
    SecItemAdd(
      query.merging([kSecAttrAccount as String: "a", kSecValueData as String: Data()]) { $1 } as CFDictionary, nil)
  }
  show("data") { (copy([kSecReturnData as String: true]) as? Data).map { String(decoding: $0, as: UTF8.self) } }
  show("update") {
    SecItemUpdate(query as CFDictionary, [kSecAttrComment as String: "both"] as CFDictionary)
  }
  show("value") {
    SecItemUpdate(
      query.merging([kSecAttrAccount as String: "b"]) { $1 } as CFDictionary,
      [kSecValueData as String: Data("new".utf8)] as CFDictionary)
  }
  show("all") {
    (copy([kSecMatchLimit as String: kSecMatchLimitAll, kSecReturnAttributes as String: true]) as? [[String: Any]])?
      .compactMap { "\($0[kSecAttrAccount as String] ?? "") \($0[kSecAttrComment as String] ?? "")" }
  }
  let tag = Data("com.example.key".utf8)
  let key = SecKeyCreateRandomKey(
    [
      kSecAttrKeyType as String: kSecAttrKeyTypeECSECPrimeRandom, kSecAttrKeySizeInBits as String: 256,
      kSecPrivateKeyAttrs as String: [
        kSecAttrIsPermanent as String: true, kSecAttrApplicationTag as String: tag,
      ] as [String: Any],
    ] as CFDictionary, nil)
  show("key") { key != nil }
  show("key found") {
    SecItemCopyMatching(
      [kSecClass as String: kSecClassKey, kSecAttrApplicationTag as String: tag] as CFDictionary, nil)
  }
  show("SecItemDelete") { SecItemDelete(query as CFDictionary) }
  show("gone") { copy([:]) }
}

do {
  let vault = try Vault.open()
  vault.makeDefault()
  let words = CommandLine.arguments.dropFirst()
  switch words.first {
  case "calls":
    try callItems(of: vault)
    callKeychain()
  case "loop":
    // Writes and reads, also while the broker is killed: counts the calls that have worked, those that have said that
    // it has ended, and all others.
    let item = GenericPassword(service: service, account: "loop")
    var (good, ended, wrong) = (0, 0, 0)
    for number in 0..<(words.dropFirst().first.flatMap { Int($0) } ?? 0) {
      do throws(VaultError) {
        try vault.set("\(number)", for: item)
        if try vault.string(for: item) == "\(number)" { good += 1 } else { wrong += 1 }
      } catch {
        if error.code == .busy { ended += 1 } else { wrong += 1 }
      }
      say(number)
    }
    say(good, ended, wrong)
  case "watch":
    var changes = vault.changes(in: purchases).makeAsyncIterator()
    say("watching")
    while let change = try await changes.next() { say(change.accessGroups.map { $0.suffix(9) }) }
  case "unlock":
    let item = GenericPassword(service: service, account: "locked")
    show("at first") { try vault.set("secret", for: item).data.count }
    show("wrong") { try vault.unlock(passphrase: "wrong") }
    show("right") { try vault.unlock(passphrase: words.dropFirst().first ?? "") }
    show("set") { try vault.set("secret", for: item).data.count }
    show("string") { try vault.string(for: item) }
    vault.lock()
    show("locked") { vault.isLocked }
  case "relock":
    let item = GenericPassword(service: service, account: "relocked")
    show("unlock") { try vault.unlock() }
    show("set") { try vault.set("secret", for: item).data.count }
    vault.lock()
    show("locked") { try vault.string(for: item) }
    show("again") { try vault.unlock(lockAfter: .seconds(600)) }
    show("string") { try vault.string(for: item) }
  case "transaction":
    show("transaction") { try vault.transaction { try vault.delete(GenericPassword(service: "x", account: "x")) } }
  default:
    let purchase = GenericPassword(service: "store.example.com", account: "photo-pro")
    say(try vault.receipt(for: purchase, in: purchases) == nil ? "free" : "Pro unlocked", try vault.enforcement)
    show("forge") { try vault.set("bought", for: purchase, in: purchases) }
  }
} catch {
  FileHandle.standardError.write(Data("\(error)\n".utf8))
  exit(1)
}
