internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The items of an identity's app in the vault: what callers find, and what they change.
final class AppItems {
  let access: VaultAccess
  private var index = ItemIndex()
  private var names: CollectionNames
  /// Whether the last ``refresh()`` has found the vault locked.
  private(set) var isLocked = false
  /// Whether a locked vault can have items of the app.
  private(set) var mayHaveItems = false
  /// Changes that calls have found, and that no signal has told yet.
  private var untold: [ItemIndex.Change] = []
  private var isInCall = false
  /// What the vault was found to be for the call that is being answered.
  private var look: VaultAccess.State?

  init(_ app: DesktopApp) {
    access = VaultAccess(app)
    names = CollectionNames(own: app.bundleIdentifier)
  }

  /// The identifier of the app's own collection.
  var ownCollection: String { names.own }

  /// Lets everything that one call asks for rely on one look at the vault, until ``endCall()``: with keys that an agent
  /// keeps, each look is a round trip.
  func beginCall() { isInCall = true }

  func endCall() { (isInCall, look) = (false, nil) }

  /// Compares what is in memory with the store, and reads what has changed. Without `isUse`, no program has asked for
  /// it.
  func refresh(isUse: Bool = true) throws(VaultError) {
    guard look == nil else { return }
    var state = VaultAccess.State.locked(mayHaveItems: true)
    do throws(VaultError) {
      state = try isUse ? access.state() : access.stateWithoutUse()
      if case .open(let vault) = state {
        names.defaultGroup = try vault.defaultAccessGroup
        untold += try index.refresh(from: vault)
        isLocked = false
      }
    } catch {
      // The keys can be out of reach since they were asked for.
      guard error.code == .locked || error.code == .authenticationCancelled else {
        access.close()
        throw error
      }
      state = .locked(mayHaveItems: true)
    }
    switch state {
    case .open: break
    case .locked(let mayHaveItems):
      drop(isLocked: true)
      self.mayHaveItems = mayHaveItems
    case .empty: drop(isLocked: false)
    }
    if isInCall { look = state }
  }

  // MARK: Locking

  /// Locks the collections for all callers with this identity, and wipes the keys of this process.
  func lock() {
    look = nil
    access.lock()
  }

  /// Returns how the collections are unlocked; nil if they are.
  func unlocking() throws(VaultError) -> VaultAccess.Unlocking? {
    look = nil
    return try access.unlocking()
  }

  /// Completes an unlock: nobody had to be asked, or a person has answered.
  func completeUnlock(_ result: UnlockQuestion.Result?) throws(VaultError) {
    look = nil
    try access.completeUnlock(result)
  }

  /// Forgets what was read if the keys were dropped since. It does not count as a use of them.
  func dropIfLocked() {
    if let vault = access.openedVault, vault.isLocked { drop(isLocked: true) }
  }

  private func drop(isLocked: Bool) {
    index = ItemIndex()
    untold = []
    self.isLocked = isLocked
    mayHaveItems = isLocked
  }

  /// Removes and returns the changes that other programs have made.
  func takeUntoldChanges() -> [ItemIndex.Change] {
    defer { untold = [] }
    return untold
  }

  // MARK: Reading

  /// The collections, the app's own first. While the vault is locked, those within groups are not known.
  var collections: [CollectionInfo] {
    let known = index.collections(names: names)
    if !known.isEmpty {
      return known.filter { $0.identifier == names.own } + known.filter { $0.identifier != names.own }
    }
    let groups = (try? access.openedVault?.accessGroups) ?? []
    let own = CollectionInfo(
      identifier: names.own, group: names.defaultGroup ?? "", label: CollectionNames.ownLabel)
    let others = groups.filter { $0.name != names.defaultGroup }.map { group in
      CollectionInfo(
        identifier: names.identifier(ofGroup: group.name), group: group.name,
        label: names.label(ofGroup: group.name), isWritable: group.isWritable)
    }
    return [own] + (names.defaultGroup == nil ? [] : others)
  }

  func collection(_ identifier: String) -> CollectionInfo? { collections.first { $0.identifier == identifier } }

  func items(in collection: CollectionInfo) -> [IndexedItem] { index.items(in: collection) }

  /// The items of a collection that have attributes.
  func items(in collection: CollectionInfo, with attributes: [String: String]) -> [IndexedItem] {
    index.items(in: collection, with: attributes)
  }

  /// The item of a collection with an identifier.
  func item(_ identifier: String, in collection: CollectionInfo) -> IndexedItem? {
    index.item(identifier, in: collection)
  }

  /// Returns the value of an item.
  func value(of item: IndexedItem) throws(VaultError) -> [UInt8] {
    let state = if let look { look } else { try access.state() }
    guard case .open(let vault) = state else { throw VaultAccess.locked }
    let value =
      switch item.source {
      case .generic(let stored): try vault.bytes(for: stored.item, in: item.group)
      case .internet(let stored): try vault.bytes(for: stored.item, in: item.group)
      }
    guard let value else { throw Self.missing }
    return value
  }

  /// The error of a search that finds nothing, or of a replacement: what is damaged may be what is meant.
  static let damaged = ServiceError.failed(
    "an item of the collection is damaged, and may be the one that is meant; see which with: coffer check")

  /// Whether a group, or any group if it is nil, has a damaged item.
  func hasDamage(in group: String? = nil) -> Bool { index.hasDamage(in: group) }

  private static let missing = VaultError(
    .itemNotFound, "the item was deleted", recoverySuggestion: "search again")

  // MARK: Writing

  /// Runs a change of the vault in one transaction, at whose begin the index is complete, and takes the change over.
  private func write(_ body: (Vault) throws -> [ItemIndex.Change]) throws -> [ItemIndex.Change] {
    let vault: Vault
    if case .open(let open)? = look {
      vault = open
    } else {
      look = nil
      vault = try access.vaultForWriting()
    }
    names.defaultGroup = try vault.defaultAccessGroup
    let (changes, position) = try vault.transaction {
      untold += try index.refresh(from: vault)
      let changes = try body(vault)
      return (changes, try vault.changedGroups(after: .max).position)
    }
    // After the commit: a position that was rolled back would hide what is written there later.
    for change in changes { index.apply(change, at: position) }
    isLocked = false
    return changes
  }

  private func writable(_ identifier: String) throws -> CollectionInfo {
    guard let collection = collection(identifier) else { throw ServiceError.noSuchObject(identifier) }
    guard collection.isWritable else {
      throw ServiceError.denied("this program may read the collection, and not write to it")
    }
    return collection
  }

  /// Stores an item. With `replacing`, an item of the collection with the same attributes is replaced.
  func store(_ new: NewItem, in identifier: String, replacing: Bool) throws -> ItemIndex.Change {
    var new = new
    let changes = try write { vault in
      let collection = try writable(identifier)
      new.subcollection = collection.subcollection
      // Without attributes, all items are equal.
      let replacing = replacing && !new.attributes.isEmpty
      let same = replacing ? items(in: collection, with: new.attributes) : []
      if let existing = same.first(where: { $0.attributes.count == new.attributes.count }) {
        return [try replace(existing, by: new, in: vault)]
      }
      if replacing, index.hasDamage(in: collection.group) { throw Self.damaged }
      var reference: PersistentReference
      do throws(VaultError) {
        reference = try vault.add(new.value, for: new.password(isUnique: false), in: collection.group)
      } catch {
        guard error.code == .duplicateItem else { throw error }
        reference = try vault.add(new.value, for: new.password(isUnique: true), in: collection.group)
      }
      return [.created(try Self.stored(reference, in: collection.group, vault))]
    }
    guard let change = changes.first else { throw Self.missing }
    return change
  }

  private func replace(_ item: IndexedItem, by new: NewItem, in vault: Vault) throws -> ItemIndex.Change {
    switch item.source {
    case .generic(let stored):
      let fresh = new.password(isUnique: false)
      return try Self.change(stored, of: item, in: vault, value: new.value) {
        $0.label = fresh.label
        $0.generic = fresh.generic
      }
    case .internet(let stored):
      return try Self.change(stored, of: item, in: vault, value: new.value) {
        $0.label = new.label.isEmpty ? nil : new.label
      }
    }
  }

  /// Changes a password of the vault, and returns the item as it is then.
  private static func change<Password: ShownPassword>(
    _ stored: StoredItem<Password>, of item: IndexedItem, in vault: Vault, value: [UInt8]? = nil,
    _ change: (inout Password) -> Void = { _ in }
  ) throws(VaultError) -> ItemIndex.Change {
    let query = ItemQuery<Password>(in: item.group).reference(stored.reference)
    let body = { (password: inout Password) throws(VaultError) in change(&password) }
    if let value { try vault.update(query, value: value, body) } else { try vault.update(query, body) }
    guard let changed = try vault.first(query) else { throw missing }
    return .changed(Password.shown(changed), from: item)
  }

  private static func stored(
    _ reference: PersistentReference, in group: String, _ vault: Vault
  ) throws(VaultError) -> IndexedItem {
    guard let stored = try vault.first(ItemQuery<GenericPassword>(in: group).reference(reference)) else {
      throw missing
    }
    return IndexedItem(stored)
  }

  /// Returns the item as it is in the store now, for a change within a transaction. Throws if it may not be changed.
  private func current(_ item: IndexedItem) throws -> IndexedItem {
    for collection in collections {
      guard let found = self.item(item.identifier, in: collection) else { continue }
      _ = try writable(collection.identifier)
      return found
    }
    throw Self.missing
  }

  /// Replaces the value of an item.
  func set(_ value: [UInt8], contentType: String, of item: IndexedItem) throws -> ItemIndex.Change? {
    try write { vault in
      let item = try current(item)
      let new = NewItem(
        label: item.label, attributes: item.attributes, contentType: contentType, subcollection: item.subcollection,
        value: value)
      guard case .generic(let stored) = item.source, stored.generic == nil else {
        return [try replace(item, by: new, in: vault)]
      }
      // What another program has stored keeps its form.
      return [try Self.change(stored, of: item, in: vault, value: value)]
    }.first
  }

  /// Changes the label of an item.
  func set(label: String, of item: IndexedItem) throws -> ItemIndex.Change? {
    try write { vault in
      let item = try current(item)
      let label = label.isEmpty ? nil : label
      switch item.source {
      case .generic(let stored): return [try Self.change(stored, of: item, in: vault) { $0.label = label }]
      case .internet(let stored): return [try Self.change(stored, of: item, in: vault) { $0.label = label }]
      }
    }.first
  }

  /// Changes the attributes of an item, and with them its names.
  func set(attributes: [String: String], of item: IndexedItem) throws -> ItemIndex.Change? {
    try write { vault in
      let item = try current(item)
      guard let stored = item.generic else {
        throw ServiceError.notSupported("the attributes of an internet password are its names; use: coffer edit")
      }
      let new = NewItem(
        label: item.label, attributes: attributes, contentType: item.contentType, subcollection: item.subcollection,
        value: [])
      func change(isUnique: Bool) throws(VaultError) -> ItemIndex.Change {
        let fresh = new.password(isUnique: isUnique)
        return try Self.change(stored, of: item, in: vault) {
          $0.service = fresh.service
          $0.account = fresh.account
          $0.generic = fresh.generic
        }
      }
      do throws(VaultError) {
        return [try change(isUnique: false)]
      } catch {
        guard error.code == .duplicateItem else { throw error }
        return [try change(isUnique: true)]
      }
    }.first
  }

  func delete(_ item: IndexedItem) throws -> ItemIndex.Change? {
    try write { vault in
      let item = try current(item)
      try Self.delete(item, in: vault)
      return [.deleted(item)]
    }.first
  }

  private static func delete(_ item: IndexedItem, in vault: Vault) throws {
    let count =
      switch item.source {
      case .generic(let stored):
        try vault.delete(ItemQuery<GenericPassword>(in: item.group).reference(stored.reference))
      case .internet(let stored):
        try vault.delete(ItemQuery<InternetPassword>(in: item.group).reference(stored.reference))
      }
    guard count > 0 else { throw missing }
  }

  // MARK: Collections

  private static let collectionLimit = 64
  private static let markerService = SecretServiceRecord.collectionService
  private static let ownMarkerAccount = "label"

  /// Creates a collection within the app's own group: a label that its items share.
  func createCollection(label: String, alias: String) throws -> CollectionInfo {
    var identifier = ""
    _ = try write { vault in
      // Here, where all collections are known.
      identifier = CollectionInfo.newSubcollection(label: label, besides: Set(collections.map(\.identifier)))
      guard collections.count < Self.collectionLimit else {
        throw ServiceError.limit("there are \(Self.collectionLimit) collections")
      }
      let own = try writable(names.own)
      var marker = GenericPassword(
        service: Self.markerService, account: identifier, label: label.isEmpty ? identifier : label)
      marker.generic = Data(
        SecretServiceRecord(attributes: [:], collection: identifier, aliases: alias.isEmpty ? [] : [alias]).bytes)
      let reference = try vault.add([UInt8](), for: marker, in: own.group)
      return [.created(try Self.stored(reference, in: own.group, vault))]
    }
    guard let created = collection(identifier) else { throw Self.missing }
    return created
  }

  /// Changes the label of a collection.
  func set(label: String, ofCollection identifier: String) throws {
    guard let collection = collection(identifier) else { throw ServiceError.noSuchObject(identifier) }
    guard collection.label != label else { return }
    guard collection.isGroup else { return try change(identifier, label: label) }
    _ = try write { vault in
      let collection = try writable(identifier)
      let marker = index.marker(of: collection)
      guard !label.isEmpty, label != names.label(ofGroup: collection.group) else {
        guard let marker else { return [] }
        try Self.delete(marker, in: vault)
        return [.deleted(marker)]
      }
      var password = GenericPassword(service: Self.markerService, account: Self.ownMarkerAccount, label: label)
      password.generic = Data(SecretServiceRecord(attributes: [:], aliases: []).bytes)
      let reference = try vault.set([UInt8](), for: password, in: collection.group)
      let stored = try Self.stored(reference, in: collection.group, vault)
      return [marker.map { .changed(stored, from: $0) } ?? .created(stored)]
    }
  }

  /// Changes the label or the other names of a collection within a group.
  func change(_ identifier: String, label: String? = nil, aliases: [String]? = nil) throws {
    _ = try write { vault in
      guard let stored = index.marker(of: try writable(identifier)), case .generic(let password) = stored.source else {
        throw ServiceError.notSupported("the collection of an access group has no other alias")
      }
      let change = try Self.change(password, of: stored, in: vault) { marker in
        if let label { marker.label = label.isEmpty ? identifier : label }
        if let aliases {
          marker.generic = Data(
            SecretServiceRecord(attributes: [:], collection: stored.subcollection, aliases: aliases).bytes)
        }
      }
      return [change]
    }
  }

  /// Deletes a collection within a group, with its items.
  func deleteCollection(_ identifier: String) throws -> [ItemIndex.Change] {
    try write { vault in
      let collection = try writable(identifier)
      guard !collection.isGroup, let marker = index.marker(of: collection) else {
        throw ServiceError.notSupported(
          "the collection of an access group stays as long as its app is registered; delete its items")
      }
      let all = items(in: collection) + [marker]
      for item in all { try Self.delete(item, in: vault) }
      return all.map(ItemIndex.Change.deleted)
    }
  }
}
