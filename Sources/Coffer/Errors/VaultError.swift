/// Why a vault did not do what it was asked: what happened, where, and what mends it.
///
/// One type for the whole library. ``code`` is what programs decide by; ``description`` is for people, one line, and
/// never holds a value, an account, a service or a key. ``osStatus`` is Apple's number for the same thing, where there
/// is one (SecBase.h).
public struct VaultError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of error. The set grows: switch over it with a default.
  public struct Code: Hashable, Sendable, CustomStringConvertible {
    /// The code's name, for logs and JSON.
    public let description: String
    /// Apple's number.
    public let osStatus: Int32

    private init(_ description: String, _ osStatus: Int32) {
      self.description = description
      self.osStatus = osStatus
    }

    /// No item has this primary key in the groups searched (errSecItemNotFound).
    public static let itemNotFound = Code("itemNotFound", -25300)
    /// There is an item with this primary key already (errSecDuplicateItem).
    public static let duplicateItem = Code("duplicateItem", -25299)
    /// There is no vault at this place (errSecNotAvailable).
    public static let noVault = Code("noVault", -25291)
    /// There is a vault at this place already (errSecBadReq).
    public static let vaultExists = Code("vaultExists", -909)
    /// The app, its plist or its credential does not allow it (errSecMissingEntitlement).
    public static let notEntitled = Code("notEntitled", -34018)
    /// A passphrase or prompt is needed and none can be had (errSecInteractionNotAllowed).
    public static let locked = Code("locked", -25308)
    /// A wrong passphrase or vault key (errSecAuthFailed).
    public static let authenticationFailed = Code("authenticationFailed", -25293)
    /// The user was asked for a passphrase and declined (errSecUserCanceled).
    public static let authenticationCancelled = Code("authenticationCancelled", -128)
    /// An argument is out of its limits or malformed (errSecParam).
    public static let invalidArgument = Code("invalidArgument", -50)
    /// Something stored is damaged, altered or foreign (errSecDecode).
    public static let integrity = Code("integrity", -26275)
    /// A newer program wrote this (errSecNotAvailable).
    public static let upgradeNeeded = Code("upgradeNeeded", -25291)
    /// The remote cannot be reached or refuses (errSecNotAvailable).
    public static let network = Code("network", -25291)
    /// The disk is full (errSecDiskFull).
    public static let diskFull = Code("diskFull", -34)
    /// The place cannot be written (errSecWrPerm).
    public static let readOnly = Code("readOnly", -61)
    /// The file system or the system refused (errSecIO).
    public static let io = Code("io", -36)
  }

  /// What programs decide by.
  public let code: Code
  /// What happened, in words.
  public let message: String
  /// What mends it, in words; empty where nothing can be advised.
  public let mend: String

  package init(_ code: Code, _ message: String, mend: String = "") {
    self.code = code
    self.message = message
    self.mend = mend
  }

  /// Apple's number for ``code``.
  public var osStatus: Int32 { code.osStatus }

  /// The message and the mend, in one line.
  public var description: String { mend.isEmpty ? message : "\(message); \(mend)" }
}
