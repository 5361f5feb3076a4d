internal import CofferCrypto
internal import CofferInspection
internal import Foundation
internal import NIOCore

/// The answer that contains a value: `{"text": …}`, or `{"base64": …}` for bytes that are not text.
enum ValueMessage {
  /// Writes a value as JSON without making a string of it.
  static func buffer(of value: ItemValue) -> ByteBuffer {
    var buffer = ByteBuffer()
    unsafe value.bytes.withBytes { bytes in
      if value.isText {
        buffer.writeString(#"{"text":""#)
        for index in 0..<bytes.count { append(unsafe bytes[index], to: &buffer) }
      } else {
        buffer.writeString(#"{"base64":""#)
        unsafe buffer.writeBytes(Data(bytes).base64EncodedData())
      }
    }
    buffer.writeString("\"}")
    return buffer
  }

  /// Appends a byte of UTF-8 text: quotation marks, backslashes and controls are escaped.
  private static func append(_ byte: UInt8, to buffer: inout ByteBuffer) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"):
      buffer.writeInteger(UInt8(ascii: "\\"))
      buffer.writeInteger(byte)
    case 0..<0x20, 0x7F:
      let digits = Array("0123456789abcdef".utf8)
      buffer.writeBytes(Array("\\u00".utf8) + [digits[Int(byte >> 4)], digits[Int(byte & 15)]])
    default: buffer.writeInteger(byte)
    }
  }
}
