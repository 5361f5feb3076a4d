package import CofferFormat
public import Foundation

/// The conditions for reading an item: the value of ``kSecAttrAccessControl``.
public final class SecAccessControl: NSObject, Sendable {
  /// The accessibility: one of the values of ``kSecAttrAccessible``.
  package let protection: String
  /// The additional conditions.
  package let flags: SecAccessControlCreateFlags

  init(protection: String, flags: SecAccessControlCreateFlags) throws(SecurityError) {
    guard Self.protections.contains(protection) else {
      throw SecurityError(errSecParam, "the protection is not a value of kSecAttrAccessible")
    }
    if let contradiction = flags.contradiction { throw SecurityError(errSecParam, contradiction) }
    self.protection = protection
    self.flags = flags
  }

  private static let protections: Set = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

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
