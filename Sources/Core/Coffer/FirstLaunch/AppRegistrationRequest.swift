internal import CofferSystem
internal import CofferTrust

/// What an app's first launch asks this machine's owner, if the machine has a passphrase: whether the app is registered
/// with what its plist claims.
public struct AppRegistrationRequest: Sendable {
  /// An access group that the app gets.
  public struct Group: Hashable, Sendable {
    /// The full name, `TEAMID.com.example.shared`.
    public let name: String
    /// Whether the app may write to the group.
    public let isWritable: Bool
    /// The registered apps that have the group already, by their full identifiers.
    public let otherApps: [String]
  }

  /// The app's full identifier.
  public let application: String
  /// The access groups that the app gets, the default first.
  public let groups: [Group]
  /// The path of the plist that the app's package has installed.
  public let plist: String
  /// The user to whom the plist belongs, and who vouches for it, usually `root`.
  public let voucher: String
  /// The label of the vendor's team that has signed the plist; nil if none has.
  public let team: String?
  /// Whether the passphrase that was given before is wrong.
  public let isRepeated: Bool

  /// The request in words, for a prompt: one paragraph, safe to print.
  public var description: String {
    let names = groups.map { group in
      let others = group.otherApps.isEmpty ? "" : ", which \(group.otherApps.joined(separator: " and ")) has too"
      return "\(group.isWritable ? "" : "to read ")\(group.name)\(others)"
    }
    let vendor = team.map { "signed by the team \($0)" } ?? "signed by no team"
    // The groups last: a long list must not push out of a dialog who vouches for it.
    return """
      \(application) is started for the first time. \(voucher) vouches for its plist \(plist), \(vendor). \
      It wants these access groups: \(names.joined(separator: "; ")).
      """.sanitizedForTerminal(limit: 4_000, foldsWhiteSpace: true)
  }
}

/// Asks this machine's owner whether an app is registered. Returns the machine's passphrase, or nil if the answer is
/// no.
public typealias AppRegistrationPrompt = @Sendable (AppRegistrationRequest) throws(VaultError) -> (any SecretValue)?
