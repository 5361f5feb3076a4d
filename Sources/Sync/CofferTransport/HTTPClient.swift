internal import CCurl
internal import CofferPlatform
internal import CofferSystem

/// One connection of libcurl that is kept open between requests.
///
/// Not URLSession, which is libcurl too on Linux: it has no way to set a file of certificates there, does not slow down
/// a server whose response is read slowly, and holds the body of a redirect in memory, however long it is.
@safe final class HTTPClient {
  /// The body of a request.
  enum Body {
    case none
    case bytes([UInt8])
    /// Returns the next bytes, or nil at the end.
    case stream(() -> [UInt8]?)
  }

  struct Request {
    let address: RemoteAddress
    /// The path, the query included, that is appended to that of the address.
    let suffix: String
    let headers: [String]
    let body: Body
  }

  /// A response as far as its headers.
  struct Head {
    var status = 0
    /// In lower case, without parameters.
    var contentType = ""
    var location: String?
    /// The schemes by which the server wants to be shown who asks, in lower case.
    var authenticationSchemes: [String] = []
  }

  /// A request that has no complete response.
  struct Problem: Error {
    let code: CURLcode
    /// What libcurl says of it.
    let text: String
    /// The status of a proxy's refusal, or 0.
    let proxyStatus: Int
  }

  private let handle: UnsafeMutableRawPointer
  private let certificateAuthorityFile: String?
  // State of the running request.
  private var head = Head()
  private var headerByteCount = 0
  private var receive: ((Head, UnsafeRawBufferPointer) -> Bool)?
  private var next: (() -> [UInt8]?)?
  private var outgoing: ArraySlice<UInt8> = []

  private static let maximumHeaderByteCount = 256 << 10

  /// Takes the file with the authorities to trust instead of those of the system.
  init(certificateAuthorityFile: String?) {
    self.certificateAuthorityFile = certificateAuthorityFile
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
    guard let handle = unsafe curl_easy_init() else { fatalError("libcurl cannot be initialised") }
    unsafe self.handle = unsafe handle
  }

  deinit { unsafe curl_easy_cleanup(handle) }

  /// Sends a request and receives its response. `receive` gets the head of the response with each part of the body;
  /// false ends the transfer. Throws ``Problem`` if the response is not complete, unless `receive` has ended it.
  func perform(
    _ request: Request, receive: @escaping (Head, UnsafeRawBufferPointer) -> Bool
  ) throws(Problem) -> Head {
    head = Head()
    headerByteCount = 0
    outgoing = []
    var hasEnded = false
    unsafe self.receive = { head, bytes in
      let goesOn = unsafe receive(head, bytes)
      if !goesOn { hasEnded = true }
      return goesOn
    }
    defer { unsafe (self.receive, next) = (nil, nil) }
    var message = [CChar](repeating: 0, count: Int(CURL_ERROR_SIZE))
    let headers = unsafe list(request.headers + ["Expect:"])
    defer { unsafe curl_slist_free_all(headers) }
    let code = unsafe message.withUnsafeMutableBufferPointer { buffer in
      unsafe configure(request, headers: headers, message: buffer.baseAddress)
      defer { unsafe _ = coffer_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, nil) }
      guard case .bytes(let bytes) = request.body else { return unsafe curl_easy_perform(handle) }
      return unsafe bytes.withUnsafeBytes { bytes in
        unsafe _ = coffer_curl_set_pointer(
          handle, CURLOPT_POSTFIELDS, UnsafeMutableRawPointer(mutating: bytes.baseAddress))
        return unsafe curl_easy_perform(handle)
      }
    }
    guard code == CURLE_OK || hasEnded else {
      let bytes = message.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
      var text = String(decoding: bytes, as: UTF8.self)
      // libcurl repeats the URL of a proxy that it does not understand, with the password.
      if text.isEmpty || text.hasPrefix("Unsupported proxy") || code == CURLE_COULDNT_RESOLVE_PROXY {
        text = unsafe String(cString: curl_easy_strerror(code))
      }
      throw Problem(code: code, text: text.sanitizedForTerminal(foldsWhiteSpace: true), proxyStatus: proxyStatus)
    }
    return head
  }

  private var proxyStatus: Int {
    var status = 0
    unsafe _ = coffer_curl_get_number(handle, CURLINFO_HTTP_CONNECTCODE, &status)
    return status / 100 == 2 ? 0 : status
  }

  private func list(_ lines: [String]) -> UnsafeMutablePointer<curl_slist>? {
    var list: UnsafeMutablePointer<curl_slist>?
    for line in lines { unsafe list = curl_slist_append(list, line) }
    return unsafe list
  }

  private func configure(
    _ request: Request, headers: UnsafeMutablePointer<curl_slist>?, message: UnsafeMutablePointer<CChar>?
  ) {
    // Keeps the open connections.
    unsafe curl_easy_reset(handle)
    unsafe _ = coffer_curl_set_pointer(handle, CURLOPT_ERRORBUFFER, message)
    set(CURLOPT_URL, request.address.text + request.suffix)
    unsafe _ = coffer_curl_allow_http_only(handle)
    set(CURLOPT_FOLLOWLOCATION, 0)
    set(CURLOPT_NOSIGNAL, 1)
    set(CURLOPT_TCP_KEEPALIVE, 1)
    set(CURLOPT_USERAGENT, "git/2.0 (coffer)")
    // All that libcurl was built with.
    set(CURLOPT_ACCEPT_ENCODING, "")
    // The program that has started this one ends it at the time limits of the user.
    set(CURLOPT_CONNECTTIMEOUT, 3600)
    unsafe _ = coffer_curl_set_list(handle, CURLOPT_HTTPHEADER, headers)
    // These headers are not for a proxy.
    set(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    if let certificateAuthorityFile {
      set(CURLOPT_CAINFO, certificateAuthorityFile)
      unsafe _ = coffer_curl_set_text(handle, CURLOPT_CAPATH, nil)
    }
    // Only this machine is trusted without encryption: a proxy is another one.
    if request.address.isLoopback && !request.address.isSecure { set(CURLOPT_PROXY, "") }
    let context = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe _ = coffer_curl_set_pointer(handle, CURLOPT_HEADERDATA, context)
    unsafe _ = coffer_curl_set_callback(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      unsafe HTTPClient.from(context)?.receiveHeader(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    unsafe _ = coffer_curl_set_pointer(handle, CURLOPT_WRITEDATA, context)
    unsafe _ = coffer_curl_set_callback(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      unsafe HTTPClient.from(context)?.receiveBody(UnsafeRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    switch request.body {
    case .none: break
    case .bytes(let bytes):
      set(CURLOPT_POST, 1)
      unsafe _ = coffer_curl_set_size(handle, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(bytes.count))
    case .stream(let next):
      // Without a size, libcurl sends it in chunks.
      self.next = next
      set(CURLOPT_POST, 1)
      unsafe _ = coffer_curl_set_pointer(handle, CURLOPT_READDATA, context)
      unsafe _ = coffer_curl_set_callback(handle, CURLOPT_READFUNCTION) { buffer, size, count, context in
        unsafe HTTPClient.from(context)?.fill(UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
          ?? Int(CURL_READFUNC_ABORT)
      }
    }
  }

  private func set(_ option: CURLoption, _ value: Int) { unsafe _ = coffer_curl_set_number(handle, option, value) }
  private func set(_ option: CURLoption, _ value: String) { unsafe _ = coffer_curl_set_text(handle, option, value) }

  private func receiveHeader(_ bytes: UnsafeRawBufferPointer) -> Int {
    headerByteCount += bytes.count
    guard headerByteCount <= Self.maximumHeaderByteCount else { return 0 }
    let line = unsafe String(decoding: bytes, as: UTF8.self).filter { !$0.isNewline }
    if line.hasPrefix("HTTP/") {
      // The head of a proxy's or an interim response came before.
      head = Head()
      head.status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
      return bytes.count
    }
    guard let colon = line.firstIndex(of: ":") else { return bytes.count }
    let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
    switch line[..<colon].lowercased() {
    case "content-type":
      head.contentType = String(value.prefix { $0 != ";" && $0 != " " }).lowercased()
    case "location": head.location = String(value)
    case "www-authenticate":
      head.authenticationSchemes.append(String(value.prefix { $0 != " " && $0 != "," }).lowercased())
    default: break
    }
    return bytes.count
  }

  private func receiveBody(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard let receive = unsafe receive, unsafe receive(head, bytes) else { return 0 }
    return bytes.count
  }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
    if outgoing.isEmpty {
      guard let bytes = next?() else { return 0 }
      outgoing = bytes[...]
    }
    let count = min(outgoing.count, buffer.count)
    unsafe buffer.copyBytes(from: outgoing.prefix(count))
    outgoing = outgoing.dropFirst(count)
    return count
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> HTTPClient? {
    unsafe context.map { unsafe Unmanaged<HTTPClient>.fromOpaque($0).takeUnretainedValue() }
  }
}
