import CofferTestSupport
import Foundation
import Testing

@Suite struct HealthCommandTests {
  private struct Report: Decodable {
    struct Item: Decodable {
      let service: String
      let bits: Int
      let isCommon: Bool
    }
    let examinedCount: Int
    let protectedCount: Int
    let otherCount: Int
    let damagedCount: Int
    let unreadableGroupCount: Int
    let reused: [[Item]]
    let common: [Item]
    let weak: [Item]
    let old: [Item]
  }

  private static let values = [
    "one": "kW7$hTq9!zRb", "two": "kW7$hTq9!zRb", "three": "P@ssw0rd", "four": "abacus77", "five": "first\nsecond",
  ]

  @Test func `health names the items with equal, common and weak passwords, and prints no value`() throws {
    let machine = try Machine()
    for (service, value) in Self.values { try machine.coffer("set", service, "jane", input: value) }
    let table = try machine.run("coffer", "health")
    #expect(table.exitCode == 0, "\(table)")
    for words in ["reused 1", "three", "about 23 bits", "four", "one", "two"] {
      #expect(table.text.contains(words), "\(words): \(table)")
    }
    #expect(table.errors.contains("4 passwords compared; not looked at: 1 item is no password"), "\(table)")
    let json = try machine.run("coffer", "health", "--json")
    let report = try JSONDecoder().decode(Report.self, from: json.output)
    #expect(report.reused.map { Set($0.map(\.service)) } == [["one", "two"]] && report.old.isEmpty)
    #expect(report.common.map(\.service) == ["three"] && report.common.allSatisfy(\.isCommon))
    #expect(report.weak.map(\.service) == ["four"] && report.weak.map(\.bits) == [23])
    #expect(report.examinedCount == 4 && report.otherCount == 1 && report.protectedCount == 0)
    for value in Self.values.values { #expect(!table.text.contains(value) && !json.text.contains(value)) }
  }
}
