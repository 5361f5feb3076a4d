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
  private static let version: UInt8 = 1
  private static let maximumProtectionByteCount = 8

  /// The canonical bytes: version 1, the protection behind its length, the flags in 64 bits.
  package var serialized: [UInt8] {
    var writer = ByteWriter()
    writer.u8(Self.version)
    writer.string(protection)
    writer.u64(UInt64(flags.rawValue))
    return writer.bytes
  }

  /// Reads what ``serialized`` wrote, and nothing else.
  package convenience init(serialized bytes: [UInt8]) throws(FormatError) {
    var reader = ByteReader(bytes, object: "access control")
    guard try reader.u8("version") == Self.version else { throw reader.failure(.unsupportedVersion, "version") }
    let protection = try reader.string("protection", cap: Self.maximumProtectionByteCount)
    let flags = SecAccessControlCreateFlags(rawValue: UInt(try reader.u64("flags")))
    try reader.finish()
    do {
      try self.init(protection: protection, flags: flags)
    } catch {
      throw reader.failure(.invalidValue, "protection and flags")
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
