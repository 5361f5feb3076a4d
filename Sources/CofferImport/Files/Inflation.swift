internal import CZlib
internal import CofferSystem

/// Unpacks what zlib has packed, to a size that is known before or limited.
enum Inflation {
  /// The frame of the packed bytes.
  enum Frame {
    case gzip
    /// None, as in a zip archive.
    case raw

    fileprivate var windowBits: Int32 { self == .gzip ? 15 + 16 : -15 }
  }

  /// The CRC-32 of an archive's member.
  static func checksum(of bytes: [UInt8]) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { unsafe UInt32(crc32_z(0, $0.baseAddress, $0.count)) }
  }

  /// Returns the unpacked bytes; nil if they are damaged, or more than `limit`. No memory is taken for more.
  static func inflate(_ packed: [UInt8], _ frame: Frame, limit: Int) -> [UInt8]? {
    var stream = unsafe z_stream()
    guard unsafe inflateInit2_(&stream, frame.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    else { return nil }
    defer { unsafe inflateEnd(&stream) }
    var packed = packed
    var unpacked: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65_536)
    return unsafe packed.withUnsafeMutableBufferPointer { input in
      unsafe stream.next_in = input.baseAddress
      unsafe stream.avail_in = UInt32(clamping: input.count)
      while true {
        let (status, count) = unsafe chunk.withUnsafeMutableBufferPointer { output in
          unsafe stream.next_out = output.baseAddress
          unsafe stream.avail_out = UInt32(output.count)
          let status = unsafe CZlib.inflate(&stream, Z_NO_FLUSH)
          let left = unsafe stream.avail_out
          return (status, output.count - Int(left))
        }
        guard unpacked.count + count <= limit else { return nil }
        unpacked += chunk[..<count]
        if status == Z_STREAM_END { return unpacked }
        let left = unsafe stream.avail_in
        guard status == Z_OK, count > 0 || left > 0 else { return nil }
      }
    }
  }
}
