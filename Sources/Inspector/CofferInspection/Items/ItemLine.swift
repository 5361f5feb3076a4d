package import Coffer
internal import CofferFormat
internal import CofferPlatform
internal import CofferSystem
package import CofferVault

/// An item as one JSON object, with the names that commands print with `--json`: a line of `coffer set --json-lines`.
///
///     {"service": "github.com", "account": "jane", "value": "s3cret", "label": "Work"}
///     {"class": "internet-password", "server": "example.com", "protocol": "HTTPS", "valueBase64": "czNjcmV0"}
package struct ItemLine: Sendable {
  /// A generic or internet password, or a certificate.
  package let kind: ItemKind
  /// The access group, by its full name or without the team prefix; nil if the line names none.
  package let group: String?
  /// The texts of attributes by their codes, as ``ItemAttributeRow/fieldText``.
  package let texts: [String: String]
  /// The seed of the one-time codes, as an `otpauth` address.
  package let oneTimePassword: OneTimePassword?
  /// The value; of a certificate, its PEM or DER.
  package let value: [UInt8]

  /// The keys whose values are attributes, which are named as `coffer show` names them.
  private static let attributes = [
    "service": "service", "server": "server", "account": "account", "label": "label", "comment": "comment",
    "description": "description", "protocol": "protocol", "port": "port", "path": "path",
    "securityDomain": "security-domain", "authentication": "authentication",
  ]

  /// The keys that commands print about an item, and that only its writer decides.
  private static let ignored: Set = [
    "reference", "secretReference", "created", "modified", "expires", "hasConflict", "hasOneTimeCodes", "writerApp",
    "writerMachine", "issuer",
  ]

  /// Reads a line. Throws `invalidArgument`, without repeating a text of it, if it is no such object, has an unknown
  /// key, or has no value.
  package init(json: some Sequence<UInt8>) throws(VaultError) {
    guard var members = try? JSONDecoder().decode([String: Member].self, from: Data(json)) else {
      throw Self.malformed("it is not one JSON object with texts", "write an object, such as: \(Self.example)")
    }
    for (key, member) in members where member.isTruthValue && !Self.ignored.contains(key) {
      throw Self.malformed(
        "\(key.sanitizedForTerminal(limit: 60)) is true or false", "give a text or a number, or leave the key out")
    }
    func take(_ key: String) -> String? { members.removeValue(forKey: key)?.text }
    group = take("group")
    let named = take("class")
    guard
      let kind = named.map(ItemKind.init(argument:))
        ?? (members["server"]?.text == nil ? .genericPassword : .internetPassword),
      kind != .key, kind != .identity
    else {
      throw Self.malformed(
        "its class is none of generic-password, internet-password and certificate", "correct the key class")
    }
    self.kind = kind
    let (text, base64) = (take("value"), take("valueBase64"))
    guard (text == nil) != (base64 == nil), let value = text.map({ Array($0.utf8) }) ?? base64.flatMap(Self.bytes)
    else {
      throw Self.malformed(
        base64 == nil ? "it has no value" : "valueBase64 is not Base64, or there is also a value",
        "give the value as text in the key value, or in Base64 in the key valueBase64")
    }
    self.value = value
    do throws(VaultError) {
      oneTimePassword = try take("oneTimePassword").map { uri throws(VaultError) in try OneTimePassword(uri: uri) }
    } catch {
      throw Self.malformed("oneTimePassword: \(error.message)", error.recoverySuggestion ?? "")
    }
    guard kind != .certificate || oneTimePassword == nil else {
      throw Self.malformed(
        "an item of this class has no key oneTimePassword", "store one-time codes with a password")
    }
    let fields = InspectedVault.newFields(of: kind)
    var texts: [String: String] = [:]
    for (key, member) in members where !Self.ignored.contains(key) {
      guard let text = member.text else { continue }
      guard let name = Self.attributes[key], let field = fields.first(where: { $0.argument == name }) else {
        throw Self.malformed(
          "an item of this class has no key \(key.sanitizedForTerminal(limit: 60))",
          "use the keys that `coffer get --json` prints, and those of the page about JSON")
      }
      do throws(VaultError) {
        texts[field.code] = try field.value(of: text, named: key)
      } catch {
        // The error of an option repeats the text, which may be a value in the wrong place.
        throw Self.malformed("\(key) cannot have this value", error.recoverySuggestion ?? "")
      }
    }
    guard kind == .certificate || kind.nameFields.contains(where: { texts[$0]?.isEmpty == false }) else {
      let names = kind.nameWords.joined(separator: " and ")
      throw Self.malformed("\(names) are empty", "name the item, so that it can be found again")
    }
    self.texts = texts
  }

  /// What tells two items of a file apart, with the full name of the group: the primary key. Nil for a certificate,
  /// whose value names it.
  package func primaryKey(in group: String) -> [String]? {
    guard kind != .certificate else { return nil }
    var key = [kind.argument, group]
    for code in kind.itemClass.primaryKey {
      let text = texts[code.name] ?? ""
      // A port of 0 is none.
      key.append(code == .port ? String(Int64(text) ?? 0) : text)
    }
    return key
  }

  private static let example = #"{"service": "github.com", "account": "jane", "value": "…"}"#

  private static func bytes(_ base64: String) -> [UInt8]? { Data(base64Encoded: base64).map { [UInt8]($0) } }

  private static func malformed(_ reason: String, _ suggestion: String) -> VaultError {
    VaultError(.invalidArgument, reason, recoverySuggestion: suggestion)
  }

  /// A text, number or truth value; null and what a command prints and this does not read have no text.
  private struct Member: Decodable {
    let text: String?
    let isTruthValue: Bool

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      isTruthValue = (try? container.decode(Bool.self)) != nil
      if let text = try? container.decode(String.self) {
        self.text = text
      } else if let number = try? container.decode(Int64.self) {
        text = "\(number)"
      } else if container.decodeNil() || isTruthValue {
        text = nil
      } else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "neither text nor number")
      }
    }
  }
}
