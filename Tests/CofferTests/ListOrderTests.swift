import Coffer
import CofferTestSupport
import Foundation
import Testing

/// Lists begin with the oldest item, in vaults on disk and in memory.
@Suite struct ListOrderTests {
  enum Place: CaseIterable {
    case disk
    case memory
  }

  private let disk: TemporaryVault
  private static let groups = ["~com.example.one", "~com.example.shared"]

  init() throws { disk = try TemporaryVault() }

  private func vault(_ place: Place) throws -> Vault {
    switch place {
    case .disk: try disk.app("com.example.one", groups: Self.groups)
    case .memory:
      try Vault.inMemory(entitlements: .bytes(TemporaryVault.plist("com.example.one", groups: Self.groups)))
    }
  }

  private func item(_ number: Int) -> GenericPassword {
    var item = GenericPassword(service: "service", account: "account \(number * 37 % 1_009)")
    item.label = "label \(number % 2)"
    return item
  }

  private func accounts(_ numbers: some Sequence<Int>) -> [String] { numbers.map { item($0).account } }

  @Test(arguments: Place.allCases)
  func `Items of all groups come in the order in which they were added, however they are asked for`(place: Place)
    throws
  {
    let vault = try vault(place)
    for number in 0..<60 {
      try vault.add("\(number)", for: item(number), in: number % 3 == 0 ? "com.example.shared" : nil)
    }
    let all = ItemQuery<GenericPassword>()
    #expect(try vault.list(all).items.map(\.item.account) == accounts(0..<60))
    #expect(try vault.list(all.matching(.service, "service")).items.map(\.item.account) == accounts(0..<60))
    let odd = accounts(stride(from: 1, to: 60, by: 2))
    #expect(try vault.list(all.matching(.label, "label 1")).items.map(\.item.account) == odd)
    #expect(
      try vault.list(all.matching(.label, "label 1").matching(.service, "service")).items.map(\.item.account) == odd)
    #expect(try vault.first(all)?.item.account == item(0).account)
    #expect(try vault.first(all.matching(.label, "label 1"))?.item.account == item(1).account)
    #expect(try vault.list(all.limit(7)).items.map(\.item.account) == accounts(0..<7))
  }

  @Test(arguments: Place.allCases)
  func `An asynchronous sequence begins with the oldest item`(place: Place) async throws {
    let vault = try vault(place)
    for number in 0..<20 { try await vault.add("\(number)", for: item(number)) }
    var streamed: [String] = []
    for try await found in vault.items(GenericPassword.self) { streamed.append(found.item.account) }
    #expect(streamed == accounts(0..<20))
  }

  @Test func `A walk in several transactions returns an item once that is deleted and added again meanwhile`() throws {
    let vault = try vault(.memory)
    // More than one page.
    try vault.transaction { for number in 0..<300 { try vault.add("value", for: item(number)) } }
    var seen: [String] = []
    try vault.forEach(ItemQuery<GenericPassword>()) { found in
      if seen.isEmpty {
        try vault.delete(item(0))
        try vault.add("value", for: item(0))
      }
      seen.append(found.item.account)
    }
    #expect(seen == accounts(0..<300))
  }

  @Test func `An item that stays on this machine from now on keeps its place`() throws {
    let vault = try vault(.disk)
    try vault.add("value", for: item(0))
    func place() throws -> String {
      try Command.run(
        "sqlite3", disk.local.folder.storePath,
        "SELECT created, arrival FROM record WHERE head = 1 AND tombstone = 0")
    }
    let before = try place()
    #expect(try vault.update(item(0)) { $0.accessibility = .whenUnlockedThisDeviceOnly })
    #expect(try place() == before && !before.isEmpty)
  }

  @Test(arguments: Place.allCases)
  func `The order stays the same when items are changed, renamed or moved, and a new item comes last`(place: Place)
    throws
  {
    let vault = try vault(place)
    for number in 0..<6 { try vault.add("\(number)", for: item(number)) }
    try vault.set("again", for: item(4))
    try vault.update(item(1)) { $0.account = "another" }
    try vault.update(item(2), movingTo: "com.example.shared")
    try vault.update(item(0)) { $0.label = "changed" }
    var expected = accounts(0..<6)
    expected[1] = "another"
    #expect(try vault.list(GenericPassword.self).items.map(\.item.account) == expected)
    try vault.delete(item(3))
    try vault.add("3", for: item(3))
    expected.append(expected.remove(at: 3))
    #expect(try vault.list(GenericPassword.self).items.map(\.item.account) == expected)
    guard place == .disk else { return }
    let reopened = try Vault.open(
      .bytes(TemporaryVault.plist("com.example.one", groups: Self.groups)), at: disk.location)
    #expect(try reopened.list(GenericPassword.self).items.map(\.item.account) == expected)
  }

  @Test(arguments: Place.allCases)
  func `A long list in pages has every item once and in order while items are written`(place: Place) throws {
    let vault = try vault(place)
    try vault.transaction {
      for number in 0..<700 {
        try vault.add("\(number)", for: item(number), in: number % 2 == 0 ? "com.example.shared" : nil)
      }
    }
    var seen: [String] = []
    let damaged = try vault.forEach(ItemQuery<GenericPassword>()) { found in
      // Items before and after this place are changed, and one is added again.
      if seen.count == 300 {
        for number in [0, 299, 300, 301, 500] {
          try vault.set("new", for: item(number), in: number % 2 == 0 ? "com.example.shared" : nil)
        }
        for number in [10, 600] {
          try vault.delete(item(number), in: "com.example.shared")
          try vault.add("again", for: item(number), in: "com.example.shared")
        }
      }
      seen.append(found.item.account)
    }
    #expect(damaged.isEmpty)
    let others = { (account: String) in ![10, 600, 0, 299, 300, 301, 500].map { item($0).account }.contains(account) }
    #expect(seen.filter(others) == accounts(0..<700).filter(others))
    // One that was deleted and added again is not returned twice.
    #expect(seen.filter { $0 == item(10).account }.count == 1 && seen.filter { $0 == item(600).account }.count == 1)
  }

  @Test(arguments: Place.allCases)
  func `An item that is renamed or moved while a list is paged is not returned again`(place: Place) throws {
    let vault = try vault(place)
    try vault.transaction { for number in 0..<600 { try vault.add("\(number)", for: item(number)) } }
    var seen: [String] = []
    // Every item becomes another one when it is returned, so also the last one of each page.
    try vault.forEach(ItemQuery<GenericPassword>()) { found in
      seen.append(found.item.account)
      let isMoved = seen.count.isMultiple(of: 2)
      try vault.update(
        ItemQuery<GenericPassword>().reference(found.reference), movingTo: isMoved ? "com.example.shared" : nil
      ) { (item) throws(VaultError) in if !isMoved { item.account += " renamed" } }
    }
    #expect(seen == accounts(0..<600))
    let after = try vault.list(GenericPassword.self).items.map(\.item.account)
    #expect(after.map { $0.replacing(" renamed", with: "") } == accounts(0..<600))
  }

  @Test func `An item keeps its place when it becomes one that stays on this machine`() throws {
    let vault = try vault(.disk)
    for number in 0..<3 { try vault.add("\(number)", for: item(number)) }
    try vault.update(item(0)) { $0.accessibility = .whenUnlockedThisDeviceOnly }
    #expect(try vault.list(GenericPassword.self).items.map(\.item.account) == accounts(0..<3))
  }

  @Test(arguments: Place.allCases)
  func `An update or a deletion with a limit takes the oldest items, in whichever group`(place: Place) throws {
    let vault = try vault(place)
    for number in 0..<6 {
      try vault.add("\(number)", for: item(number), in: number < 2 ? "com.example.shared" : nil)
    }
    let all = ItemQuery<GenericPassword>()
    #expect(try vault.delete(all.limit(1)) == 1)
    #expect(try vault.list(all).items.map(\.item.account) == accounts(1..<6))
    #expect(try vault.update(all.limit(2)) { $0.label = "changed" } == 2)
    #expect(try vault.list(all.matching(.label, "changed")).items.map(\.item.account) == accounts(1..<3))
  }

  @Test(arguments: Place.allCases)
  func `Deleted items are neither counted nor listed`(place: Place) throws {
    let vault = try vault(place)
    try vault.transaction {
      for number in 0..<400 { try vault.add("\(number)", for: item(number)) }
      for number in 0..<399 { try vault.delete(item(number)) }
    }
    #expect(try vault.count(GenericPassword.self) == 1)
    #expect(try vault.list(GenericPassword.self).items.map(\.item.account) == [item(399).account])
  }
}
