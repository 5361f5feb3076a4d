import CGit2
import CofferFuzzing

@testable import CofferGit

/// What a git host and a person with a URL can send.
enum GitTargets {
  static let all = [url, path, tree, packets, bundleHeader, pack]

  // MARK: Bundles

  private static let bundleHeader = FuzzTarget(
    "bundle-header", maximumByteCount: 512,
    seeds: {
      let commit = String(repeating: "1a", count: 20)
      return [
        "# v2 git bundle\n\(commit) refs/coffer/backup\n\(commit) refs/heads/vault-1\n\nPACK",
        "# v2 git bundle\n-\(commit) needed\n\(commit) refs/heads/vault-1\n\n", "# v3 git bundle\n",
      ].map { Array($0.utf8) }
    },
    check: { bytes in
      guard let found = try? BundleHeader.read(bytes, context: "a bundle") else { return }
      let references = found.header.references.map { (name: $0.key, commit: $0.value) }
      let again = try BundleHeader.read(BundleHeader.bytes(references), context: "a bundle").orThrow("it is cut off")
      try require(again.header.references == found.header.references, "a second reading differs")
      try require(found.byteCount <= bytes.count, "it is longer than what was read")
      // What is there of it is never taken for a whole header.
      for count in 0..<found.byteCount {
        try require(try BundleHeader.read(Array(bytes[..<count]), context: "a bundle") == nil, "a part is a header")
      }
    })

  private static let pack = FuzzTarget(
    "pack", maximumByteCount: 512,
    check: { bytes in
      let whole = measure([bytes[...]])
      try require(measure(bytes.indices.map { bytes[$0...$0] }) == whole, "parts of a pack are measured in another way")
    })

  /// Measures the parts of a pack. Returns the kind of the error; nil if there is none.
  private static func measure(_ parts: [ArraySlice<UInt8>]) -> GitError.Code? {
    var limits = TransferLimits()
    // Whatever the parts, the limit is the same, and an input of a few bytes can exceed it.
    limits.basicUnpackedBytes = 1 << 16
    limits.unpackedBytesPerByte = 0
    do throws(GitError) {
      let pack = try PackMeasure(limits: limits, context: "a pack")
      for part in parts { try pack.measure(part) }
      return nil
    } catch {
      return error.code
    }
  }

  // MARK: URLs

  private static let url = FuzzTarget(
    "remote-url", maximumByteCount: 128,
    seeds: {
      [
        "/srv/git/vault.git", "./vault", "~/vault", "file:///srv/vault%20b", "ssh://jane@host:22/srv/vault.git",
        "ssh://[::1]:2222/~/vault", "jane@host:vault.git", "[fe80::1%25eth0]:vault", "git+ssh://a@b@host/x'!y",
      ].map { Array($0.utf8) }
    },
    check: { bytes in
      guard let text = String(validating: bytes, as: UTF8.self), let url = try? RemoteURL(text) else { return }
      // A relative path is shown as the absolute one that it means.
      try require(url.description == text || url.location == .path(url.description), "the URL is shown as another one")
      try require(try RemoteURL(text) == url, "a second reading differs")
      try require(try RemoteURL(url.description).location == url.location, "it is stored as another one")
      for service in [RemoteService.uploadPack, .receivePack] { try checkCommand(of: url, for: service) }
    })

  /// Verifies that no part of a URL acts as an option or as shell syntax.
  private static func checkCommand(of url: RemoteURL, for service: RemoteService) throws {
    let programs = TransportPrograms(transport: "coffer-transport")
    if case .http(let server) = url.location, !server.isSecure { return }
    let command = try url.command(for: service, programs: programs, limits: TransferLimits(), mayPrompt: false)
    let isOfTransport = command.first == programs.transport
    let end = isOfTransport ? command.count - 2 : try command.lastIndex(of: "--").orThrow("no end of the options")
    let operands = command[(end + 1)...]
    try require(
      operands.allSatisfy { $0.utf8.first != UInt8(ascii: "-") }, "an operand is read as an option: \(operands)")
    switch url.location {
    case .path(let path):
      try require(command == [programs.git, service.rawValue, "--", path], "another command: \(command)")
      try require(path.utf8.first == UInt8(ascii: "/"), "a path that is not absolute: \(path)")
    case .http(let server):
      try require(operands == [server.url], "other operands: \(operands)")
      try require(server.url.utf8.allSatisfy { (0x21...0x7e).contains($0) }, "a URL with other characters")
      try require(
        server.user.map { !$0.isEmpty && $0.utf8.first != UInt8(ascii: "-") } ?? true, "a user like an option")
    case .daemon(_, _, let path):
      let request = try url.daemonRequest(for: service).orThrow("no request")
      let parts = request.dropFirst(4).split(separator: 0)
      try require(parts.count == 2 && parts[0].elementsEqual("git-\(service.rawValue) \(path)".utf8), "another request")
    case .ssh(let user, let host, _, let path):
      try require(operands.count == 2, "operands: \(operands)")
      try require(operands.first == (user.map { $0 + "@" } ?? "") + host, "another destination: \(operands)")
      // ssh expands % in some options, and a ProxyCommand is a shell command with host and user.
      let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_+@:%".utf8)
      try require(((user ?? "") + host).utf8.allSatisfy(allowed.contains), "a destination with other characters")
      let words = try shellWords(try operands.last.orThrow("no command"))
      try require(words == ["git-" + service.rawValue, path], "sshd's shell reads \(words) instead of \(path)")
    }
  }

  /// Splits a command as a shell does that knows single quotes and backslashes, and refuses everything else.
  private static func shellWords(_ command: String) throws -> [String] {
    var words: [String] = []
    var word: [UInt8] = []
    var rest = Array(command.utf8)[...]
    var isQuoted = false
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "'"): isQuoted.toggle()
      case UInt8(ascii: "!") where isQuoted: throw BrokenPromise("csh expands an exclamation mark in quotes")
      case _ where isQuoted: word.append(byte)
      case UInt8(ascii: "\\"): word.append(try rest.popFirst().orThrow("a backslash at the end"))
      case UInt8(ascii: " "):
        words.append(String(decoding: word, as: UTF8.self))
        word = []
      default:
        let isPlain = byte == UInt8(ascii: "-") || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        try require(isPlain, "the shell sees \(Character(Unicode.Scalar(byte)))")
        word.append(byte)
      }
    }
    try require(!isQuoted, "an open quote")
    return words + [String(decoding: word, as: UTF8.self)]
  }

  // MARK: Trees

  private static let path = FuzzTarget(
    "tree-path", maximumByteCount: 128, seeds: { ["log/0/1", "a/.GIT/b", "x/../y"].map { Array($0.utf8) } },
    check: { bytes in
      guard let path = String(validating: bytes, as: UTF8.self), let parts = try? Tree.parts(of: path) else { return }
      try require(parts.joined(separator: "/").utf8.elementsEqual(path.utf8), "the parts make another path")
      for part in parts {
        try require(![".", "..", "", ".git", "git~1"].contains(part.lowercased()), "a name that leaves the tree")
        try require(part.utf8.allSatisfy { $0 >= 0x20 && ![0x2F, 0x5C, 0x7F].contains($0) }, "a name with \(part)")
      }
    })

  private static let tree = FuzzTarget(
    "tree", maximumByteCount: 256,
    seeds: {
      let id = (1...20).map { UInt8($0) }
      return [
        Array("100644 genesis\0".utf8) + id + Array("40000 log\0".utf8) + id,
        Array("100755 a\0".utf8) + id + Array("120000 b\0".utf8) + id + Array("160000 c\0".utf8) + id,
      ]
    },
    check: { bytes in
      guard let tree = try? readTree(bytes) else { return }
      try require(tree.count * 23 <= bytes.count, "more entries than the bytes can hold")
      try require(tree[tree.count] == nil, "an entry after the last one")
      for index in 0..<tree.count {
        let entry = try tree[index].orThrow("no entry \(index)")
        if entry.kind != .file(.irregular) {
          try require(Tree.isUsableName(entry.name), "a name that cannot be used")
          // A host can write two entries of one name; both readings then have to name the same one.
          try require(tree[entry.name]?.name == entry.name, "an entry is not found by its name")
          try require(bytes.firstRange(of: entry.name.utf8) != nil, "a name that is not in the tree")
        }
        try require(bytes.firstRange(of: entry.id.bytes) != nil, "an identifier that is not in the tree")
      }
    })

  /// Reads bytes as the tree object of a repository in memory, as a fetch would have stored them.
  private static func readTree(_ bytes: [UInt8]) throws -> Tree {
    try LibGit2.start()
    let database = unsafe try LibGit2Object.create(context: "database", git_odb_free) { unsafe git_odb_new(&$0) }
    var backend: OpaquePointer?
    try check(unsafe git_mempack_new(&backend), context: "memory")
    try check(unsafe git_odb_add_backend(database.pointer, backend, 1), context: "memory")
    let repository = unsafe try LibGit2Object.create(context: "repository", git_repository_free) {
      [database = database.pointer] in
      unsafe git_repository_wrap_odb(&$0, database)
    }
    var raw = git_oid()
    try check(unsafe git_odb_write(&raw, database.pointer, bytes, bytes.count, GIT_OBJECT_TREE), context: "tree")
    return try Tree.read(ObjectID(raw), in: repository)
  }

  // MARK: Packets

  private static let packets = FuzzTarget(
    "packets", maximumByteCount: 512,
    seeds: {
      let id = String(repeating: "1a", count: 20)
      return [
        "003f\(id) refs/heads/main\0 report-status\n003b\(id) refs/heads/v\n0000",
        "000eunpack ok\n0016ok refs/heads/main\n0000", "0024ng refs/heads/main fetch first\n0000", "0008ERR 0000",
      ].map { Array($0.utf8) }
    },
    check: { bytes in
      // Reading on from the connection is an error, and ends the list.
      let cancellation = Cancellation()
      cancellation.cancel()
      let connection = Connection(
        to: try RemoteURL("/"), programs: TransportPrograms(), limits: TransferLimits(), cancellation: cancellation)
      var stream = PacketStream(connection, received: bytes)
      if let references = try? stream.readReferences() {
        for (name, id) in references {
          try require(name.hasPrefix("refs/") && !id.isZero, "a reference that is none")
          try require(bytes.firstRange(of: name.utf8) != nil || !name.utf8.allSatisfy { $0 < 0x80 }, "another name")
        }
      }
      stream = PacketStream(connection, received: bytes)
      _ = try? stream.readStatuses(of: ["refs/heads/main"])
    })
}

extension Optional {
  fileprivate func orThrow(_ promise: String) throws -> Wrapped {
    guard let self else { throw BrokenPromise(promise) }
    return self
  }
}
