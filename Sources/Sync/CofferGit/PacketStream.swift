/// The packets of git's protocol over a connection: four hexadecimal digits with the length, then the content.
struct PacketStream {
  private let connection: Connection
  private var received: ArraySlice<UInt8> = []
  /// Bytes of the remote's status that a side band has carried, and that were not read yet.
  private var status: ArraySlice<UInt8> = []
  private var hasSideBand = false

  private static let headerByteCount = 4

  /// Creates a stream over a connection, from which `received` was read before.
  init(_ connection: Connection, received: [UInt8] = []) {
    self.connection = connection
    self.received = received[...]
  }

  func write(_ text: String) throws(GitError) {
    let length = String(text.utf8.count + Self.headerByteCount, radix: 16)
    try send(String(repeating: "0", count: Self.headerByteCount - length.count) + length + text)
  }

  func writeEnd() throws(GitError) { try send("0000") }

  /// Ends a push that changes nothing, as the remote waits for it. Over HTTP, no request has begun.
  func takeLeave() throws(GitError) {
    if !connection.isStateless { try writeEnd() }
  }

  /// What a push adds to its capabilities, so that the messages of the remote's hooks arrive inside of the protocol.
  /// ssh carries them beside it.
  var sideBand: String { hasSideBand ? " side-band-64k" : "" }

  private func send(_ text: String) throws(GitError) { try connection.write(Array(text.utf8)) }

  /// Reads the list of references, by name, with which a remote begins a push. Throws `.protocolError` if it is not
  /// such a list.
  mutating func readReferences() throws(GitError) -> [String: ObjectID] {
    var references: [String: ObjectID] = [:]
    // Over HTTP, the name of the service comes first, as a list of its own.
    if connection.isStateless { while try readPacket() != nil {} }
    while let packet = try readPacket() {
      let line = packet.last == UInt8(ascii: "\n") ? packet.dropLast() : packet
      if line.starts(with: "ERR ".utf8) {
        throw failure(String(decoding: line.dropFirst(4), as: UTF8.self).asTerminalLine)
      }
      if line.starts(with: "version ".utf8) || line.starts(with: "shallow ".utf8) { continue }
      // The capabilities of the remote follow the first name and a zero byte.
      if let zero = line.firstIndex(of: 0) {
        let capabilities = line[line.index(after: zero)...].split(separator: UInt8(ascii: " "))
        hasSideBand =
          connection.remote.hidesMessages && capabilities.contains { $0.elementsEqual("side-band-64k".utf8) }
      }
      let parts = line.prefix { $0 != 0 }.split(separator: UInt8(ascii: " "), maxSplits: 1)
      guard parts.count == 2, let id = ObjectID(hexadecimal: parts[0]) else {
        throw failure("the remote's list of references is malformed")
      }
      let name = String(decoding: parts[1], as: UTF8.self)
      if name.hasPrefix("refs/"), !name.hasSuffix("^{}"), !id.isZero { references[name] = id }
    }
    try connection.finishResponse()
    return references
  }

  /// Reads the remote's answer to a push: for each pushed reference nil if the remote accepted it, or its reason.
  /// Throws `.protocolError` if the remote did not report one of them.
  mutating func readStatuses(of names: Set<String>) throws(GitError) -> [String: String?] {
    var statuses: [String: String?] = [:]
    var unpacking = "ok"
    while let packet = try readStatusPacket() {
      let line = String(decoding: packet.last == UInt8(ascii: "\n") ? packet.dropLast() : packet, as: UTF8.self)
      if line.hasPrefix("unpack ") {
        unpacking = String(line.dropFirst("unpack ".count))
      } else {
        let parts = line.split(separator: " ", maxSplits: 2).map(String.init)
        guard parts.count > 1, names.contains(parts[1]) else { continue }
        if parts[0] == "ok", parts.count == 2 { statuses.updateValue(nil, forKey: parts[1]) }
        if parts[0] == "ng", parts.count == 3 { statuses.updateValue(parts[2], forKey: parts[1]) }
      }
    }
    for name in names.sorted() where statuses[name] == nil {
      throw failure("the remote did not report whether it accepted \(name)")
    }
    return unpacking == "ok" ? statuses : statuses.mapValues { _ in unpacking }
  }

  /// Reads a packet of the status. With a side band, it is inside of other packets, beside messages for people.
  private mutating func readStatusPacket() throws(GitError) -> ArraySlice<UInt8>? {
    guard hasSideBand else { return try readPacket() }
    while true {
      if status.count >= Self.headerByteCount {
        let length = try Self.length(status.prefix(Self.headerByteCount)).orThrow(malformed)
        if length == 0 { return nil }
        guard length >= Self.headerByteCount else { throw malformed }
        if status.count >= length {
          defer { status = status.dropFirst(length) }
          return status.prefix(length).dropFirst(Self.headerByteCount)
        }
      }
      guard let packet = try readPacket(), let band = packet.first else { throw malformed }
      switch band {
      case 1: status = ArraySlice(status + packet.dropFirst())
      case 2: connection.appendMessages(packet.dropFirst())
      case 3: throw failure(String(decoding: packet.dropFirst(), as: UTF8.self).asTerminalLine)
      default: throw malformed
      }
    }
  }

  private var malformed: GitError { failure("the remote sent a malformed packet") }

  private static func length(_ header: ArraySlice<UInt8>) -> Int? {
    let digits = header.compactMap(hexadecimalValue)
    return digits.count == header.count ? digits.reduce(0) { $0 << 4 | Int($1) } : nil
  }

  /// Reads a packet. Returns nil at the end of a list.
  private mutating func readPacket() throws(GitError) -> ArraySlice<UInt8>? {
    let header = try read(Self.headerByteCount)
    let length = try Self.length(header).orThrow(malformed)
    if length == 0 { return nil }
    guard length >= Self.headerByteCount else { throw malformed }
    return try read(length - Self.headerByteCount)
  }

  private mutating func read(_ count: Int) throws(GitError) -> ArraySlice<UInt8> {
    while received.count < count {
      var chunk = [UInt8](repeating: 0, count: 65_536)
      let byteCount = try unsafe chunk.withBytes { (buffer) throws(GitError) in
        try unsafe connection.read(into: buffer)
      }
      guard byteCount > 0 else { throw connection.closedByRemote }
      received = ArraySlice(received + chunk.prefix(byteCount))
    }
    defer { received = received.dropFirst(count) }
    return received.prefix(count)
  }

  private func failure(_ message: String) -> GitError {
    GitError(.protocolError, message, context: connection.remote.description)
  }
}

extension Optional {
  fileprivate func orThrow(_ error: GitError) throws(GitError) -> Wrapped {
    guard let self else { throw error }
    return self
  }
}
