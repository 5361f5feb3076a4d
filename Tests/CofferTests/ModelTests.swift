import Coffer
import CofferVault
import CofferTestSupport
import Foundation
import Testing

/// Runs random operations on a vault and on ``ModelVault``, and expects the same answers.
@Suite(.timeLimit(.minutes(120))) struct ModelTests {
  /// Two runs, so that two cores share the work: 100,000 operations in all in a soak run, otherwise 6,000.
  @Test(arguments: [SeededGenerator.runSeed, SeededGenerator.runSeed &+ 1])
  func `Random operations, with failing transactions among them, match the model`(seed: UInt64) throws {
    print("model test: seed \(seed)")
    var run = try ModelRun(seed: seed)
    var operations = 0
    while operations < (SeededGenerator.isSoak ? 50_000 : 3_000) { operations += try run.batch() }
    try run.compareAll()
    #expect(run.differences.isEmpty, "seed \(seed): \(run.differences.prefix(5))")
    // The test is meaningful only if every kind of outcome occurred.
    #expect(run.seen.count >= 12, "\(run.seen)")
  }
}

/// One random run.
struct ModelRun {
  private struct Rollback: Error {}

  private let vault: Vault
  private let team: String
  /// A placeholder for a reference until the vault has returned one.
  private let noReference: PersistentReference
  private var model: ModelVault
  private var random: SeededGenerator
  private(set) var differences: [String] = []
  private(set) var seen: Set<String> = []

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    vault = try Vault.inMemory(
      entitlements: .bytes(
        TemporaryVault.plist(
          "com.example.one", groups: ["~com.example.one", "~com.example.two"], readOnly: ["~com.example.read"])))
    let groups = try vault.accessGroups
    team = String(groups[0].name.prefix(10))
    model = ModelVault(
      groups: groups.map(\.name), readOnly: Set(groups.filter { !$0.isWritable }.map(\.name)))
    noReference = try vault.add("", for: GenericPassword(service: "", account: ""))
    try vault.delete(GenericPassword(service: "", account: ""))
    // Another app has written to the group that this app may only read.
    let writer = try vault.reopened(as: .bytes(TemporaryVault.plist("com.example.two", groups: ["~com.example.read"])))
    for account in ["a", "b"] {
      let item = GenericPassword(service: "s", account: account)
      let reference = try writer.add(account, for: item, in: "com.example.read")
      model.items.append(
        ModelVault.Item(
          key: ModelVault.Key(itemClass: "genp", isSynchronizable: false, names: ["s", account]),
          group: "\(team).com.example.read", label: nil, comment: nil, isDeviceLocal: false,
          value: Array(account.utf8), reference: reference))
    }
  }

  // MARK: Steps

  /// Runs some operations, one by one or as a transaction that may be rolled back; returns their number.
  mutating func batch() throws -> Int {
    let count = Int.random(in: 1...40, using: &random)
    guard Int.random(in: 0..<4, using: &random) > 0 else {
      for _ in 0..<count { try operation() }
      return count
    }
    let isRolledBack = Int.random(in: 0..<6, using: &random) == 0
    let before = model
    do {
      try vault.transaction {
        for _ in 0..<count { try operation() }
        if isRolledBack { throw Rollback() }
      }
    } catch is Rollback {
      model = before
      seen.insert("rolled back")
    }
    return count
  }

  private mutating func operation() throws {
    switch Int.random(in: 0..<5, using: &random) {
    case 0: try operation(on: KeychainCertificate.self)
    case 1: try operation(on: InternetPassword.self)
    case 2: try operation(on: KeychainKey.self)
    default: try operation(on: GenericPassword.self)
    }
  }

  private mutating func operation<Item: ModelItem>(on type: Item.Type) throws {
    let item = Item.random(&random)
    let group = randomGroup()
    // Lists are rare: they open everything, and most errors show in operations on single items.
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<25: try add(item, in: group)
    case 25..<50: try set(item, in: group)
    case 50..<65: try update(item, in: group)
    case 65..<67: try updateByLabel(Item.self, in: group)
    case 67..<77: try delete(item, in: group)
    case 77..<79: try deleteByComment(Item.self, in: group)
    case 79: try list(Item.self, in: group)
    case 80..<82: try find(Item.self)
    default: try read(item, in: group)
    }
  }

  private mutating func randomGroup() -> String? {
    let names = ["com.example.one", "com.example.two", "com.example.read"]
    let index = Int.random(in: 0..<8, using: &random)
    return index < names.count ? names[index] : nil
  }

  private func full(_ group: String?) -> String? { group.map { "\(team).\($0)" } }

  private mutating func expect<Value: Equatable>(_ what: String, _ got: Value, _ wanted: Value) {
    if got != wanted { differences.append("\(what): \(got), not \(wanted)") }
  }

  /// Returns the outcome of a call to the vault.
  private func outcome(_ body: () throws -> ModelVault.Outcome) throws -> ModelVault.Outcome {
    do {
      return try body()
    } catch let error as VaultError {
      switch error.code {
      case .duplicateItem: return .duplicate
      case .notEntitled: return .notEntitled
      default: throw error
      }
    }
  }

  private func modelItem<Item: ModelItem>(_ item: Item, in group: String?, value: [UInt8]) -> ModelVault.Item {
    ModelVault.Item(
      key: item.modelKey, group: full(group) ?? model.groups[0], label: item.label, comment: item.modelComment,
      isDeviceLocal: item.accessibility?.isThisDeviceOnly ?? false, value: value,
      reference: noReference)
  }

  private mutating func value() -> [UInt8] {
    (0..<Int.random(in: 0...12, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
  }

  private mutating func add<Item: ModelItem>(_ item: Item, in group: String?) throws {
    let value = value()
    var wanted = modelItem(item, in: group, value: value)
    let got = try outcome {
      wanted.reference = try vault.add(value, for: item, in: group)
      return .done
    }
    let expected = model.add(wanted)
    expect("add", got, expected)
    seen.insert("add \(expected)")
  }

  private mutating func set<Item: ModelItem>(_ item: Item, in group: String?) throws {
    let value = value()
    var wanted = modelItem(item, in: group, value: value)
    if let index = model.index(wanted.key, in: wanted.group), item.accessibility == nil {
      wanted.isDeviceLocal = model.items[index].isDeviceLocal
    }
    let got = try outcome {
      wanted.reference = try vault.set(value, for: item, in: group)
      return .done
    }
    let expected = model.set(wanted)
    expect("set", got, expected)
    if got == .done, let index = model.index(wanted.key, in: wanted.group) {
      expect("reference", wanted.reference, model.items[index].reference)
    }
    seen.insert("set \(expected)")
  }

  private mutating func update<Item: ModelItem>(_ item: Item, in group: String?) throws {
    let other = Item.random(&random)
    let destination = Int.random(in: 0..<3, using: &random) == 0 ? randomGroup() : nil
    let value = Bool.random(using: &random) ? value() : nil
    let renames = Bool.random(using: &random)
    if group == "com.example.read" {
      let got = try outcome { .count(try vault.update(item, in: group) { $0.label = "x" } ? 1 : 0) }
      return expect("update of a read-only group", got, .notEntitled)
    }
    let change: (inout Item) throws(VaultError) -> Void = { (found) throws(VaultError) in
      if renames { found.takeKey(of: other) }
      found.label = other.label
    }
    let query = ItemQuery(item, in: group)
    let got = try outcome {
      if let value { return .count(try vault.update(query, value: value, movingTo: destination, change)) }
      return .count(try vault.update(query, movingTo: destination, change))
    }
    let expected = model.update(
      model.found(Item._classCode, in: full(group)) { $0.key == item.modelKey }, to: full(destination), value: value
    ) { found in
      if renames { found.key = other.modelKey }
      found.label = other.label
    }
    expect("update", got, expected)
    seen.insert("update \(expected == .count(0) ? "none" : "\(expected)".prefix(5))")
  }

  private mutating func updateByLabel<Item: ModelItem>(_: Item.Type, in group: String?) throws {
    guard group != "com.example.read" else { return }
    let label = Item.labels.randomElement(using: &random) ?? ""
    let got = try outcome {
      .count(
        try vault.update(ItemQuery<Item>(in: group).matching(.label, label)) { $0.label = nil })
    }
    let expected = model.update(
      model.found(Item._classCode, in: full(group)) { $0.label == label }, to: nil, value: nil
    ) { $0.label = nil }
    expect("update by label", got, expected)
  }

  private mutating func delete<Item: ModelItem>(_ item: Item, in group: String?) throws {
    let got = try outcome { .count(try vault.delete(ItemQuery(item, in: group))) }
    guard group != "com.example.read" else { return expect("delete", got, .notEntitled) }
    let expected = model.delete(model.found(Item._classCode, in: full(group)) { $0.key == item.modelKey })
    expect("delete", got, expected)
    seen.insert("delete \(expected == .count(0) ? "none" : "some")")
  }

  private mutating func deleteByComment<Item: ModelItem>(_: Item.Type, in group: String?) throws {
    guard group != "com.example.read" else { return }
    guard let comment = Item.comments.randomElement(using: &random) else { return }
    let got = try outcome { .count(try vault.delete(Item.commented(comment, in: group))) }
    let expected = model.delete(model.found(Item._classCode, in: full(group)) { $0.comment == comment })
    expect("delete by comment", got, expected)
  }

  private mutating func list<Item: ModelItem>(_: Item.Type, in group: String?) throws {
    let wanted = model.found(Item._classCode, in: full(group)) { _ in true }.map { model.items[$0] }
    let list = try vault.list(ItemQuery<Item>(in: group))
    expect("damaged", list.damaged.count, 0)
    expect("list", Set(list.items.map(\.reference)), Set(wanted.map(\.reference)))
    expect("count", try vault.count(ItemQuery<Item>(in: group)), wanted.count)
    expect("groups of a list", list.items.map(\.accessGroup).sorted(), wanted.map(\.group).sorted())
    seen.insert("list")
  }

  private mutating func find<Item: ModelItem>(_: Item.Type) throws {
    let label = Item.labels.randomElement(using: &random) ?? ""
    let isSynchronizable = Bool.random(using: &random)
    let wanted = model.found(Item._classCode, in: nil) {
      $0.label == label && $0.key.isSynchronizable == isSynchronizable
    }
    let query = ItemQuery<Item>().matching(.label, label).synchronizable(isSynchronizable)
    expect(
      "find", Set(try vault.list(query).items.map(\.reference)), Set(wanted.map { model.items[$0].reference }))
    let loose = ItemQuery<Item>().matching(.label, label.uppercased(), .insensitive).synchronizable(isSynchronizable)
    expect("find in any case", try vault.count(loose), wanted.count)
    if let one = wanted.first.map({ model.items[$0] }) {
      let found = try vault.first(ItemQuery<Item>().reference(one.reference))
      expect("find by reference", found?.item.modelKey, one.key)
    }
    seen.insert("find \(wanted.isEmpty ? "none" : "some")")
  }

  private mutating func read<Item: ModelItem>(_ item: Item, in group: String?) throws {
    let wanted = model.index(item.modelKey, in: full(group)).map { model.items[$0] }
    expect("value", try vault.bytes(for: item, in: group), wanted?.value)
    let stored = try vault.storedItem(for: item, in: group)
    expect("group", stored?.accessGroup, wanted?.group)
    expect("label", stored?.item.label, wanted?.label)
    expect("comment", stored?.item.modelComment, wanted?.comment)
    expect("reference", stored?.reference, wanted?.reference)
    expect("accessibility", stored?.item.accessibility?.isThisDeviceOnly, wanted?.isDeviceLocal)
    expect("contains", try vault.contains(item, in: group), wanted != nil)
    seen.insert("read \(wanted == nil ? "none" : "some")")
  }

  // MARK: The end

  /// Returns every item, with its value.
  mutating func compareAll() throws {
    var count = 0
    func compare<Item: ModelItem>(_: Item.Type) throws -> [(PersistentReference, [UInt8])] {
      try vault.list(Item.self).items.map {
        ($0.reference, try vault.bytes(for: $0.item, in: $0.accessGroup) ?? [])
      }
    }
    for (reference, value) in try compare(GenericPassword.self) + compare(InternetPassword.self)
      + compare(KeychainKey.self)
      + compare(KeychainCertificate.self)
    {
      count += 1
      expect("value at the end", value, model.items.first { $0.reference == reference }?.value)
    }
    expect("items at the end", count, model.items.count)
  }
}

/// A class of items in the model.
protocol ModelItem: KeychainItem {
  static func random(_ random: inout SeededGenerator) -> Self
  static func commented(_ comment: String, in group: String?) -> ItemQuery<Self>
  static var comments: [String] { get }
  var modelKey: ModelVault.Key { get }
  var modelComment: String? { get }
  mutating func takeKey(of other: Self)
}

extension ModelItem {
  static var labels: [String] { ["red", "green", "blue"] }

  /// Sets the attributes of every class to random values.
  mutating func randomise(_ random: inout SeededGenerator) {
    label = Bool.random(using: &random) ? Self.labels.randomElement(using: &random) : nil
    isSynchronizable = Int.random(in: 0..<4, using: &random) == 0
    switch Int.random(in: 0..<8, using: &random) {
    case 0: accessibility = .whenUnlockedThisDeviceOnly
    case 1: accessibility = .afterFirstUnlock
    default: break
    }
  }
}

extension ItemQuery where Item: ModelItem {
  /// Returns the items of one primary key.
  fileprivate init(_ item: Item, in group: String?) { self = item.query(in: group) }
}

extension ModelItem {
  fileprivate func query(in group: String?) -> ItemQuery<Self> {
    var query = ItemQuery<Self>(in: group).synchronizable(isSynchronizable)
    switch self {
    case let item as GenericPassword:
      let named = ItemQuery<GenericPassword>(in: group).synchronizable(isSynchronizable)
        .matching(.service, item.service).matching(.account, item.account)
      query = named as? ItemQuery<Self> ?? query
    case let item as InternetPassword:
      var named = ItemQuery<InternetPassword>(in: group).synchronizable(isSynchronizable)
        .matching(.server, item.server).matching(.account, item.account).matching(.port, item.port ?? 0)
        .matching(.path, item.path ?? "")
      if let `protocol` = item.protocol { named = named.matching(.protocol, `protocol`) }
      query = named as? ItemQuery<Self> ?? query
    case let item as KeychainKey:
      let named = ItemQuery<KeychainKey>(in: group).synchronizable(isSynchronizable)
        .matching(.applicationTag, item.applicationTag).matching(.kind, item.kind).matching(
          .sizeInBits, item.sizeInBits)
      query = named as? ItemQuery<Self> ?? query
    case let item as KeychainCertificate:
      let named = ItemQuery<KeychainCertificate>(in: group).synchronizable(isSynchronizable)
        .matching(.issuer, item.issuer).matching(.serialNumber, item.serialNumber)
      query = named as? ItemQuery<Self> ?? query
    default: break
    }
    return query
  }
}
