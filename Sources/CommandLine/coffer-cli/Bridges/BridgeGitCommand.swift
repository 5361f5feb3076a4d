internal import ArgumentParser
internal import Coffer
internal import CofferAgent
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeGitCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "git", abstract: "Answer git, which runs this as its credential helper.",
    discussion: "git writes what it wants to standard input. See gitcredentials(7).")
  @Argument(help: "What git wants: get, store, erase or capability.")
  var verb: String
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "git"

  static func settings(_ installation: BridgeInstallation) -> [any BridgeSetting] {
    [GitHelperSetting(command: installation.command)]
  }

  func run() throws {
    let bridge = GitBridge(actor: actor, group: group.group)
    try Terminal.write(
      bridge.answer(verb) { () throws(VaultError) in try SecretInput.contents(of: "-", what: "message") })
  }
}

/// Answers git as one of its credential helpers.
struct GitBridge {
  private typealias Found = StoredItem<InternetPassword>

  let actor: ActorOptions
  let group: String?

  /// Does what a verb of the protocol asks, and returns the answer. An unknown verb asks for nothing.
  func answer(_ verb: String, _ input: () throws(VaultError) -> Data) throws(VaultError) -> Data {
    switch verb {
    case "capability": return Data("version 0\ncapability authtype\n".utf8)
    case "get": return try get(GitCredential(input()))
    case "store": try store(GitCredential(input()))
    case "erase": try erase(GitCredential(input()))
    default: break
    }
    return Data()
  }

  private func get(_ message: GitCredential) throws(VaultError) -> Data {
    guard let place = GitPlace(message), try !actor.isVaultAbsent() else { return Data() }
    let vault = try actor.openForBridge(for: .reading(group), group: group, to: .show)
    for found in try matches(place, in: vault) {
      guard let value = try vault.value(for: found.item, in: found.accessGroup) else { continue }
      let secret = try GitSecret(value)
      // git cannot be told a name that would be another line.
      guard !found.item.account.unicodeScalars.contains(where: { $0 == "\n" || $0 == "\r" || $0 == "\0" }) else {
        continue
      }
      if let answer = try Self.answer(secret, account: found.item.account, to: message) { return answer }
    }
    return Data()
  }

  /// Returns the lines for a secret; nil if who asks could do nothing with it.
  private static func answer(_ secret: GitSecret, account: String, to message: GitCredential) throws(VaultError)
    -> Data?
  {
    var lines: [(String, [UInt8])] = []
    if let credential = secret["credential"], let kind = secret["authtype"] {
      // Only who understands it may be told of it.
      guard message.capabilities.contains("authtype") else { return nil }
      lines = [("capability[]", Array("authtype".utf8)), ("authtype", kind), ("credential", credential)]
    } else {
      lines = [("username", Array(account.utf8))]
      // A program that knows of no expiry would try an expired password. Its refresh token is still of use.
      if !secret.isExpired(asOf: Date()) {
        lines.append(("password", secret.password))
        if let expiry = secret["password_expiry_utc"] { lines.append(("password_expiry_utc", expiry)) }
      }
      if let token = secret["oauth_refresh_token"] { lines.append(("oauth_refresh_token", token)) }
    }
    guard lines.allSatisfy({ $0.0.utf8.count + 1 + $0.1.count <= GitCredential.maximumLineByteCount }) else {
      throw GitSecret.unusable
    }
    return lines.reduce(into: Data()) { $0 += Data("\($1.0)=".utf8) + Data($1.1) + [10] }
  }

  private func store(_ message: GitCredential) throws(VaultError) {
    guard let place = GitPlace(message), let secret = GitSecret(storing: message, asOf: Date()) else { return }
    let vault = try actor.openForBridge(for: .writing(group), group: group)
    var item = place.item
    let groups = Set(try vault.accessGroups.filter(\.isWritable).map(\.name))
    let same = try passwords(for: place, in: vault).filter {
      $0.item.account == item.account && ($0.item.path ?? "") == (item.path ?? "")
    }
    // git stores what has worked each time: the same again is no new version.
    for found in same where !Self.isLogin(found) {
      if let value = try vault.bytesToCompare(for: found.item, in: found.accessGroup),
        let known = try? GitSecret(Data(value)),
        secret.isContained(in: known)
      {
        return
      }
      guard groups.contains(found.accessGroup) else { continue }
      try vault.update(found.item, in: found.accessGroup, value: secret.value)
      return
    }
    // Beside the login: without another security domain, it would be replaced.
    if same.contains(where: Self.isLogin) { item.securityDomain = place.domain }
    try vault.set(secret.value, for: item, in: group)
  }

  private func erase(_ message: GitCredential) throws(VaultError) {
    guard let place = GitPlace(message) else { return }
    let vault = try actor.openForBridge(for: .changing(group), group: group)
    let groups = Set(try vault.accessGroups.filter(\.isWritable).map(\.name))
    for found in try matches(place, in: vault) where groups.contains(found.accessGroup) {
      if message["password"] != nil || message["credential"] != nil {
        guard let value = try vault.bytesToCompare(for: found.item, in: found.accessGroup),
          let secret = try? GitSecret(Data(value)),
          message["password"].map({ $0 == secret.password }) ?? true,
          message["credential"].map({ $0 == secret["credential"] }) ?? true
        else { continue }
      }
      try vault.delete(found.item, in: found.accessGroup)
    }
  }

  /// Returns git's passwords for a place, the newest first.
  private func matches(_ place: GitPlace, in vault: Vault) throws(VaultError) -> [Found] {
    try passwords(for: place, in: vault).filter { !Self.isLogin($0) }
  }

  private func passwords(for place: GitPlace, in vault: Vault) throws(VaultError) -> [Found] {
    try vault.list(place.query(in: group)).items.filter { place.includes($0.item) }.sorted { $0.modified > $1.modified }
  }

  /// Whether a password is that of the server's website: it came from a password manager or a browser, or has one-time
  /// codes. Most servers refuse it to git, which then has the password deleted. In a keyring, git's own may be.
  private static func isLogin(_ found: Found) -> Bool {
    let source = found.item.comment.flatMap(EntryOrigin.init(comment:))?.source
    return source.map { !["secret-service", "security-dump"].contains($0) } ?? false
      || FoundPassword(found).hasOneTimeCodes
  }
}

/// A message of git's protocol for credential helpers: `key=value` in each line, ended by an empty one.
struct GitCredential {
  /// The largest size of a message and of a line, in bytes.
  private static let maximumByteCount = 1 << 20
  static let maximumLineByteCount = 65_535

  private var fields: [String: [UInt8]] = [:]
  /// What the program that asks understands.
  private(set) var capabilities: Set<String> = []

  /// Reads a message. Unknown keys are ignored. Throws `invalidArgument` for a line without "=", for a carriage return
  /// or a NUL, with which one host can pass for another, and for a text that is not UTF-8.
  init(_ message: Data) throws(VaultError) {
    guard message.count <= Self.maximumByteCount else { throw Self.malformed("it is larger than 1 MiB") }
    for line in message.split(separator: 10, omittingEmptySubsequences: false) {
      if line.isEmpty { break }
      guard line.count <= Self.maximumLineByteCount else { throw Self.malformed("a line is longer than 65,535 bytes") }
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")), equals > line.startIndex,
        let key = String(validating: line[..<equals], as: UTF8.self)
      else { throw Self.malformed("a line has no key") }
      let name = key.sanitizedForTerminal(limit: 40)
      guard !line.contains(13), !line.contains(0) else {
        throw Self.malformed("the value of \(name) has a carriage return or a NUL")
      }
      let value = Array(line[(equals + 1)...])
      if key == "capability[]" {
        if value.isEmpty { capabilities = [] } else { capabilities.insert(String(decoding: value, as: UTF8.self)) }
      } else if !key.hasSuffix("[]") {
        guard Self.secretKeys.contains(key) || String(validating: value, as: UTF8.self) != nil else {
          throw Self.malformed("the value of \(name) is not UTF-8")
        }
        fields[key] = value
      }
    }
  }

  private static let secretKeys: Set = ["password", "credential", "oauth_refresh_token"]

  private static func malformed(_ reason: String) -> VaultError {
    VaultError(
      .invalidArgument, "git's message is malformed: \(reason)", recoverySuggestion: "look at the URL that git uses")
  }

  /// The bytes of a field; nil if it is missing.
  subscript(_ key: String) -> [UInt8]? { fields[key] }

  /// A field as text; nil if it is missing.
  func text(_ key: String) -> String? { fields[key].map { String(decoding: $0, as: UTF8.self) } }
}

/// What git wants a credential for, and the internet passwords that are for it.
struct GitPlace {
  let `protocol`: String
  let server: String
  let port: Int?
  /// Nil if git asks for the whole server.
  let path: String?
  /// Nil if git asks for any user.
  let username: String?

  /// Reads the place of a message; nil if it has no protocol or host, for which there can be no credential.
  init?(_ message: GitCredential) {
    guard let name = message.text("protocol"), !name.isEmpty, let host = message.text("host"), !host.isEmpty else {
      return nil
    }
    self.protocol = name
    // The last colon, unless it is one of an address of IPv6.
    if let match = host.wholeMatch(of: /(.+):([0-9]{1,5})/), let number = Int(match.output.2), number <= 65_535,
      !match.output.1.contains(":") || match.output.1.hasSuffix("]")
    {
      server = String(match.output.1)
      port = number
    } else {
      server = host
      port = nil
    }
    path = message.text("path").flatMap { $0.isEmpty ? nil : $0 }
    username = message.text("username")
  }

  /// The query for the passwords that may be for the place.
  func query(in group: String?) -> ItemQuery<InternetPassword> {
    ItemQuery<InternetPassword>(in: group).matching(.server, server)
  }

  /// Whether a password is for the place: exactly, apart from what git does not name.
  func includes(_ item: InternetPassword) -> Bool {
    let wanted = Self.protocols[self.protocol]
    return item.server == server && item.namedProtocol == wanted && (wanted != nil || item.securityDomain == domain)
      && (item.port ?? 0) == (port ?? 0) && (path == nil || item.path == path)
      && (username == nil || item.account == username)
  }

  /// A new password for the place.
  var item: InternetPassword {
    var item = InternetPassword(
      server: server, account: username ?? "", protocol: Self.protocols[self.protocol], port: port, path: path)
    if item.protocol == nil { item.securityDomain = domain }
    return item
  }

  /// Tells a protocol apart for which Keychain has no code, and git's password from the login of a website.
  var domain: String { Self.domainPrefix + self.protocol }
  static let domainPrefix = "git:"

  private static let protocols: [String: InternetProtocol] = [
    "https": .https, "http": .http, "imap": .imap, "imaps": .imaps, "smtp": .smtp, "ftp": .ftp, "ftps": .ftps,
    "ssh": .ssh,
  ]
}

/// The value of an item that git has stored: the password and, as git's helper for macOS writes them, further fields in
/// the lines after it.
struct GitSecret {
  private static let keys = ["password_expiry_utc", "oauth_refresh_token", "authtype", "credential"]

  /// Empty for a credential of another kind.
  let password: [UInt8]
  private let fields: [String: [UInt8]]

  subscript(_ key: String) -> [UInt8]? { fields[key] }

  /// Takes what a message wants to have stored; nil if there is nothing to store.
  init?(storing message: GitCredential, asOf now: Date) {
    guard message.text("ephemeral").map({ ["", "0", "false", "no", "off"].contains($0.lowercased()) }) ?? true else {
      return nil
    }
    password = message["password"] ?? []
    var fields: [String: [UInt8]] = [:]
    for key in Self.keys { if let value = message[key], !value.isEmpty { fields[key] = value } }
    self.fields = fields
    let hasPassword = message["username"] != nil && message["password"] != nil
    let hasCredential = fields["authtype"] != nil && fields["credential"] != nil
    guard hasPassword || hasCredential, !isExpired(asOf: now) else { return nil }
  }

  /// Reads a value. Throws `integrity` for one that git could not take.
  init(_ value: Data) throws(VaultError) {
    guard !value.contains(0), !value.contains(13) else { throw Self.unusable }
    let lines = value.split(separator: 10, omittingEmptySubsequences: false)
    password = lines.first.map { Array($0) } ?? []
    var fields: [String: [UInt8]] = [:]
    for line in lines.dropFirst() where !line.isEmpty {
      guard let equals = line.firstIndex(of: UInt8(ascii: "=")),
        let key = Self.keys.first(where: { line[..<equals].elementsEqual($0.utf8) })
      else { throw Self.unusable }
      fields[key] = Array(line[(equals + 1)...])
    }
    self.fields = fields
  }

  /// The error for a value that git could not take.
  static let unusable = VaultError(
    .integrity,
    "a password for this server has several lines, control characters or more than 64 KiB, which git cannot take",
    recoverySuggestion: "store another one with: coffer set --class internet-password SERVER ACCOUNT")

  /// The value to store.
  var value: Data {
    var value = Data(password)
    for key in Self.keys {
      if let field = fields[key] { value += Data("\n\(key)=".utf8) + Data(field) }
    }
    return value
  }

  /// Whether another secret has the same password, and all that this one says of it. A version of git that knows no
  /// expiry says less.
  func isContained(in other: GitSecret) -> Bool {
    password == other.password && fields.allSatisfy { other.fields[$0.key] == $0.value }
  }

  /// Whether the password is not valid any more.
  func isExpired(asOf now: Date) -> Bool {
    guard let field = fields["password_expiry_utc"], let time = Double(String(decoding: field, as: UTF8.self)) else {
      return false
    }
    return time <= now.timeIntervalSince1970
  }
}

extension InternetPassword {
  /// The protocol; nil if none is set, which is stored as 0 or an empty text: it is part of the primary key.
  var namedProtocol: InternetProtocol? { self.protocol.flatMap { ["", "0"].contains($0.rawValue) ? nil : $0 } }
}
