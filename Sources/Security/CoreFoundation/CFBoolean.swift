public import Foundation

/// True, an object.
public let kCFBooleanTrue: CFBoolean! = NSNumber(value: true)
/// False, an object.
public let kCFBooleanFalse: CFBoolean! = NSNumber(value: false)
/// The object that stands for nothing.
public let kCFNull: CFNull! = NSNull()

/// The truth value that the object stands for.
@discardableResult
public func CFBooleanGetValue(_ boolean: CFBoolean!) -> Bool {
  boolean?.boolValue ?? false
}

extension NSNumber {
  /// True for numbers made from `true` and `false`, which Apple tells apart from 1 and 0.
  var isBoolean: Bool { unsafe objCType.pointee == CChar(UInt8(ascii: "c")) }
}
