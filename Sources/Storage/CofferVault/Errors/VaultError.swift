public import CofferPlatform

/// An error of Coffer: a code for programs, and a message with a recovery suggestion for people.
///
/// One type for the whole library. Decide by ``code``; show ``description`` or, through Foundation,
/// `localizedDescription` and ``recoverySuggestion``. No text contains a value, an account, a service or a key.
/// ``osStatus`` is the corresponding number of Apple's Security framework (SecBase.h).
public struct VaultError: Error, Hashable, Sendable {
  /// The kinds of error. The set grows: switch over it with a default.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, for logs and JSON.
    public let description: String
    /// The number of the corresponding error in Apple's Security framework.
    public let osStatus: Int32
    /// The general reason, as a sentence.
    let reason: String

    private init(_ description: String, _ osStatus: Int32, _ reason: String) {
      self.description = description
      self.osStatus = osStatus
      self.reason = reason
    }

    /// No item has this primary key in the groups that were searched (errSecItemNotFound).
    public static let itemNotFound = Code("itemNotFound", -25300, "The item does not exist.")
    /// An item with this primary key exists already (errSecDuplicateItem).
    public static let duplicateItem = Code("duplicateItem", -25299, "The item exists already.")
    /// An item was changed after it was shown, so a change that was meant for its earlier version was refused
    /// (errSecInvalidItemRef).
    public static let itemChanged = Code("itemChanged", -25304, "The item was changed in the meantime.")
    /// No vault exists at this location (errSecNotAvailable).
    public static let noVault = Code("noVault", -25291, "The vault does not exist.")
    /// A vault exists at this location already (errSecBadReq).
    public static let vaultExists = Code("vaultExists", -909, "The vault exists already.")
    /// The app, its entitlements or its credential do not allow the call (errSecMissingEntitlement).
    public static let notEntitled = Code("notEntitled", -34018, "The app is not entitled to this.")
    /// A passphrase or a prompt is required, and nobody can be asked (errSecInteractionNotAllowed).
    public static let locked = Code("locked", -25308, "The vault or the item is locked.")
    /// The passphrase or vault key is wrong (errSecAuthFailed).
    public static let authenticationFailed = Code(
      "authenticationFailed", -25293, "The passphrase or the vault key is wrong.")
    /// The user was asked for a passphrase and declined (errSecUserCanceled).
    public static let authenticationCancelled = Code("authenticationCancelled", -128, "The user declined.")
    /// The task that made the call was cancelled (errSecUserCanceled).
    public static let cancelled = Code("cancelled", -128, "The call was cancelled.")
    /// An argument is malformed or exceeds a limit (errSecParam).
    public static let invalidArgument = Code("invalidArgument", -50, "An argument is not valid.")
    /// Stored data is damaged, altered, of another vault, or cannot be decoded as the requested type (errSecDecode).
    public static let integrity = Code("integrity", -26275, "Stored data is damaged or was altered.")
    /// A newer version of Coffer wrote the data (errSecNotAvailable).
    public static let upgradeNeeded = Code("upgradeNeeded", -25291, "A newer version of Coffer is required.")
    /// The remote cannot be reached, or refuses the request (errSecNotAvailable).
    public static let network = Code("network", -25291, "The remote cannot be reached or refuses.")
    /// Another program does what must not be done twice at the same time, such as a sync (errSecNotAvailable).
    public static let busy = Code("busy", -25291, "Another program is using the vault.")
    /// The disk is full (errSecDiskFull).
    public static let diskFull = Code("diskFull", -34, "The disk is full.")
    /// A file or folder of the vault has unsuitable permissions (errSecWrPerm).
    public static let readOnly = Code("readOnly", -61, "The folder or file cannot be accessed with these permissions.")
    /// A call of the operating system failed (errSecIO).
    public static let io = Code("io", -36, "A call of the operating system failed.")
  }

  /// The kind of error, by which programs decide.
  public let code: Code
  /// What happened: one clause without a full stop.
  public let message: String
  /// What the user or developer can do, as an instruction; nil if there is no advice.
  public let recoverySuggestion: String?

  /// Creates an error. Apps create their own to test how they handle one.
  ///
  /// - Parameters:
  ///   - code: The kind of error.
  ///   - message: What happened. It must not contain a secret.
  ///   - recoverySuggestion: What to do, as an instruction.
  public init(_ code: Code, _ message: String, recoverySuggestion: String? = nil) {
    self.code = code
    self.message = message
    self.recoverySuggestion = recoverySuggestion
  }

  /// The number of the corresponding error in Apple's Security framework.
  public var osStatus: Int32 { code.osStatus }
}

extension VaultError: CustomStringConvertible {
  /// The message and the recovery suggestion, in one line.
  public var description: String {
    guard let recoverySuggestion else { return message }
    return "\(message); \(recoverySuggestion)"
  }
}

extension VaultError: LocalizedError {
  /// What happened; Foundation's `localizedDescription`.
  public var errorDescription: String? { message }
  /// The general reason for errors of this ``code``, as a sentence.
  public var failureReason: String? { code.reason }
}

extension VaultError {
  /// The error domain of the bridged `NSError`: `Coffer.VaultError`.
  public static var errorDomain: String { "Coffer.VaultError" }
  /// The code of the bridged `NSError`: ``osStatus``.
  public var errorCode: Int { Int(osStatus) }
  /// The user info of the bridged `NSError`: description, failure reason and recovery suggestion under Foundation's
  /// keys.
  public var errorUserInfo: [String: Any] {
    // The values of Foundation's constants, which FoundationEssentials does not contain.
    var info: [String: Any] = ["NSLocalizedDescription": message, "NSLocalizedFailureReason": code.reason]
    if let recoverySuggestion { info["NSLocalizedRecoverySuggestion"] = recoverySuggestion }
    return info
  }
}

#if canImport(FoundationEssentials)
  // FoundationEssentials has no CustomNSError. Its conformances implement these two requirements of Error, from which
  // an app that imports Foundation gets the same NSError; the texts come from LocalizedError.
  extension VaultError {
    // swift-format-ignore: NoLeadingUnderscores
    /// The error domain for Foundation: ``errorDomain``.
    public var _domain: String { Self.errorDomain }
    // swift-format-ignore: NoLeadingUnderscores
    /// The code for Foundation: ``errorCode``.
    public var _code: Int { errorCode }
  }
#else
  extension VaultError: CustomNSError {}
#endif

extension VaultError.Code {
  /// The exit code of `coffer` and `coffer-sync` for errors of this kind. The help of the programs lists them.
  package var exitCode: Int32 {
    switch self {
    case .itemNotFound: 3
    case .notEntitled: 4
    case .locked, .authenticationFailed, .authenticationCancelled: 5
    case .integrity: 6
    case .network: 7
    case .busy: 8
    case .invalidArgument: 2
    // That of a program which Ctrl-C has ended.
    case .cancelled: 130
    default: 1
    }
  }
}

extension VaultError {
  /// The exit code of `coffer` and `coffer-sync` for this error.
  package var exitCode: Int32 { code.exitCode }
}

extension VaultError {
  /// An error as one program tells it to another one.
  package struct Report: Hashable, Sendable, Codable {
    private let code: String
    private let message: String
    private let recoverySuggestion: String?

    package init(_ error: VaultError) {
      code = error.code.description
      message = error.message
      recoverySuggestion = error.recoverySuggestion
    }

    /// The error; one of the code `io` if this program does not know the code.
    package var error: VaultError {
      VaultError(
        Code.all.first { $0.description == code } ?? .io, message, recoverySuggestion: recoverySuggestion)
    }
  }
}

extension VaultError.Code {
  fileprivate static let all: [VaultError.Code] = [
    .itemNotFound, .duplicateItem, .itemChanged, .noVault, .vaultExists, .notEntitled, .locked, .authenticationFailed,
    .authenticationCancelled, .cancelled, .invalidArgument, .integrity, .upgradeNeeded, .network, .busy, .diskFull,
    .readOnly, .io,
  ]
}
