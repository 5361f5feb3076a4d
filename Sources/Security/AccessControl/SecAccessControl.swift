package import CofferFormat
public import Foundation

/// When and under which conditions an item can be read: `kSecAttrAccessControl`.
public final class SecAccessControl: NSObject, Sendable {
  /// One of the values of `kSecAttrAccessible`.
  package let protection: String
  /// The conditions.
  package let flags: SecAccessControlCreateFlags

  init(protection: String, flags: SecAccessControlCreateFlags) throws(SecurityError) {
    guard Self.protections.contains(protection) else {
      throw SecurityError(errSecParam, "the protection is no value of kSecAttrAccessible")
    }
    if let contradiction = flags.contradiction { throw SecurityError(errSecParam, contradiction) }
    self.protection = protection
    self.flags = flags
  }

  private static let protections: Set = ["ak", "ck", "dk", "aku", "cku", "dku", "akpu"]

  /// True where somebody has to prove to be there.
  package var requiresPresence: Bool { !flags.isDisjoint(with: .presence) }

  /// True where a password of the app is needed.
  package var requiresApplicationPassword: Bool { flags.contains(.applicationPassword) }

  /// True where both hold the same.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? SecAccessControl else { return false }
    return protection == other.protection && flags == other.flags
  }

  /// A hash of what it holds.
  public override var hash: Int {
    var hasher = Hasher()
    hasher.combine(protection)
    hasher.combine(flags)
    return hasher.finalize()
  }

  /// The protection and the flags' bits.
  public override var description: String {
    "<SecAccessControl: \(protection); \(String(flags.rawValue, radix: 16))>"
  }
}

extension SecAccessControl {
  /// As an item's attribute holds it.
  package var serialized: [UInt8] { AccessControl(protection: protection, flags: UInt64(flags.rawValue)).bytes }

  /// Reads what ``serialized`` wrote, and nothing else.
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

/// The number of the class of access controls.
@discardableResult
public func SecAccessControlGetTypeID() -> CFTypeID { CFClass.accessControl.rawValue }

/// Makes an access control.
///
/// - Parameters:
///   - protection: One of the values of `kSecAttrAccessible`.
///   - flags: The conditions: either of `or` and `and`, one kind of biometry, and userPresence together with
///     applicationPassword and privateKeyUsage only.
///   - error: Where to leave the error, `errSecParam`, which the caller owns.
/// - Returns: nil where protection or flags cannot be used.
@discardableResult
public func SecAccessControlCreateWithFlags(
  _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
  _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
  do {
    return try SecAccessControl(protection: (protection as? NSString).map(String.init) ?? "", flags: flags)
  } catch let failure {
    unsafe failure.report(to: error)
    return nil
  }
}
