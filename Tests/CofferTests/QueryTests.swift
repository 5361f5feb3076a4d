import Coffer
import Foundation
import Testing

@Suite struct QueryTests {
  private let vault: Vault

  init() throws {
    vault = try Vault.inMemory(
      entitlements: .bytes(
        TemporaryVault.plist("com.example.one", groups: ["~com.example.one", "~com.example.shared"])))
    try vault.transaction {
      for number in 0..<20 {
        var item = InternetPassword(
          server: number % 2 == 0 ? "even.example.com" : "odd.example.com", account: "user\(number)",
          label: number % 4 == 0 ? "Fourth" : nil)
        item.comment = number == 7 ? "seven" : nil
        item.isInvisible = number % 5 == 0
        try vault.add("\(number)", for: item, in: number < 10 ? "com.example.one" : "com.example.shared")
      }
    }
  }

  private func accounts(_ query: ItemQuery<InternetPassword>) throws -> Set<String> {
    let list = try vault.list(query)
    #expect(list.damaged.isEmpty)
    #expect(try vault.count(query) == list.items.count)
    var streamed: [String] = []
    let damaged = try vault.forEach(query) { streamed.append($0.item.account) }
    #expect(damaged.isEmpty && streamed.count == list.items.count)
    #expect(Set(streamed) == Set(list.items.map(\.item.account)))
    return Set(streamed)
  }

  private func users(_ numbers: some Sequence<Int>) -> Set<String> { Set(numbers.map { "user\($0)" }) }

  @Test func `Indexed attributes, others, and both together narrow a search`() throws {
    let all = ItemQuery<InternetPassword>()
    #expect(try accounts(all) == users(0..<20))
    #expect(try accounts(all.matching(.server, "even.example.com")) == users(stride(from: 0, to: 20, by: 2)))
    #expect(
      try accounts(all.matching(.server, "even.example.com").matching(.label, "Fourth")) == users([0, 4, 8, 12, 16]))
    #expect(try accounts(all.matching(.comment, "seven")) == users([7]))
    #expect(try accounts(all.matching(.isInvisible, true)) == users([0, 5, 10, 15]))
    #expect(try accounts(all.matching(.isInvisible, false)).count == 16)
    #expect(try accounts(all.matching(.isInvisible, true).matching(.server, "odd.example.com")) == users([5, 15]))
    #expect(try accounts(all.matching(.account, "user3")) == users([3]))
    #expect(try accounts(all.matching(.account, "user3").matching(.account, "user4")) == [])
    #expect(try accounts(all.matching(.account, "nobody")) == [])
    #expect(try accounts(ItemQuery(in: "com.example.shared")) == users(10..<20))
    #expect(code { _ = try vault.list(ItemQuery<InternetPassword>(in: "com.example.none")) } == .notEntitled)
  }

  @Test func `Text is found regardless of case, and by its beginning, its end or a part`() throws {
    let all = ItemQuery<InternetPassword>()
    #expect(try accounts(all.matching(.label, "fOURTH", .insensitive)) == users(stride(from: 0, to: 20, by: 4)))
    #expect(try accounts(all.matching(.server, "ODD", .beginsWith)).count == 10)
    #expect(try accounts(all.matching(.server, "odd.EXAMPLE", .contains)).count == 10)
    #expect(try accounts(all.matching(.account, "R19", .endsWith)) == users([19]))
    #expect(try accounts(all.matching(.account, "user", .endsWith)) == [])
  }

  @Test func `A limit ends the search, and zero finds nothing`() throws {
    #expect(try vault.list(ItemQuery<InternetPassword>().limit(3)).items.count == 3)
    #expect(try vault.list(ItemQuery<InternetPassword>().limit(15)).items.count == 15)
    #expect(try vault.list(ItemQuery<InternetPassword>().limit(0)).items.isEmpty)
    #expect(try vault.count(ItemQuery<InternetPassword>().limit(3)) == 3)
    #expect(try vault.first(ItemQuery<InternetPassword>().matching(.comment, "seven"))?.item.account == "user7")
    #expect(try vault.first(ItemQuery<InternetPassword>().matching(.comment, "none")) == nil)
  }

  @Test func `A limit applies across groups, also to changes and deletions, and a moved item changes once`() throws {
    let odd = ItemQuery<InternetPassword>().matching(.server, "odd.example.com")
    // Five of them are in the first group, which is searched first, and five in the second.
    #expect(try vault.update(odd.limit(7)) { $0.comment = "changed" } == 7)
    #expect(try vault.count(odd.matching(.comment, "changed")) == 7)
    #expect(try vault.update(odd, movingTo: "com.example.shared") { $0.comment = "moved" } == 10)
    #expect(try vault.count(ItemQuery<InternetPassword>(in: "com.example.shared").matching(.comment, "moved")) == 10)
    #expect(try vault.delete(ItemQuery<InternetPassword>().limit(12)) == 12)
    #expect(try vault.count(InternetPassword.self) == 8)
  }

  @Test func `Items that differ in the synchronizable flag are two items, found together or separately`() throws {
    var twin = InternetPassword(server: "odd.example.com", account: "user3")
    twin.isSynchronizable = true
    try vault.add("twin", for: twin)
    let query = ItemQuery<InternetPassword>().matching(.account, "user3")
    #expect(try vault.count(query) == 2)
    #expect(try vault.list(query.synchronizable(true)).items.map(\.item.isSynchronizable) == [true])
    #expect(try vault.list(query.synchronizable(false)).items.map(\.item.isSynchronizable) == [false])
    twin.isSynchronizable = false
    #expect(try vault.string(for: twin) == "3")
  }

  @Test func `Changing or deleting the results of a query affects all or none`() throws {
    let even = ItemQuery<InternetPassword>().matching(.server, "even.example.com")
    #expect(try vault.update(even) { $0.comment = "changed" } == 10)
    #expect(try accounts(ItemQuery<InternetPassword>().matching(.comment, "changed")).count == 10)
    // Two items of a group would become one.
    #expect(code { try vault.update(even) { $0.account = "same" } } == .duplicateItem)
    #expect(try accounts(ItemQuery<InternetPassword>().matching(.account, "same")) == [])
    #expect(try vault.delete(even) == 10)
    #expect(try vault.delete(even) == 0)
    #expect(try accounts(ItemQuery<InternetPassword>()) == users(stride(from: 1, to: 20, by: 2)))
  }

  @Test(.timeLimit(.minutes(120)))
  func `Concurrent streams return each item once, page by page, while others write`() async throws {
    let vault = vault
    try await vault.transaction {
      for number in 0..<1000 { try vault.add("v", for: GenericPassword(service: "many", account: "\(number)")) }
    }
    var seen: [String: Int] = [:]
    for try await item in vault.items(ItemQuery<GenericPassword>()) {
      seen[item.item.account, default: 0] += 1
      if seen.count % 100 == 0 {
        try await vault.set("w", for: GenericPassword(service: "many", account: "\(seen.count)"))
      }
    }
    #expect(seen.count >= 1000 && seen.values.allSatisfy { $0 == 1 })
    #expect(try await vault.count(ItemQuery<GenericPassword>().matching(.service, "many")) == 1001)
  }
}
