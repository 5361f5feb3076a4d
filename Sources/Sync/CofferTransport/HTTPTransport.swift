internal import CCurl
internal import CofferPlatform
internal import CofferSystem

/// Carries the requests of git's smart HTTP protocol between the program that has started this one and a server.
package final class HTTPTransport {
  package struct Options {
    /// The file with the authorities to trust instead of those of the system.
    package var certificateAuthorityFile: String?
    /// The user name of the URL.
    package var user: String?
    /// Whether git may ask for user name and password on the terminal.
    package var mayPrompt = false
    /// The git program, by path or by its name in `PATH`.
    package var git = "git"

    package init() {}
  }

  private let channel = ParentChannel()
  private let client: HTTPClient
  private let hasOwnAuthorities: Bool
  /// Where the requests go: after a redirect, another address of the same server.
  private var address: RemoteAddress
  private var credentials: Credentials

  private static let maximumRedirectCount = 5
  /// A longer request is sent while it is written, without its length.
  private static let maximumHeldByteCount = 1 << 20

  package init(to address: RemoteAddress, options: Options) {
    self.address = address
    hasOwnAuthorities = options.certificateAuthorityFile != nil
    client = HTTPClient(certificateAuthorityFile: options.certificateAuthorityFile)
    credentials = Credentials(address: address, options: options)
  }

  /// Serves the requests of the parent until it closes the channel.
  package func run() {
    while let (kind, payload) = channel.readFrame() {
      let text = String(decoding: payload, as: UTF8.self)
      switch kind {
      case .credential:
        let parts = text.split(separator: "\0", maxSplits: 1, omittingEmptySubsequences: false)
        if parts.count == 2 { credentials.offer(Credential(user: String(parts[0]), password: String(parts[1]))) }
      case .listReferences: answer(isSending: false) { () throws(TransportFailure) in try listReferences(of: text) }
      case .request: answer(isSending: true) { () throws(TransportFailure) in try post(to: text) }
      case .data, .end, .failure: continue
      }
    }
  }

  private func answer(isSending: Bool, _ body: () throws(TransportFailure) -> Void) {
    hasReadRequest = !isSending
    do {
      try body()
      channel.writeFrame(.end)
    } catch {
      // The parent first writes all of its request.
      while !hasReadRequest { _ = nextPart() }
      channel.writeFrame(error)
    }
  }

  // MARK: Requests

  private func listReferences(of service: String) throws(TransportFailure) {
    let opening = service == "git-upload-pack" ? "001e# service=git-upload-pack\n" : "001f# service=git-receive-pack\n"
    try perform(
      suffix: "/info/refs?service=\(service)", headers: [], type: "application/x-\(service)-advertisement",
      opening: Array(opening.utf8)
    ) { .none }
    try credentials.keep()
  }

  private func post(to service: String) throws(TransportFailure) {
    var held: [UInt8] = []
    while held.count <= Self.maximumHeldByteCount, let part = nextPart() { held += part }
    let headers = ["Content-Type: application/x-\(service)-request"]
    let type = "application/x-\(service)-result"
    guard !hasReadRequest else {
      return try perform(suffix: "/\(service)", headers: headers, type: type, opening: []) { .bytes(held) }
    }
    // It cannot be sent again after a request for a password: an empty request asks for that before.
    if !credentials.areChosen {
      try perform(suffix: "/\(service)", headers: headers, type: type, opening: [], forwards: false) {
        .bytes(Array("0000".utf8))
      }
    }
    try perform(suffix: "/\(service)", headers: headers, type: type, opening: [], maySendAgain: false) {
      var first: [UInt8]? = held
      return .stream {
        if let bytes = first {
          first = nil
          return bytes
        }
        return self.nextPart()
      }
    }
  }

  private var hasReadRequest = true

  /// Returns the next bytes of the parent's request, or nil at its end.
  private func nextPart() -> [UInt8]? {
    guard !hasReadRequest else { return nil }
    // An empty part would be taken for the end.
    while let (kind, payload) = channel.readFrame(), kind == .data {
      if !payload.isEmpty { return payload }
    }
    hasReadRequest = true
    return nil
  }

  // MARK: Exchange

  private var diagnosis: HTTPDiagnosis { HTTPDiagnosis(address: address, hasOwnAuthorities: hasOwnAuthorities) }

  /// Sends a request, with the redirects and passwords that it takes, and forwards the body of the response to the
  /// parent, or discards it. The suffix follows the address of the remote. The response may have only this type of
  /// content, and must begin with the bytes `opening`. `maySendAgain` is whether the body can be made a second time.
  /// Throws unless the server has answered with a whole response of git.
  private func perform(
    suffix: String, headers: [String], type: String, opening: [UInt8], forwards: Bool = true, maySendAgain: Bool = true,
    body: () -> HTTPClient.Body
  ) throws(TransportFailure) {
    var redirectCount = 0
    while true {
      var response = Response(type: type, opening: opening)
      let request = HTTPClient.Request(
        address: address, suffix: suffix,
        headers: headers + ["Accept: \(type)"] + (credentials.header.map { ["Authorization: \($0)"] } ?? []),
        body: body())
      let head: HTTPClient.Head
      let channel = channel
      do throws(HTTPClient.Problem) {
        head = unsafe try client.perform(request) { head, bytes in
          unsafe response.receive(bytes, head) { if forwards { unsafe channel.writeFrame(.data, $0) } }
        }
      } catch {
        throw diagnosis.failure(of: error, isAnswered: response.hasForwarded)
      }
      switch head.status {
      case 200:
        // A server may answer an empty request with nothing.
        if !forwards { return }
        guard response.isGit(head) else { throw diagnosis.notGit(head.contentType) }
        credentials.succeeded()
        return
      case 401 where maySendAgain:
        try credentials.choose(after: head)
      case 301, 302, 303, 307, 308:
        redirectCount += 1
        address = try redirected(
          to: head.location, suffix: suffix, isAllowed: maySendAgain && redirectCount <= Self.maximumRedirectCount)
        credentials.move(to: address)
      default:
        throw diagnosis.failure(of: head, saying: response.text)
      }
    }
  }

  private func redirected(
    to location: String?, suffix: String, isAllowed: Bool
  ) throws(TransportFailure) -> RemoteAddress {
    guard let location, isAllowed else { throw diagnosis.badRedirect("redirects too often, or to nowhere") }
    let target =
      location.hasPrefix("/") && !location.hasPrefix("//")
      ? "\(address.scheme)://\(address.authority)\(location)" : location
    // A page for people, such as that of a login, does not end like the request.
    guard target.hasSuffix(suffix), let other = RemoteAddress(String(target.dropLast(suffix.count))) else {
      throw diagnosis.badRedirect("redirects to \(location.sanitizedForTerminal()), which is no repository")
    }
    guard other.isSecure || !address.isSecure else {
      throw diagnosis.badRedirect(
        "redirects to \(other.text.sanitizedForTerminal()), which is not encrypted",
        recoverySuggestion: "correct the redirect on the server, or use a URL that it does not redirect")
    }
    guard address.permitsRedirect(to: other) else {
      throw diagnosis.badRedirect(
        "redirects to \(other.text.sanitizedForTerminal()), another server",
        recoverySuggestion: "if you trust that server, use its URL: coffer remote set \(other.text.shellWord)")
    }
    return other
  }
}

/// What arrives of a response, as far as it is decided what it is.
private struct Response {
  let type: String
  let opening: [UInt8]
  private var held: [UInt8] = []
  private(set) var hasForwarded = false

  private static let errorLimit = 8 << 10

  init(type: String, opening: [UInt8]) {
    self.type = type
    self.opening = opening
  }

  /// The text for people of a response that is an error; empty if it is another one than plain text.
  private(set) var text = ""

  func isGit(_ head: HTTPClient.Head) -> Bool {
    head.contentType == type && (hasForwarded || opening.isEmpty)
  }

  /// Forwards the bytes of a response of git. Returns false if the rest of the response is of no use.
  mutating func receive(
    _ bytes: UnsafeRawBufferPointer, _ head: HTTPClient.Head, forward: (UnsafeRawBufferPointer) -> Void
  ) -> Bool {
    if hasForwarded {
      unsafe forward(bytes)
      return true
    }
    if head.status == 200 && head.contentType == type {
      unsafe held += bytes
      guard held.starts(with: opening) else { return held.count < opening.count && opening.starts(with: held) }
      unsafe held.withUnsafeBytes { unsafe forward($0) }
      (held, hasForwarded) = ([], true)
      return true
    }
    unsafe held += bytes.prefix(Self.errorLimit - held.count)
    if head.contentType == "text/plain" { text = String(decoding: held, as: UTF8.self) }
    return head.status != 200 && held.count < Self.errorLimit
  }
}

/// The connection to the program that has started this one: frames over standard input and output. It waits as needed,
/// so a slow parent slows down the remote. If the parent has closed an end, this process ends at once: nobody is left
/// to tell.
struct ParentChannel {
  /// Reads a frame. Returns nil at the end.
  func readFrame() -> (kind: TransportFrame.Kind, payload: [UInt8])? {
    guard let header = readExactly(TransportFrame.headerByteCount) else { return nil }
    guard let (kind, byteCount) = TransportFrame.read(header: header), let payload = readExactly(byteCount) else {
      exit(1)
    }
    return (kind, payload)
  }

  /// Sends a frame, or several if the bytes are more than a frame holds.
  func writeFrame(_ kind: TransportFrame.Kind, _ bytes: UnsafeRawBufferPointer) {
    var rest = unsafe bytes
    repeat {
      let count = min(rest.count, TransportFrame.maximumPayloadByteCount)
      unsafe TransportFrame.header(kind, byteCount: count).withUnsafeBytes { unsafe send($0) }
      unsafe send(UnsafeRawBufferPointer(rebasing: rest[..<count]))
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    } while unsafe !rest.isEmpty
  }

  /// Sends a frame.
  func writeFrame(_ kind: TransportFrame.Kind, _ bytes: [UInt8] = []) {
    unsafe bytes.withUnsafeBytes { unsafe writeFrame(kind, $0) }
  }

  /// Sends an error.
  func writeFrame(_ failure: TransportFailure) {
    let fields = [failure.code.rawValue, failure.message, failure.recoverySuggestion ?? ""]
    writeFrame(.failure, Array(fields.joined(separator: "\0").utf8.prefix(TransportFrame.maximumPayloadByteCount)))
  }

  private func send(_ bytes: UnsafeRawBufferPointer) {
    var sent = 0
    while sent < bytes.count {
      let count = unsafe write(STDOUT_FILENO, bytes.baseAddress?.advanced(by: sent), bytes.count - sent)
      if count < 0 && errno == EINTR { continue }
      guard count > 0 else { exit(1) }
      sent += count
    }
  }

  /// Reads exactly so many bytes. Returns nil at the end.
  private func readExactly(_ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var filled = 0
    while filled < count {
      let received = unsafe bytes.withUnsafeMutableBytes {
        unsafe read(STDIN_FILENO, $0.baseAddress?.advanced(by: filled), count - filled)
      }
      if received < 0 && errno == EINTR { continue }
      guard received > 0 else { return nil }
      filled += received
    }
    return bytes
  }
}
