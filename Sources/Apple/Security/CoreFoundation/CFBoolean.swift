public import Foundation

/// True, as an object.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False, as an object.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
/// The null object.
public let kCFNull: CFNull! = NSNull()

/// Returns the value of a Boolean object; false for nil.
@discardableResult
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool {
  boolean?.boolValue ?? false
}

extension NSNumber {
  /// True if the number was created from a `Bool`: the Keychain distinguishes `true` from 1.
  var isBoolean: Bool { unsafe objCType.pointee == CChar(UInt8(ascii: "c")) }
}
