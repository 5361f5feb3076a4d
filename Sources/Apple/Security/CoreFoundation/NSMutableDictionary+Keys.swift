public import Foundation

// Two methods that Foundation has only on Apple's systems.

extension NSMutableDictionary {
  /// Sets the value of a key.
  public func setObject(_ object: Any, forKey key: any NSCopying) {
    guard let key = key as? AnyHashable else { return }
    setObject(object, forKey: key)
  }

  /// Sets the value of a key; nil removes the key.
  public func setValue(_ value: Any?, forKey key: String) {
    if let value {
      setObject(value, forKey: key as AnyHashable)
    } else {
      removeObject(forKey: key)
    }
  }
}
