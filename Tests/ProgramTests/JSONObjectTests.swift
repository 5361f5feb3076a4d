import Foundation
import Testing

@testable import CofferTerminal

@Suite struct JSONObjectTests {
  @Test func `A key without a value is left out, and the keys of another object are among the others`() throws {
    let missing: String? = nil
    let object: JSONObject = [
      "first": 1, "missing": missing, "nested": [["inner": missing, "text": "x"] as JSONObject],
    ]
    let other: JSONObject = ["second": true]
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let bytes = try encoder.encode(object.including(other).including(nil))
    #expect(String(decoding: bytes, as: UTF8.self) == #"{"first":1,"nested":[{"text":"x"}],"second":true}"#)
  }
}
