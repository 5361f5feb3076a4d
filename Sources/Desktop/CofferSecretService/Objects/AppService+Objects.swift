internal import CofferSystem
internal import CofferVault

/// The objects of callers, by their addresses.
extension AppService {
  /// A collection: of the vault, or in memory.
  enum CollectionObject {
    case vault(CollectionInfo)
    case memory

    var path: String {
      switch self {
      case .vault(let info): info.path
      case .memory: ObjectAddress.collection(CollectionNames.session).path
      }
    }
  }

  /// An item: of the vault, in memory, or one that a locked collection may have.
  enum ItemObject {
    case vault(IndexedItem, path: String)
    case memory(MemoryItem)
    case locked([String: String], path: String)

    var path: String {
      switch self {
      case .vault(_, let path), .locked(_, let path): path
      case .memory(let item):
        ObjectAddress.item(collection: CollectionNames.session, item: item.identifier).path
      }
    }

    var properties: ItemProperties {
      switch self {
      case .vault(let item, _): item.properties
      case .memory(let item):
        ItemProperties(
          label: item.label, attributes: item.attributes, created: item.created, modified: item.modified)
      case .locked(let attributes, _): ItemProperties(attributes: attributes, isLocked: true)
      }
    }
  }

  /// Returns the collection at an address. Throws `NoSuchObject`.
  func collection(at address: ObjectAddress) throws -> CollectionObject {
    switch address {
    case .alias(let alias):
      guard let found = try collection(alias: alias) else { throw ServiceError.noSuchObject(address.path) }
      return found
    case .collection(CollectionNames.session): return .memory
    case .collection(let identifier):
      try items.refresh()
      guard let found = items.collection(identifier) ?? items.collection(Self.own(identifier, items)) else {
        // A locked vault does not say which collections it has. They must not seem to be gone.
        guard items.isLocked, items.mayHaveItems, CollectionInfo.isSubcollection(identifier) else {
          throw ServiceError.noSuchObject(address.path)
        }
        return .vault(CollectionInfo(locked: identifier))
      }
      return .vault(found)
    default: throw ServiceError.noSuchObject(address.path)
    }
  }

  /// Returns the identifier of the own collection for the names that scripts expect in the path of the default
  /// collection: gnome-keyring's, and the alias.
  private static func own(_ identifier: String, _ items: AppItems) -> String {
    ownAliases.contains(identifier) ? items.ownCollection : identifier
  }

  /// The aliases of the own collection: the second is what gnome-keyring calls its default collection.
  static let ownAliases: Set = ["default", "login"]

  /// Returns the collection with an alias; nil if none has it.
  func collection(alias: String) throws -> CollectionObject? {
    if alias == CollectionNames.session { return .memory }
    try items.refresh()
    let own = items.collection(items.ownCollection)
    if Self.ownAliases.contains(alias) { return own.map(CollectionObject.vault) }
    if let found = items.collections.first(where: { $0.aliases.contains(alias) }) { return .vault(found) }
    if items.isLocked, items.mayHaveItems { throw ServiceError.isLocked }
    return nil
  }

  /// Returns the item at an address. Throws `NoSuchObject`.
  func item(at address: ObjectAddress) throws -> ItemObject {
    guard let (parent, identifier) = address.itemPlace else { throw ServiceError.noSuchObject(address.path) }
    guard case .vault(let collection) = try collection(at: parent) else {
      guard let item = memoryItems.first(where: { $0.identifier == identifier }) else {
        throw ServiceError.noSuchObject(address.path)
      }
      return .memory(item)
    }
    if let search = lockedSearches.first(where: { $0.identifier == identifier }) {
      if items.isLocked { return .locked(search.attributes, path: address.path) }
      guard let found = find(search.attributes, in: search.collection).first else {
        throw ServiceError.noSuchObject(address.path)
      }
      return found
    }
    guard let item = items.item(identifier, in: collection) else {
      // As for collections.
      guard items.isLocked, items.mayHaveItems, IndexedItem.isIdentifier(identifier) else {
        throw ServiceError.noSuchObject(address.path)
      }
      return .locked([:], path: address.path)
    }
    return .vault(item, path: Self.path(of: item, in: collection))
  }

  /// Returns the item at an address; nil if there is none for the caller, or it cannot be read because it is locked.
  func existingItem(at address: ObjectAddress) throws -> ItemObject? { try existing { try item(at: address) } }

  /// Returns the object that `body` finds; nil if there is none, or it is locked. Any other error is one of the call: a
  /// vault that cannot be read must not look empty.
  func existing<Object>(_ body: () throws -> Object) throws -> Object? {
    do {
      return try body()
    } catch {
      let name = ServiceError(translating: error).name
      guard name == ServiceError.noSuchObject("").name || name == ServiceError.isLocked.name else { throw error }
      return nil
    }
  }

  /// Returns the item at an address for a change. Where the address stands for a search, that is the only item that has
  /// exactly the attributes, or the only one that is found: a change of any of several would be one of another item
  /// than is meant.
  func itemForChange(at address: ObjectAddress) throws -> ItemObject {
    let first = try item(at: address)
    if case .locked = first { return first }
    guard let search = lockedSearches.first(where: { $0.identifier == address.itemPlace?.item }) else { return first }
    let found = find(search.attributes, in: search.collection)
    let exact = found.filter { $0.properties.attributes == search.attributes }
    guard let item = exact.count == 1 ? exact.first : found.count == 1 ? found.first : nil else {
      throw ServiceError.failed("the search that the path stands for finds several items; search again")
    }
    return item
  }

  static func path(of item: IndexedItem, in collection: CollectionInfo) -> String {
    // The identifiers of items have letters and digits only.
    "\(collection.path)/\(item.identifier)"
  }

  /// Returns the items of the vault with attributes, in a collection or, if it is nil, in all.
  func find(_ attributes: [String: String], in identifier: String? = nil) -> [ItemObject] {
    items.collections.filter { identifier == nil || $0.identifier == identifier }.flatMap { collection in
      items.items(in: collection, with: attributes).map { .vault($0, path: Self.path(of: $0, in: collection)) }
    }
  }

  /// Throws `NoSuchObject` unless a caller owns the session or the prompt at a path: another one's does not exist for
  /// it.
  func checkOwner(_ owner: String?, is caller: Caller, _ path: String) throws(ServiceError) {
    guard owner == caller.connection else { throw .noSuchObject(path) }
  }

  /// Returns the transport of a caller's session. Throws `NoSession` for another one's.
  func session(at path: String?, of caller: Caller) throws(ServiceError) -> TransportSession {
    guard let path, case .session(let name)? = ObjectAddress(path: path), let session = sessions[name],
      session.owner == caller.connection
    else { throw .noSession }
    return session.transport
  }
}
