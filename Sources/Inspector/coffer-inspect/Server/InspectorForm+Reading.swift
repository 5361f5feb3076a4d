internal import HTTPTypes
internal import Hummingbird
internal import NIOCore

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
    let type = request.headers[.contentType]?.split(separator: ";").first ?? ""
    guard type == "application/x-www-form-urlencoded", let form = InspectorForm(body) else {
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
