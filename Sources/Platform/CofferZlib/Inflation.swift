internal import CZlib

/// Unpacks what zlib has packed, piece by piece, and never into more memory than its caller takes.
@safe package final class Inflation {
  /// The frame of the packed bytes.
  package enum Frame {
    /// As git packs its objects.
    case zlib
    case gzip
    /// None, as in a zip archive.
    case raw

    fileprivate var windowBits: Int32 {
      switch self {
      case .zlib: 15
      case .gzip: 15 + 16
      case .raw: -15
      }
    }
  }

  private let stream: UnsafeMutablePointer<z_stream>
  private var chunk = [UInt8](repeating: 0, count: 65_536)

  /// Nil if there is no memory.
  package init?(_ frame: Frame) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    let status = unsafe inflateInit2_(
      stream, frame.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard status == Z_OK else {
      unsafe stream.deallocate()
      return nil
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Forgets what was unpacked, for other packed bytes.
  package func restart() { unsafe inflateReset(stream) }

  /// Unpacks the next bytes, of which each part goes to `body`, until they or the packed data end, or `body` returns
  /// false. Returns how many of the bytes were read, and whether the packed data ends there; nil if it is damaged.
  package func unpack(
    _ packed: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>) -> Bool
  ) -> (readByteCount: Int, isAtEnd: Bool)? {
    unsafe packed.withUnsafeBufferPointer { input in
      // zlib declares its input as changeable, and does not change it.
      unsafe stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
      unsafe stream.pointee.avail_in = UInt32(clamping: input.count)
      while true {
        let (status, count) = unsafe chunk.withUnsafeMutableBufferPointer { output in
          unsafe stream.pointee.next_out = output.baseAddress
          unsafe stream.pointee.avail_out = UInt32(output.count)
          let status = unsafe inflate(stream, Z_NO_FLUSH)
          return unsafe (status, output.count - Int(stream.pointee.avail_out))
        }
        let readByteCount = unsafe input.count - Int(stream.pointee.avail_in)
        guard count == 0 || body(chunk[..<count]) else { return (readByteCount, false) }
        if status == Z_STREAM_END { return (readByteCount, true) }
        // Without input, nothing is left to be done, which is no error.
        guard status == Z_OK || status == Z_BUF_ERROR else { return nil }
        if count < chunk.count { return (readByteCount, false) }
      }
    }
  }
}

extension Inflation {
  /// The CRC-32 of an archive's member.
  package static func checksum(of bytes: [UInt8]) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { unsafe UInt32(crc32_z(0, $0.baseAddress, $0.count)) }
  }

  /// Returns the unpacked bytes; nil if they are damaged, or more than `limit`. No memory is taken for more.
  package static func unpack(_ packed: [UInt8], _ frame: Frame, limit: Int) -> [UInt8]? {
    var unpacked: [UInt8] = []
    let end = Inflation(frame)?.unpack(packed[...]) { part in
      guard unpacked.count + part.count <= limit else { return false }
      unpacked += part
      return true
    }
    return end?.isAtEnd == true ? unpacked : nil
  }
}

/// Packs bytes as zlib does.
package enum Deflation {
  /// Returns the packed bytes; nil if there is no memory. With `isStored`, they are not made smaller: that takes long,
  /// and sealed bytes stay as large as they are.
  package static func pack(_ bytes: UnsafeRawBufferPointer, isStored: Bool) -> [UInt8]? {
    var status = Z_MEM_ERROR
    let packed = unsafe [UInt8](unsafeUninitializedCapacity: Int(compressBound(UInt(bytes.count)))) { output, count in
      var packedByteCount = UInt(output.count)
      status = unsafe compress2(
        output.baseAddress, &packedByteCount, bytes.assumingMemoryBound(to: UInt8.self).baseAddress,
        UInt(bytes.count), isStored ? Z_NO_COMPRESSION : Z_DEFAULT_COMPRESSION)
      count = status == Z_OK ? Int(packedByteCount) : 0
    }
    return status == Z_OK ? packed : nil
  }
}
