import Foundation

/// A connection over which a test sends any bytes, as an attacker does.
final class RawConnection {
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  private let descriptor: Int32
  private var buffer: [UInt8] = []

  /// Connects to a port of a loopback address.
  ///
  /// - Parameters:
  ///   - port: The port.
  ///   - isIPv6: Connects to ::1 instead of 127.0.0.1.
  ///   - timeout: After so many seconds without progress, reads and writes fail.
  /// - Throws: ``Failure`` if nobody accepts the connection.
  init(port: Int, isIPv6: Bool = false, timeout: Int = 300) throws {
    // A program that another test starts meanwhile would keep the connection open.
    let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, type, 0)
    guard descriptor >= 0 else { throw Failure(description: "no socket: errno \(errno)") }
    var limit = timeval(tv_sec: timeout, tv_usec: 0)
    for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
      _ = unsafe setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
    }
    let result: Int32
    if isIPv6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = in_port_t(port).bigEndian
      address.sin6_addr = in6addr_loopback
      result = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
        }
      }
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = in_port_t(port).bigEndian
      address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
      result = unsafe withUnsafePointer(to: &address) { pointer in
        unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }
    // `deinit` closes the descriptor: to close it here, too, would close what another test opens meanwhile.
    guard result == 0 else { throw Failure(description: "cannot connect: errno \(errno)") }
  }

  deinit { close(descriptor) }

  /// Sends a text.
  func send(_ text: String) throws { try send(bytes: Array(text.utf8)) }

  /// Sends bytes. Throws if the server has closed the connection.
  func send(bytes: [UInt8]) throws {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe bytes[sent...].withUnsafeBytes { rest in
        unsafe Foundation.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { throw Failure(description: "cannot send: errno \(errno)") }
      sent += count
    }
  }

  /// Receives one response.
  ///
  /// - Parameter hasBody: False for the response to a HEAD request.
  /// - Returns: The response.
  /// - Throws: ``Failure`` if the connection ends before, or nothing comes within the timeout.
  func response(hasBody: Bool = true) throws -> RawResponse {
    while true {
      if let response = try RawResponse(removingFrom: &buffer, hasBody: hasBody) { return response }
      guard try receive() else {
        throw Failure(description: "the connection ended after \(buffer.count) bytes of a response")
      }
    }
  }

  /// Receives until the server closes the connection. Throws if it does not within the timeout.
  ///
  /// - Returns: What was received, and no response has used.
  func readToEnd() throws -> [UInt8] {
    while try receive() {}
    return buffer
  }

  private func receive() throws -> Bool {
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe recv(descriptor, &chunk, chunk.count, 0)
    if count > 0 {
      buffer += chunk[..<count]
      return true
    }
    // A server that closes a connection with unread data resets it.
    if count == 0 || errno == ECONNRESET { return false }
    throw Failure(description: "cannot receive: errno \(errno)")
  }
}

/// A response as it was received.
struct RawResponse: CustomStringConvertible {
  let status: Int
  /// The header fields, by their names in lower case.
  let headers: [String: [String]]
  let body: [UInt8]

  /// The body without the places at which names break: a name is one text.
  var text: String { String(decoding: body, as: UTF8.self).replacing("<wbr>", with: "") }
  var description: String { "status \(status), \(headers), \(text)" }

  /// Returns the only value of a header; nil if there is none, or more than one.
  subscript(_ name: String) -> String? {
    let values = headers[name] ?? []
    return values.count == 1 ? values[0] : nil
  }

  /// Reads a response from the front of a buffer; nil if it is incomplete.
  init?(removingFrom buffer: inout [UInt8], hasBody: Bool) throws {
    guard let end = buffer.firstRange(of: Array("\r\n\r\n".utf8)) else { return nil }
    let lines = String(decoding: buffer[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, words[0] == "HTTP/1.1", let status = Int(words[1]) else {
      throw RawConnection.Failure(description: "no status line: \(lines[0])")
    }
    var headers: [String: [String]] = [:]
    for line in lines.dropFirst() {
      let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
      headers[parts[0].lowercased(), default: []].append(parts.count > 1 ? parts[1] : "")
    }
    let length = hasBody ? headers["content-length"]?.first.flatMap(Int.init) ?? 0 : 0
    guard buffer.count >= end.upperBound + length else { return nil }
    self.status = status
    self.headers = headers
    body = Array(buffer[end.upperBound..<end.upperBound + length])
    buffer.removeFirst(end.upperBound + length)
  }
}
