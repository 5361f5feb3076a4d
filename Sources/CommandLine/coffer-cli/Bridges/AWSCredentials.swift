internal import CofferPlatform
internal import CofferVault

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
