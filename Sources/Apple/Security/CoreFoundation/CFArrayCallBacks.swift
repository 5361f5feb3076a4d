/// The callbacks of an array. Ignored: Foundation retains the values and compares them by value.
public struct CFArrayCallBacks: Sendable {
  /// The version of the structure.
  public var version: CFIndex = 0
  /// Creates a structure of version 0.
  public init() {}
}

/// The callbacks for values that are objects.
public let kCFTypeArrayCallBacks = CFArrayCallBacks()
