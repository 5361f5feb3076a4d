package import CofferFormat
package import CofferPlatform
internal import CofferStore
internal import CofferTrust
package import CofferVault

/// An item whose current value somebody could read who may not read it any more, or who may have an old vault key. Only
/// a new value helps.
package struct ExposedItem: Sendable {
  package let address: ItemAddress
  package let itemClass: ItemClass
  package let attributes: ItemAttributes
  /// The access group's full name.
  package let group: String
  /// When the current version was written, by its author's clock.
  package let written: Date
  package let writer: ItemWriter
  /// Who could read it, and since when they cannot.
  package let exposure: Exposure
  /// Why the value stays as it is nevertheless; nil if it has to be replaced.
  package let dismissal: ItemDismissal?
}

/// An admin's decision that an item's value stays as it is.
package struct ItemDismissal: Hashable, Sendable {
  /// The number of its entry in the log.
  package let entry: UInt64
  package let time: Date
  /// Who signed it: "the owner on laptop", or "the vault key".
  package let signer: String
  /// Why, as the signer wrote it. It can contain any character: escape it for a terminal or a page.
  package let reason: String
}

/// Who could read a value that they cannot read any more.
package struct Exposure: Hashable, Sendable {
  /// The last entry of the log that removed readers, or replaced the vault key.
  package let position: LogPosition
  package let time: Date
  /// The apps and owners that the last revocation removed, each with its machine.
  package let readers: [ItemWriter]
  /// The numbers of the vault keys that were replaced since, in ascending order: whoever has one of them could read it.
  package let vaultKeys: [UInt32]
}

/// What to replace after a revocation.
extension Vault {
  /// Returns the items whose current value somebody could read who was removed since, of all groups of this author. An
  /// item is left out once it has another value that was written under the new key of its group. Items that were
  /// dismissed are included. `replaced` receives, for each item that has such a value, the entry after which it was
  /// exposed; items without an earlier version in the history are left out. `damaged` receives the error of each
  /// damaged item.
  package func exposedItems(
    replaced: (LogPosition) -> Void = { _ in }, damaged: (VaultError) -> Void
  ) throws(VaultError) -> [ExposedItem] {
    try reading { reader, context in try context.exposedItems(reader, replaced: replaced, damaged: damaged) }
  }
}

/// Finds the items whose values those know who were removed, or who may have an old vault key.
extension AccessContext {
  /// Returns the items whose current value, or seed of one-time codes, was readable for somebody who may not read it
  /// any more, by group, in the order of lists. `replaced` receives the entry that exposed each item which has another
  /// value by now, and `damaged` the error of each damaged item.
  func exposedItems(
    _ reader: borrowing some StoreAccess & ~Copyable, replaced: (LogPosition) -> Void, damaged: (VaultError) -> Void
  ) throws -> [ExposedItem] {
    var items: [ExposedItem] = []
    var errors: [VaultError] = []
    let allRenewals = membership.keyRenewals
    for group in groups {
      guard let renewals = allRenewals[group.id] else { continue }
      for itemClass in ItemClass.allCases {
        let search = ItemSearch(itemClass, group: group.name)
        for found in try findAll(search, in: [group], reader, withValues: false, damaged: { errors.append($0) }) {
          guard let winner = try heads(of: found.item, in: group, reader, withValues: true)?.winner,
            !winner.header.isDeviceLocal
          else { continue }
          let since: [KeyRenewal]?
          do {
            since = try self.renewals(after: winner, of: renewals, in: group, reader)
          } catch let error as VaultError where error.code == .integrity {
            errors.append(error)
            continue
          }
          guard let since else { continue }
          guard let last = since.last else {
            if let position = renewals.last?.position { replaced(position) }
            continue
          }
          items.append(
            ExposedItem(
              address: found.address, itemClass: itemClass, attributes: found.attributes, group: group.name,
              written: winner.header.time.date, writer: found.writer, exposure: describe(since, last, of: group.id),
              dismissal: membership.dismissal(of: found.address, after: last.position.hash).map(describe)))
        }
      }
    }
    for error in errors { damaged(error) }
    return items
  }

  /// Returns the keys of the group that replaced one under which somebody could read the value of a version, oldest
  /// first: none if they could read an earlier value only, and nil if they could read no version.
  private func renewals(
    after winner: Record, of renewals: [KeyRenewal], in group: AccessibleGroup,
    _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> [KeyRenewal]? {
    let generation = winner.header.generation
    if let last = renewals.last, last.generation > generation { return renewals.filter { $0.generation > generation } }
    // The same value or seed of one-time codes again, under a newer key.
    let rows = try reader.versions(of: winner.header.item, in: group.id, withValues: true, verifiedBy: author.id)
    let earlier = VerifiedRecords(rows, item: winner.header.item, in: group, self).valid.filter { version in
      version.header.generation < generation && !version.header.isTombstone
    }
    guard !earlier.isEmpty else { return nil }
    let current = try open(winner, in: group, withValue: true, hasConflict: false)
    let seed = current.attributes[.oneTimePassword]?.matchBytes
    let known = earlier.filter { version in
      guard let found = try? open(version, in: group, withValue: true, hasConflict: false) else { return false }
      return found.value == current.value || seed != nil && found.attributes[.oneTimePassword]?.matchBytes == seed
    }
    guard let newest = known.map(\.header.generation).max() else { return [] }
    return renewals.filter { $0.generation > newest }
  }

  private func describe(_ dismissal: Dismissal) -> ItemDismissal {
    let name = membership.name(of: dismissal.signer)
    return ItemDismissal(
      entry: dismissal.position.sequence, time: dismissal.time.date,
      signer: dismissal.signer == .root ? name : "the owner on \(name)", reason: dismissal.reason)
  }

  private func describe(_ renewals: [KeyRenewal], _ last: KeyRenewal, of group: GroupID) -> Exposure {
    let revocations = renewals.compactMap { if case .revocation(let revocation) = $0.cause { revocation } else { nil } }
    let vaultKeys = renewals.compactMap { renewal -> UInt32? in
      // The number of a root is that of its vault key, and a succession names the next one.
      if case .succession(let succession) = renewal.cause { succession.statement.generation - 1 } else { nil }
    }
    return Exposure(
      position: last.position, time: last.time.date, readers: revocations.last.map { readers($0, of: group) } ?? [],
      vaultKeys: vaultKeys)
  }

  /// Returns the apps and owners that a revocation removed and that could read a group.
  private func readers(_ revocation: Revocation, of group: GroupID) -> [ItemWriter] {
    let generations = membership.groups[group]?.generations ?? []
    return revocation.statement.authors.compactMap { cut -> ItemWriter? in
      // An app loses groups that it could not read too, together with its machine.
      guard let author = membership.authors[cut.author],
        cut.groups?.contains(where: { $0.group == group && !$0.keepsReading }) ?? true,
        generations.contains(where: { $0.boxes[author.id] != nil })
      else { return nil }
      let device = membership.name(of: author.device)
      guard case .principal(let application, _, _) = author.role else {
        return ItemWriter(application: nil, device: device)
      }
      return ItemWriter(application: application.description, device: device)
    }
  }
}
