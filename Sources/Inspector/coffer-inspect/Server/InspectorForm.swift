internal import CofferCrypto
internal import CofferSystem
internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

/// The fields of a form that a browser has sent as `application/x-www-form-urlencoded` or, with files, as
/// `multipart/form-data`.
struct InspectorForm: Sendable {
  /// The largest form in bytes, in its encoded form.
  static let maximumByteCount = 4 << 20
  /// The largest number of fields.
  static let maximumFieldCount = 256

  private let body: ByteBuffer
  private let fields: [(name: String, value: Range<Int>)]
  /// Whether the values have escapes.
  private var isEncoded = true

  /// Creates a form without fields.
  init() {
    body = ByteBuffer()
    fields = []
  }

  /// Reads the places of the fields. Only their names become strings. Nil if a name or a value is not encoded properly,
  /// or if there are too many fields.
  init?(_ body: ByteBuffer) {
    var fields: [(String, Range<Int>)] = []
    let bytes = body.readableBytesView
    // The last part has all fields beyond the limit, so that many empty ones cost nothing.
    for part in bytes.split(separator: UInt8(ascii: "&"), maxSplits: Self.maximumFieldCount) {
      let end = part.firstIndex(of: UInt8(ascii: "=")) ?? part.endIndex
      guard let name = Self.bytes(part[..<end]), Self.decode(part[end...].dropFirst(), to: { _ in }),
        let text = String(validating: name, as: UTF8.self), fields.count < Self.maximumFieldCount
      else { return nil }
      let start = end == part.endIndex ? end : part.index(after: end)
      fields.append((text, start..<part.endIndex))
    }
    self.body = body
    self.fields = fields.map { (name: $0.0, value: $0.1) }
  }

  /// Reads the parts of a form with files (RFC 7578), whose boundary the header names. The name of a file is a field of
  /// its own, `file-name` for the field `file`. Nil if a part is malformed, or if there are too many fields.
  init?(_ body: ByteBuffer, boundary: String) {
    let bytes = body.readableBytesView
    let end = "\r\n--\(boundary)"
    guard bytes.starts(with: end.utf8.dropFirst(2)) else { return nil }
    var fields: [(String, Range<Int>)] = []
    var place = bytes.startIndex + end.utf8.count - 2
    while !bytes[place...].starts(with: "--".utf8) {
      guard let value = bytes[place...].end(ofText: "\r\n\r\n"),
        let next = bytes[value...].end(ofText: end), let range = Self.quoted("name", in: bytes[place..<value]),
        let name = String(validating: bytes[range], as: UTF8.self), fields.count < Self.maximumFieldCount
      else { return nil }
      fields.append((name, value..<(next - end.utf8.count)))
      if let file = Self.quoted("filename", in: bytes[place..<value]) { fields.append(("\(name)-name", file)) }
      place = next
    }
    self.body = body
    self.fields = fields.map { (name: $0.0, value: $0.1) }
    isEncoded = false
  }

  /// The place of a parameter of a header.
  private static func quoted(_ name: String, in header: ByteBufferView) -> Range<Int>? {
    guard let start = header.end(ofText: "; \(name)=\"") else { return nil }
    return header[start...].end(ofText: "\"").map { start..<($0 - 1) }
  }

  /// The text of the first field of a name; nil if there is none, or it is not UTF-8.
  subscript(name: String) -> String? {
    bytes(name).flatMap { String(validating: $0, as: UTF8.self) }
  }

  /// Returns all texts of fields of a name, in order.
  func all(_ name: String) -> [String] {
    fields.filter { $0.name == name }.compactMap { field in
      bytes(field.value).flatMap { String(validating: $0, as: UTF8.self) }
    }
  }

  /// The name of the first field whose value is not UTF-8; nil if all are.
  var firstNameWithoutText: String? {
    fields.first { field in bytes(field.value).flatMap { String(validating: $0, as: UTF8.self) } == nil }?.name
  }

  /// The names of all fields, in order.
  var names: [String] { fields.map(\.name) }

  /// Returns the first field of a name in guarded memory, without making a string of it; nil if there is none. With
  /// `hasUnixLines`, the line ends of forms, CR and LF, become those of texts: LF.
  func secret(_ name: String, hasUnixLines: Bool = false) -> SecretText? {
    guard let field = fields.first(where: { $0.name == name }) else { return nil }
    let encoded = body.readableBytesView[field.value]
    return SecretText(capacity: encoded.count) { buffer in
      // Every value can be decoded: the form was not read otherwise.
      _ = Self.decode(encoded, isEncoded) { byte in
        if hasUnixLines, byte == UInt8(ascii: "\n"), buffer.last == UInt8(ascii: "\r") { buffer.removeLast() }
        buffer.append(byte)
      }
    }
  }

  /// Returns the first field of a name as ``secret(_:hasUnixLines:)``; nil also if it is empty.
  func filledSecret(_ name: String, hasUnixLines: Bool = false) -> SecretText? {
    secret(name, hasUnixLines: hasUnixLines).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Returns the bytes of the first field of a name; nil if there is none.
  func bytes(_ name: String) -> [UInt8]? {
    fields.first { $0.name == name }.flatMap { bytes($0.value) }
  }

  /// Overwrites the body with zeros, also for copies of the form. Strings that were read from it remain.
  func wipe() { body.wipe() }

  // MARK: Decoding

  private func bytes(_ value: Range<Int>) -> [UInt8]? { Self.bytes(body.readableBytesView[value], isEncoded) }

  private static func bytes(_ encoded: ByteBufferView, _ isEncoded: Bool = true) -> [UInt8]? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(encoded.count)
    return decode(encoded, isEncoded) { bytes.append($0) } ? bytes : nil
  }

  /// Passes the decoded bytes on, one by one. Returns false at an escape that is malformed.
  private static func decode(
    _ encoded: ByteBufferView, _ isEncoded: Bool = true, to append: (UInt8) -> Void
  ) -> Bool {
    var rest = encoded.makeIterator()
    while let byte = rest.next() {
      switch byte {
      case _ where !isEncoded: append(byte)
      case UInt8(ascii: "+"): append(UInt8(ascii: " "))
      case UInt8(ascii: "%"):
        guard let high = rest.next().flatMap(digit), let low = rest.next().flatMap(digit) else { return false }
        append(high << 4 | low)
      default: append(byte)
      }
    }
    return true
  }

  private static func digit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}

extension InspectorForm {
  /// Reads the form of a POST request, and wipes the buffers that the network has filled. The form has no fields if the
  /// body is empty. Throws ``PageFailure`` if the body is too large, or no form.
  static func read(
    from request: Request, maximumByteCount: Int = InspectorForm.maximumByteCount
  ) async throws -> InspectorForm {
    let claimed = request.headers[.contentLength].flatMap(Int.init) ?? 0
    guard claimed <= maximumByteCount else { throw HTTPError(.contentTooLarge) }
    // All of it at once, so that growing leaves no copies.
    var body = ByteBuffer()
    body.reserveCapacity(claimed)
    do {
      for try await chunk in request.body {
        defer { chunk.wipe() }
        guard body.readableBytes + chunk.readableBytes <= maximumByteCount else { throw HTTPError(.contentTooLarge) }
        body.writeImmutableBuffer(chunk)
      }
    } catch {
      body.wipe()
      // Chunks that cannot be read are the client's fault.
      throw error as? HTTPError ?? HTTPError(.badRequest)
    }
    guard body.readableBytes > 0 else { return InspectorForm() }
    let type = (request.headers[.contentType] ?? "").split(separator: ";", maxSplits: 1)
    let form: InspectorForm? =
      switch type.first {
      case "application/x-www-form-urlencoded": InspectorForm(body)
      case "multipart/form-data" where type.count > 1 && type[1].hasPrefix(" boundary="):
        InspectorForm(body, boundary: String(type[1].dropFirst(" boundary=".count)))
      default: nil
      }
    guard let form else {
      body.wipe()
      throw PageFailure(.unsupportedMediaType, "This did not work", "the request contains no form")
    }
    return form
  }
}

extension ByteBuffer {
  /// Overwrites the readable bytes with zeros, in the memory that all copies of the buffer share.
  func wipe() {
    unsafe withUnsafeReadableBytes { bytes in
      guard let start = bytes.baseAddress else { return }
      // The memory is the buffer's own, allocated for writing; a mutable access would first copy it.
      unsafe UnsafeMutableRawPointer(mutating: start).initializeMemory(as: UInt8.self, repeating: 0, count: bytes.count)
    }
  }
}
