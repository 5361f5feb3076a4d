import Coffer
import Foundation
import Testing

@Suite struct RoundTripTests {
  @Test func `Texts of every kind and values of every size are read byte for byte from a reopened vault`() throws {
    let tampered = try TamperedVault()
    let texts = [
      "", " ", "a", "ä", "a\u{308}", "\u{0}", "a\u{0}b", "🙂", "👩‍👩‍👧‍👦", "\u{FEFF}x", "\r\n", "\u{202E}reversed", "𝔘𝔫𝔦",
      String(repeating: "é", count: 500_000),
    ]
    let values: [[UInt8]] = [[], [0], [0, 0, 0], Array(0...255), [UInt8](repeating: 7, count: 1 << 20)]
    var written: [(GenericPassword, [UInt8])] = []
    for (index, text) in texts.enumerated() {
      var item = GenericPassword(
        service: text, account: texts[(index + 3) % texts.count], label: texts[(index + 5) % texts.count])
      item.comment = texts[(index + 7) % texts.count]
      item.generic = Data(values[index % 4])
      let value = values[index % values.count]
      try tampered.vault.set(value, for: item)
      written.append((item, value))
    }
    let vault = try tampered.reopened()
    for (item, value) in written {
      #expect(try vault.bytes(for: item) == value)
      let stored = try #require(try vault.storedItem(for: item)).item
      #expect(Array(stored.service.utf8) == Array(item.service.utf8))
      #expect(Array(stored.account.utf8) == Array(item.account.utf8))
      #expect(stored.label.map { Array($0.utf8) } == item.label.map { Array($0.utf8) })
      #expect(stored.comment.map { Array($0.utf8) } == item.comment.map { Array($0.utf8) })
      #expect(stored.generic == item.generic)
    }
    // Two spellings of one letter are two accounts, as on Apple's systems.
    #expect(try vault.count(GenericPassword.self) == texts.count)
  }

  @Test func `The largest value and label are accepted; one byte more is refused and changes nothing`() throws {
    let tampered = try TamperedVault()
    var item = GenericPassword(service: "s", account: "a", label: String(repeating: "l", count: 1 << 20))
    var value = [UInt8](repeating: 0, count: Vault.maximumValueByteCount)
    value[value.count - 1] = 9
    try tampered.vault.set(value, for: item)
    let vault = try tampered.reopened()
    #expect(try vault.bytes(for: item) == value)
    #expect(try vault.storedItem(for: item)?.item.label?.utf8.count == 1 << 20)
    #expect(
      ReadOutcome {
        try vault.set(value + [0], for: item); return nil
      } == .error(.invalidArgument))
    item.label = String(repeating: "l", count: (1 << 20) + 1)
    #expect(
      ReadOutcome {
        try vault.set("v", for: item); return nil
      } == .error(.invalidArgument))
    #expect(try vault.bytes(for: item) == value)
  }
}
