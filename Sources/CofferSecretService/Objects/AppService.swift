internal import Coffer
internal import CofferBus
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Dispatch

/// The service as the callers with one identity see it: their objects, and nobody else's. One thread uses it, so calls take
/// effect in their order.
final class AppService {
  let items: AppItems
  private let outbox: BusOutbox
  /// The thread of this service, for what other threads do for it.
  weak var worker: SerialWorker<AppService>?
  /// The connections that have called, which get signals.
  private var callers: [String: Caller] = [:]
  /// The connections that have read all properties of a collection, as proxies of GLib do, which follow its list of items.
  var followers: Set<String> = []
  /// The collections whose list of items has changed since the followers were told.
  private var changedLists: Set<String> = []
  var sessions: [String: (owner: String, transport: TransportSession)] = [:]
  var prompts: [String: PendingPrompt] = [:]
  var memoryItems: [MemoryItem] = []
  /// Searches of a locked collection, by the identifier of the item that stands for what they will find.
  var lockedSearches: [(identifier: String, attributes: [String: String])] = []
  private var lastNumber: UInt64 = 0
  private var watch: FolderWatch?
  private var wasLocked = false
  private var isKeyCheckScheduled = false

  init(_ identity: CallerIdentity, _ outbox: BusOutbox) {
    items = AppItems(DesktopApp(identity))
    self.outbox = outbox
  }

  /// Returns a new number for the path of a session, of a prompt or of an item in memory.
  func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  // MARK: Calls

  /// Answers a call.
  func receive(_ call: BusMessage, from caller: Caller) {
    callers[caller.connection] = caller
    do {
      let values = try answer(call, from: caller)
      // Before the answer, so that a caller that waits for it has them.
      tellChanges()
      outbox.send(.reply(to: call, values))
    } catch {
      let error = ServiceError(translating: error)
      tellChanges()
      outbox.send(.failure(of: call, name: error.name, text: error.text.sanitizedForTerminal(limit: 1_000)))
    }
  }

  private func answer(_ call: BusMessage, from caller: Caller) throws -> [BusValue] {
    guard let address = ObjectAddress(path: call.path) else { throw ServiceError.noSuchObject(call.path) }
    switch (call.interface, call.member) {
    case (ServiceName.properties, _): return try answerProperties(call, of: address, from: caller)
    case (ServiceName.introspectable, "Introspect"), ("", "Introspect"):
      return [.text(try introspection(of: address, from: caller))]
    default: break
    }
    func isCall(of interface: String) -> Bool { call.interface == interface || call.interface.isEmpty }
    switch address {
    case .service where isCall(of: ServiceName.service): return try answerService(call, from: caller)
    case .collection, .alias:
      guard isCall(of: ServiceName.collection) else { break }
      return try answerCollection(call, try collection(at: address), from: caller)
    case .item, .aliasedItem:
      guard isCall(of: ServiceName.item) else { break }
      let item = try call.member == "GetSecret" ? item(at: address) : itemForChange(at: address)
      return try answerItem(call, item, from: caller)
    case .session(let name) where isCall(of: ServiceName.session):
      guard call.member == "Close" else { break }
      guard sessions[name]?.owner == caller.connection else { throw ServiceError.noSuchObject(call.path) }
      sessions[name] = nil
      return []
    case .prompt(let name) where isCall(of: ServiceName.prompt):
      return try answerPrompt(call, name, from: caller)
    default: break
    }
    throw ServiceError.unknownMethod(call.member)
  }

  /// Throws unless the arguments of a call have the types of the interface.
  func check(_ call: BusMessage, _ signature: String) throws(ServiceError) {
    guard !call.isTruncated else { throw .limit("the values of the call are too many or too large") }
    guard call.signature == signature else {
      throw .invalid("\(call.member) takes (\(signature)), not (\(call.signature))")
    }
  }

  // MARK: Objects

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
      case .vault(let item, _): ItemProperties(item)
      case .memory(let item): ItemProperties(item)
      case .locked(let attributes, _): ItemProperties(lockedWith: attributes)
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

  /// Returns the identifier of the own collection for the names that scripts expect in the path of the default collection:
  /// gnome-keyring's, and the alias.
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
    let parent: ObjectAddress
    let identifier: String
    switch address {
    case .item(let collection, let item): (parent, identifier) = (.collection(collection), item)
    case .aliasedItem(let alias, let item): (parent, identifier) = (.alias(alias), item)
    default: throw ServiceError.noSuchObject(address.path)
    }
    guard case .vault(let collection) = try collection(at: parent) else {
      guard let item = memoryItems.first(where: { $0.identifier == identifier }) else {
        throw ServiceError.noSuchObject(address.path)
      }
      return .memory(item)
    }
    if let search = lockedSearches.first(where: { $0.identifier == identifier }) {
      if items.isLocked { return .locked(search.attributes, path: address.path) }
      guard let found = find(search.attributes).first else { throw ServiceError.noSuchObject(address.path) }
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

  /// Returns the object that `body` finds; nil if there is none, or it is locked. Any other error is one of the call: a vault
  /// that cannot be read must not look empty.
  func existing<Object>(_ body: () throws -> Object) throws -> Object? {
    do {
      return try body()
    } catch {
      let name = ServiceError(translating: error).name
      guard name == ServiceError.noSuchObject("").name || name == ServiceError.isLocked.name else { throw error }
      return nil
    }
  }

  /// Returns the item at an address for a change. Where the address stands for a search, that is the only item that has exactly
  /// the attributes, or the only one that is found: a change of any of several would be one of another item than is meant.
  func itemForChange(at address: ObjectAddress) throws -> ItemObject {
    let identifier: String
    switch address {
    case .item(_, let item), .aliasedItem(_, let item): identifier = item
    default: throw ServiceError.noSuchObject(address.path)
    }
    guard let search = lockedSearches.first(where: { $0.identifier == identifier }) else {
      return try item(at: address)
    }
    let first = try item(at: address)
    if case .locked = first { return first }
    let found = find(search.attributes)
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

  /// Returns the items of the vault with attributes, in all collections.
  func find(_ attributes: [String: String]) -> [ItemObject] {
    items.collections.flatMap { collection in
      items.items(in: collection, with: attributes).map { .vault($0, path: Self.path(of: $0, in: collection)) }
    }
  }

  /// Returns the transport of a caller's session. Throws `NoSession` for another one's.
  func session(at path: String?, of caller: Caller) throws(ServiceError) -> TransportSession {
    guard let path, case .session(let name)? = ObjectAddress(path: path), let session = sessions[name],
      session.owner == caller.connection
    else { throw .noSession }
    return session.transport
  }

  // MARK: Signals

  /// Sends a signal to every connection that has called.
  func signal(_ path: String, _ interface: String, _ member: String, _ values: [BusValue]) {
    for connection in callers.keys {
      outbox.send(
        .signal(path: path, interface: interface, member: member, values, destination: connection))
    }
  }

  /// Sends a signal to one connection.
  func signal(_ path: String, _ interface: String, _ member: String, _ values: [BusValue], to connection: String) {
    outbox.send(.signal(path: path, interface: interface, member: member, values, destination: connection))
  }

  func signalProperties(_ path: String, _ interface: String, _ properties: [String: BusValue]) {
    signal(
      path, ServiceName.properties, "PropertiesChanged",
      [.text(interface), .properties(properties), .list(of: "s", [])])
  }

  /// Sends the signals for a change of an item.
  func tell(_ change: ItemIndex.Change) {
    let (item, member) =
      switch change {
      case .created(let item): (item, "ItemCreated")
      case .changed(let item, _): (item, "ItemChanged")
      case .deleted(let item): (item, "ItemDeleted")
      }
    let all = items.collections
    if item.aliases != nil {
      guard let identifier = item.subcollection else {
        guard let own = all.first(where: { $0.group == item.group && $0.isGroup }) else { return }
        signalProperties(own.path, ServiceName.collection, ["Label": .text(own.label)])
        return signal(ServiceName.root, ServiceName.service, "CollectionChanged", [.path(own.path)])
      }
      let path = ObjectAddress.collection(identifier).path
      let member = member.replacing("Item", with: "Collection")
      signal(ServiceName.root, ServiceName.service, member, [.path(path)])
      signalProperties(ServiceName.root, ServiceName.service, ["Collections": collectionPaths])
      return
    }
    let collection =
      all.first { $0.group == item.group && $0.subcollection == item.subcollection }
      ?? all.first { $0.group == item.group && $0.isGroup }
    guard let collection else { return }
    let path = Self.path(of: item, in: collection)
    signal(collection.path, ServiceName.collection, member, [.path(path)])
    if case .changed(let item, _) = change {
      signalProperties(path, ServiceName.item, ItemProperties(item).values)
    } else {
      changedLists.insert(collection.identifier)
    }
  }

  /// Sends the lists of items that have changed, each once: a sync brings many items.
  private func tellLists() {
    if !followers.isEmpty, !items.isLocked {
      for collection in items.collections where changedLists.contains(collection.identifier) {
        let paths = items.items(in: collection).map { Self.path(of: $0, in: collection) }
        let values: [BusValue] = [
          .text(ServiceName.collection), .properties(["Items": .paths(paths)]), .list(of: "s", []),
        ]
        for connection in followers {
          signal(collection.path, ServiceName.properties, "PropertiesChanged", values, to: connection)
        }
      }
    }
    changedLists = []
  }

  /// The paths of all collections, with the one in memory.
  var collectionPaths: BusValue {
    .paths(items.collections.map(\.path) + [CollectionObject.memory.path])
  }

  /// Sends the signals for what other programs have changed, and for a lock or an unlock.
  private func tellChanges() {
    for change in items.takeUntoldChanges() { tell(change) }
    tellLists()
    if items.isLocked != wasLocked { tellLock() }
    if items.access.hasSealedKeys { scheduleKeyCheck() }
    if watch == nil { startWatching() }
  }

  /// Sends the signals for a lock or an unlock. With an unlock, those who follow lists of items get them, and nobody has to
  /// answer other prompts any more.
  private func tellLock() {
    wasLocked = items.isLocked
    for collection in items.collections {
      signalProperties(collection.path, ServiceName.collection, ["Locked": .flag(items.isLocked)])
      signal(ServiceName.root, ServiceName.service, "CollectionChanged", [.path(collection.path)])
      changedLists.insert(collection.identifier)
    }
    guard !items.isLocked else { return }
    tellLists()
    finishAskedPrompts()
  }

  /// How often the service looks whether the agent was locked.
  private static let keyCheckInterval = DispatchTimeInterval.seconds(15)

  private func scheduleKeyCheck() {
    guard !isKeyCheckScheduled, let worker else { return }
    isKeyCheckScheduled = true
    DispatchQueue.global().asyncAfter(deadline: .now() + Self.keyCheckInterval) { [weak worker] in
      worker?.perform { $0.checkKeys() }
    }
  }

  /// Drops keys that have expired, or that the agent does not have any more, with everything that was read with them.
  private func checkKeys() {
    isKeyCheckScheduled = false
    items.access.dropKeysOfLockedAgent()
    guard items.access.hasSealedKeys else {
      items.dropIfLocked()
      return tellChanges()
    }
    scheduleKeyCheck()
  }

  private func startWatching() {
    guard let path = try? items.access.folder().path, !isAbsent(path), let worker else { return }
    let later = DelayedCheck(worker)
    watch = try? FolderWatch.start(on: path, prefix: "store.sqlite") { later.begin() }
  }

  /// Looks for changes of other programs, and tells them to those that wait for signals.
  func checkForChanges() {
    guard !callers.isEmpty else { return }
    // A vault that cannot be read is the error of the next call.
    guard (try? items.refresh()) != nil else { return }
    tellChanges()
  }

  // MARK: Ends

  /// Forgets a connection that is closed: its sessions and its prompts.
  func forget(_ connection: String) {
    callers[connection] = nil
    followers.remove(connection)
    sessions = sessions.filter { $0.value.owner != connection }
    for (name, prompt) in prompts where prompt.owner == connection { complete(name, nil) }
  }

  /// Whether nothing is lost if the service of this identity is created anew: no secret is in memory, and nothing is locked on
  /// purpose.
  var isDisposable: Bool {
    callers.isEmpty && prompts.isEmpty && memoryItems.isEmpty && !items.access.isLockedByCaller
      && !items.access.hasSealedKeys
  }

  /// Ends all prompts, and wipes what is in memory.
  func end() {
    for name in prompts.keys { complete(name, nil) }
    sessions = [:]
    memoryItems = []
    items.access.lock()
  }
}
