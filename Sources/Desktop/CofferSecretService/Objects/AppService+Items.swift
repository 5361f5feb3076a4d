internal import Coffer
internal import CofferBus
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault

/// The methods of `org.freedesktop.Secret.Collection`.
extension AppService {
  func delete(_ collection: CollectionObject) throws -> [BusValue] {
    guard case .vault(let info) = collection else {
      throw ServiceError.notSupported("the collection of the session ends with the service")
    }
    if items.isLocked { throw ServiceError.isLocked }
    let path = info.path
    for change in try items.deleteCollection(info.identifier) {
      guard case .deleted(let item) = change, item.aliases == nil else { continue }
      signal(path, ServiceName.collection, "ItemDeleted", [.path(Self.path(of: item, in: info))])
    }
    signal(ServiceName.root, ServiceName.service, "CollectionDeleted", [.path(path)])
    signalProperties(ServiceName.root, ServiceName.service, ["Collections": collectionPaths])
    return [.path(ServiceName.noObject)]
  }

  func search(_ wanted: BusValue, in collection: CollectionObject) throws -> [BusValue] {
    let attributes = try Self.attributes(wanted)
    guard case .vault(let info) = collection else { return [.paths(memoryPaths(with: attributes))] }
    if items.isLocked {
      return [.paths(items.mayHaveItems ? [lockedItem(for: attributes, in: info.identifier)] : [])]
    }
    let found = items.items(in: info, with: attributes).map { Self.path(of: $0, in: info) }
    if found.isEmpty, items.hasDamage(in: info.group) { throw AppItems.damaged }
    return [.paths(found)]
  }

  /// The paths of the items in memory that have attributes.
  func memoryPaths(with attributes: [String: String]) -> [String] {
    memoryItems.filter { has($0.attributes, attributes) }.map { ItemObject.memory($0).path }
  }

  /// Stores an item with the values of `CreateItem`: its properties, its secret, and whether it replaces an equal one.
  func createItem(_ values: [BusValue], in collection: CollectionObject, for caller: Caller) throws -> String {
    let (properties, secret, replacing) = (values[0], values[1], values[2] == .flag(true))
    let label = try properties["\(ServiceName.item).Label"].map(Self.label) ?? ""
    let attributes = try properties["\(ServiceName.item).Attributes"].map(Self.itemAttributes) ?? [:]
    if case .vault = collection, items.isLocked { throw ServiceError.isLocked }
    var (value, contentType) = try open(secret, for: caller)
    defer { value.wipe() }
    switch collection {
    case .memory:
      return try createMemoryItem(label, attributes, value, contentType, replacing: replacing)
    case .vault(let info):
      let new = NewItem(
        label: label, attributes: attributes, contentType: contentType, subcollection: info.subcollection, value: value)
      let change = try items.store(new, in: info.identifier, replacing: replacing)
      tell(change)
      guard let item = change.item else { throw ServiceError.failed("the item was not stored") }
      return Self.path(of: item, in: items.collection(info.identifier) ?? info)
    }
  }

  private func createMemoryItem(
    _ label: String, _ attributes: [String: String], _ value: [UInt8], _ contentType: String, replacing: Bool
  ) throws -> String {
    if replacing, !attributes.isEmpty, let existing = memoryItems.first(where: { $0.attributes == attributes }) {
      try changeMemoryItem(existing) {
        $0.label = label
        $0.secret = SecretText(copying: value)
        $0.contentType = contentType
      }
      return ItemObject.memory(existing).path
    }
    try checkMemory(adding: value.count)
    guard memoryItems.count < ServiceLimits.memoryItems else {
      throw ServiceError.limit("the collection of the session has at most \(ServiceLimits.memoryItems) items")
    }
    let now = Date().busSeconds
    let item = MemoryItem(
      identifier: "m\(nextNumber())", label: label, attributes: attributes, contentType: contentType,
      secret: SecretText(copying: value), created: now, modified: now)
    memoryItems.append(item)
    let path = ItemObject.memory(item).path
    signal(CollectionObject.memory.path, ServiceName.collection, "ItemCreated", [.path(path)])
    return path
  }
}

extension ItemIndex.Change {
  /// The item after the change; nil if it was deleted.
  var item: IndexedItem? {
    switch self {
    case .created(let item), .changed(let item, _): item
    case .deleted: nil
    }
  }
}

/// The methods of `org.freedesktop.Secret.Item`, and secrets as they travel.
extension AppService {
  /// Throws for a caller in a process tree that denies reads. Unlike the agent, the service asks no person about it.
  func checkGetsValues(_ caller: Caller) throws(ServiceError) {
    guard !caller.deniesReads else { throw ServiceError(VaultError.readsAreDenied) }
  }

  /// Returns the secret of an item as a structure for a caller's session.
  func secret(of item: ItemObject, in session: String?, for caller: Caller) throws -> BusValue {
    try checkGetsValues(caller)
    return try secretValue(of: item, self.session(at: session, of: caller), session: session ?? "").value
  }

  /// Returns the secret of an item as a structure for a session, and its size.
  func secretValue(
    of item: ItemObject, _ transport: TransportSession, session: String
  ) throws -> (value: BusValue, byteCount: Int) {
    var bytes: [UInt8]
    let contentType: String
    switch item {
    case .locked: throw ServiceError.isLocked
    case .memory(let item):
      bytes = unsafe item.secret.withBytes { unsafe Array($0) }
      contentType = item.contentType
    case .vault(let item, _):
      bytes = try items.value(of: item)
      contentType = item.contentType
    }
    guard let sealed = transport.seal(bytes) else { throw ServiceError.failed("the secret cannot be encrypted") }
    if case .encrypted = transport { bytes.wipe() }
    return (
      .structure([.path(session), .bytes(sealed.parameters), .bytes(sealed.value), .text(contentType)]),
      sealed.value.count
    )
  }

  /// Returns the secret that a structure brings, and its media type.
  func open(_ secret: BusValue, for caller: Caller) throws -> (value: [UInt8], contentType: String) {
    let parts = secret.elements
    guard parts.count == 4, case .bytes(let parameters) = parts[1], case .bytes(let value) = parts[2],
      let contentType = parts[3].string
    else { throw ServiceError.invalid("a secret is (oayays)") }
    let transport = try session(at: parts[0].string, of: caller)
    guard contentType.utf8.count <= 255 else { throw ServiceError.limit("a media type has at most 255 bytes") }
    // With at most one block of padding.
    guard value.count <= Vault.maximumValueByteCount + 16 else {
      throw ServiceError.limit("a secret has at most \(Vault.maximumValueByteCount) bytes")
    }
    guard let opened = transport.open(.init(parameters: parameters, value: value)) else {
      throw ServiceError.invalid("the secret is not encrypted with the key of the session")
    }
    guard opened.count <= Vault.maximumValueByteCount else {
      throw ServiceError.limit("a secret has at most \(Vault.maximumValueByteCount) bytes")
    }
    return (opened, contentType.isEmpty ? SecretServiceRecord.text : contentType)
  }

  func setSecret(of item: ItemObject, to secret: BusValue, for caller: Caller) throws {
    if case .locked = item { throw ServiceError.isLocked }
    var (value, contentType) = try open(secret, for: caller)
    defer { value.wipe() }
    switch item {
    case .locked: throw ServiceError.isLocked
    case .vault(let item, _): if let change = try items.set(value, contentType: contentType, of: item) { tell(change) }
    case .memory(let item):
      try changeMemoryItem(item) {
        $0.secret = SecretText(copying: value)
        $0.contentType = contentType
      }
    }
  }

  /// Deletes an item. Returns the path of the prompt that does it if the collection is locked.
  func delete(_ item: ItemObject, for caller: Caller) throws -> String {
    if case .locked = item { return try addPrompt(.deleteItem(path: item.path), for: caller) }
    try delete(item)
    return ServiceName.noObject
  }

  /// Deletes an item, and tells it.
  func delete(_ item: ItemObject) throws {
    switch item {
    case .locked: throw ServiceError.isLocked
    case .vault(let item, _): if let change = try items.delete(item) { tell(change) }
    case .memory(let item):
      memoryItems.removeAll { $0.identifier == item.identifier }
      signal(
        CollectionObject.memory.path, ServiceName.collection, "ItemDeleted", [.path(ItemObject.memory(item).path)])
    }
  }

  /// Throws if the secrets in memory would exceed their limit with further bytes.
  func checkMemory(adding byteCount: Int) throws(ServiceError) {
    guard memoryItems.reduce(byteCount, { $0 + $1.secret.count }) <= ServiceLimits.memoryByteCount else {
      throw .limit("the collection of the session has at most \(ServiceLimits.memoryByteCount) bytes")
    }
  }

  /// Changes an item in memory, and tells it.
  func changeMemoryItem(_ item: MemoryItem, _ change: (inout MemoryItem) -> Void) throws {
    guard let index = memoryItems.firstIndex(where: { $0.identifier == item.identifier }) else {
      throw ServiceError.noSuchObject(ItemObject.memory(item).path)
    }
    var changed = memoryItems[index]
    change(&changed)
    try checkMemory(adding: changed.secret.count - memoryItems[index].secret.count)
    changed.modified = Date().busSeconds
    memoryItems[index] = changed
    signal(
      CollectionObject.memory.path, ServiceName.collection, "ItemChanged", [.path(ItemObject.memory(changed).path)])
  }
}
