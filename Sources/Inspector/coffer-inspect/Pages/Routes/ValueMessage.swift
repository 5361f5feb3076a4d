internal import CofferCrypto
internal import CofferInspection
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The answer that contains a value: `{"text": …}`, or `{"base64": …}` for bytes that are not text.
///
/// The value is in guarded memory until the connection takes the answer. It is then in one buffer, which goes to the
/// kernel as it is, without a copy, and which ``ConnectionGuard`` overwrites when it was sent. What the kernel has,
/// until the browser reads it, and what the browser has are beyond reach.
enum ValueMessage {
  /// Returns the response with a value, which becomes JSON when the response is sent.
  static func response(with value: ItemValue) -> Response {
    response(headers: [.contentType: "application/json"], byteCount: byteCount(of: value)) { buffer(of: value) }
  }

  /// Returns a file with secrets that a browser saves.
  static func download(_ file: SecretText, named name: String, type: String) -> Response {
    let headers: HTTPFields = [.contentType: type, .contentDisposition: "attachment; filename=\"\(name)\""]
    return response(headers: headers, byteCount: file.count) {
      unsafe file.withBytes { unsafe ByteBuffer(bytes: $0) }
    }
  }

  private static func response(
    headers: HTTPFields, byteCount: Int, _ makeBuffer: @escaping @Sendable () -> ByteBuffer
  ) -> Response {
    Response(
      status: .ok, headers: headers,
      body: ResponseBody(contentLength: byteCount) { writer in
        let buffer = makeBuffer()
        do {
          try await writer.write(buffer)
        } catch {
          // The connection has ended: nobody overwrites the buffer otherwise.
          buffer.wipe()
          throw error
        }
        try await writer.finish(nil)
      })
  }

  /// Writes a value as JSON without making a string of it.
  static func buffer(of value: ItemValue) -> ByteBuffer {
    var buffer = ByteBuffer()
    // All of it at once: growing would leave copies.
    buffer.reserveCapacity(byteCount(of: value))
    buffer.writeString(value.isText ? textStart : base64Start)
    unsafe value.bytes.withBytes { bytes in
      if value.isText {
        for index in 0..<bytes.count { append(unsafe bytes[index], to: &buffer) }
      } else {
        unsafe appendBase64(bytes, to: &buffer)
      }
    }
    buffer.writeString(end)
    return buffer
  }

  /// Returns the number of bytes of a value's JSON.
  static func byteCount(of value: ItemValue) -> Int {
    let content = unsafe value.bytes.withBytes { bytes in
      value.isText
        ? (0..<bytes.count).reduce(0) { $0 + encodedByteCount(of: unsafe bytes[$1]) } : (bytes.count + 2) / 3 * 4
    }
    return (value.isText ? textStart : base64Start).utf8.count + content + end.utf8.count
  }

  private static let textStart = #"{"text":""#
  private static let base64Start = #"{"base64":""#
  private static let end = "\"}"

  // MARK: Text

  private static func encodedByteCount(of byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): 2
    case 0..<0x20, 0x7F: 6
    default: 1
    }
  }

  /// Appends a byte of UTF-8 text: quotation marks, backslashes and controls are escaped.
  private static func append(_ byte: UInt8, to buffer: inout ByteBuffer) {
    switch encodedByteCount(of: byte) {
    case 2:
      buffer.writeInteger(UInt8(ascii: "\\"))
      buffer.writeInteger(byte)
    case 6:
      buffer.writeStaticString("\\u00")
      for digit in [byte >> 4, byte & 15] {
        buffer.writeInteger(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
      }
    default: buffer.writeInteger(byte)
    }
  }

  // MARK: Base64

  private static func appendBase64(_ bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let count = min(3, bytes.count - start)
      let group = (0..<3).reduce(UInt32(0)) { group, offset in
        group << 8 | (offset < count ? UInt32(unsafe bytes[start + offset]) : 0)
      }
      for place in 0..<4 {
        let index = UInt8(group >> UInt32(18 - 6 * place) & 63)
        buffer.writeInteger(place <= count ? digit(index) : UInt8(ascii: "="))
      }
    }
  }

  private static func digit(_ index: UInt8) -> UInt8 {
    switch index {
    case 0..<26: UInt8(ascii: "A") + index
    case 26..<52: UInt8(ascii: "a") + index - 26
    case 52..<62: UInt8(ascii: "0") + index - 52
    case 62: UInt8(ascii: "+")
    default: UInt8(ascii: "/")
    }
  }
}
