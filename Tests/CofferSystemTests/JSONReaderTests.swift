import CofferSystem
import Foundation
import Testing

/// JSON that is read by its own words, and files that would cost a decoder far more than they have.
@Suite struct JSONReaderTests {
  @Test(
    arguments: [
      ("null", .null), ("true", .bool(true)), (" false\n", .bool(false)), ("0", .integer(0)), ("-0", .integer(0)),
      ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number(9_223_372_036_854_775_808)),
      ("1.5e3", .integer(1_500)), ("0.25", .number(0.25)), ("\"\"", .string("")), ("[]", .array([])),
      ("{}", .object([:])),
      ("[1, [\"a\"],{\"b\":null}]", .array([.integer(1), .array([.string("a")]), .object(["b": .null])])),
      (#""\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é""#, .string("\"\\/\u{8}\u{c}\n\r\té😀é")),
      ("{\"a\":1,\"a\":2}", .object(["a": .integer(2)])), ("\u{feff}[]", .array([])),
    ] as [(String, JSONValue)])
  func `Every kind of value is read`(text: String, value: JSONValue) throws {
    #expect(JSONValue(json: text.utf8) == value)
    // What was read is written so that another reader finds the same.
    let written = try JSONEncoder().encode(["value": value])
    #expect(JSONValue(json: written)?["value"] == value)
  }

  @Test(arguments: [
    "", " ", "nul", "nulll", "01", "+1", "1.", ".5", "1e", "-", "1e999", "NaN", "'a'", "\"", "\"\\x\"", "\"\u{1}\"",
    #""\ud83d""#, #""\ude00""#, #""\ud83d\u0041""#, #""\u00g0""#, "[1,]", "[1 2]", "[", "]", "{\"a\"}", "{a:1}", "{,}",
    "{\"a\":1,}", "[]x", "// a\n[]",
  ])
  func `What is no JSON is refused`(text: String) { #expect(JSONValue(json: text.utf8) == nil) }

  @Test func `Texts that are not UTF-8 are refused`() {
    #expect(JSONValue(json: [0x22, 0xff, 0x22]) == nil)
    #expect(JSONValue(json: [0x22, 0x5c, 0x6e, 0xed, 0xa0, 0x80, 0x22]) == nil)
  }

  @Test func `The levels and the values are limited`() {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + "1" + String(repeating: "]", count: depth)
    }
    #expect(JSONValue(json: nested(512).utf8) != nil)
    #expect(JSONValue(json: nested(513).utf8) == nil)
    func elements(_ count: Int) -> String { "[" + String(repeating: "1,", count: count - 1) + "1]" }
    #expect(JSONValue(json: elements(JSONValue.maximumCount - 1).utf8)?.elements.count == JSONValue.maximumCount - 1)
    #expect(JSONValue(json: elements(JSONValue.maximumCount).utf8) == nil)
  }

  @Test func `Two million values below 500 levels are read, each at the cost of its own text`() {
    // A decoder that tries one type after the other took minutes for a fiftieth of them.
    let text =
      String(repeating: "[", count: 500) + String(repeating: "[],", count: 2_000_000) + "[]"
      + String(repeating: "]", count: 500)
    var value = JSONValue(json: text.utf8)
    for _ in 1..<500 { value = value?.elements.first }
    #expect(value?.elements.count == 2_000_001)
  }
}
