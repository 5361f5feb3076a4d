internal import Coffer
internal import CofferSystem
package import Foundation

extension ItemDetails {
  /// Everything about the item in words, in the order in which pages and commands show it: where it is, its attributes, who
  /// wrote it and when, and what belongs to it.
  ///
  /// - Parameter now: The time at which certificates are valid or not.
  /// - Returns: The lines.
  package func facts(at now: Date = Date()) -> [ItemFact] {
    var facts = [ItemFact("Kind", row.kind.name), ItemFact("Access group", row.group)]
    facts += attributes.map { ItemFact($0.name, $0.text) }
    facts += certificate?.facts(at: now) ?? []
    facts += key?.facts ?? []
    facts.append(ItemFact("Written", written.localText))
    facts.append(ItemFact("Written by", row.writer.text))
    facts.append(ItemFact("Versions", "\(versionCount)"))
    if !conflict.isEmpty {
      facts.append(ItemFact("Conflict", "\(conflict.count) versions were written at the same time"))
    }
    if !valueGuard.isOpen {
      facts.append(ItemFact("Value", "needs \(valueGuard.conditions.joined(separator: " and "))"))
    }
    if !isWritable { facts.append(ItemFact("Changes", "this access group can only be read")) }
    return facts
  }
}

extension ItemWriter {
  /// The writer in words: "com.example.app on laptop", or "owner on laptop".
  package var text: String { "\(application ?? "owner") on \(device)" }
}

extension CertificateDetails {
  /// What the attributes of the item do not say.
  func facts(at now: Date) -> [ItemFact] {
    var facts = [ItemFact("Validity", validity.words(at: now)), ItemFact("Public key", key)]
    if !usages.isEmpty { facts.append(ItemFact("Usage", usages.joined(separator: ", "))) }
    if let isAuthority { facts.append(ItemFact("May issue certificates", isAuthority ? "yes" : "no")) }
    if !alternativeNames.isEmpty {
      facts.append(ItemFact("Alternative names", alternativeNames.joined(separator: ", ")))
    }
    facts.append(ItemFact("SHA-256", sha256))
    facts.append(ItemFact("SHA-1", sha1))
    facts += chain.map { ItemFact("Issued by", "\($0.title) in \($0.row.group)") }
    facts.append(ItemFact("Chain", chainEnd.text))
    facts.append(ItemFact("Private key", privateKey.map { "in \($0.group)" } ?? "not in the vault"))
    return facts
  }
}

extension KeyDetails {
  /// What the attributes of the item do not say.
  var facts: [ItemFact] {
    certificates.map { ItemFact("Certificate", "\($0.title) in \($0.group)") }
      + otherKeys.map { ItemFact("Other half of the pair", "\($0.title) in \($0.group)") }
  }
}
