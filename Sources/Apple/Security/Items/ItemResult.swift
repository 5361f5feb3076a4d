internal import Coffer
internal import CofferCrypto
internal import CofferFormat
internal import Foundation

/// An item that a call returns.
struct ItemResult {
  let itemClass: RequestedClass
  let attributes: ItemAttributes
  /// The value; nil if it was not requested.
  let value: [UInt8]?
  /// The full name of the access group.
  let group: String
  /// The key, certificate or identity; nil for passwords, and if the value cannot be decoded.
  let object: NSObject?

  init(
    _ itemClass: RequestedClass, _ attributes: ItemAttributes, value: [UInt8]?, group: String,
    identity: SecIdentity? = nil
  ) {
    self.itemClass = itemClass
    self.attributes = attributes
    self.value = value
    self.group = group
    object = identity ?? value.flatMap { Self.object(itemClass, attributes, $0) }
  }

  private static func object(_ itemClass: RequestedClass, _ attributes: ItemAttributes, _ value: [UInt8]) -> NSObject? {
    switch itemClass {
    case .items(.certificate): return try? SecCertificate(Data(value))
    case .items(.key):
      guard let type = attributes[.type]?.text.flatMap(KeyType.init),
        let keyClass = attributes[.keyClass]?.text.flatMap(KeyClass.init)
      else { return nil }
      return try? SecKey(Data(value), type: type, keyClass: keyClass)
    default: return nil
    }
  }

  /// True if the item should have an object but does not.
  var lacksObject: Bool {
    switch itemClass {
    case .items(.genericPassword), .items(.internetPassword): false
    case .items(.certificate), .items(.key), .identities: object == nil
    }
  }

  /// Returns the result of the requested kinds; nil for none. Throws `errSecDecode` if the item's access control is
  /// damaged.
  func representation(for returns: ReturnTypes) throws(SecurityError) -> NSObject? {
    if returns.isEmpty { return nil }
    guard returns.isSingle, !returns.contains(.attributes) else { return try dictionary(returns) }
    switch returns {
    case .data: return data
    case .persistentReference: return persistentReference
    default: return object
    }
  }

  private var data: NSData { OwnedData(value ?? []) }

  private var persistentReference: NSData {
    OwnedData(ItemReference.bytes(itemClass, identifier: attributes.identifier))
  }

  private func dictionary(_ returns: ReturnTypes) throws(SecurityError) -> NSDictionary {
    var names: [NSString] = []
    var values: [Any] = []
    func set(_ value: NSObject?, _ name: CFString) {
      guard let value else { return }
      names.append(name)
      values.append(value)
    }
    if returns.contains(.attributes) {
      set(itemClass.name, kSecClass)
      set(NSString(string: group), kSecAttrAccessGroup)
      set(try accessControl(), kSecAttrAccessControl)
      set(NSNumber(value: attributes.isSynchronizable ? 1 : 0), kSecAttrSynchronizable)
      for (code, value) in attributes.values where itemClass.has(code) && !Self.isSpecial(code) {
        set(value.object, Self.names[code] ?? NSString(string: code.name))
      }
    }
    if returns.contains(.data) { set(data, kSecValueData) }
    if returns.contains(.persistentReference) { set(persistentReference, kSecValuePersistentRef) }
    if returns.contains(.reference) { set(object, kSecValueRef) }
    return NSDictionary(objects: values, forKeys: names)
  }

  private func accessControl() throws(SecurityError) -> SecAccessControl {
    if let control = try SecAccessControl(of: attributes) { return control }
    let accessible = ItemAccessibility(attributes) ?? .whenUnlocked
    return try SecAccessControl(protection: accessible.rawValue, flags: [])
  }

  /// Returns whether an attribute is returned in a different form, or not at all.
  private static func isSpecial(_ code: AttributeCode) -> Bool {
    code == .accessControl || code == .synchronizable || code == .persistentReference
  }

  // Safe to read on any thread: the strings are immutable.
  @safe private nonisolated(unsafe) static let names: [AttributeCode: NSString] = Dictionary(
    uniqueKeysWithValues: Set(ItemClass.allCases.flatMap(\.attributes)).map { ($0, NSString(string: $0.name)) })
}

extension FoundItem {
  /// Returns the access control of the item; nil if it has none. Throws `errSecDecode` if it is damaged.
  func accessControl() throws(SecurityError) -> SecAccessControl? {
    try SecAccessControl(of: attributes)
  }
}

/// A data object for results, whose memory is wiped when it is released.
///
/// Foundation on Linux bridges `NSData` to `Data` byte by byte and reads `length` and `bytes` for each one. With stored
/// properties, as here, `result as? Data` is seven times as fast.
@safe final class OwnedData: NSData {
  // Written only before the object is shared and when it is released.
  private let start: UnsafeMutableRawPointer
  private let count: Int

  init(_ bytes: [UInt8]) {
    // One byte more, so that the address is valid even if there are no bytes.
    let start = UnsafeMutableRawPointer.allocate(byteCount: bytes.count + 1, alignment: 16)
    unsafe UnsafeMutableRawBufferPointer(start: start, count: bytes.count).copyBytes(from: bytes)
    unsafe self.start = unsafe start
    count = bytes.count
    super.init()
  }

  /// Always nil: objects are archived as `NSData`.
  required init?(coder: NSCoder) { nil }

  override var length: Int { count }

  override var bytes: UnsafeRawPointer { unsafe UnsafeRawPointer(start) }

  override var classForCoder: AnyClass { NSData.self }

  deinit {
    unsafe UnsafeMutableRawBufferPointer(start: start, count: count).wipe()
    unsafe start.deallocate()
  }
}
