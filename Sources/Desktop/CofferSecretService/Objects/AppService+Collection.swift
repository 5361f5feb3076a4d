internal import Coffer
internal import CofferBus
internal import CofferCrypto
internal import CofferPlatform

/// The methods of `org.freedesktop.Secret.Collection`.
extension AppService {
  func answerCollection(
    _ call: BusMessage, _ collection: CollectionObject, from caller: Caller
  ) throws -> [BusValue] {
    switch call.member {
    case "Delete":
      try check(call, "")
      try delete(collection)
      return [.path(ServiceName.noObject)]
    case "SearchItems":
      try check(call, "a{ss}")
      return [.paths(try search(Self.attributes(call.values[0]), in: collection))]
    case "CreateItem":
      try check(call, "a{sv}(oayays)b")
      let path = try createItem(
        call.values[0], call.values[1], replacing: call.values[2] == .flag(true), in: collection, for: caller)
      return [.path(path), .path(ServiceName.noObject)]
    default: throw ServiceError.unknownMethod(call.member)
    }
  }

  private func delete(_ collection: CollectionObject) throws {
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
  }

  private func search(_ attributes: [String: String], in collection: CollectionObject) throws -> [String] {
    guard case .vault(let info) = collection else {
      return memoryItems.filter { $0.matches(attributes) }.map { ItemObject.memory($0).path }
    }
    if items.isLocked { return items.mayHaveItems ? [lockedItem(for: attributes, in: info.identifier)] : [] }
    let found = items.items(in: info, with: attributes).map { Self.path(of: $0, in: info) }
    if found.isEmpty, items.hasDamage(in: info.group) { throw AppItems.damaged }
    return found
  }

  private func createItem(
    _ properties: BusValue, _ secret: BusValue, replacing: Bool, in collection: CollectionObject, for caller: Caller
  ) throws -> String {
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
