internal import Coffer
package import CofferFormat
public import Foundation
public import LocalAuthentication

/// The conditions for reading an item: the value of ``kSecAttrAccessControl``.
public final class SecAccessControl: NSObject, Sendable {
  /// The accessibility: one of the values of ``kSecAttrAccessible``.
  package let protection: String
  /// The additional conditions.
  package let flags: SecAccessControlCreateFlags

  init(protection: String, flags: SecAccessControlCreateFlags) throws(SecurityError) {
    guard ItemAccessibility(rawValue: protection) != nil else {
      throw SecurityError(errSecParam, "the protection is not a value of kSecAttrAccessible")
    }
    if let contradiction = flags.contradiction { throw SecurityError(errSecParam, contradiction) }
    self.protection = protection
    self.flags = flags
  }

  /// True if the owner must be authenticated.
  package var requiresPresence: Bool { !flags.isDisjoint(with: .presence) }

  package var requiresApplicationPassword: Bool { flags.contains(.applicationPassword) }

  /// Returns whether both have the same protection and flags.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? SecAccessControl else { return false }
    return protection == other.protection && flags == other.flags
  }

  /// A hash code of the protection and the flags.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(protection)
    hasher.combine(flags)
    return hasher.finalize()
  }

  /// A description with the protection and the bits of the flags.
  public override var description: String {
    "<SecAccessControl: \(protection); \(String(flags.rawValue, radix: 16))>"
  }
}

extension SecAccessControl {
  /// The encoded form that is stored in an item's attributes.
  package var serialized: [UInt8] { AccessControl(protection: protection, flags: UInt64(flags.rawValue)).bytes }

  /// Creates an access control from its ``serialized`` form.
  package convenience init(serialized bytes: [UInt8]) throws(FormatError) {
    let stored = try AccessControl(bytes: bytes)
    do {
      try self.init(
        protection: stored.protection, flags: SecAccessControlCreateFlags(rawValue: UInt(stored.flags)))
    } catch {
      throw FormatError(.invalidValue, object: "access control", field: "protection and flags")
    }
  }
}

/// Returns the type identifier of ``SecAccessControl``.
@discardableResult
public func SecAccessControlGetTypeID() -> CFTypeID { CFClass.accessControl.rawValue }

/// Creates an access control.
///
/// - Parameters:
///   - allocator: Ignored.
///   - protection: The accessibility: one of the values of ``kSecAttrAccessible``.
///   - flags: The conditions. Do not combine `or` with `and`, or two kinds of biometry. Combine `userPresence` only
///     with `applicationPassword` and `privateKeyUsage`.
///   - error: Set to an error that the caller must release, `errSecParam`, if the result is nil.
/// - Returns: The access control; nil if the protection or the flags are invalid.
@discardableResult
public func SecAccessControlCreateWithFlags(
  _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
  unsafe reporting(to: error) { () throws(SecurityError) in
    return try SecAccessControl(protection: (protection as? NSString).map(String.init) ?? "", flags: flags)
  }
}

/// The conditions of an access control.
///
/// Sensors and watches are not supported on Linux: each flag that requires the owner's presence asks for the owner's
/// passphrase.
public struct SecAccessControlCreateFlags: OptionSet, Hashable, Sendable {
  /// The bits, with Apple's values.
  public let rawValue: UInt

  /// Creates flags from Apple's bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The owner is authenticated by any method.
  public static let userPresence = SecAccessControlCreateFlags(rawValue: 1 << 0)
  /// The owner is authenticated by a biometric sensor.
  public static let biometryAny = SecAccessControlCreateFlags(rawValue: 1 << 1)
  /// The older name of ``biometryAny``.
  public static let touchIDAny = biometryAny
  /// The owner is authenticated by a biometric sensor, with the data enrolled when the item was created.
  public static let biometryCurrentSet = SecAccessControlCreateFlags(rawValue: 1 << 3)
  /// The older name of ``biometryCurrentSet``.
  public static let touchIDCurrentSet = biometryCurrentSet
  /// The owner is authenticated by the passphrase.
  public static let devicePasscode = SecAccessControlCreateFlags(rawValue: 1 << 4)
  /// The owner is authenticated by a watch.
  public static let watch = SecAccessControlCreateFlags(rawValue: 1 << 5)
  /// The newer name of ``watch``.
  public static let companion = watch
  /// One of the conditions must be satisfied.
  public static let or = SecAccessControlCreateFlags(rawValue: 1 << 14)
  /// All of the conditions must be satisfied.
  public static let and = SecAccessControlCreateFlags(rawValue: 1 << 15)
  /// The conditions apply to the use of a private key.
  public static let privateKeyUsage = SecAccessControlCreateFlags(rawValue: 1 << 30)
  /// An application password is required in addition to the other conditions.
  public static let applicationPassword = SecAccessControlCreateFlags(rawValue: 1 << 31)

  /// The flags that require the owner's presence.
  static let presence: SecAccessControlCreateFlags = [
    .userPresence, .biometryAny, .biometryCurrentSet, .devicePasscode, .watch,
  ]

  private static let known: SecAccessControlCreateFlags = [
    presence, .or, .and, .privateKeyUsage, .applicationPassword,
  ]

  /// The reason for which the flags are invalid, by the rules of Apple's SecAccessControl; nil if they are valid.
  var contradiction: String? {
    if !isSubset(of: Self.known) { return "the access control has unknown flags" }
    if isSuperset(of: [.or, .and]) { return "an access control cannot combine `or` and `and`" }
    if isSuperset(of: [.biometryAny, .biometryCurrentSet]) {
      return "an access control cannot combine biometryAny and biometryCurrentSet"
    }
    if contains(.userPresence), !isSubset(of: [.userPresence, .applicationPassword, .privateKeyUsage]) {
      return "userPresence can be combined only with applicationPassword and privateKeyUsage"
    }
    return nil
  }
}

extension LAContext {
  /// Satisfies the conditions of an access control asynchronously.
  ///
  /// On Linux the owner's passphrase replaces sensors and watches. If the access control requires an application
  /// password and none was set in the context, the user is prompted for one. It is verified only when an item is opened
  /// with it.
  ///
  /// - Parameters:
  ///   - accessControl: The access control.
  ///   - operation: The operation that follows: for a new item or key, the user is prompted for a new password, twice.
  ///   - reason: The reason to show to the user. If it is empty, `localizedReason` is shown.
  ///   - reply: Called once, on another thread, with the result and an `LAError` if it is false.
  public func evaluateAccessControl(
    _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason reason: String,
    reply: @escaping @Sendable (Bool, (any Error)?) -> Void
  ) {
    // Found on the calling thread: the vault may be task-local.
    let owner = accessControl.requiresPresence ? Result { try DeviceOwner.current() } : nil
    let vault = accessControl.requiresApplicationPassword ? try? Vault.default : nil
    runOnNewThread(reply: reply) { context in
      try context.checkValid()
      if let owner = try owner?.get() { try context.authenticate(owner.vault, reason: reason, owner.accepts) }
      guard accessControl.requiresApplicationPassword, context.credential(.applicationPassword) == nil else { return }
      switch operation {
      case .createItem, .createKey: try context.promptForNewPassword(in: vault, reason: reason, replacing: true)
      case .useItem, .useKeySign, .useKeyDecrypt, .useKeyKeyExchange:
        _ = try context.promptForPassword(in: vault, reason: reason, failedAttempts: 0)
      }
    }
  }

  /// Satisfies the conditions of an access control.
  ///
  /// On Linux the owner's passphrase replaces sensors and watches. If the access control requires an application
  /// password and none was set in the context, the user is prompted for one. It is verified only when an item is opened
  /// with it.
  ///
  /// - Parameters:
  ///   - accessControl: The access control.
  ///   - operation: The operation that follows: for a new item or key, the user is prompted for a new password, twice.
  ///   - reason: The reason to show to the user. If it is empty, `localizedReason` is shown.
  /// - Returns: True.
  /// - Throws: `LAError` if the conditions were not satisfied.
  @discardableResult
  public func evaluateAccessControl(
    _ accessControl: SecAccessControl, operation: LAAccessControlOperation, localizedReason reason: String
  ) async throws -> Bool {
    try await withCheckedThrowingContinuation { continuation in
      evaluateAccessControl(accessControl, operation: operation, localizedReason: reason) { success, error in
        if let error { continuation.resume(throwing: error) } else { continuation.resume(returning: success) }
      }
    }
  }
}

extension SecAccessControl {
  /// Creates the access control of a stored item; nil if it has none. Throws `errSecDecode` if it is damaged.
  convenience init?(of attributes: ItemAttributes) throws(SecurityError) {
    guard let stored = attributes[.accessControl] else { return nil }
    do throws(FormatError) {
      try self.init(serialized: stored.matchBytes)
    } catch {
      throw SecurityError(errSecDecode, error.description)
    }
  }
}
