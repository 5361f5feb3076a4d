internal import Foundation

/// The explanation of the last call of each thread.
enum LastExplanation {
  // A thread-specific value instead of one in `Thread.threadDictionary`, which every successful call would search.
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    let status = unsafe pthread_key_create(&key) { value in
      guard let value = unsafe value else { return }
      unsafe Unmanaged<NSString>.fromOpaque(value).release()
    }
    precondition(status == 0, "the system has no thread-specific values left")
    return key
  }()

  /// The explanation of the last call of the current thread; nil if it succeeded, or the thread has made none.
  static var current: NSString? {
    get {
      guard let value = unsafe pthread_getspecific(key) else { return nil }
      return unsafe Unmanaged<NSString>.fromOpaque(value).takeUnretainedValue()
    }
    set {
      let earlier = unsafe pthread_getspecific(key)
      if unsafe earlier == nil, newValue == nil { return }
      _ = unsafe pthread_setspecific(
        key, newValue.map { unsafe UnsafeRawPointer(Unmanaged.passRetained($0).toOpaque()) })
      if let earlier = unsafe earlier { unsafe Unmanaged<NSString>.fromOpaque(earlier).release() }
    }
  }
}
