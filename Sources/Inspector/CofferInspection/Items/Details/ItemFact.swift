internal import Coffer
package import CofferPlatform
internal import CofferSystem

/// A line about an item: its name, and its text as commands show it.
package struct ItemFact: Sendable {
  /// What a page makes of the text.
  package enum Content: Sendable {
    case text
    /// Digits that people compare.
    case digits
    case list([String])
    /// Another item.
    case item(ItemRow)
  }

  package let name: String
  /// The text, as it is stored where it comes from the vault: show it with ``DisplayText``.
  package let text: String
  package let content: Content

  init(_ name: String, _ text: String, _ content: Content = .text) {
    self.name = name
    self.text = text
    self.content = content
  }

  init(_ term: Term, _ text: String, _ content: Content = .text) { self.init(term.rawValue, text, content) }

  /// A line that names another item.
  init(_ term: Term, _ item: ItemRow) { self.init(term, "\(item.title) in \(item.group)", .item(item)) }
}

extension ItemDetails {
  /// Everything about the item in words, in the order in which commands show it; pages show the same lines in cards.
  /// Certificates are valid or not at the time `now`.
  package func facts(at now: Date = Date()) -> [ItemFact] {
    place + attributes.map { ItemFact($0.name, $0.text) } + (certificate?.facts(at: now) ?? []) + (key?.facts ?? [])
      + state
  }

  /// What the item is, and where.
  private var place: [ItemFact] {
    [ItemFact(.itemClass, row.kind.name), ItemFact(.group, row.group)]
  }

  /// Who wrote the item and when, and what can be done with it.
  private var state: [ItemFact] {
    var facts = [
      ItemFact(.written, written.localText),
      ItemFact(.writtenBy, row.writer.words()),
      ItemFact(.versions, versionCount.grouped),
    ]
    if !conflict.isEmpty {
      facts.append(ItemFact(.conflict, "\(conflict.count) versions were written at the same time"))
    }
    if !valueGuard.isOpen {
      facts.append(ItemFact(.value, "requires \(valueGuard.conditions.joined(separator: " and "))"))
    }
    facts.append(ItemFact(.right, isWritable ? "read and write" : "read only"))
    return facts
  }
}

extension CertificateDetails {
  /// What the attributes of the item do not say.
  func facts(at now: Date) -> [ItemFact] { [ItemFact(.validity, validity.words(at: now))] + contents + chainFacts }

  /// What the certificate says that the attributes of the item do not say.
  package var contents: [ItemFact] {
    var facts = [ItemFact(.publicKey, key), ItemFact(.usages, KeyWords.list(of: usages))]
    facts.append(ItemFact(.isAuthority, isAuthority.map { $0 ? "yes" : "no" } ?? KeyWords.unstated))
    if !alternativeNames.isEmpty {
      facts.append(ItemFact(.alternativeNames, alternativeNames.joined(separator: ", "), .list(alternativeNames)))
    }
    facts.append(ItemFact(.sha256, sha256, .digits))
    facts.append(ItemFact(.sha1, sha1, .digits))
    facts.append(
      privateKey.map { ItemFact(.privateKey, $0) }
        ?? ItemFact(.privateKey, "not in the groups that can be read"))
    return facts
  }

  /// Who issued it, the nearest first.
  private var chainFacts: [ItemFact] {
    chain.map { ItemFact(.issuedBy, $0) } + [ItemFact(.chain, chainEnd.text)]
  }
}

extension KeyDetails {
  /// What the attributes of the item do not say.
  package var facts: [ItemFact] {
    [ItemFact(.usages, KeyWords.list(of: summary.usages))]
      + certificates.map { ItemFact(.certificate, $0) }
      + otherKeys.map { ItemFact(.otherHalf, $0) }
  }
}

/// The names of what pages and commands show of items: one name for one thing, wherever it is shown. Attributes have
/// theirs in ``AttributeDefinition``.
package enum Term: String, Sendable {
  case itemClass = "Class"
  case group = "Group"
  case right = "Right"
  case created = "Created"
  case modified = "Modified"
  case written = "Written"
  case writtenBy = "Written by"
  case versions = "Versions"
  case conflict = "Conflict"
  case value = "Value"
  // Certificates and keys.
  case subject = "Subject"
  case issuer = "Issuer"
  case serialNumber = "Serial number"
  case certificateVersion = "X.509 version"
  case validity = "Validity"
  case publicKey = "Public key"
  case usages = "May be used to"
  case isAuthority = "May issue certificates"
  case alternativeNames = "Alternative names"
  case sha256 = "SHA-256"
  case sha1 = "SHA-1"
  case issuedBy = "Issued by"
  case chain = "Chain"
  case privateKey = "Private key"
  case keyKind = "Kind of key"
  case algorithm = "Algorithm"
  case sizeInBits = "Size in bits"
  case certificate = "Certificate"
  case otherHalf = "Other half of the pair"
}
