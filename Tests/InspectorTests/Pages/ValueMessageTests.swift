import Foundation
import NIOCore
import Testing

@testable import CofferInspectProgram
@testable import CofferInspection

@Suite struct ValueMessageTests {
  private func message(of value: [UInt8]) throws -> [String: String] {
    var value = value
    let buffer = ValueMessage.buffer(of: ItemValue(moving: &value))
    return try JSONDecoder().decode([String: String].self, from: Data(buffer.readableBytesView))
  }

  @Test func `A text arrives as it is stored, whatever it contains`() throws {
    let text = "\"}, \\ \u{1}\u{1F}\u{7F}\n\t </script> größe 🔑 \u{2028}\u{202E}"
    #expect(try message(of: Array(text.utf8)) == ["text": text])
    #expect(try message(of: []) == ["text": ""])
  }

  @Test func `Bytes that are no text arrive as Base64`() throws {
    #expect(try message(of: [0xFF, 0x00, 0x22]) == ["base64": "/wAi"])
    #expect(try message(of: [0x61, 0x00]) == ["base64": "YQA="])
  }
}
