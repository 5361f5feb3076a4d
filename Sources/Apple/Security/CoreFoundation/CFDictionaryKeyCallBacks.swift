/// The callbacks of the keys of a dictionary. Ignored: Foundation retains the keys and compares them by value.
public struct CFDictionaryKeyCallBacks: Sendable {
  /// The version of the structure.
  public var version: CFIndex = 0
  /// Creates a structure of version 0.
  public init() {}
}

/// The callbacks for keys that are objects.
public let kCFTypeDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
/// The callbacks for keys that are copied strings.
public let kCFCopyStringDictionaryKeyCallBacks = CFDictionaryKeyCallBacks()
