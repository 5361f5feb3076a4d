public import Foundation

// Two calls that Foundation has on Apple's systems only.

extension NSMutableDictionary {
  /// Sets a key's value.
  public func setObject(_ object: Any, forKey key: any NSCopying) {
    guard let key = key as? AnyHashable else { return }
    setObject(object, forKey: key)
  }

  /// Sets a key's value; nil takes the key away.
  public func setValue(_ value: Any?, forKey key: String) {
    if let value {
      setObject(value, forKey: key as AnyHashable)
    } else {
      removeObject(forKey: key)
    }
  }
}
