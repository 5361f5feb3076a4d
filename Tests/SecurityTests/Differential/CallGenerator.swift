import CofferTestSupport

/// Makes calls from a few values, so that most succeed, some find nothing or collide, and some are wrong in some way.
///
/// Leaves out what the rules do not decide.
struct CallGenerator {
  var random: SeededGenerator
  /// The percentage of calls that are made wrong.
  private let wrongCalls = 14

  init(seed: UInt64) { random = SeededGenerator(seed: seed) }

  mutating func next(_ model: KeychainModel, _ references: ReferenceLedger) -> KeychainCall {
    let app = random.chance(60) ? 0 : 1
    var call = KeychainCall(app: app, function: function(itemCount: model.items.count), query: [:])
    switch call.function {
    case .add: call.query = addition(model, by: app)
    case .copyMatching: call.query = search(model, references, by: app)
    case .update:
      call.query = change(model, references, by: app)
      let itemClass =
        call.query["class"].flatMap { if case .text(let name) = $0 { name.string } else { nil } }
        ?? model.itemClass(of: call.query["v_PersistentRef"])
      call.newValues = newValues(of: itemClass, model, by: app)
    case .delete:
      call.query = random.chance(3) ? everything() : change(model, references, by: app)
    }
    if random.chance(wrongCalls) { spoil(&call) }
    return call
  }

  private mutating func function(itemCount: Int) -> KeychainCall.Function {
    let deletions = itemCount > 34 ? 25 : itemCount < 8 ? 4 : 13
    let number = Int.random(in: 0..<100, using: &random)
    if number < deletions { return .delete }
    if number < deletions + 35 { return .copyMatching }
    return number < deletions + 53 ? .update : .add
  }

  private mutating func itemClass() -> String { random.pick(["genp", "genp", "genp", "inet", "inet", "cert", "keys"]) }

  private mutating func addition(_ model: KeychainModel, by app: Int) -> ModelDictionary {
    var query = newPrimaryKey()
    if !model.items.isEmpty, random.chance(25) { query = primaryKey(of: random.pick(model.items)) }
    guard case .text(let name) = query["class"] else { return query }
    let itemClass = name.string
    for name in ModelSchema.otherAttributes[itemClass] ?? [] where random.chance(15) {
      query[name] = random.pick(ValueUniverse.values(of: name))
    }
    if random.chance(85) { query["v_Data"] = random.pick(ValueUniverse.datas) }
    if random.chance(40) { query["agrp"] = group(model, of: app) }
    if random.chance(35) {
      query["sync"] = random.pick([.boolean(true), .boolean(true), .number(1), .boolean(false), .text("syna")])
    }
    let protection: ModelText = random.pick(["ak", "ck", "aku", "dku"])
    if random.chance(25) { query["pdmn"] = .text(protection) }
    if random.chance(12) { query["accc"] = .accessControl(protection) }
    if random.chance(3) { query[random.pick(["cdat", "mdat"])] = .date(1000) }
    for key in ["r_Attributes", "r_Data", "r_PersistentRef"] where random.chance(35) {
      query[key] = .boolean(random.chance(85))
    }
    addIgnored(&query, [ValueUniverse.ignored, ValueUniverse.ignoredMatches])
    return query
  }

  private mutating func newPrimaryKey() -> ModelDictionary {
    let itemClass = itemClass()
    var query: ModelDictionary = ["class": .text(ModelText(itemClass))]
    let primaryKey = ModelSchema.primaryKeys[itemClass] ?? []
    for name in primaryKey where random.chance(primaryKey.count > 3 ? 35 : 80) {
      query[name] = random.pick(ValueUniverse.values(of: name))
    }
    return query
  }

  /// Returns the primary key of an existing item, partly in other forms.
  private mutating func primaryKey(of item: ModelItem) -> ModelDictionary {
    var query: ModelDictionary = ["class": .text(ModelText(item.itemClass))]
    for name in ModelSchema.primaryKeys[item.itemClass] ?? [] {
      guard let value = item.attributes[name] else { continue }
      query[name] = random.chance(30) ? ValueUniverse.otherForm(of: value, name) : value
    }
    return query
  }

  private mutating func search(_ model: KeychainModel, _ references: ReferenceLedger, by app: Int) -> ModelDictionary {
    var query = target(model, references, of: app)
    for key in ["r_Attributes", "r_Data", "r_PersistentRef"] where random.chance(45) {
      query[key] = .boolean(random.chance(88))
    }
    // Only keys and certificates have objects.
    if query["r_Attributes"] == .boolean(true), [.text("genp"), .text("inet")].contains(query["class"]),
      random.chance(5)
    {
      query["r_Ref"] = .boolean(true)
    }
    if random.chance(60) {
      query["m_Limit"] = random.pick([
        .text("m_LimitAll"), .text("m_LimitAll"), .text("m_LimitOne"), .number(1), .number(2), .number(3), .number(100),
      ])
    }
    addIgnored(&query, [ValueUniverse.ignored])
    if random.chance(5) { query["v_Data"] = random.pick(ValueUniverse.datas) }
    return query
  }

  /// Returns the query of an update or a deletion.
  private mutating func change(_ model: KeychainModel, _ references: ReferenceLedger, by app: Int) -> ModelDictionary {
    var query = target(model, references, of: app)
    addIgnored(&query, [ValueUniverse.ignored, ValueUniverse.ignoredMatches, ValueUniverse.ignoredReturns])
    return query
  }

  private mutating func everything() -> ModelDictionary {
    ["class": .text(ModelText(itemClass())), "sync": .text("syna")]
  }

  /// Returns the conditions of a query: mostly those of an existing item.
  private mutating func target(_ model: KeychainModel, _ references: ReferenceLedger, of app: Int) -> ModelDictionary {
    if !references.items.isEmpty, random.chance(13) {
      var query: ModelDictionary = ["v_PersistentRef": .reference(reference(model, references))]
      if random.chance(40), let itemClass = model.itemClass(of: query["v_PersistentRef"]) {
        query["class"] = .text(ModelText(itemClass))
      }
      if random.chance(20) { query["sync"] = .text("syna") }
      return query
    }
    if random.chance(1) {
      let bytes = (0..<16).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      return ["v_PersistentRef": .bytes(Array("genp".utf8) + bytes)]
    }
    var query: ModelDictionary
    if !model.items.isEmpty, random.chance(70) {
      let item = random.pick(model.items)
      query = ["class": .text(ModelText(item.itemClass))]
      let names = (ModelSchema.primaryKeys[item.itemClass] ?? []) + ["labl"]
      for name in names where random.chance(45) {
        query[name] =
          item.attributes[name] ?? (random.chance(20) ? ModelSchema.absent(ModelSchema.kind(of: name)) : nil)
      }
      for name in ModelSchema.otherAttributes[item.itemClass] ?? [] where random.chance(4) {
        query[name] = item.attributes[name]
      }
      if item.isSynchronizable ? random.chance(90) : random.chance(20) {
        query["sync"] = random.chance(50) ? .text("syna") : .boolean(item.isSynchronizable)
      }
      if random.chance(15) { query["agrp"] = .text(ModelText(item.group)) }
      if random.chance(6) { query["pdmn"] = .text(item.protection) }
    } else {
      let itemClass = itemClass()
      query = ["class": .text(ModelText(itemClass))]
      for name in ModelSchema.attributes[itemClass] ?? [] where random.chance(itemClass == "genp" ? 15 : 8) {
        query[name] = random.pick(ValueUniverse.values(of: name))
      }
      if random.chance(40) { query["sync"] = random.pick([.text("syna"), .text("syna"), .boolean(true), .number(0)]) }
      if random.chance(20) { query["agrp"] = random.chance(40) ? .text("*") : group(model, of: app) }
      if random.chance(6) { query["pdmn"] = .text(random.pick(["ak", "ck", "dk", "aku"])) }
      if random.chance(3) { query["accc"] = .accessControl(random.pick(["ak", "ck"])) }
    }
    if query["pdmn"] != nil { query["accc"] = nil }
    for name in query.keys.sorted() where ModelSchema.attributes.values.contains(where: { $0.contains(name) }) {
      if let value = query[name], random.chance(25) { query[name] = ValueUniverse.otherForm(of: value, name) }
    }
    if random.chance(2) { query[random.pick(["cdat", "mdat"])] = .date(1000) }
    return query
  }

  private mutating func reference(_ model: KeychainModel, _ references: ReferenceLedger) -> Int {
    let live = model.items.map(\.number).filter { references.bytes(of: $0) != nil }
    return live.isEmpty || random.chance(15) ? random.pick(references.items) : random.pick(live)
  }

  private mutating func newValues(of itemClass: String?, _ model: KeychainModel, by app: Int) -> ModelDictionary {
    var values: ModelDictionary = [:]
    let names = itemClass.flatMap { ModelSchema.attributes[$0] } ?? ["labl"]
    if random.chance(50) { values["v_Data"] = random.pick(ValueUniverse.datas) }
    if random.chance(12) { values["agrp"] = group(model, of: app) }
    if random.chance(10) { values["sync"] = random.pick([.boolean(true), .boolean(false), .number(1)]) }
    if random.chance(10) { values["pdmn"] = .text(random.pick(["ak", "ck", "dk", "aku"])) }
    if random.chance(6), values["pdmn"] == nil { values["accc"] = .accessControl(random.pick(["ak", "ck", "cku"])) }
    let others = model.items.filter { $0.itemClass == itemClass }
    if !others.isEmpty, random.chance(15) {
      values.merge(primaryKey(of: random.pick(others))) { $1 }
      values["class"] = nil
    }
    while values.isEmpty || random.chance(55) {
      let name = random.pick(names)
      values[name] = random.chance(15) ? .null : random.pick(ValueUniverse.values(of: name))
    }
    if random.chance(10) {
      let ignored = random.pick(
        ValueUniverse.ignored + ValueUniverse.ignoredMatches + ValueUniverse.ignoredReturns)
      values[ignored.0] = ignored.1
    }
    return values
  }

  /// Returns mostly one of the app's own groups, with its full name.
  private mutating func group(_ model: KeychainModel, of app: Int) -> ModelValue {
    let name = random.pick(random.chance(80) ? model.apps[app].writable : model.apps.flatMap(\.readable))
    return .text(ModelText(random.chance(70) ? model.prefix + name : name))
  }

  private mutating func addIgnored(_ query: inout ModelDictionary, _ lists: [[(String, ModelValue)]]) {
    for list in lists where random.chance(8) {
      let ignored = random.pick(list)
      query[ignored.0] = ignored.1
    }
  }
}
