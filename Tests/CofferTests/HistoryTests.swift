import Coffer
import Foundation
import Testing

@Suite struct HistoryTests {
  private let name = GenericPassword(service: "service", account: "account")

  @Test func `Every version is kept with its writer and can be restored, also after a deletion`() throws {
    let vault = try TemporaryVault().app("com.example.one")
    #expect(try vault.history(of: name).versions.isEmpty)
    try vault.set("1", for: name)
    try vault.set("2", for: GenericPassword(service: "service", account: "account", label: "second"))
    let reference = try #require(try vault.storedItem(for: name)).reference
    try vault.delete(name)
    let history = try vault.history(of: name)
    #expect(history.damaged.isEmpty)
    #expect(history.versions.map(\.isDeletion) == [true, false, false])
    #expect(history.versions.map(\.isCurrent) == [true, false, false])
    #expect(history.versions.map(\.item?.label) == [nil, "second", nil])
    #expect(try history.versions.map { try vault.value(of: $0) } == [nil, Data("2".utf8), Data("1".utf8)])
    #expect(history.versions.allSatisfy { $0.writer.device == "laptop" })
    #expect(code { try vault.restore(history.versions[0]) } == .invalidArgument)
    try vault.restore(history.versions[1])
    #expect(try vault.string(for: name) == "2")
    let restored = try #require(try vault.storedItem(for: name))
    #expect(restored.item.label == "second" && restored.reference == reference)
    try vault.restore(history.versions[2])
    #expect(try vault.string(for: name) == "1")
    #expect(try vault.history(of: name).versions.count == 5)
  }

  @Test func `A conflict lists every version, the winner first, and restoring one resolves it`() throws {
    let fixture = try TemporaryVault()
    let one = try fixture.app("com.example.one", groups: ["~com.example.shared"])
    try fixture.app("com.example.two", groups: ["~com.example.shared"])
    try one.set("first", for: name)
    #expect(try one.conflicts(GenericPassword.self).isEmpty)
    try fixture.plant(
      try fixture.forge(
        "second", service: "service", account: "account", in: "com.example.shared", by: "com.example.two"))
    let conflicts = try one.conflicts(GenericPassword.self)
    #expect(conflicts.count == 1)
    #expect(try one.count(GenericPassword.self) == 1)
    let versions = try #require(conflicts.first).versions
    #expect(versions.map(\.isCurrent) == [true, false])
    #expect(try versions.map { try one.value(of: $0) } == [Data("second".utf8), Data("first".utf8)])
    #expect(try one.conflicts(InternetPassword.self).isEmpty)
    try one.restore(versions[1])
    #expect(try one.string(for: name) == "first")
    #expect(try one.conflicts(GenericPassword.self).isEmpty)
  }

  @Test func `Two versions differ in their value, in attributes, and in whether they exist`() throws {
    let vault = try TemporaryVault().app("com.example.one")
    try vault.set("1", for: name)
    try vault.set("1", for: GenericPassword(service: "service", account: "account", label: "second"))
    try vault.set("2", for: GenericPassword(service: "service", account: "account", label: "second"))
    try vault.delete(name)
    let versions = try vault.history(of: name).versions
    func differences(_ first: Int, _ second: Int) throws -> [ItemDifference] {
      try vault.differences(between: versions[first], and: versions[second])
    }
    #expect(try differences(3, 2) == [.attribute("labl")])
    #expect(try differences(2, 1) == [.value])
    #expect(try differences(3, 1) == [.value, .attribute("labl")])
    #expect(try differences(1, 0) == [.existence] && differences(0, 1) == [.existence])
    #expect(try differences(0, 0).isEmpty && differences(1, 1).isEmpty)
    #expect(versions.map(\.isFirst) == [false, false, false, true])
    #expect(versions[2].replaces(versions[3]) && !versions[1].replaces(versions[3]))
  }

  @Test func `An app that may only read a group cannot restore versions in it`() throws {
    let fixture = try TemporaryVault()
    let writer = try fixture.app("com.example.one", groups: ["~com.example.shared"])
    let reader = try fixture.app("com.example.two", readOnly: ["~com.example.shared"])
    try writer.set("1", for: name)
    try writer.set("2", for: name)
    let version = try #require(try reader.history(of: name).versions.last)
    #expect(try reader.value(of: version) == Data("1".utf8))
    #expect(code { try reader.restore(version) } == .notEntitled)
  }
}
