internal import CofferFormat
internal import CofferStore
internal import CofferTrust
internal import CofferVault

/// Finds the items whose values those know who were taken out.
extension AccessContext {
  /// Returns the items whose current value was readable for somebody who may not read it any more.
  ///
  /// - Parameters:
  ///   - reader: The transaction.
  ///   - damaged: Receives the error of each damaged item.
  /// - Returns: The items by group, in the order of lists.
  /// - Throws: The errors of the store.
  func exposedItems(
    _ reader: borrowing some StoreAccess & ~Copyable, damaged: (VaultError) -> Void
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
            !winner.header.isDeviceLocal,
            let revocation = try self.revocation(exposing: winner, by: renewals, in: group, reader)
          else { continue }
          items.append(
            ExposedItem(
              address: found.address, itemClass: itemClass, attributes: found.attributes, group: group.name,
              written: winner.header.time.date, writer: found.writer, revocation: describe(revocation, of: group.id),
              dismissal: membership.dismissal(of: found.address, after: revocation.position.hash).map(describe)))
        }
      }
    }
    for error in errors { damaged(error) }
    return items
  }

  /// Returns the last revocation of somebody who knows the value of a version; nil if there is none.
  private func revocation(
    exposing winner: Record, by renewals: [KeyRenewal], in group: AccessibleGroup,
    _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> Revocation? {
    let generation = winner.header.generation
    if let last = renewals.last, last.generation > generation { return last.revocation }
    // The same value again, under a newer key.
    let rows = try reader.versions(of: winner.header.item, in: group.id, withValues: true, verifiedBy: author.id)
    let earlier = VerifiedRecords(rows, item: winner.header.item, in: group, self).valid.filter { version in
      version.header.generation < generation && !version.header.isTombstone
    }
    guard !earlier.isEmpty else { return nil }
    let value = try open(winner, in: group, withValue: true, hasConflict: false).value
    let known = earlier.filter { version in
      (try? open(version, in: group, withValue: true, hasConflict: false).value) == value
    }
    guard let newest = known.map(\.header.generation).max() else { return nil }
    return renewals.last { $0.generation > newest }?.revocation
  }

  private func describe(_ dismissal: Dismissal) -> ItemDismissal {
    let name = membership.name(of: dismissal.signer)
    return ItemDismissal(
      entry: dismissal.position.sequence, time: dismissal.time.date,
      signer: dismissal.signer == .root ? name : "the owner on \(name)", reason: dismissal.reason)
  }

  private func describe(_ revocation: Revocation, of group: GroupID) -> ExposingRevocation {
    let generations = membership.groups[group]?.generations ?? []
    let readers = revocation.statement.authors.compactMap { cut -> ItemWriter? in
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
    return ExposingRevocation(position: revocation.position, time: revocation.time.date, readers: readers)
  }
}
