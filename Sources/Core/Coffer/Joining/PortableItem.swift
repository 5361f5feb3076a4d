package import CofferCrypto
package import CofferFormat
internal import CofferKeys
internal import CofferStore
package import CofferTrust
package import CofferVault

/// A live item, opened, as another vault can take it: under other keys, and with the same attributes and values.
package struct PortableItem: Sendable {
  /// A version of the item.
  package struct Version: Sendable {
    package let draft: ItemDraft
    /// When it was written, by its author's clock.
    package let time: Timestamp
    package let writer: Writer

    /// Whether two versions are the same but for what every vault gives them: dates and the persistent reference.
    func hasContents(of other: Version) -> Bool {
      draft.value == other.draft.value && draft.attributes.ownAttributes == other.draft.attributes.ownAttributes
    }
  }

  /// Who signed a version in the vault that has it.
  package enum Writer: Hashable, Sendable {
    case owner
    /// An app. `isCut` tells that the right with which it has written was taken from it since.
    case app(ApplicationID, isCut: Bool)
  }

  /// The access group in the vault that has the item.
  package let group: AccessGroupName
  /// The heads that have a value, the current one first. There is at least one.
  package let versions: [Version]

  /// The current version.
  package var current: Version { versions[0] }
}

/// What another vault has of an item.
package enum ItemComparison: Hashable, Sendable {
  /// It has no live item with this primary key.
  case missing
  /// It has the item with the same contents.
  case same
  /// It has the item with other contents. `isNewer` tells that its own version was written before this one, which then
  /// becomes the current one.
  case different(isNewer: Bool)
}

/// Moves items from one vault to another one, which has other keys.
extension Vault {
  /// Calls `body` with each live item of all groups and classes, in one read transaction.
  ///
  /// - Throws: ``VaultError``: `integrity` if an item is damaged; the errors of `body`.
  package func forEachPortableItem(_ body: (PortableItem) throws -> Void) throws(VaultError) {
    try reading { reader, context in try context.forEachPortableItem(reader, body) }
  }

  /// Returns the keys of an app's credential on this machine. Throws `authenticationFailed` for a wrong passphrase.
  package func appKeys(of app: BundleID, passphrase: PassphraseSource) throws(VaultError) -> PartyKeys {
    let membership = try local.publishedMembership()
    let credential = try local.folder.credentialFile(of: ApplicationID(team: membership.team, bundleID: app))
      .read(Credential.self)
    guard credential.needsPassphrase else {
      return try credential.keys(passphrase: nil, vault: membership.vault, machine: nil)
    }
    return try passphrase.open { (passphrase) throws(VaultError) in
      try credential.keys(passphrase: passphrase, vault: membership.vault, machine: nil)
    }
  }

  /// Compares an item of another vault with what this one has.
  package func comparison(with item: PortableItem) throws(VaultError) -> ItemComparison {
    try reading { reader, context in try context.arrival(of: item, reader)?.comparison ?? .missing }
  }

  /// Writes what this vault lacks of an item of another vault, and returns what it had before. Versions are written
  /// with their times, as if two machines had changed the item at the same time: the version that was written last
  /// becomes the current one, and the others are kept. Doing it again writes nothing.
  ///
  /// A version of an app is signed with the keys that `appKeys` has for it, which are those of the app on this machine,
  /// so that the app stays its writer. All others become the owner's.
  ///
  /// - Throws: ``VaultError``: `notEntitled` if this vault does not have the group, or an app must not write it.
  @discardableResult
  package func take(_ item: PortableItem, appKeys: [BundleID: PartyKeys]) throws(VaultError) -> ItemComparison {
    try writing { writer, context in
      guard let arrival = try context.arrival(of: item, writer) else {
        throw VaultError(
          .notEntitled, "the vault does not have the access group \(item.group.renamed(for: context.membership.team))",
          recoverySuggestion: "register an app that has the group with: coffer app add FILE")
      }
      try context.write(arrival, appKeys: appKeys, writer)
      return arrival.comparison
    }
  }
}

/// An item of another vault beside what this vault has.
private struct ItemArrival {
  let comparison: ItemComparison
  /// The versions that this vault does not have.
  let missing: [PortableItem.Version]
  let group: AccessibleGroup
  let item: ItemID
  /// The heads of the item here; nil if it was never written.
  let heads: ItemHeads?
}

extension AccessContext {
  fileprivate func forEachPortableItem(
    _ reader: borrowing some StoreAccess & ~Copyable, _ body: (PortableItem) throws -> Void
  ) throws {
    for group in groups {
      for itemClass in ItemClass.allCases {
        let search = ItemSearch(itemClass, group: group.name)
        for found in try findAll(search, in: [group], reader, withValues: false) {
          guard let heads = try heads(of: found.item, in: group, reader, withValues: true), heads.isLive else {
            continue
          }
          try body(PortableItem(group: group.registered.name, versions: versions(of: heads, in: group)))
        }
      }
    }
  }

  /// Returns the opened heads that have a value, the current one first.
  private func versions(of heads: ItemHeads, in group: AccessibleGroup) throws -> [PortableItem.Version] {
    try heads.all.filter { !$0.header.isTombstone }.sorted { $0.wins(over: $1) }.map { record in
      let (attributes, value) = try contents(of: record, in: group, withValue: true)
      return PortableItem.Version(
        draft: ItemDraft(itemClass: record.header.itemClass, attributes: attributes, value: value ?? []),
        time: record.header.time, writer: writer(of: record, in: group))
    }
  }

  private func writer(of record: Record, in group: AccessibleGroup) -> PortableItem.Writer {
    guard let author = membership.authors[record.header.author], let application = author.application else {
      return .owner
    }
    return .app(application, isCut: author.cut(in: group.id) != nil)
  }

  /// Compares an item of another vault with what this vault has. Nil if it does not have the group.
  fileprivate func arrival(
    of item: PortableItem, _ reader: borrowing some StoreAccess & ~Copyable
  ) throws -> ItemArrival? {
    let name = item.group.renamed(for: membership.team)
    guard let group = groups.first(where: { $0.registered.name == name }) else { return nil }
    let draft = item.current.draft
    let id = try keyring.currentKeys(of: group.registered).itemID(
      draft.itemClass, isSynchronizable: draft.attributes.isSynchronizable, attributes: draft.attributes)
    let heads = try heads(of: id, in: group, reader, withValues: true)
    guard let heads, heads.isLive else {
      return ItemArrival(comparison: .missing, missing: item.versions, group: group, item: id, heads: heads)
    }
    let present = try versions(of: heads, in: group)
    let missing = item.versions.filter { version in !present.contains { $0.hasContents(of: version) } }
    let comparison: ItemComparison =
      missing.isEmpty ? .same : .different(isNewer: missing[0].time > heads.winner.header.time)
    return ItemArrival(comparison: comparison, missing: missing, group: group, item: id, heads: heads)
  }

  fileprivate func write(
    _ arrival: ItemArrival, appKeys: [BundleID: PartyKeys], _ writer: borrowing StoreWriter
  ) throws {
    guard !arrival.missing.isEmpty else { return }
    let group = try writableGroup(named: arrival.group.name)
    for (index, version) in arrival.missing.enumerated() {
      // A deletion here was not meant for an item that this vault did not have.
      let deletion = index == 0 ? arrival.heads.flatMap { $0.isLive ? nil : $0 } : nil
      try writeVersion(
        version.draft, of: arrival.item, over: deletion,
        at: deletion == nil ? version.time : .now, signedBy: signer(of: version, in: group, appKeys), in: group, writer)
    }
  }

  /// Returns the app on this machine as which a version is signed; nil for the owner. What an app's removed keys have
  /// signed is not the app's any more.
  private func signer(
    of version: PortableItem.Version, in group: AccessibleGroup, _ appKeys: [BundleID: PartyKeys]
  ) throws(VaultError) -> VersionSigner? {
    guard case .app(let application, isCut: false) = version.writer, let keys = appKeys[application.bundleID] else {
      return nil
    }
    let id = AuthorID(vault: membership.vault, keys: keys.publicKeys)
    guard let app = membership.authors[id], app.device == author.device,
      membership.access(of: app, to: group.id) == .readWrite
    else {
      throw VaultError(
        .notEntitled, "\(application.bundleID) cannot write the access group \(group.name) in this vault",
        recoverySuggestion: "run `coffer sync`, and clone again")
    }
    return VersionSigner(id: id, sign: { $0.signature(by: keys.signing) })
  }
}
