package import CofferCrypto
package import CofferFormat
internal import CofferKeys
package import CofferTrust
internal import CofferVault

extension LogDraft {
  /// Creates the next keys of groups, in their order. No entry is appended yet. `isReader` decides whether somebody to
  /// whom the present key is sealed also gets the next one.
  package func renewals(
    of groups: [RegisteredGroup], by signer: LogEntry.Signer, opening agreement: AgreementKey,
    for isReader: (AuthorID, GroupID) -> Bool = { _, _ in true }
  ) throws(VaultError) -> [NextGroupKeys] {
    var renewals: [NextGroupKeys] = []
    for group in groups {
      var opened: [GroupKeys] = []
      do throws(CryptoError) {
        opened = try group.keys(for: signer.id, opening: agreement)
      } catch {
        guard signer == .root else { throw Self.unopened(group.name) }
      }
      guard signer == .root || !opened.isEmpty else {
        throw VaultError(
          .integrity, "no key of \(group.name) was sealed to the signer of this change",
          recoverySuggestion: "sync and try again")
      }
      let newest = opened.last ?? Self.stray(of: group)
      let count = membership.recipients(of: group.name, at: time).count { isReader($0, group.id) }
      renewals.append(
        NextGroupKeys(
          group: group, opened: opened, wrapped: newest,
          keys: newest.later(generation: UInt32(group.generations.count) + 1),
          grantCount: (max(count, 1) - 1) / GroupKeyRenewalStatement.boxCapacity))
    }
    return renewals
  }

  /// Returns keys that take the place of those of a group that root cannot open: an admin has sealed no keys to root, or
  /// worthless ones, and must not make itself irremovable by that. Nothing leads to what was sealed under the group's earlier
  /// keys, but those who have a box of them still open it.
  private static func stray(of group: RegisteredGroup) -> GroupKeys {
    GroupKeys.random(group: group.id).later(generation: UInt32(group.generations.count))
  }

  /// Appends the entries with a group's next key, sealed to everybody who may read it.
  package mutating func append(_ renewal: NextGroupKeys, by signer: LogEntry.Signer, key: SigningKey) throws(VaultError)
  {
    let boxes = boxes(of: renewal.keys, for: membership.recipients(of: renewal.group.name, at: time))
    let capacity = GroupKeyRenewalStatement.boxCapacity
    try append(
      .groupKeyRenewal(
        GroupKeyRenewalStatement(
          group: renewal.keys.group, generation: renewal.keys.generation, commitment: renewal.keys.commitment,
          wrappedGeneration: renewal.wrapped.generation, wrapped: renewal.keys.wrap(renewal.wrapped),
          boxes: Array(boxes.prefix(capacity)))), by: signer, key: key)
    for start in stride(from: capacity, to: boxes.count, by: capacity) {
      let part = Array(boxes[start..<min(start + capacity, boxes.count)])
      try append(
        .grant(GrantStatement(group: renewal.keys.group, generation: renewal.keys.generation, boxes: part)),
        by: signer, key: key)
    }
  }
}
