internal import CofferBus
internal import CofferCrypto
internal import CofferOpenSSL
internal import Crypto

/// The methods of `org.freedesktop.Secret.Service`.
extension AppService {
  func openSession(_ algorithm: String, _ input: BusValue, for caller: Caller) throws -> [BusValue] {
    guard sessions.values.count(where: { $0.owner == caller.connection }) < ServiceLimits.sessions else {
      throw ServiceError.limit("a program has at most \(ServiceLimits.sessions) sessions; close some")
    }
    guard sessions.count < ServiceLimits.allSessions else {
      throw ServiceError.limit("all programs have at most \(ServiceLimits.allSessions) sessions")
    }
    let transport: TransportSession
    let output: BusValue
    switch algorithm {
    case TransportSession.plainName: (transport, output) = (.plain, .text(""))
    case TransportSession.encryptedName:
      guard case .bytes(let peer) = input else {
        throw ServiceError.invalid("\(algorithm) takes a public key as an array of bytes")
      }
      let exchange: KeyExchange
      let key: SecretBytes?
      do throws(OpenSSLError) {
        exchange = try KeyExchange.random()
        key = try exchange.sharedKey(with: peer)
      } catch {
        // Programs go on without encryption then.
        throw ServiceError.notSupported("\(algorithm) needs OpenSSL 3")
      }
      guard let key else { throw ServiceError.invalid("the public key is not valid") }
      (transport, output) = (.encrypted(key: key), .bytes(exchange.publicKey))
    default: throw ServiceError.notSupported("the algorithm \(algorithm) is not known")
    }
    let name = "s\(nextNumber())"
    sessions[name] = (caller.connection, transport)
    return [.variant(output), .path(ObjectAddress.session(name).path)]
  }

  /// Reads a dictionary of attributes. Throws if it exceeds a limit.
  static func attributes(_ value: BusValue) throws(ServiceError) -> [String: String] {
    let entries = value.entries
    guard entries.count <= ServiceLimits.attributes else {
      throw .limit("there are at most \(ServiceLimits.attributes) attributes")
    }
    let attributes = Dictionary(
      entries.map { ($0.key.string ?? "", $0.value.string ?? "") }, uniquingKeysWith: { $1 })
    try ServiceLimits.check(attributes: attributes)
    return attributes
  }

  // MARK: Searching

  /// Returns the paths of the items with attributes: of those that can be read, and of one that stands for what a
  /// locked vault may have.
  func search(_ wanted: BusValue) throws -> [BusValue] {
    let attributes = try Self.attributes(wanted)
    try items.refresh()
    let inMemory = memoryPaths(with: attributes)
    guard items.isLocked else {
      let found = find(attributes).map(\.path) + inMemory
      if found.isEmpty, items.hasDamage() { throw AppItems.damaged }
      return [.paths(found), .paths([])]
    }
    let locked = items.mayHaveItems ? [lockedItem(for: attributes)] : []
    return [.paths(inMemory), .paths(locked)]
  }

  /// Returns the path of the item that stands for what a search of a locked collection, or of all, will find, so that a
  /// program unlocks it, and does not store a new secret because it has found none.
  func lockedItem(for attributes: [String: String], in collection: String? = nil) -> String {
    var text: [UInt8] = Array((collection ?? "").utf8) + [0]
    for (name, value) in attributes.sorted(by: { $0.key < $1.key }) {
      text += Array(name.utf8) + [0] + Array(value.utf8) + [0]
    }
    let identifier = "l" + hexadecimal(SHA256.hash(data: text).prefix(16))
    lockedSearches.removeAll { $0.identifier == identifier }
    lockedSearches.append((identifier, collection, attributes))
    if lockedSearches.count > ServiceLimits.lockedSearches { lockedSearches.removeFirst() }
    return ObjectAddress.item(collection: collection ?? items.ownCollection, item: identifier).path
  }

  func secrets(of paths: [String], in session: String?, for caller: Caller) throws -> BusValue {
    try checkGetsValues(caller)
    let transport = try self.session(at: session, of: caller)
    var pairs: [BusValue.Pair] = []
    var byteCount = 0
    for path in Set(paths).sorted() {
      // As the specification says, what is locked or does not exist is left out.
      guard let address = ObjectAddress(path: path), let item = try existingItem(at: address) else { continue }
      if case .locked = item { continue }
      guard let secret = try existing({ try secretValue(of: item, transport, session: session ?? "") }) else {
        continue
      }
      byteCount += secret.byteCount + path.utf8.count + Self.secretOverhead
      guard byteCount <= ServiceLimits.answerByteCount else {
        throw ServiceError.limit("the secrets have more than \(ServiceLimits.answerByteCount) bytes; get fewer at once")
      }
      pairs.append(BusValue.Pair(.path(path), secret.value))
    }
    return .pairs(key: "o", value: "(oayays)", pairs)
  }

  /// What a secret takes in an answer beside its bytes: lengths, padding, the path of the session and the media type.
  private static let secretOverhead = 512

  // MARK: Locking

  func lock(_ paths: [String]) throws -> [BusValue] {
    try items.refresh()
    let locked = try paths.filter { path in
      guard let address = ObjectAddress(path: path) else { return false }
      switch address {
      case .collection, .alias:
        if case .vault? = try existing({ try collection(at: address) }) { return true }
        return false
      case .item, .aliasedItem:
        switch try existingItem(at: address) {
        case .vault?, .locked?: return true
        default: return false
        }
      default: return false
      }
    }
    if !locked.isEmpty {
      items.lock()
      try items.refresh()
    }
    return [.paths(locked), .path(ServiceName.noObject)]
  }

  func unlock(_ paths: [String], for caller: Caller) throws -> [BusValue] {
    try items.refresh()
    if items.isLocked {
      switch try items.unlocking() {
      case .asking?:
        let prompt = try addPrompt(.unlock(paths), for: caller)
        return [.paths(paths.filter(Self.isInMemory)), .path(prompt)]
      case .immediate?: try items.completeUnlock(nil)
      case nil: break
      }
      try items.refresh()
    }
    return [.paths(try unlockedPaths(paths)), .path(ServiceName.noObject)]
  }

  /// Whether a path is that of the collection in memory, or of one of its items: these are never locked.
  private static func isInMemory(_ path: String) -> Bool {
    switch ObjectAddress(path: path) {
    case .collection(CollectionNames.session)?, .alias(CollectionNames.session)?,
      .item(CollectionNames.session, _)?, .aliasedItem(CollectionNames.session, _)?:
      true
    default: false
    }
  }

  /// Returns the paths of objects that exist, after an unlock. Where an item stands for a search, these are the items
  /// that it finds.
  func unlockedPaths(_ paths: [String]) throws -> [String] {
    var result: [String] = []
    for path in paths {
      guard let address = ObjectAddress(path: path) else { continue }
      switch address {
      case .collection, .alias: if try existing({ try collection(at: address) }) != nil { result.append(path) }
      case .item(_, let identifier), .aliasedItem(_, let identifier):
        if let search = lockedSearches.first(where: { $0.identifier == identifier }) {
          result += find(search.attributes, in: search.collection).map(\.path)
        } else if try existingItem(at: address) != nil {
          result.append(path)
        }
      default: continue
      }
    }
    return result
  }

  // MARK: Collections

  func createCollection(_ properties: BusValue, alias: String, for caller: Caller) throws -> [BusValue] {
    let label = properties["\(ServiceName.collection).Label"]?.string ?? ""
    try ServiceLimits.check(label: label)
    try ServiceLimits.check(label: alias)
    try items.refresh()
    // The default collection exists, and so does that of the session.
    if !alias.isEmpty, let found = try existing(alias) { return [.path(found), .path(ServiceName.noObject)] }
    let wasLocked = items.isLocked
    if wasLocked {
      switch try items.unlocking() {
      case .asking?:
        return [
          .path(ServiceName.noObject), .path(try addPrompt(.createCollection(label: label, alias: alias), for: caller)),
        ]
      case .immediate?: try items.completeUnlock(nil)
      case nil: break
      }
    }
    return [
      .path(try createCollection(label: label, alias: alias, reusing: wasLocked)), .path(ServiceName.noObject),
    ]
  }

  private func existing(_ alias: String) throws -> String? {
    try existing { try collection(alias: alias) }??.path
  }

  /// Creates a collection, or returns the one that has the alias, and tells it. With `reusing`, the caller could not
  /// see which collections there are, because they were locked: one that has been made with this label is what it looks
  /// for.
  func createCollection(label: String, alias: String, reusing: Bool) throws -> String {
    if !alias.isEmpty, let found = try collection(alias: alias) { return found.path }
    if reusing {
      try items.refresh()
      let identifier = CollectionInfo.newSubcollection(label: label, besides: [])
      if let found = items.collection(identifier), !found.isGroup, found.label == label { return found.path }
    }
    let created = try items.createCollection(label: label, alias: alias)
    signal(ServiceName.root, ServiceName.service, "CollectionCreated", [.path(created.path)])
    signalProperties(ServiceName.root, ServiceName.service, ["Collections": collectionPaths])
    return created.path
  }

  func setAlias(_ alias: String, _ path: String) throws {
    try ServiceLimits.check(label: alias)
    guard !alias.isEmpty else { throw ServiceError.invalid("the alias is empty") }
    let earlier = try collection(alias: alias)
    if path == ServiceName.noObject {
      guard let earlier else { return }
      guard case .vault(let info) = earlier, !info.isGroup else {
        throw ServiceError.notSupported("the alias \(alias) cannot be removed")
      }
      return try items.change(info.identifier, aliases: info.aliases.filter { $0 != alias })
    }
    guard let address = ObjectAddress(path: path) else { throw ServiceError.noSuchObject(path) }
    let wanted = try collection(at: address)
    if wanted.path == earlier?.path { return }
    guard case .vault(let info) = wanted, !info.isGroup, earlier.map({ $0.isSubcollection }) ?? true else {
      throw ServiceError.notSupported("the default collection of a program is its own, and has no other alias")
    }
    guard info.aliases.count < ServiceLimits.aliases else {
      throw ServiceError.limit("a collection has at most \(ServiceLimits.aliases) aliases")
    }
    // First the new one: a failure in between leaves it with both, of which the older one counts.
    try items.change(info.identifier, aliases: info.aliases + [alias])
    if case .vault(let other)? = earlier {
      try items.change(other.identifier, aliases: other.aliases.filter { $0 != alias })
    }
  }
}

extension AppService.CollectionObject {
  /// Whether this is a collection within an access group.
  var isSubcollection: Bool { if case .vault(let info) = self { !info.isGroup } else { false } }
}
