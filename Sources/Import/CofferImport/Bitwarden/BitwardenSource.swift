internal import CArgon2
internal import CofferPlatform
internal import CofferSystem
internal import Crypto
internal import CryptoExtras

/// The JSON export of Bitwarden and Vaultwarden, plain or protected with a password of its own.
package struct BitwardenSource: EntrySource {
  private let input: SourceInput
  /// Returns the password of the file.
  private let password: () throws -> [UInt8]

  package init(_ input: SourceInput, password: @escaping () throws -> [UInt8]) {
    self.input = input
    self.password = password
  }

  private static let format = "export of Bitwarden"

  package func read(into sink: inout EntrySink) throws {
    var export = try JSONFile.value(input.contents(for: &sink), what: Self.format)
    if export["encrypted"] == .bool(true) { export = try opened(export) }
    guard case .array(let items)? = export["items"] else {
      throw ImportError.malformed(Self.format, "it has no items")
    }
    var folders: [String: String] = [:]
    for folder in export.list("folders") + export.list("collections") {
      if let id = folder["id"]?.text, let name = folder["name"]?.text { folders[id] = name }
    }
    try sink.count(items.count)
    for item in items { try sink.add(BitwardenItem(item, folders: folders).entry) }
  }

  private func opened(_ export: JSONValue) throws -> JSONValue {
    guard export["passwordProtected"] == .bool(true), let data = export["data"]?.text else {
      throw ImportError(
        "the export is account restricted: only Bitwarden can read it, with the keys of the account",
        recoverySuggestion: "export again as .json, or as .json (encrypted) with the type \"password protected\"")
    }
    let seal = try BitwardenSeal(export, password: password())
    guard let check = export["encKeyValidation_DO_NOT_EDIT"]?.text, seal.open(check) != nil else {
      throw ImportError(
        "the password of the export is wrong, or the file was changed",
        recoverySuggestion: "import it with the password that was chosen for this export, or export again")
    }
    guard let bytes = seal.open(data) else {
      throw ImportError.malformed(Self.format, "its encrypted data was changed")
    }
    return try JSONFile.value(bytes, what: Self.format)
  }
}

/// An item of Bitwarden: a login, a note, a card, an identity or an SSH key.
struct BitwardenItem {
  private(set) var entry = ForeignEntry()

  init(_ item: JSONValue, folders: [String: String]) {
    entry.identifier = item["id"]?.text
    entry.title = item.string("name")
    let folder = item["folderId"]?.text ?? item["collectionIds"]?.elements.first?.text
    entry.folder = (folder.flatMap { folders[$0] } ?? "").split(separator: "/").map(String.init)
    entry.notes = Array(item.string("notes").utf8)
    entry.created = item["creationDate"]?.text.flatMap(Date.init(iso8601:))
    entry.modified = item["revisionDate"]?.text.flatMap(Date.init(iso8601:))
    var extra = item.removing([
      "id", "name", "folderId", "collectionIds", "notes", "creationDate", "revisionDate", "login", "fields",
      "passwordHistory", "organizationId", "type",
    ]).members
    // False and 0 are the defaults of both.
    if extra["favorite"] == .bool(false) { extra["favorite"] = nil }
    if extra["reprompt"] == .integer(0) { extra["reprompt"] = nil }
    if let login = item["login"] { take(login, &extra) }
    // Of a card, the type says what the rest is; a login and a note are known by what they have.
    if let type = item["type"], type != .integer(1), type != .integer(2) { extra["type"] = type }
    if extra["secureNote"] == .object(["type": .integer(0)]) { extra["secureNote"] = nil }
    for field in item.list("fields") {
      entry.addField(field.string("name"), field.string("value"), isProtected: field["type"] == .integer(1))
    }
    // A field that shows another one, or that is on or off, is more than a name and a text.
    let others = item.list("fields").filter { field in
      let type = field["type"] ?? .integer(0)
      return type != .integer(0) && type != .integer(1) || field["linkedId"]?.isEmpty == false
    }
    if !others.isEmpty { extra["fields"] = .array(others) }
    let collections = item.list("collectionIds")
    if collections.count > (item["folderId"]?.text == nil ? 1 : 0) {
      extra["collections"] = .array(collections.map { id in .string(id.text.map { folders[$0] ?? $0 } ?? "") })
    }
    if let organization = item["organizationId"], !organization.isEmpty { extra["organizationId"] = organization }
    entry.history = item.list("passwordHistory")
    entry.extra = extra
  }

  private mutating func take(_ login: JSONValue, _ extra: inout [String: JSONValue]) {
    entry.username = login.string("username")
    entry.password = login["password"]?.text.map { Array($0.utf8) }
    let addresses = login.list("uris")
    entry.addresses = addresses.compactMap { $0["uri"]?.text }
    // How an address is compared is lost without this.
    if addresses.contains(where: { $0["match"].map { !$0.isEmpty } ?? false }) { extra["uris"] = .array(addresses) }
    if let code = login["totp"]?.text, !code.isEmpty {
      let isWhole = code.hasPrefix("otpauth://") || code.hasPrefix("steam://")
      // Bitwarden takes every other text for a seed.
      entry.oneTimeCode = isWhole ? code : entry.codeURL(secret: code.filter { !$0.isWhitespace })
    }
    entry.credentials = login.list("fido2Credentials").map(Self.passkey)
    let rest = login.removing(["username", "password", "uris", "totp", "fido2Credentials"])
    if !rest.isEmpty { extra["login"] = rest }
  }

  /// A passkey in the words of the exchange format, with what only Bitwarden says of it.
  private static func passkey(_ found: JSONValue) -> JSONValue {
    var passkey: [String: JSONValue] = ["type": .string("passkey"), "bitwarden": found]
    passkey["rpId"] = found["rpId"]
    passkey["username"] = found["userName"]
    passkey["userDisplayName"] = found["userDisplayName"]
    passkey["userHandle"] = found["userHandle"]
    passkey["key"] = found["keyValue"]
    passkey["credentialId"] = found["credentialId"]?.text.map { .string(credentialID($0)) }
    return .object(passkey)
  }

  /// The identifier in base64 for URLs: Bitwarden writes its own as UUIDs and others as `b64.…`.
  private static func credentialID(_ text: String) -> String {
    if text.hasPrefix("b64.") { return String(text.dropFirst(4)) }
    let digits = text.utf8.filter { $0 != UInt8(ascii: "-") }
    guard let bytes = digits.fromHexadecimal, bytes.count == 16 else { return text }
    return Data(bytes).base64EncodedString().base64ForURLs
  }
}

/// The encryption of Bitwarden's password-protected export: a key from the password, stretched to two keys, for AES-256
/// in CBC mode and for HMAC-SHA-256.
struct BitwardenSeal {
  private let encryptionKey: SymmetricKey
  private let authenticationKey: SymmetricKey

  /// Derives the keys as the export's own description says. Throws for one that takes more time or memory than
  /// Bitwarden lets its users choose.
  init(_ export: JSONValue, password: [UInt8]) throws(ImportError) {
    guard let salt = export["salt"]?.text.map({ Array($0.utf8) }), salt.count <= 1_024,
      case .integer(let iterations)? = export["kdfIterations"]
    else { throw Self.unknown }
    let master: [UInt8]
    switch export["kdfType"] {
    case .integer(0) where (1...2_000_000).contains(iterations):
      guard
        let key = try? KDF.Insecure.PBKDF2.deriveKey(
          from: password, salt: salt, using: .sha256, outputByteCount: 32, unsafeUncheckedRounds: Int(iterations))
      else { throw Self.unknown }
      master = unsafe key.withUnsafeBytes { unsafe Array($0) }
    case .integer(1) where (1...10).contains(iterations):
      guard case .integer(let memory)? = export["kdfMemory"], (1...1_024).contains(memory),
        case .integer(let parallelism)? = export["kdfParallelism"], (1...16).contains(parallelism)
      else { throw Self.unknown }
      let hashedSalt = Array(SHA256.hash(data: salt))
      var derived = [UInt8](repeating: 0, count: 32)
      let status = unsafe argon2id_hash_raw(
        UInt32(iterations), UInt32(memory) << 10, UInt32(parallelism), password, password.count, hashedSalt,
        hashedSalt.count, &derived, derived.count)
      guard status == 0 else { throw Self.unknown }
      master = derived
    default: throw Self.unknown
    }
    let key = SymmetricKey(data: master)
    encryptionKey = HKDF<SHA256>.expand(pseudoRandomKey: key, info: Data("enc".utf8), outputByteCount: 32)
    authenticationKey = HKDF<SHA256>.expand(pseudoRandomKey: key, info: Data("mac".utf8), outputByteCount: 32)
  }

  private static let unknown = ImportError.malformed(
    "password-protected export of Bitwarden", "its key derivation is unknown or takes too much time or memory")

  /// Opens a sealed text; nil for a wrong password or a changed text.
  func open(_ text: String) -> [UInt8]? {
    guard text.hasPrefix("2.") else { return nil }
    let parts = text.dropFirst(2).split(separator: "|").map { Data(base64Encoded: String($0)) }
    guard parts.count == 3, let iv = parts[0], let sealed = parts[1], let code = parts[2],
      HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: iv + sealed, using: authenticationKey),
      let parameter = try? AES._CBC.IV(ivBytes: [UInt8](iv)),
      let opened = try? AES._CBC.decrypt([UInt8](sealed), using: encryptionKey, iv: parameter)
    else { return nil }
    return [UInt8](opened)
  }
}
