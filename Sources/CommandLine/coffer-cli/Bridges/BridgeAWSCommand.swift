internal import ArgumentParser
internal import CofferPlatform
internal import CofferSystem
internal import CofferTerminal
internal import CofferVault

struct BridgeAWSCommand: Bridge {
  static let configuration = CommandConfiguration(
    commandName: "aws", abstract: "Answer the AWS CLI and SDKs, which run this as their credential_process.",
    discussion: """
      Reads the generic password `aws` with the profile as its account. Its value is the JSON of `aws iam create-access-key` or \
      `aws sts get-session-token`, or the lines of a profile in ~/.aws/credentials.
      """)
  @Argument(help: "The profile.")
  var profile: String
  @OptionGroup var group: GroupOption
  @OptionGroup var actor: ActorOptions

  static let clients = "aws, the SDKs of AWS"
  static let defaultName: String? = "default"
  private static let service = "aws"

  // Other characters are not read alike by the CLI and all SDKs.
  static func nameError(_ name: String) -> String? {
    name.wholeMatch(of: /[A-Za-z0-9_.@:\/%+\-]+( [A-Za-z0-9_.@:\/%+\-]+)*/) == nil
      ? "--name takes words of letters, digits and the characters _ . @ : / % + - only, as the clients of AWS do" : nil
  }

  static func settings(_ installation: BridgeInstallation) throws(VaultError) -> [any BridgeSetting] {
    let program = installation.program("coffer-aws-credentials")
    let name = installation.name
    let file = UserFile.named(by: "AWS_CONFIG_FILE", or: .home(".aws/config"))
    // Of two sections for one profile, the clients use one only, and not the same one.
    let known = Set(ConfigurationText(try file.read() ?? "", mark: "").allTables)
    let candidates = tables(name)
    var entry = installation.entry(
      "credential_process", "\(program.path.exactShellWord) -- \(name.exactShellWord)",
      table: candidates.last(where: known.contains) ?? candidates[0], in: file)
    entry.otherTables = candidates.filter { $0 != entry.table }
    return [program, entry]
  }

  static func advice(_ installation: BridgeInstallation) -> [String] {
    ["Store the access key with: coffer set \(service) \(installation.name.shellWord)"]
  }

  private static func entries() throws(VaultError) -> [ConfigurationText.Entry] {
    let file = UserFile.named(by: "AWS_CONFIG_FILE", or: .home(".aws/config"))
    let mark = BridgeInstallation(self, app: nil, group: nil, name: nil).mark
    return try ConfigurationText(file.read() ?? "", mark: mark).entries
  }

  static func installedName() throws(VaultError) -> String? { try entries().first?.table.map(profile) }

  /// A profile that the file of credentials has too: the clients look there first.
  static func findings() throws(VaultError) -> [Finding] {
    let file = UserFile.named(by: "AWS_SHARED_CREDENTIALS_FILE", or: .home(".aws/credentials"))
    guard try installedCommand() != nil, let text = try file.read() else { return [] }
    let plain = Set(ConfigurationText(text, mark: "").allTables)
    return try entries().compactMap { entry in
      guard let name = entry.table.map(profile), plain.contains(name) else { return nil }
      return Finding(
        .bridgeProfile, .problem, subject: file.path,
        message: "It has the profile \(name), which the clients of AWS use before they ask Coffer.",
        fix: "Store that access key with `coffer set aws \(name.shellWord)`, and remove the profile from the file.")
    }
  }

  /// The sections of a profile that the clients know. They take a name with spaces in quotes only.
  private static func tables(_ profile: String) -> [String] {
    let quoted = "profile \"\(profile)\""
    if profile.contains(" ") { return [quoted] }
    return (profile == "default" ? [profile] : []) + ["profile \(profile)", quoted]
  }

  private static func profile(_ table: String) -> String {
    table.hasPrefix("profile ") ? String(table.dropFirst("profile ".count)).filter { $0 != "\"" } : table
  }

  func run() throws {
    let bytes = try actor.valueForBridge(of: Self.service, profile, group: group.group)
    let value = BridgeValue(bytes, of: Self.service, profile, for: "AWS")
    let credentials = try AWSCredentials(value)
    if let end = credentials.expirationDate, end <= Date() { throw value.refusal("expired at \(end.localText)") }
    try Output.json(credentials)
  }
}

/// An access key of AWS, as the protocol of credential_process writes it.
struct AWSCredentials: Codable {
  private let Version: Int?
  private let AccessKeyId: String
  private let SecretAccessKey: String
  private let SessionToken: String?
  private let Expiration: String?

  private struct Wrapped: Decodable {
    let AccessKey: AWSCredentials?
    let Credentials: AWSCredentials?
  }

  /// Reads the value of an item: JSON as the commands of AWS print it, or the lines of a profile. Throws
  /// `invalidArgument` for anything else.
  init(_ value: BridgeValue) throws(VaultError) {
    let text = try value.text()
    let decoder = JSONDecoder()
    let wrapped = try? decoder.decode(Wrapped.self, from: Data(text.utf8))
    let plain = try? decoder.decode(AWSCredentials.self, from: Data(text.utf8))
    if let found = wrapped?.AccessKey ?? wrapped?.Credentials ?? plain {
      AccessKeyId = found.AccessKeyId
      SecretAccessKey = found.SecretAccessKey
      SessionToken = Self.token(found.SessionToken)
      Expiration = found.Expiration
    } else {
      let configuration = ConfigurationText(text, mark: "")
      // Keys of several profiles would be mixed.
      guard configuration.allTables.count < 2, let entries = configuration.allValues else {
        throw value.refusal("has several profiles")
      }
      guard let identifier = entries["aws_access_key_id"], let secret = entries["aws_secret_access_key"] else {
        throw value.refusal("has no AccessKeyId and SecretAccessKey")
      }
      AccessKeyId = identifier
      SecretAccessKey = secret
      SessionToken = Self.token(entries["aws_session_token"])
      Expiration = nil
    }
    Version = 1
    guard !AccessKeyId.isEmpty, !SecretAccessKey.isEmpty else {
      throw value.refusal("has an empty AccessKeyId or SecretAccessKey")
    }
    guard Expiration == nil || expirationDate != nil else { throw value.refusal("has an Expiration that is no time") }
    for part in [AccessKeyId, SecretAccessKey, SessionToken ?? ""]
    where part.utf8.contains(where: { $0 < 33 || $0 > 126 }) {
      throw value.refusal("has spaces or control characters in a key")
    }
  }

  /// A token without text is none: the clients would sign with it.
  private static func token(_ text: String?) -> String? { text?.isEmpty == true ? nil : text }

  /// When the credentials end; nil if they do not.
  var expirationDate: Date? {
    guard let Expiration else { return nil }
    let style = Date.ISO8601FormatStyle()
    return (try? Date(Expiration, strategy: style))
      ?? (try? Date(Expiration, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
  }
}
