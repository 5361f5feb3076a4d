internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import CofferKeys
internal import CofferStore
internal import CofferSystem
internal import CofferTrust
internal import CofferVault

/// What machines and apps state of a membership log, compared with one whose entries are valid: a shortened or exchanged
/// log is valid too.
struct LogEvidence {
  let chain: VerifiedChain
  /// The number of the last entry that the remote has.
  let published: UInt64
  /// The valid entries of other branches, which a fork explains.
  let known: Set<EntryHash>

  private func comparison(with position: LogPosition) -> StreamComparison {
    if known.contains(position.hash) { return .held }
    guard let own = chain.hash(at: position.sequence) else { return .missing }
    if own == position.hash { return .held }
    // An entry that is not published is a draft: it gives way to the one that the other machine has seen.
    return position.sequence > published ? .missing : .different
  }

  /// Returns what is wrong if this machine had more entries before.
  func problems(ofLength count: Int) -> [VaultError] {
    guard count > chain.entries.count else { return [] }
    return [
      VaultError(
        .integrity,
        "the membership log ends at entry \(chain.entries.count), and this machine has had \(count)",
        recoverySuggestion: LogVerification.repair)
    ]
  }

  /// Returns what is wrong by the segments of a store: at most one problem for each machine, about the last entry that it
  /// has seen, and one for segments that cannot be verified.
  func problems(
    ofSegmentsIn reader: borrowing StoreReader, openedBy device: DeviceFile
  ) throws -> [VaultError] {
    var claims: [DeviceID: (position: LogPosition, comparison: StreamComparison)] = [:]
    var unreadable = 0
    for head in try reader.streamHeads() {
      try reader.forEachSegment(of: head.position.stream) { stored in
        guard let segment = stored.segment(openedBy: device) else { return unreadable += 1 }
        // Anybody could sign as a machine that the log does not contain.
        guard let writer = chain.membership.devices[segment.device] else { return }
        guard segment.vault == chain.membership.vault, segment.isSigned(by: writer.keys.verifying) else {
          return unreadable += 1
        }
        guard chain.membership.mayClaim(segment.device) else { return }
        let comparison = comparison(with: segment.log)
        guard comparison != .held, segment.log.sequence > claims[segment.device]?.position.sequence ?? 0 else { return }
        claims[segment.device] = (segment.log, comparison)
      }
    }
    var problems = claims.sorted { $0.key < $1.key }.map { machine, claim in
      let name = chain.membership.name(of: machine)
      return claim.comparison == .different
        ? VaultError(
          .integrity,
          "\(name) has seen another entry \(claim.position.sequence) of the membership log than this machine has",
          recoverySuggestion: "compare `coffer log --verify` on both machines; the host may show them different logs")
        : VaultError(
          .integrity,
          "\(name) has seen entry \(claim.position.sequence) of the membership log, which this machine does not have",
          recoverySuggestion: "sync again; if it stays, the host withholds entries, or \(name) is not honest")
    }
    if unreadable > 0 {
      problems.append(
        VaultError(
          .integrity, "\(counted(unreadable, "segment")) cannot be verified, so what they state of the log is unknown",
          recoverySuggestion: LogVerification.repair))
    }
    return problems
  }

  /// Returns what is wrong by the entries that this machine's apps have seen last. A credential that cannot be read states
  /// nothing.
  func problems(ofCredentialsIn folder: VaultFolder) throws(VaultError) -> [VaultError] {
    var problems: [VaultError] = []
    for name in try folder.credentialNames() {
      guard let credential = try? folder.credentialFile(named: name).read(Credential.self),
        credential.genesis == chain.membership.genesis.hash, comparison(with: credential.seen) != .held
      else { continue }
      problems.append(
        VaultError(
          .integrity,
          "\(name.sanitizedForTerminal()) has seen an entry \(credential.seen.sequence) of the membership log that is not in it",
          recoverySuggestion: "an older or another copy was put in its place; sync, or restore the right folder"))
    }
    return problems
  }
}
