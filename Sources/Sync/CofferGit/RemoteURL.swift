internal import CofferPlatform
internal import CofferSystem

/// The location of a repository: a path, or a host and path that ssh, HTTP or a git daemon reaches.
///
/// Accepted are absolute and relative paths, `~/path`, `file://`, `ssh://[user@]host[:port]/path`, `[user@]host:path`,
/// `https://[user@]host[:port]/path`, `http://` and `git://host[:port]/path`. A URL is refused if a part of it could
/// act as an option of a program or as shell syntax, or if it holds a password. So a URL may come from an untrusted
/// source.
///
/// Programs and shells see bytes, so the parts are found by Unicode scalars: a `Character` of punctuation and a
/// combining mark equals neither.
package struct RemoteURL: Sendable, Hashable, CustomStringConvertible {
  enum Location: Sendable, Hashable {
    case path(String)
    case ssh(user: String?, host: String, port: UInt16?, path: String)
    case http(HTTPServer)
    case daemon(host: String, port: UInt16?, path: String)
  }

  /// A repository that HTTP reaches.
  struct HTTPServer: Sendable, Hashable {
    let isSecure: Bool
    let user: String?
    /// An IPv6 address is in brackets.
    let host: String
    let port: UInt16?
    /// Begins with a slash, and does not end with one. Other characters than those of URLs are escaped.
    let path: String

    /// The URL without the user.
    var url: String { "\(isSecure ? "https" : "http")://\(host)\(port.map { ":\($0)" } ?? "")\(path)" }
  }

  /// The URL as it was given, or the absolute path that a relative path or `~/path` means at the moment. It never
  /// contains a password.
  package let description: String
  let location: Location

  /// The longest URL, in UTF-8 bytes.
  package static let maximumByteCount = 4096

  /// Parses a URL or path. A relative path is relative to the working directory. Throws `.unsupportedScheme` for remote
  /// helpers. The error does not repeat the text.
  package init(_ text: String) throws(GitError) {
    // The text may hold control characters or a password: no error may repeat it.
    guard !text.isEmpty, text.utf8.count <= Self.maximumByteCount else {
      throw Self.invalid("is empty, or longer than \(Self.maximumByteCount) bytes")
    }
    try Self.requirePlain(text)
    var description = text

    if let (scheme, rest) = Self.split(text, at: "://") {
      let (authority, path) = Self.splitAuthority(rest)
      try Self.refusePassword(in: authority)
      switch scheme.lowercased() {
      case "file":
        guard authority.isEmpty || authority == "localhost" else {
          throw Self.invalid("names a host: file:// has three slashes, file:///path")
        }
        location = .path(try Self.checkedPath(Self.decode(path), mustBeAbsolute: true))
      case "ssh", "git+ssh", "ssh+git":
        location = try Self.ssh(authority: Self.decode(authority), path: Self.decode(path))
      case "https", "http":
        location = .http(
          try Self.http(isSecure: scheme.lowercased() == "https", authority: Self.decode(authority), path: path))
      case "git":
        location = try Self.daemon(authority: Self.decode(authority), path: Self.decode(path))
      default:
        throw Self.invalid("has an unknown scheme: use https://, ssh://, git://, file:// or a path")
      }
    } else if let colon = text.unicodeScalars.firstIndex(of: ":"), !text.unicodeScalars[..<colon].contains("/") {
      location = try Self.scpLike(text)
    } else {
      // git@github.com, or git@github.com/jane/vault.git: nobody means a folder of this name.
      guard !text.unicodeScalars.prefix(while: { $0 != "/" }).contains("@") else {
        throw Self.invalid(
          "names a user and a host without a path: write user@host:path; for a folder of this name, write ./ before it")
      }
      let path = try Self.checkedPath(text, mustBeAbsolute: false)
      location = .path(path)
      description = path
    }
    self.description = description
  }

  /// The path of a repository on this machine; nil for another one.
  package var localPath: String? {
    if case .path(let path) = location { path } else { nil }
  }

  /// Whether ssh carries the transfer.
  var isSSH: Bool {
    if case .ssh = location { true } else { false }
  }

  /// Whether HTTP carries the transfer.
  var isHTTP: Bool {
    if case .http = location { true } else { false }
  }

  /// Whether a transfer may have to ask somebody for a password or passphrase.
  var asksForPasswords: Bool { isSSH || isHTTP }

  /// Whether messages of the remote do not come with the standard error of a child.
  var hidesMessages: Bool {
    switch location {
    case .http, .daemon: true
    case .path, .ssh: false
    }
  }
}

extension RemoteURL {
  private static func http(isSecure: Bool, authority: String, path: Substring) throws(GitError) -> HTTPServer {
    let (user, host, port) = try splitAuthority(authority)
    try checkHost(host)
    if let user {
      guard !user.isEmpty, user.utf8.count <= 255, !user.begins(with: "-"), !user.unicodeScalars.contains(":") else {
        throw invalid("has a malformed user name")
      }
    }
    guard !path.unicodeScalars.contains(where: { "?#\\".unicodeScalars.contains($0) }) else {
      throw invalid("has a query or fragment, which no repository has")
    }
    _ = try decode(path)
    var bytes = Array(path.utf8)
    while bytes.last == UInt8(ascii: "/") { bytes.removeLast() }
    guard !bytes.isEmpty else { throw invalid("names a host but no path") }
    let escaped = bytes.map { byte in
      let isPlain = (0x21...0x7e).contains(byte) && !"\"<>^`{|}".utf8.contains(byte)
      return isPlain
        ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    return HTTPServer(isSecure: isSecure, user: user, host: host, port: port, path: escaped.joined())
  }

  private static func daemon(authority: String, path: String) throws(GitError) -> Location {
    let (user, host, port) = try splitAuthority(authority)
    guard user == nil else { throw invalid("has a user, and git:// knows none: use ssh:// or https://") }
    try checkHost(host)
    guard !path.isEmpty, path != "/" else { throw invalid("names a host but no path") }
    return .daemon(
      host: host, port: port, path: path.begins(with: "/~") ? String(path.unicodeScalars.dropFirst()) : path)
  }

  /// Checks a host that is not passed to a shell.
  private static func checkHost(_ host: String) throws(GitError) {
    if host.begins(with: "[") {
      let address = host.unicodeScalars.dropFirst().dropLast()
      guard host.unicodeScalars.last == "]", address.contains(":"), consists(String(address), of: ".:") else {
        throw invalid("has a malformed IPv6 address")
      }
    } else {
      guard consists(host, of: ".-_") else { throw invalid("has a malformed host name") }
      guard !host.isEmpty, !host.begins(with: "-") else {
        throw invalid("has a host that is empty or begins with \"-\"")
      }
    }
  }

  /// Splits `[user@]host[:port]`.
  private static func splitAuthority(_ authority: String) throws(GitError) -> (String?, String, UInt16?) {
    var host = authority
    var user: String?
    let scalars = authority.unicodeScalars
    if let at = scalars.lastIndex(of: "@") {
      user = String(scalars[..<at])
      host = String(scalars[scalars.index(after: at)...])
    }
    var port: UInt16?
    let portColon = host.unicodeScalars.lastIndex(of: ":").flatMap {
      host.unicodeScalars[$0...].contains("]") ? nil : $0
    }
    if let portColon {
      let digits = String(host.unicodeScalars[portColon...].dropFirst())
      guard let number = UInt16(digits), number > 0, digits.utf8.allSatisfy(isDigit) else {
        throw invalid("has a port that is not a number from 1 to 65535")
      }
      port = number
      host = String(host.unicodeScalars[..<portColon])
    }
    return (user, host, port)
  }

  private static func ssh(authority: String, path: String) throws(GitError) -> Location {
    let (user, host, port) = try splitAuthority(authority)
    guard !path.isEmpty, path != "/" else { throw invalid("names a host but no path") }
    // As in git, ssh://host/~/x and ssh://host/~user/x are in a home directory.
    let remotePath = path.begins(with: "/~") ? String(path.unicodeScalars.dropFirst()) : path
    return try checkedSSH(user: user, host: host, port: port, path: remotePath)
  }

  private static func scpLike(_ text: String) throws(GitError) -> Location {
    var user: String?
    var rest = text.unicodeScalars[...]
    if let at = rest.prefix(while: { $0 != ":" }).lastIndex(of: "@") {
      user = String(rest[..<at])
      rest = rest[rest.index(after: at)...]
    }
    let host: Substring.UnicodeScalarView
    if rest.first == "[", let end = rest.firstIndex(of: "]") {
      host = rest[...end]
      rest = rest[rest.index(after: end)...]
    } else {
      host = rest.prefix { $0 != ":" }
      rest = rest[host.endIndex...]
    }
    guard rest.first == ":" else { throw invalid("has no colon between host and path") }
    let path = rest.dropFirst()
    // For scheme::address, git would run a program named after the scheme.
    guard path.first != ":" else {
      throw GitError(.unsupportedScheme, "remote helpers (name::address) are not supported", context: "remote URL")
    }
    guard !path.isEmpty else { throw invalid("names a host but no path") }
    // user:password@host:path would be read as the host "user" and the path "password@host:path".
    if user == nil, path.prefix(while: { $0 != "/" }).contains("@") {
      throw invalid("seems to hold a password: use a key and user@host:path")
    }
    return try checkedSSH(user: user, host: String(host), port: nil, path: String(path))
  }

  private static func checkedSSH(
    user: String?, host: String, port: UInt16?, path: String
  ) throws(GitError) -> Location {
    var host = host
    if host.unicodeScalars.first == "[", host.unicodeScalars.last == "]" {
      host = String(host.unicodeScalars.dropFirst().dropLast())
      guard host.unicodeScalars.contains(":"), consists(host, of: ".:%") else {
        throw invalid("has a malformed IPv6 address")
      }
    } else {
      // ssh inserts host and user into the shell command of a ProxyCommand.
      guard consists(host, of: ".-_") else { throw invalid("has a malformed host name") }
    }
    guard !host.isEmpty, !host.begins(with: "-") else { throw invalid("has a host that is empty or begins with \"-\"") }
    if let user {
      guard !user.isEmpty, !user.begins(with: "-"), consists(user, of: ".-_+@") else {
        throw invalid("has a malformed user name")
      }
    }
    guard !path.begins(with: "-") else { throw invalid("has a path that begins with \"-\"") }
    return .ssh(user: user, host: host, port: port, path: path)
  }

  private static func checkedPath(_ text: String, mustBeAbsolute: Bool) throws(GitError) -> String {
    guard !text.begins(with: "-") else { throw invalid("begins with \"-\": write ./ before it") }
    if text.begins(with: "/") { return text }
    guard !mustBeAbsolute else { throw invalid("has no absolute path") }
    if text == "~" || text.begins(with: "~/") {
      // As in a shell. The environment is empty in a process with elevated privileges.
      let variable = CurrentProcess.variable("HOME").flatMap { $0.begins(with: "/") ? $0 : nil }
      let home = variable ?? FileManager.default.homeDirectoryForCurrentUser.path
      return try checkedAbsolute(home + String(text.unicodeScalars.dropFirst()))
    }
    guard !text.begins(with: "~") else { throw invalid("names another user's home directory: write its path") }
    guard let folder = CurrentProcess.workingDirectory else {
      throw invalid("is relative, and the working directory does not exist or its path is not UTF-8")
    }
    return try checkedAbsolute(joined(folder, text))
  }

  /// Returns the path that `path` means in a folder. Only "." and the ".." at its beginning are resolved: the names
  /// before another ".." may be links.
  private static func joined(_ folder: String, _ path: String) -> String {
    var names = folder.unicodeScalars.split(separator: "/").map(String.init)
    var rest = path.unicodeScalars.split(separator: "/").map(String.init).filter { $0 != "." }[...]
    while rest.first == ".." {
      _ = names.popLast()
      rest = rest.dropFirst()
    }
    return "/" + (names + rest).joined(separator: "/")
  }

  /// Checks a path that the working directory or the home directory is a part of.
  private static func checkedAbsolute(_ path: String) throws(GitError) -> String {
    guard path.utf8.count <= maximumByteCount else {
      throw invalid("leads to a path that is longer than \(maximumByteCount) bytes")
    }
    try requirePlain(path)
    return path
  }

  private static func refusePassword(in authority: Substring) throws(GitError) {
    guard let at = authority.unicodeScalars.lastIndex(of: "@") else { return }
    let user = String(authority.unicodeScalars[..<at]).lowercased()
    if user.unicodeScalars.contains(":") || user.utf8.firstRange(of: "%3a".utf8) != nil {
      throw invalid("holds a password, which would end up in logs")
    }
  }

  private static func splitAuthority(_ rest: Substring) -> (authority: Substring, path: Substring) {
    let slash = rest.unicodeScalars.firstIndex(of: "/") ?? rest.endIndex
    return (rest[..<slash], rest[slash...])
  }

  private static func split(_ text: String, at separator: String) -> (String, Substring)? {
    let scalars = text.unicodeScalars
    guard let range = scalars.firstRange(of: separator.unicodeScalars), !scalars[..<range.lowerBound].contains("/")
    else { return nil }
    return (String(text[..<range.lowerBound]), text[range.upperBound...])
  }

  private static func decode(_ text: Substring) throws(GitError) -> String {
    guard let bytes = PercentEscapes.decode(text) else { throw invalid("has a malformed % escape") }
    guard let decoded = String(validating: bytes, as: UTF8.self) else { throw invalid("is not UTF-8") }
    try requirePlain(decoded)
    return decoded
  }

  private static func requirePlain(_ text: String) throws(GitError) {
    for scalar in text.unicodeScalars where scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value) {
      throw invalid("holds a control character")
    }
  }

  private static func consists(_ text: String, of punctuation: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
        || punctuation.unicodeScalars.contains(scalar)
    }
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private static func invalid(_ what: String) -> GitError {
    GitError(.invalidURL, "the URL \(what)", context: "remote URL")
  }
}

extension String {
  /// Whether the text starts with these scalars, whatever follows them.
  fileprivate func begins(with prefix: String) -> Bool { utf8.starts(with: prefix.utf8) }
}
