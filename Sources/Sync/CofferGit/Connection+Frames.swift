internal import CofferSystem

// The frames that `coffer-transport` exchanges with this process.
extension Connection {
  /// How far request and response have come.
  struct FrameState {
    /// Whether a request is open, to which bytes can be added.
    var isSending = false
    /// Whether a response is open.
    var isReceiving = false
    /// The bytes of the current frame that were not read yet.
    var remainingByteCount = 0
  }

  func sendFrame(_ kind: TransportFrame.Kind, _ payload: [UInt8] = []) throws(GitError) {
    try send(TransportFrame.header(kind, byteCount: payload.count) + payload)
  }

  /// Reads bytes of a response, and ends the request before. Returns 0 at the end of the response.
  func readResponse(into buffer: UnsafeMutableRawBufferPointer) throws(GitError) -> Int {
    if frames.isSending {
      frames.isSending = false
      try sendFrame(.end)
      frames.isReceiving = true
    }
    while frames.isReceiving && frames.remainingByteCount == 0 { try readFrameHeader() }
    guard frames.isReceiving else { return 0 }
    let wanted = min(buffer.count, frames.remainingByteCount)
    let count = try unsafe readStream(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]))
    guard count > 0 else { throw closedByRemote }
    frames.remainingByteCount -= count
    return count
  }

  private func readFrameHeader() throws(GitError) {
    guard let (kind, byteCount) = TransportFrame.read(header: try readExactly(TransportFrame.headerByteCount)) else {
      throw GitError(.protocolError, "coffer-transport sent a malformed frame", context: remote.description)
    }
    switch kind {
    case .data: frames.remainingByteCount = byteCount
    case .end: frames.isReceiving = false
    case .failure:
      frames.isReceiving = false
      throw GitError(transportFailure: try readExactly(byteCount), context: remote.description)
    case .credential, .listReferences, .request:
      throw GitError(.protocolError, "coffer-transport sent a malformed frame", context: remote.description)
    }
  }

  private func readExactly(_ count: Int) throws(GitError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let received = try unsafe bytes.withBytes { (buffer) throws(GitError) in
        try unsafe readStream(into: UnsafeMutableRawBufferPointer(rebasing: buffer[filled...]))
      }
      guard received > 0 else { throw closedByRemote }
      filled += received
    }
    return bytes
  }

  /// Reads what was not read of a response.
  func discardResponse() throws(GitError) {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    while try unsafe chunk.withBytes({ (buffer) throws(GitError) in try unsafe readResponse(into: buffer) }) > 0 {}
  }
}
