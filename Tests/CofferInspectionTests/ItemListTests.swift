import Coffer
import CofferFormat
import CofferInspection
import CofferTestSupport
import CofferVault
import Foundation
import Testing

@Suite struct ItemListTests {
  private func titles(_ vault: InspectedVault, _ request: ItemRequest) throws -> [String] {
    try vault.items(request).rows.map { $0.subtitle.isEmpty ? $0.title : "\($0.title)/\($0.subtitle)" }
  }

  /// Adds passwords whose services and accounts are given, with increasing dates of creation.
  private func fill(_ vault: Vault, _ names: [(String, String)], in group: String? = nil) throws {
    for (service, account) in names {
      try vault.add("value-of-\(service)", for: GenericPassword(service: service, account: account), in: group)
    }
  }

  @Test func `The first page has the items of all classes and groups in the order of creation`() throws {
    let session = try MemoryInspection()
    try session.app.add("v", for: GenericPassword(service: "first", account: "a", label: "Label"))
    try session.app.add(
      "v", for: InternetPassword(server: "second", account: "b", protocol: .https, port: 8443, path: "/x"),
      in: "com.example.shared")
    try session.app.add(
      "v", for: KeychainKey(.private, algorithm: .rsa, sizeInBits: 2048, applicationTag: Data("third".utf8)))
    let page = try session.vault.items()
    #expect(page.total == 3 && page.page == 1 && page.pageCount == 1 && page.damaged.isEmpty)
    #expect(page.rows.map(\.title) == ["first", "second", "third"])
    #expect(page.rows.map(\.kind) == [.genericPassword, .internetPassword, .key])
    #expect(page.rows.map(\.detail) == [nil, "HTTPS, port 8443, /x", "private, RSA, 2048 bits"])
    #expect(page.rows[0].label == "Label" && page.rows[0].subtitle == "a")
    #expect(page.rows[1].group.hasSuffix(".com.example.shared"))
    #expect(page.rows[0].writer.device == "memory")
    #expect(!"\(page)".contains("value-of"))
  }

  @Test func `The page that the store answers equals the one that the index answers`() throws {
    let session = try MemoryInspection()
    for number in 0..<40 {
      let group = number.isMultiple(of: 3) ? "com.example.shared" : nil
      if number.isMultiple(of: 2) {
        try session.app.add("v", for: GenericPassword(service: "s\(number)", account: "a"), in: group)
      } else {
        try session.app.add("v", for: InternetPassword(server: "s\(number)", account: "a"), in: group)
      }
    }
    for group in [nil, "com.example.shared"] {
      for kind in [nil, ItemKind.internetPassword] {
        let request = ItemRequest(group: group, kind: kind, pageSize: 7)
        let fresh = InspectedVault(vault: session.app, local: session.app.local)
        let fromStore = try fresh.items(request)
        _ = try session.vault.items(ItemRequest(text: "s"))
        let fromIndex = try session.vault.items(request)
        #expect(fromStore.rows == fromIndex.rows && fromStore.total == fromIndex.total)
      }
    }
  }

  @Test func `A search finds words in every text, ignoring case and diacritics`() throws {
    let session = try MemoryInspection()
    var item = GenericPassword(service: "api.example.com", account: "Jürgen", label: "Test SERVER")
    item.comment = "for the café"
    try session.app.add("value-of-one", for: item)
    try fill(session.app, [("other", "jurgen")])
    for text in ["jurgen", "JÜRGEN", "j\u{75}\u{308}rgen", "rgen"] {
      #expect(try titles(session.vault, ItemRequest(text: text)).count == 2, "\(text)")
    }
    for text in ["API", "example server", "server  api", "Cafe", " test "] {
      #expect(try titles(session.vault, ItemRequest(text: text)) == ["api.example.com/Jürgen"], "\(text)")
    }
    for text in ["value-of-one", "example jurgen other", "apiexample", "\0"] {
      #expect(try titles(session.vault, ItemRequest(text: text)).isEmpty, "\(text)")
    }
  }

  @Test func `Lists are sorted by date, name and account in both directions`() throws {
    let session = try MemoryInspection()
    try fill(session.app, [("Zebra", "2"), ("ärger", "3"), ("apple", "1")])
    try session.app.set("new", for: GenericPassword(service: "Zebra", account: "2"))
    let ascending: [(ItemSort, [String])] = [
      (.created, ["Zebra/2", "ärger/3", "apple/1"]), (.modified, ["ärger/3", "apple/1", "Zebra/2"]),
      (.name, ["apple/1", "ärger/3", "Zebra/2"]), (.account, ["apple/1", "Zebra/2", "ärger/3"]),
    ]
    for (sort, expected) in ascending {
      #expect(try titles(session.vault, ItemRequest(sort: sort)) == expected)
      #expect(try titles(session.vault, ItemRequest(sort: sort, isDescending: true)) == expected.reversed())
    }
  }

  @Test func `Pages have the asked number of items, and the last one follows`() throws {
    let session = try MemoryInspection()
    try fill(session.app, (0..<25).map { ("s\($0)", "a") })
    for isIndexed in [false, true] {
      if isIndexed { _ = try session.vault.items(ItemRequest(text: "s")) }
      let first = try session.vault.items(ItemRequest(pageSize: 10))
      #expect(first.rows.count == 10 && first.total == 25 && first.pageCount == 3)
    }
    let last = try session.vault.items(ItemRequest(page: 3, pageSize: 10))
    #expect(last.rows.map(\.title) == ["s20", "s21", "s22", "s23", "s24"])
    #expect(try session.vault.items(ItemRequest(page: 99, pageSize: 10)).page == 3)
    #expect(try session.vault.items(ItemRequest(page: -1, pageSize: 0)).rows.map(\.title) == ["s0"])
    #expect(try session.vault.items(ItemRequest(text: "nothing")).pageCount == 1)
  }

  @Test func `Filters narrow a list to a group, a class and what expires`() throws {
    let session = try MemoryInspection()
    try fill(session.app, [("mine", "a")])
    try fill(session.app, [("shared", "a")], in: "com.example.shared")
    var key = KeychainKey(.symmetric, algorithm: .aes, sizeInBits: 256)
    key.label = "ending"
    key.endDate = Date(timeIntervalSinceNow: 86_400)
    try session.app.add("k", for: key)
    #expect(try titles(session.vault, ItemRequest(group: "com.example.shared")) == ["shared/a"])
    #expect(try titles(session.vault, ItemRequest(kind: .key)) == ["ending"])
    #expect(try titles(session.vault, ItemRequest(isExpiringOnly: true)) == ["ending"])
    #expect(try titles(session.vault, ItemRequest(isConflictOnly: true)).isEmpty)
    #expect(code { _ = try session.vault.items(ItemRequest(group: "com.example.none", text: "x")) } == .notEntitled)
    #expect(try session.vault.itemCount() == 3 && session.vault.itemCount(of: .key) == 1)
  }

  @Test func `Writes by this and by other processes are found by the next request`() throws {
    let session = try TemporaryInspection()
    try fill(session.app, [("one", "a"), ("two", "a")])
    #expect(try titles(session.vault, ItemRequest(sort: .name)) == ["one/a", "two/a"])
    try fill(session.app, [("three", "a")])
    try session.app.update(GenericPassword(service: "one", account: "a")) { $0.label = "renamed" }
    try session.app.delete(GenericPassword(service: "two", account: "a"))
    #expect(try titles(session.vault, ItemRequest(sort: .name)) == ["one/a", "three/a"])
    #expect(try titles(session.vault, ItemRequest(text: "renamed")) == ["one/a"])
    #expect(try session.vault.items(ItemRequest(text: "two")).total == 0)
    try session.app.update(GenericPassword(service: "one", account: "a"), movingTo: "com.example.shared")
    let row = try #require(try session.vault.items(ItemRequest(text: "one")).rows.first)
    #expect(row.group == (try session.group("com.example.shared")))
  }

  @Test(arguments: SeededGenerator.seedsToRun(unlessGiven: [1, 7_000_003]))
  func `Orders stay right through random changes`(seed: UInt64) throws {
    let session = try MemoryInspection()
    var random = SeededGenerator(seed: seed)
    try fill(session.app, (0..<40).map { ("s\($0 * 7 % 40)", "a\($0)") })
    for sort in ItemSort.allCases { _ = try session.vault.items(ItemRequest(sort: sort)) }
    for round in 0..<30 {
      let item = GenericPassword(service: "s\(Int.random(in: 0..<50, using: &random))", account: "a")
      switch Int.random(in: 0..<3, using: &random) {
      case 0: try session.app.delete(item)
      case 1: try session.app.set("v\(round)", for: item)
      default:
        try session.app.update(ItemQuery<GenericPassword>().limit(3)) { $0.account += "x" }
      }
      let fresh = InspectedVault(vault: session.app, local: session.app.local)
      for sort in ItemSort.allCases {
        // The new index is sorted anew.
        let request = ItemRequest(text: "s", sort: sort, pageSize: 100)
        #expect(try session.vault.items(request).rows.count == fresh.items(request).rows.count, "seed \(seed)")
        let shown = try session.vault.items(request).rows
        switch sort {
        case .created: #expect(shown.map(\.created) == shown.map(\.created).sorted(), "seed \(seed)")
        case .modified: #expect(shown.map(\.modified) == shown.map(\.modified).sorted(), "seed \(seed)")
        case .name: #expect(shown.map(\.title) == shown.map(\.title).sorted(), "seed \(seed)")
        case .account: #expect(shown.map(\.subtitle) == shown.map(\.subtitle).sorted(), "seed \(seed)")
        }
      }
    }
  }

  @Test func `Conflicts are marked, and can be listed alone`() throws {
    let session = try TemporaryInspection()
    let name = GenericPassword(service: "torn", account: "a")
    try fill(session.app, [("torn", "a"), ("whole", "a")])
    try session.write {
      try session.app.set("here", for: name)
    } _: {
      try $0.set("there", for: name)
    }
    #expect(try session.vault.items().rows.map(\.hasConflict) == [true, false])
    #expect(try titles(session.vault, ItemRequest(isConflictOnly: true)) == ["torn/a"])
    try session.app.set("end", for: name)
    #expect(try titles(session.vault, ItemRequest(isConflictOnly: true)).isEmpty)
  }

  @Test func `After a lock nothing is found, and after unlocking everything again`() throws {
    let session = try MemoryInspection()
    try fill(session.app, [("one", "a")])
    #expect(try titles(session.vault, ItemRequest(text: "one")) == ["one/a"])
    session.vault.lock()
    #expect(code { _ = try session.vault.items(ItemRequest(text: "one")) } == .locked)
    #expect(code { _ = try session.vault.items() } == .locked)
    try session.app.unlock()
    #expect(try titles(session.vault, ItemRequest(text: "one")) == ["one/a"])
  }

  @Test func `Texts of a mebibyte and with any character are listed and found`() throws {
    let session = try MemoryInspection()
    let long = String(repeating: "x", count: 1 << 20)
    let hostile = ["<script>alert(1)</script>", "\u{202E}gnp.exe", "a\0b", "\u{1B}[2J", long, "\n\n"]
    try fill(session.app, hostile.map { ($0, "a") })
    let page = try session.vault.items(ItemRequest(sort: .name))
    #expect(Set(page.rows.map(\.title)) == Set(hostile))
    #expect(try session.vault.items(ItemRequest(text: "<SCRIPT>")).total == 1)
    #expect(try session.vault.items(ItemRequest(text: String(repeating: "x", count: 1_000))).total == 1)
  }

  @Test func `The items of a group are listed by kind, for the tree of the terminal`() throws {
    let session = try MemoryInspection()
    try fill(session.app, (0..<300).map { ("s\($0)", "a") })
    var titles: [String] = []
    let group = try #require(try session.vault.groups().first)
    let damaged = try session.vault.forEachItem(of: .genericPassword, in: group) { titles.append($0.title) }
    #expect(titles == (0..<300).map { "s\($0)" } && damaged.isEmpty)
    #expect(try session.vault.groups(named: "com.example.shared").count == 1)
    #expect(code { _ = try session.vault.groups(named: "com.example.none") } == .notEntitled)
  }

  @Test func `Every word of a search counts, also the seventeenth, and one of diacritics alone`() throws {
    let session = try MemoryInspection()
    for name in ["one", "two"] { try session.app.add("v", for: GenericPassword(service: name, account: "a")) }
    let many = String(repeating: "a ", count: 16) + "two"
    #expect(try session.vault.items(ItemRequest(text: many)).rows.map(\.title) == ["two"])
    #expect(try session.vault.items(ItemRequest(text: "\u{301}")).total == 0)
    #expect(try session.vault.selection(ItemRequest(text: "one \u{301}")).count == 0)
  }
}
