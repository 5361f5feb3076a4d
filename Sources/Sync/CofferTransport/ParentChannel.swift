internal import CofferPlatform
internal import CofferSystem

/// The connection to the program that has started this one: frames over standard input and output. It waits as needed, so
/// a slow parent slows down the remote. If the parent has closed an end, this process ends at once: nobody is left to tell.
struct ParentChannel {
  private let input: Int32
  private let output: Int32

  init(input: Int32 = STDIN_FILENO, output: Int32 = STDOUT_FILENO) {
    self.input = input
    self.output = output
  }

  /// Reads a frame. Returns nil at the end.
  func read() -> (kind: TransportFrame.Kind, payload: [UInt8])? {
    guard let header = read(TransportFrame.headerByteCount) else { return nil }
    guard let (kind, byteCount) = TransportFrame.read(header: header), let payload = read(byteCount) else { exit(1) }
    return (kind, payload)
  }

  /// Sends a frame, or several if the bytes are more than a frame holds.
  func write(_ kind: TransportFrame.Kind, _ bytes: UnsafeRawBufferPointer) {
    var rest = unsafe bytes
    repeat {
      let count = min(rest.count, TransportFrame.maximumPayloadByteCount)
      unsafe TransportFrame.header(kind, byteCount: count).withUnsafeBytes { unsafe send($0) }
      unsafe send(UnsafeRawBufferPointer(rebasing: rest[..<count]))
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    } while unsafe !rest.isEmpty
  }

  /// Sends a frame.
  func write(_ kind: TransportFrame.Kind, _ bytes: [UInt8] = []) {
    unsafe bytes.withUnsafeBytes { unsafe write(kind, $0) }
  }

  /// Sends an error.
  func write(_ failure: TransportFailure) {
    let fields = [failure.code.rawValue, failure.message, failure.recoverySuggestion ?? ""]
    write(.failure, Array(fields.joined(separator: "\0").utf8.prefix(TransportFrame.maximumPayloadByteCount)))
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe systemWrite(output, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { exit(1) }
      sent += count
    }
  }

  /// Reads exactly so many bytes. Returns nil at the end.
  private func read(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let received = unsafe bytes.withUnsafeMutableBytes {
        unsafe systemRead(input, $0.baseAddress?.advanced(by: filled), count - filled)
      }
      if received < 0 && errno == EINTR { continue }
      guard received > 0 else { return nil }
      filled += received
    }
    return bytes
  }
}

// Inside the struct, these names are the methods.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
  unsafe read(descriptor, bytes, count)
}

private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
