internal import Security

/// The answer that the rules require for a call.
struct ModelOutcome {
  /// One status, or several if a call is wrong in several ways.
  var statuses: Set<OSStatus>
  var result = Result.nothing
  /// The items that the call has added or changed.
  var touched: [Int] = []

  /// An element that the call returns for an item.
  struct Element: Hashable {
    let item: Int
    let returned: ModelReturned
  }

  enum Result {
    case nothing
    case one(Element)
    /// Exactly these, in this order.
    case several([Element])
  }

  static func failure(_ statuses: Set<OSStatus>) -> ModelOutcome { ModelOutcome(statuses: statuses) }
  static func failure(_ status: OSStatus) -> ModelOutcome { ModelOutcome(statuses: [status]) }
}

/// Apple's rules for items, written a second time: an array of plain values and the four calls.
struct KeychainModel {
  let rules: ModelRules
  let apps: [ModelApp]
  /// The prefix of the team's groups.
  let prefix: String
  private(set) var items: [ModelItem] = []
  /// The class of every item that was ever added; their count is the number of the next item.
  private var classes: [String] = []

  init(apps: [ModelApp], prefix: String, rules: ModelRules = ModelRules()) {
    self.apps = apps
    self.prefix = prefix
    self.rules = rules
  }

  mutating func perform(_ call: KeychainCall) -> ModelOutcome {
    let app = apps[call.app]
    switch call.function {
    case .add: return add(call.query, app)
    case .copyMatching: return copyMatching(call.query, app)
    case .update: return update(call.query, call.newValues, app)
    case .delete: return delete(call.query, app)
    }
  }

  /// Returns the class of the item of a reference.
  func itemClass(of reference: ModelValue?) -> String? {
    switch reference {
    case .reference(let number?): classes[number]
    case .bytes(let bytes) where bytes.count == 20: String(decoding: bytes.prefix(4), as: UTF8.self)
    default: nil
    }
  }

  private mutating func add(_ dictionary: ModelDictionary, _ app: ModelApp) -> ModelOutcome {
    let query = ModelQuery(dictionary, .add, rules)
    var errors = query.errors
    let group = fullName(query.group ?? app.defaultGroup)
    if !names(app.writable).contains(group) { errors.insert(errSecMissingEntitlement) }
    guard errors.isEmpty, let itemClass = query.itemClass else { return .failure(errors) }
    let protection = itemClass == "cert" && rules.opensCertificates ? "dk" : "ak" as ModelText
    let item = ModelItem(
      number: classes.count, itemClass: itemClass, group: group,
      isSynchronizable: query.synchronizable == .only(true),
      protection: query.protection ?? query.accessControl ?? protection, attributes: query.attributes,
      value: query.value ?? [])
    let key = item.primaryKey(rules)
    if items.contains(where: { $0.primaryKey(rules) == key }) { return .failure(errSecDuplicateItem) }
    items.append(item)
    classes.append(itemClass)
    var outcome = ModelOutcome(statuses: [errSecSuccess], touched: [item.number])
    if let returned = item.returned(query.returnKeys, rules) {
      outcome.result = .one(.init(item: item.number, returned: returned))
    }
    return outcome
  }

  private func copyMatching(_ dictionary: ModelDictionary, _ app: ModelApp) -> ModelOutcome {
    let query = ModelQuery(dictionary, .search, classOfReference: itemClass(of: dictionary["v_PersistentRef"]), rules)
    let (groups, errors) = groups(query, of: app.readable)
    guard errors.isEmpty else { return .failure(errors) }
    // The items are in the order of addition.
    let found = (rules.listsOldestFirst ? items : items.reversed())
      .filter { groups.contains($0.group) && query.matches($0, rules) }
    guard !found.isEmpty, query.limit != 0 else { return .failure(errSecItemNotFound) }
    var outcome = ModelOutcome(statuses: [errSecSuccess])
    let elements = found.compactMap { item in
      item.returned(query.returnKeys, rules).map { ModelOutcome.Element(item: item.number, returned: $0) }
    }
    if let first = elements.first {
      outcome.result =
        query.limit == 1 ? .one(first) : .several(Array(elements.prefix(query.limit ?? elements.count)))
    }
    return outcome
  }

  private mutating func update(
    _ dictionary: ModelDictionary, _ newDictionary: ModelDictionary, _ app: ModelApp
  ) -> ModelOutcome {
    let query = ModelQuery(dictionary, .change, classOfReference: itemClass(of: dictionary["v_PersistentRef"]), rules)
    let newValues = ModelQuery(newDictionary, .newValues, classOfNewValues: query.itemClass, rules)
    var (groups, errors) = groups(query, of: rules.sparesReadOnlyGroups ? app.writable : app.readable)
    errors.formUnion(newValues.errors)
    let target = newValues.group.map(fullName)
    if let target, !names(app.writable).contains(target) { errors.insert(errSecMissingEntitlement) }
    guard errors.isEmpty else { return .failure(errors) }
    let matching = items.indices.filter { groups.contains(items[$0].group) && query.matches(items[$0], rules) }
    guard !matching.isEmpty else { return .failure(errSecItemNotFound) }

    var changed = items
    for index in matching {
      changed[index].change(newValues, movingTo: target, rules)
      if !rules.keepsReferenceOnMove && changed[index].group != items[index].group {
        changed[index].number = classes.count
        classes.append(changed[index].itemClass)
      }
      let isUnique = Set(changed.map { $0.primaryKey(rules) }).count == changed.count
      if !rules.updatesAllOrNothing && isUnique { items = changed }
    }
    let isUnique = Set(changed.map { $0.primaryKey(rules) }).count == changed.count
    if isUnique { items = changed }
    return ModelOutcome(
      statuses: [isUnique ? errSecSuccess : errSecDuplicateItem],
      touched: isUnique ? matching.map { items[$0].number } : [])
  }

  private mutating func delete(_ dictionary: ModelDictionary, _ app: ModelApp) -> ModelOutcome {
    let query = ModelQuery(dictionary, .change, classOfReference: itemClass(of: dictionary["v_PersistentRef"]), rules)
    let (groups, errors) = groups(query, of: rules.sparesReadOnlyGroups ? app.writable : app.readable)
    guard errors.isEmpty else { return .failure(errors) }
    var matching = items.filter { groups.contains($0.group) && query.matches($0, rules) }.map(\.number)
    guard !matching.isEmpty else { return .failure(errSecItemNotFound) }
    if !rules.deletesAllMatches, let limit = query.limit { matching = Array(matching.prefix(limit)) }
    items.removeAll { matching.contains($0.number) }
    return ModelOutcome(statuses: [errSecSuccess])
  }

  /// Returns the groups that a call uses and its errors, including that for a group that the caller does not have.
  private func groups(_ query: ModelQuery, of held: [String]) -> (Set<String>, Set<OSStatus>) {
    let held = names(held)
    guard let name = query.group, name != "*" else { return (held, query.errors) }
    let group = fullName(name)
    return ([group], held.contains(group) ? query.errors : query.errors.union([errSecMissingEntitlement]))
  }

  private func names(_ groups: [String]) -> Set<String> { Set(groups.map(fullName)) }

  /// Returns a group's full name; calls may leave out the team's prefix, results include it.
  private func fullName(_ group: String) -> String { group.hasPrefix(prefix) ? group : prefix + group }
}

extension ModelItem {
  fileprivate mutating func change(_ newValues: ModelQuery, movingTo group: String?, _ rules: ModelRules) {
    attributes.merge(newValues.attributes) { $1 }
    for name in newValues.cleared where rules.clearsWithNull { attributes[name] = nil }
    if let group { self.group = group }
    if case .only(let truth) = newValues.synchronizable { isSynchronizable = truth }
    if let protection = newValues.protection ?? newValues.accessControl { self.protection = protection }
    if let value = newValues.value { self.value = value }
  }
}
