internal import CCurl
internal import CofferPlatform
internal import CofferSystem

/// Connects standard input and output with a git daemon, byte by byte, until one side closes the connection.
package enum GitRelay {
  /// Throws `unreachable` if there is no connection.
  package static func run(to address: RemoteAddress) throws(TransportFailure) {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard let handle = unsafe curl_easy_init() else { throw TransportFailure(.io, "libcurl cannot be initialised") }
    defer { unsafe curl_easy_cleanup(handle) }
    // libcurl connects to the first of all addresses that answers, IPv4 or IPv6. Nothing is sent by it.
    var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let code = unsafe message.withUnsafeMutableBufferPointer { buffer in
      unsafe _ = coffer_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, buffer.baseAddress)
      unsafe _ = coffer_curl_set_text(handle, CURLOPT_URL, "http://\(address.host):\(address.effectivePort)/")
      unsafe _ = coffer_curl_set_text(handle, CURLOPT_PROXY, "")
      unsafe _ = coffer_curl_set_number(handle, CURLOPT_CONNECT_ONLY, 1)
      unsafe _ = coffer_curl_set_number(handle, CURLOPT_NOSIGNAL, 1)
      unsafe _ = coffer_curl_set_number(handle, CURLOPT_TCP_KEEPALIVE, 1)
      unsafe _ = coffer_curl_set_number(handle, CURLOPT_CONNECTTIMEOUT, 3600)
      defer { unsafe _ = coffer_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil) }
      return unsafe curl_easy_perform(handle)
    }
    guard code == CURLE_OK else {
      let text = String(decoding: message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
      throw TransportFailure(.unreachable, text.sanitizedForTerminal(foldsWhiteSpace: true))
    }
    var socket: curl_socket_t = -1
    guard unsafe coffer_curl_get_socket(handle, &socket) == CURLE_OK, socket >= 0 else {
      throw TransportFailure(.io, "there is no connection")
    }
    relay(socket)
  }

  private static func relay(_ socket: Int32) {
    var toRemote = Flow(from: STDIN_FILENO, to: socket)
    var toParent = Flow(from: socket, to: STDOUT_FILENO)
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, socket] {
      _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
    while !toParent.isDone {
      var waits = [toRemote.readWait, toRemote.writeWait, toParent.readWait, toParent.writeWait]
      let ready = unsafe poll(&waits, nfds_t(waits.count), -1)
      guard ready > 0 || errno == EINTR else { return }
      toRemote.move(canRead: waits[0].revents != 0, canWrite: waits[1].revents != 0)
      toParent.move(canRead: waits[2].revents != 0, canWrite: waits[3].revents != 0)
      if toRemote.isDone && !toRemote.isClosed {
        shutdown(socket, Int32(SHUT_WR))
        toRemote.isClosed = true
      }
    }
  }
}

/// The bytes of one direction.
private struct Flow {
  private let source: Int32
  private let target: Int32
  private var bytes: ArraySlice<UInt8> = []
  private var hasEnded = false
  /// Whether the end was passed on.
  var isClosed = false

  init(from source: Int32, to target: Int32) {
    self.source = source
    self.target = target
  }

  var isDone: Bool { hasEnded && bytes.isEmpty }
  var readWait: pollfd { pollfd(fd: bytes.isEmpty && !hasEnded ? source : -1, events: Int16(POLLIN), revents: 0) }
  var writeWait: pollfd { pollfd(fd: bytes.isEmpty ? -1 : target, events: Int16(POLLOUT), revents: 0) }

  mutating func move(canRead: Bool, canWrite: Bool) {
    if canWrite, !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes { unsafe write(target, $0.baseAddress, $0.count) }
      if count > 0 {
        bytes = bytes.dropFirst(count)
      } else if ![EAGAIN, EINTR].contains(errno) {
        (bytes, hasEnded) = ([], true)
      }
    }
    if canRead, bytes.isEmpty, !hasEnded {
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(source, $0.baseAddress, $0.count) }
      if count > 0 {
        bytes = chunk[..<count]
      } else if count == 0 || ![EAGAIN, EINTR].contains(errno) {
        hasEnded = true
      }
    }
  }
}
