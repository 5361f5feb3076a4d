internal import Coffer
internal import CofferCrypto
internal import CofferPlatform
internal import CofferSandbox
internal import CofferVault

extension Vault {
  /// Answers a request of an app, by the app's own rights.
  ///
  /// - Parameters:
  ///   - request: The request; `watch` is answered by whoever sends the changes.
  ///   - value: The values to write. Replaced by the value that was read; nil if there is none.
  /// - Returns: The answer.
  /// - Throws: The errors of the vault's calls, and `invalidArgument` for a request that lacks something.
  func answer(_ request: VaultRequest, value: inout [UInt8]?) throws(VaultError) -> VaultAnswer {
    var given = value
    value = nil
    defer { given?.wipe() }
    var request = request
    // Of several items to read, only the first one's value is in memory.
    let limit = request.search?.limit.map { max($0, 0) }
    request.search?.limit = request.kind == .read ? 1 : limit
    var answer = VaultAnswer()
    switch request.kind {
    case .status: answer.status = try BrokeredStatus(of: self)
    case .unlock:
      let lockAfter = request.number.map { Duration.milliseconds(min(max($0, 1), 1 << 40)) }
      if let given { try unlock(passphrase: given, lockAfter: lockAfter) } else { try unlock(lockAfter: lockAfter) }
    case .lock: lock()
    case .find, .read:
      var damaged: [VaultError.Report] = []
      let (search, scope) = (try request.needed(\.search), request.scope ?? .all)
      answer.items = try find(search, withValues: request.kind == .read, in: scope) {
        damaged.append(VaultError.Report($0))
      }
      answer.damaged = damaged
      value = answer.takeValue()
    case .add, .set:
      let search = try request.needed(\.search)
      let draft = ItemDraft(itemClass: search.itemClass, attributes: search.attributes, value: given ?? [])
      let stored = try add(draft, in: search.group, replacing: request.kind == .set)
      (answer.attributes, answer.groups) = (stored.attributes, [stored.group])
    case .change:
      answer.number = Int64(try apply(request.needed(\.changes), values: given ?? [], movingTo: request.group))
    case .delete: answer.number = Int64(try delete(request.needed(\.search)))
    case .versions:
      let history = try history(of: request.needed(\.search))
      (answer.versions, answer.damaged) = ([history.versions], history.damaged.map { VaultError.Report($0) })
    case .conflicts:
      let search = try request.needed(\.search)
      answer.versions = try conflicts(of: search.itemClass, in: search.group, damaged: { _ in }).items
    case .version:
      answer.items = try opened(request.needed(\.version), in: request.needed(\.place)).map { [$0] }
      value = answer.takeValue()
    case .restore: try restore(request.needed(\.version), in: request.needed(\.place))
    case .buyer: answer.text = try receiptBuyer
    case .redeem, .receipt:
      let search = try request.needed(\.search)
      let item = GenericPassword(_fields: _ItemFields(search.attributes))
      answer.text =
        if request.kind == .redeem {
          try redeem(request.needed(\.text), for: item, in: search.group).text
        } else {
          try receipt(for: item, in: search.group)?.text
        }
    case .changes, .watch:
      (answer.groups, answer.number) = try changedGroups(after: request.number ?? .max, in: request.group)
    }
    return answer
  }
}

extension VaultAnswer {
  /// Returns the value of the first item, and keeps no copy: whoever sends it wipes it.
  fileprivate mutating func takeValue() -> [UInt8]? {
    guard items?.isEmpty == false else { return nil }
    defer { items?[0].value = nil }
    return items?[0].value
  }
}

extension VaultRequest {
  /// Returns what the kind of the request needs.
  fileprivate func needed<Value>(_ part: KeyPath<VaultRequest, Value?>) throws(VaultError) -> Value {
    guard let value = self[keyPath: part] else {
      throw VaultError(
        .invalidArgument, "the request lacks a part that its kind needs",
        recoverySuggestion: "update Coffer on this machine, and the app")
    }
    return value
  }
}
