internal import CofferCrypto
package import CofferFormat
internal import CofferStore
internal import CofferTrust
public import Foundation

extension Vault {
  /// The largest value that an item holds, in bytes: 16 MiB.
  public static let maximumValueByteCount = Limits.valueByteCount

  /// Adds a password where there is none.
  ///
  /// - Parameters:
  ///   - value: The secret, at most ``maximumValueByteCount`` bytes.
  ///   - password: Its names.
  ///   - group: An access group by its full name, by `$(AppIdentifierPrefix)` and the rest, or without the prefix; the
  ///     app's default group where nil.
  /// - Throws: ``VaultError``: `duplicateItem` where there is one; `notEntitled`; `diskFull` and others of writing. Nothing has
  ///   changed then; otherwise the item is on disk when this returns.
  public func add(_ value: Data, for password: GenericPassword, in group: String? = nil) throws(VaultError) {
    try write([UInt8](value), for: password, in: group, replacing: false)
  }

  /// Sets a password, whether there is one or not, in one step.
  ///
  /// Parameters and errors as in ``add(_:for:in:)``, but for `duplicateItem`.
  public func set(_ value: Data, for password: GenericPassword, in group: String? = nil) throws(VaultError) {
    try write([UInt8](value), for: password, in: group, replacing: true)
  }

  /// Sets a password given as text, kept as UTF-8.
  public func set(_ text: String, for password: GenericPassword, in group: String? = nil) throws(VaultError) {
    try write(Array(text.utf8), for: password, in: group, replacing: true)
  }

  /// The value of a password; nil where there is none.
  ///
  /// - Parameter group: As in ``add(_:for:in:)``; all of the app's groups in order where nil, the first that has it.
  /// - Throws: ``VaultError``: `notEntitled` for a group that is not the app's; `integrity` for an item that was altered.
  public func value(for password: GenericPassword, in group: String? = nil) throws(VaultError) -> Data? {
    try find(password, in: group) { record, keys, _ in Data(try record.value(with: keys)) }
  }

  /// The value of a password as text; nil where there is none.
  ///
  /// - Throws: As ``value(for:in:)``, and `integrity` where the value is no UTF-8.
  public func string(for password: GenericPassword, in group: String? = nil) throws(VaultError) -> String? {
    guard let data = try value(for: password, in: group) else { return nil }
    guard let text = String(validating: data, as: UTF8.self) else {
      throw VaultError(.integrity, "the value is no text", mend: "read it as data")
    }
    return text
  }

  /// What is known of a password beside its value: label, dates, verified writer; nil where there is none.
  public func attributes(of password: GenericPassword, in group: String? = nil) throws(VaultError) -> StoredPassword? {
    try find(password, in: group) { record, keys, found in
      StoredPassword(
        record: record, attributes: try record.attributes(with: keys), group: found.group, membership: found.membership,
        hasConflict: found.heads.hasConflict)
    }
  }

  /// Deletes a password.
  ///
  /// - Parameter group: As in ``add(_:for:in:)``; every group that the app may write where nil.
  /// - Returns: False where there was none.
  @discardableResult
  public func delete(_ password: GenericPassword, in group: String? = nil) throws(VaultError) -> Bool {
    let primaryKey = try password.primaryKey()
    return try translatingErrors {
      try local.store.write { writer in
        let membership = try local.membership(in: writer)
        let targets =
          group == nil
          ? try targets(named: nil, in: membership).filter { $0.access == .readWrite }
          : [try writeTarget(named: group, in: membership)]
        var wasThere = false
        for target in targets {
          let keys = try keyring.currentKeys(of: target.group)
          let item = keys.itemID(.genericPassword, isSynchronizable: false, attributes: primaryKey)
          let rows = try writer.heads(of: item, in: target.group.id)
          let (heads, isDamaged) = try ItemHeads.replaceable(
            rows, item: item, group: target.group.id, membership: membership)
          guard isDamaged || heads?.winner.header.isTombstone == false else { continue }
          let header = header(
            item, content: .tombstone(successor: nil), heads: heads, keys: keys, tokens: [], membership)
          let record = Record(header: header, attributes: nil, value: [], keys: keys, signer: actor.keys.signing)
          _ = try writer.insert(record, standing: .valid, intoOutbox: true)
          wasThere = true
        }
        return wasThere
      }
    }
  }

  /// Every generic password of a group, or of all the app's groups, without values.
  public func passwords(in group: String? = nil) throws(VaultError) -> PasswordList {
    try translatingErrors {
      try local.store.read { reader in
        let membership = try local.membership(in: reader)
        var items: [StoredPassword] = []
        var damaged: [VaultError] = []
        for target in try targets(named: group, in: membership) {
          try reader.forEachItem(in: target.group.id, withValues: false) { item, rows in
            switch listed(item, rows, in: target.group, membership) {
            case .success(let password?): items.append(password)
            case .success(nil): break
            case .failure(let error) where error.code == .integrity: damaged.append(error)
            case .failure(let error): throw error
            }
          }
        }
        items.sort {
          ($0.group, $0.password.service, $0.password.account) < ($1.group, $1.password.service, $1.password.account)
        }
        return PasswordList(items: items, damaged: damaged)
      }
    }
  }

  /// One item as a list shows it; nil for one that is gone or of another class.
  private func listed(
    _ item: ItemID, _ rows: [StoredRecord], in group: CofferTrust.AccessGroup, _ membership: Membership
  ) -> Result<StoredPassword?, VaultError> {
    Result { () throws(VaultError) in
      guard
        let heads = try ItemHeads(rows: rows, item: item, group: group.id, membership: membership),
        !heads.winner.header.isTombstone, heads.winner.header.itemClass == .genericPassword
      else { return nil }
      let keys = try keyring.keys(of: group, generation: heads.winner.header.generation)
      let attributes = try translatingErrors { try heads.winner.attributes(with: keys) }
      return StoredPassword(
        record: heads.winner, attributes: attributes, group: group, membership: membership,
        hasConflict: heads.hasConflict)
    }
  }

  private struct Found {
    let group: CofferTrust.AccessGroup
    let membership: Membership
    let heads: ItemHeads
  }

  private func find<Result>(
    _ password: GenericPassword, in group: String?, _ open: (Record, GroupKeys, Found) throws -> Result
  ) throws(VaultError) -> Result? {
    let primaryKey = try password.primaryKey()
    return try translatingErrors {
      try local.store.read { reader in
        let membership = try local.membership(in: reader)
        for target in try targets(named: group, in: membership) {
          let item = try keyring.currentKeys(of: target.group)
            .itemID(.genericPassword, isSynchronizable: false, attributes: primaryKey)
          let rows = try reader.heads(of: item, in: target.group.id)
          guard
            let heads = try ItemHeads(rows: rows, item: item, group: target.group.id, membership: membership),
            !heads.winner.header.isTombstone
          else { continue }
          let keys = try keyring.keys(of: target.group, generation: heads.winner.header.generation)
          return try open(heads.winner, keys, Found(group: target.group, membership: membership, heads: heads))
        }
        return nil
      }
    }
  }

  private func write(
    _ value: [UInt8], for password: GenericPassword, in group: String?, replacing: Bool
  ) throws(VaultError) {
    guard value.count <= Limits.valueByteCount else {
      throw VaultError(
        .invalidArgument, "the value has \(value.count) bytes", mend: "16 MiB is the most that an item holds")
    }
    let primaryKey = try password.primaryKey()
    try translatingErrors {
      try local.store.write { writer in
        let membership = try local.membership(in: writer)
        let target = try writeTarget(named: group, in: membership)
        let keys = try keyring.currentKeys(of: target.group)
        let item = keys.itemID(.genericPassword, isSynchronizable: false, attributes: primaryKey)
        let rows = try writer.heads(of: item, in: target.group.id)
        // A damaged version may be set anew or deleted, which ends the damage; adding would have to know that it is gone.
        let heads =
          replacing
          ? try ItemHeads.replaceable(rows, item: item, group: target.group.id, membership: membership).heads
          : try ItemHeads(rows: rows, item: item, group: target.group.id, membership: membership)
        let existing = heads.flatMap { $0.winner.header.isTombstone ? nil : $0.winner }
        guard existing == nil || replacing else {
          throw VaultError(
            .duplicateItem, "the access group \(target.group.name) has this item already",
            mend: "set it instead of adding it")
        }
        let now = Timestamp.now
        var attributes = primaryKey
        if let existing {
          let keys = try keyring.keys(of: target.group, generation: existing.header.generation)
          attributes = try existing.attributes(with: keys)
          attributes.values.merge(primaryKey.values) { _, new in new }
        } else {
          attributes[.created] = .date(now)
          attributes[.persistentReference] = .data(Random.bytes(count: 16))
        }
        attributes[.modified] = .date(now)
        if let label = password.label { attributes[.label] = .string(label) }
        let tokens = attributes.values.compactMap { code, value in
          code == .created || code == .modified ? nil : keys.token(code, value)
        }
        let header = header(item, content: .value, heads: heads, keys: keys, tokens: tokens, membership, now)
        let record = Record(
          header: header, attributes: attributes, value: value, keys: keys, signer: actor.keys.signing)
        _ = try writer.insert(record, standing: .valid, intoOutbox: true)
      }
    }
  }

  private func header(
    _ item: ItemID, content: RecordHeader.Content, heads: ItemHeads?, keys: GroupKeys, tokens: [Token],
    _ membership: Membership, _ time: Timestamp = .now
  ) -> RecordHeader {
    RecordHeader(
      vault: membership.vault, group: keys.group, generation: keys.generation, item: item,
      itemClass: .genericPassword, content: content, isDeviceLocal: false, bases: heads?.all.map(\.hash) ?? [],
      time: time, author: actor.author.id, tokens: tokens)
  }
}

extension StoredPassword {
  fileprivate init(
    record: Record, attributes: ItemAttributes, group: CofferTrust.AccessGroup, membership: Membership,
    hasConflict: Bool
  ) {
    self.init(
      password: GenericPassword(
        service: attributes.string(.service) ?? "", account: attributes.string(.account) ?? "",
        label: attributes.string(.label)),
      group: group.name.description, created: (attributes.date(.created) ?? record.header.time).date,
      modified: record.header.time.date, writer: membership.writer(of: record), hasConflict: hasConflict)
  }
}

extension Timestamp {
  /// The time by this machine's clock.
  package static var now: Timestamp {
    Timestamp(microseconds: Int64((Date().timeIntervalSince1970 * 1_000_000).rounded()))
  }

  /// The time as Foundation has it.
  package var date: Date { Date(timeIntervalSince1970: Double(microseconds) / 1_000_000) }
}
