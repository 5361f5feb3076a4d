/// The callbacks of the values of a dictionary. Ignored: Foundation retains the values and compares them by value.
public struct CFDictionaryValueCallBacks: Sendable {
  /// The version of the structure.
  public var version: CFIndex = 0
  /// Creates a structure of version 0.
  public init() {}
}

/// The callbacks for values that are objects.
public let kCFTypeDictionaryValueCallBacks = CFDictionaryValueCallBacks()
