internal import CofferPlatform
internal import CofferSystem

/// The credentials that are tried for a server, in order: that of the URL, the password in the file that
/// `COFFER_HTTP_PASSWORD_FILE` names, `~/.netrc`, and the credential helpers of git. None is sent before the server
/// asks.
struct Credentials {
  private enum Source { case url, file, netrc, helpers }

  private var address: RemoteAddress
  private let options: HTTPTransport.Options
  private var given: Credential?
  private var remaining: [Source] = [.url, .file, .netrc, .helpers]
  private var chosen: (credential: Credential, source: Source)?
  private var tries = 0
  private var isReported = false

  private static let maximumTries = 3

  init(address: RemoteAddress, options: HTTPTransport.Options) {
    self.address = address
    self.options = options
  }

  /// The value of the header `Authorization`, if one is to be sent.
  var header: String? { chosen?.credential.authorization }

  var areChosen: Bool { chosen != nil }

  /// Sets the credential of the URL.
  mutating func offer(_ credential: Credential) { given = credential }

  /// Follows a redirect to another address of the same server.
  mutating func move(to address: RemoteAddress) { self.address = address }

  /// Chooses the next credential, after the server has refused a request. Throws `authenticationFailed` if there is
  /// none.
  mutating func choose(after head: HTTPClient.Head) throws(TransportFailure) {
    if let (credential, source) = chosen {
      if source == .helpers || source == .url { helpers.reject(credential) }
      chosen = nil
    }
    guard head.authenticationSchemes.isEmpty || head.authenticationSchemes.contains("basic") else {
      throw failure(
        "the server wants another authentication than a password: "
          + head.authenticationSchemes.joined(separator: ", ").sanitizedForTerminal(),
        "use ssh, or a token if the host accepts one as a password")
    }
    guard address.isSecure || address.isLoopback else {
      throw failure(
        "the server asks for a password, which is not sent without encryption", "use an https:// or ssh:// URL")
    }
    while tries < Self.maximumTries, let source = remaining.first {
      remaining.removeFirst()
      guard let credential = try credential(from: source), credential.authorization != nil else { continue }
      tries += 1
      chosen = (credential, source)
      isReported = false
      return
    }
    throw failure(
      tries == 0 ? "the server asks for a password" : "the server refuses the password",
      "store a password or token with `git credential approve`, in ~/.netrc, or in a file that COFFER_HTTP_PASSWORD_FILE "
        + "names; the user name can be in the URL: \(address.scheme)://USER@\(address.authority)\(address.path)")
  }

  /// Records that the server has accepted a request.
  mutating func succeeded() {
    guard let (credential, source) = chosen, !isReported else { return }
    isReported = true
    if source == .helpers || source == .url { helpers.approve(credential) }
  }

  /// Verifies that a password that came with the URL is kept, since the URL is stored without it. Throws
  /// `authenticationFailed` if no helper keeps it.
  func keep() throws(TransportFailure) {
    guard let (credential, source) = chosen, source == .url else { return }
    guard helpers(mayPrompt: false).fill() != credential else { return }
    throw failure(
      "the password in the URL is right, but it is not stored, because git has no credential helper that keeps it",
      "configure one, for example with: git config --global credential.helper store; or write the password into ~/.netrc, "
        + "or into a file that COFFER_HTTP_PASSWORD_FILE names")
  }

  private var helpers: GitCredential { helpers(mayPrompt: options.mayPrompt) }

  private func helpers(mayPrompt: Bool) -> GitCredential {
    GitCredential(
      address: address, user: chosen?.credential.user ?? options.user, mayPrompt: mayPrompt, git: options.git)
  }

  private func credential(from source: Source) throws(TransportFailure) -> Credential? {
    switch source {
    case .url: return given
    case .file:
      guard let path = CurrentProcess.variable("COFFER_HTTP_PASSWORD_FILE"), !path.isEmpty else { return nil }
      guard let bytes = try SecretFile.read(path) else {
        throw TransportFailure(
          .permissionDenied, "there is no file \(path.sanitizedForTerminal())",
          recoverySuggestion: "correct COFFER_HTTP_PASSWORD_FILE")
      }
      let line = String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline }
      // Hosts that accept tokens as passwords ignore the user name, but none may be empty.
      return line.isEmpty ? nil : Credential(user: options.user ?? "git", password: String(line))
    case .netrc:
      guard let home = CurrentProcess.variable("HOME"), home.hasPrefix("/"),
        let bytes = try SecretFile.read(home + "/.netrc")
      else { return nil }
      let host = address.host.filter { $0 != "[" && $0 != "]" }
      return NetrcFile(bytes).credential(for: host, user: options.user)
    case .helpers:
      return helpers.fill()
    }
  }

  private func failure(_ message: String, _ suggestion: String) -> TransportFailure {
    TransportFailure(.authenticationFailed, message, recoverySuggestion: suggestion)
  }
}

/// A user name and a password. Its description shows neither.
struct Credential: Hashable, Sendable, CustomStringConvertible, CustomReflectable {
  let user: String
  let password: String

  var description: String { "a credential" }
  var customMirror: Mirror { Mirror(self, children: [:]) }

  /// The value of the header `Authorization`; nil for a user name that HTTP cannot carry.
  var authorization: String? {
    guard !user.contains(":"),
      !(user + password).unicodeScalars.contains(where: { $0.value < 0x20 || $0.value == 0x7f })
    else { return nil }
    return "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()
  }
}
