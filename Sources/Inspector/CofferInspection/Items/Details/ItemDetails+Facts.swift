internal import Coffer
package import CofferPlatform
internal import CofferSystem

extension ItemDetails {
  /// Everything about the item in words, in the order in which commands show it; pages show the same lines in cards.
  /// Certificates are valid or not at the time `now`.
  package func facts(at now: Date = Date()) -> [ItemFact] {
    place + attributes.map { ItemFact($0.name, $0.text) } + (certificate?.facts(at: now) ?? []) + (key?.facts ?? [])
      + state
  }

  /// What the item is, and where.
  package var place: [ItemFact] {
    [ItemFact(.itemClass, row.kind.name), ItemFact(.group, row.group, .group(row.group))]
  }

  /// Who wrote the item and when, and what can be done with it.
  package var state: [ItemFact] {
    var facts = [
      ItemFact(.written, written.localText, .date(written)),
      ItemFact(.writtenBy, row.writer.words(), .writer(row.writer)),
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
      privateKey.map { ItemFact(.privateKey, "\($0.title) in \($0.group)", .item($0, title: $0.title)) }
        ?? ItemFact(.privateKey, "not in the groups that can be read"))
    return facts
  }

  /// Who issued it, the nearest first.
  private var chainFacts: [ItemFact] {
    chain.map { ItemFact(.issuedBy, "\($0.title) in \($0.row.group)", .item($0.row, title: $0.title)) }
      + [ItemFact(.chain, chainEnd.text)]
  }
}

extension KeyDetails {
  /// What the attributes of the item do not say.
  package var facts: [ItemFact] {
    [ItemFact(.usages, KeyWords.list(of: summary.usages))]
      + certificates.map { ItemFact(.certificate, "\($0.title) in \($0.group)", .item($0, title: $0.title)) }
      + otherKeys.map { ItemFact(.otherHalf, "\($0.title) in \($0.group)", .item($0, title: $0.title)) }
  }
}
