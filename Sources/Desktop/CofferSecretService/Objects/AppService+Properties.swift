internal import CofferBus
internal import CofferCrypto
internal import CofferPlatform

/// The methods of `org.freedesktop.DBus.Properties`.
extension AppService {
  func property(
    _ name: String, of address: ObjectAddress, _ interface: String, from caller: Caller
  ) throws -> BusValue {
    let properties = try properties(of: address, interface, from: caller)
    guard let value = properties[name] else { throw ServiceError.unknownProperty(name) }
    // An empty list would say that a locked collection has nothing.
    if name == "Items", properties["Locked"] == .flag(true), items.mayHaveItems { throw ServiceError.isLocked }
    return value
  }

  func allProperties(
    of address: ObjectAddress, _ interface: String, from caller: Caller
  ) throws -> [String: BusValue] {
    if case .collection = address { followers.insert(caller.connection) }
    var properties = try properties(of: address, interface, from: caller)
    // As above: not even an empty list. It follows with the unlock.
    if properties["Locked"] == .flag(true), items.mayHaveItems { properties["Items"] = nil }
    return properties
  }

  /// Returns the properties of an object's interface; an empty name stands for that which has some.
  private func properties(
    of address: ObjectAddress, _ interface: String, from caller: Caller
  ) throws -> [String: BusValue] {
    func isNamed(_ name: String) -> Bool { interface == name || interface.isEmpty }
    switch address {
    case .service:
      guard isNamed(ServiceName.service) else { return [:] }
      try items.refresh()
      return ["Collections": collectionPaths]
    case .collection, .alias:
      let collection = try collection(at: address)
      return isNamed(ServiceName.collection) ? properties(of: collection) : [:]
    case .item, .aliasedItem:
      let item = try item(at: address)
      return isNamed(ServiceName.item) ? item.properties.values : [:]
    case .session(let name):
      try checkOwner(sessions[name]?.owner, is: caller, address.path)
      return [:]
    case .prompt(let name):
      try checkOwner(prompts[name]?.owner, is: caller, address.path)
      return [:]
    case .folder: return [:]
    }
  }

  private func properties(of collection: CollectionObject) -> [String: BusValue] {
    switch collection {
    case .memory:
      return [
        "Items": .paths(memoryItems.map { ItemObject.memory($0).path }), "Label": .text(CollectionNames.session),
        "Locked": .flag(false), "Created": .number(memoryItems.map(\.created).min() ?? 0),
        "Modified": .number(memoryItems.map(\.modified).max() ?? 0),
      ]
    case .vault(let info):
      return [
        "Items": .paths(items.items(in: info).map { Self.path(of: $0, in: info) }), "Label": .text(info.label),
        "Locked": .flag(items.isLocked), "Created": .number(info.created), "Modified": .number(info.modified),
      ]
    }
  }

  func set(_ name: String, to value: BusValue, of address: ObjectAddress) throws {
    switch address {
    case .collection, .alias:
      let collection = try collection(at: address)
      guard name == "Label" else {
        guard properties(of: collection)[name] != nil else { throw ServiceError.unknownProperty(name) }
        throw ServiceError.readOnlyProperty(name)
      }
      try setLabel(Self.label(value), of: collection)
    case .item, .aliasedItem: try set(name, to: value, of: try itemForChange(at: address))
    case .service where name == "Collections": throw ServiceError.readOnlyProperty(name)
    default: throw ServiceError.unknownProperty(name)
    }
  }

  /// Reads a label from a property. Throws for another type, and for one that is too long.
  static func label(_ value: BusValue) throws(ServiceError) -> String {
    guard case .text(let text) = value else { throw .invalid("a label is a text") }
    try ServiceLimits.check(label: text)
    return text
  }

  /// Reads the attributes of an item from a property. Throws for another type, and if they exceed a limit.
  static func itemAttributes(_ value: BusValue) throws(ServiceError) -> [String: String] {
    guard case .pairs(key: "s", value: "s", _) = value else { throw .invalid("attributes are a{ss}") }
    return try attributes(value)
  }

  private func setLabel(_ label: String, of collection: CollectionObject) throws {
    guard case .vault(let info) = collection else {
      throw ServiceError.notSupported("the collection of the session keeps its label")
    }
    if items.isLocked { throw ServiceError.isLocked }
    try items.set(label: label, ofCollection: info.identifier)
    let changed = items.collection(info.identifier)?.label ?? label
    signalProperties(info.path, ServiceName.collection, ["Label": .text(changed)])
    signal(ServiceName.root, ServiceName.service, "CollectionChanged", [.path(info.path)])
  }

  private func set(_ name: String, to value: BusValue, of item: ItemObject) throws {
    guard ["Label", "Attributes"].contains(name) else {
      guard item.properties.values[name] != nil else { throw ServiceError.unknownProperty(name) }
      throw ServiceError.readOnlyProperty(name)
    }
    var label: String?
    var attributes: [String: String]?
    if name == "Label" {
      label = try Self.label(value)
    } else {
      attributes = try Self.itemAttributes(value)
    }
    switch item {
    case .locked: throw ServiceError.isLocked
    case .memory(let item):
      try changeMemoryItem(item) { changed in
        if let label { changed.label = label }
        if let attributes { changed.attributes = attributes }
      }
    case .vault(let item, _):
      if let label, let change = try items.set(label: label, of: item) { tell(change) }
      if let attributes, let change = try items.set(attributes: attributes, of: item) { tell(change) }
    }
  }
}

/// The properties of an item, wherever it is stored.
struct ItemProperties {
  var label = ""
  let attributes: [String: String]
  var isLocked = false
  var created: UInt64 = 0
  var modified: UInt64 = 0

  var values: [String: BusValue] {
    [
      "Label": .text(label), "Attributes": .texts(attributes), "Locked": .flag(isLocked), "Created": .number(created),
      "Modified": .number(modified),
    ]
  }
}

extension Date {
  /// The seconds since 1970, as the bus carries times.
  var busSeconds: UInt64 { UInt64(max(0, timeIntervalSince1970)) }
}

/// An item of the collection `session`, which is in guarded memory only.
struct MemoryItem {
  let identifier: String
  var label: String
  var attributes: [String: String]
  var contentType: String
  var secret: SecretText
  let created: UInt64
  var modified: UInt64
}
