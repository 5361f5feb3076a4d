internal import Coffer
internal import CofferBus
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSystem
internal import CofferVault
internal import Dispatch

/// The service as the callers with one identity see it: their objects, and nobody else's. One thread uses it, so calls
/// take effect in their order.
final class AppService {
  let items: AppItems
  private let outbox: BusOutbox
  /// The thread of this service, for what other threads do for it.
  weak var worker: SerialWorker<AppService>?
  /// The connections that have called, which get signals.
  private var callers: [String: Caller] = [:]
  /// The connections that have read all properties of a collection, as proxies of GLib do, which follow its list of
  /// items.
  var followers: Set<String> = []
  /// The collections whose list of items has changed since the followers were told.
  private var changedLists: Set<String> = []
  var sessions: [String: (owner: String, transport: TransportSession)] = [:]
  var prompts: [String: PendingPrompt] = [:]
  var memoryItems: [MemoryItem] = []
  /// Searches of a locked collection, or of all if it is nil, by the identifier of the item that stands for what they
  /// will find.
  var lockedSearches: [(identifier: String, collection: String?, attributes: [String: String])] = []
  private var lastNumber: UInt64 = 0
  private var watch: FolderWatch?
  /// The store that ``watch`` tells of.
  private var watchedFile: FileIdentity?
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
    items.beginCall()
    defer { items.endCall() }
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
    if call.member == "Introspect", call.interface == ServiceName.introspectable || call.interface.isEmpty {
      return [.text(try introspection(of: address, at: call.path, from: caller))]
    }
    if call.interface == ServiceName.properties {
      return try ServiceInterfaces.properties.answer(call, from: caller, by: self) { address }
    }
    switch address {
    case .service: return try ServiceInterfaces.service.answer(call, from: caller, by: self) {}
    case .collection, .alias:
      return try ServiceInterfaces.collection.answer(call, from: caller, by: self) { try collection(at: address) }
    case .item, .aliasedItem:
      return try ServiceInterfaces.item.answer(call, from: caller, by: self) {
        try call.member == "GetSecret" ? item(at: address) : itemForChange(at: address)
      }
    case .session(let name):
      return try ServiceInterfaces.session.answer(call, from: caller, by: self) {
        try checkOwner(sessions[name]?.owner, is: caller, call.path)
        return name
      }
    case .prompt(let name):
      return try ServiceInterfaces.prompt.answer(call, from: caller, by: self) {
        try checkOwner(prompts[name]?.owner, is: caller, call.path)
        return name
      }
    case .folder: throw ServiceError.unknownMethod(call.member)
    }
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
      let known = all.first { $0.group == item.group && $0.subcollection == identifier }
      let path = known?.path ?? ObjectAddress.collection(identifier).path
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
      signalProperties(path, ServiceName.item, item.properties.values)
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
    if watch == nil || isVaultReplaced { startWatching() }
  }

  /// Sends the signals for a lock or an unlock. With an unlock, those who follow lists of items get them, and nobody
  /// has to answer other prompts any more.
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

  /// Drops the keys that a passphrase has opened, with everything that was read with them. Returns whether they were
  /// kept here.
  func lockKeys() -> Bool {
    let wereHere = items.access.dropSealedKeys()
    items.dropIfLocked()
    tellChanges()
    return wereHere
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

  /// Whether the vault's folder is another one than the one that is watched, for example after it was cloned again.
  private var isVaultReplaced: Bool { items.access.file != nil && items.access.file != watchedFile }

  private func startWatching() {
    guard let path = try? items.access.folder().path, !isAbsent(path), let worker else { return }
    let later = DelayedCheck(worker)
    watchedFile = items.access.file
    watch = try? FolderWatch.start(on: path, prefix: "store.sqlite") { later.begin() }
  }

  /// Looks for changes of other programs, and tells them to those that wait for signals.
  func checkForChanges() {
    guard !callers.isEmpty else { return }
    // A vault that cannot be read is the error of the next call.
    guard (try? items.refresh(isUse: false)) != nil else { return }
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

  /// Whether nothing is lost if the service of this identity is created anew: no secret is in memory, and nothing is
  /// locked on purpose.
  var isDisposable: Bool {
    callers.isEmpty && prompts.isEmpty && memoryItems.isEmpty && !items.access.isLockedByCaller
      && !items.access.hasSealedKeys
  }

  /// Ends all prompts, and wipes what is in memory.
  func end() {
    for name in prompts.keys { complete(name, nil) }
    sessions = [:]
    memoryItems = []
    items.lock()
  }
}

/// A program that has called the service.
struct Caller: Sendable {
  /// The unique name of its connection.
  let connection: String
  /// The name of its program, for people; nil if it is not known.
  let program: String?
  /// The path of its program, by which a person's answer is remembered; nil if nobody is asked about it.
  var leasePath: String?
  /// Whether it is in a process tree that `coffer run --deny-reads` has started: it gets no values.
  var deniesReads = false
  /// Its calls that wait.
  let load = CallLoad(callLimit: 512, byteLimit: 64 << 20)
}
