internal import Coffer
internal import CofferSystem
public import Foundation
internal import LocalAuthentication

/// An error of a call: Apple's status and a description of the cause.
///
/// Thrown inside the module only; ``reporting(to:_:)`` converts it for callers. The description never contains the
/// value of an item or attribute.
struct SecurityError: Error {
  let status: OSStatus
  let detail: String

  init(_ status: OSStatus, _ detail: String) {
    self.status = status
    self.detail = detail
  }

  /// The error as a `CFError`, in the domain of `OSStatus`, with Apple's message and the detail as its description.
  var cfError: CFError {
    NSError(
      domain: NSOSStatusErrorDomain, code: Int(status),
      userInfo: [NSLocalizedDescriptionKey: "\(errorMessage(for: status)) (\(detail))"])
  }
}

/// Runs a call that has an error parameter, and records whether it failed for ``SecCopyLastErrorExplanation()``. If it
/// fails, returns nil, and stores the error in the caller's variable, retained.
func reporting<Result>(
  to error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ body: () throws(SecurityError) -> Result
) -> Result? {
  do throws(SecurityError) {
    let result = try body()
    LastExplanation.current = nil
    return result
  } catch let failure {
    failure.recordExplanation()
    unsafe error?.pointee = Unmanaged.passRetained(failure.cfError)
    return nil
  }
}

/// Runs a call that returns a status, records whether it failed, and returns its status.
func status(_ function: String = #function, _ body: () throws -> Void) -> OSStatus {
  do {
    try body()
    LastExplanation.current = nil
    return errSecSuccess
  } catch {
    let failure = error as? SecurityError ?? SecurityError(VaultError(translating: error))
    failure.recordExplanation()
    failure.explain(function)
    return failure.status
  }
}

extension SecurityError {
  /// Creates the error of a vault operation that failed.
  init(_ error: VaultError) { self.init(error.osStatus, error.description) }

  /// Creates the error of an authentication that failed, which a call needs because of `need`.
  init(_ error: LAError, because need: String) {
    let status =
      switch error.code {
      case .userCancel, .appCancel, .systemCancel: errSecUserCanceled
      case .notInteractive: errSecInteractionNotAllowed
      default: errSecAuthFailed
      }
    self.init(status, "\(need); \(error.localizedDescription)")
  }
}

/// Returns a detailed explanation of the last call on the current thread, if it failed: the cause and, if known, the
/// fix.
///
/// The explanation is meant for developers and logs. It may name access groups, files and dictionary keys, but never
/// contains the values of items or attributes. The calls that set it are those that return an `OSStatus` of this module
/// or have an error parameter: `SecItem…`, `SecKey…` and `SecAccessControlCreateWithFlags`.
///
/// This function exists on Linux only. In code that also compiles for Apple's systems, put it in `#if os(Linux)`.
///
/// - Returns: The explanation; nil if the last call on this thread succeeded, or there was none.
@discardableResult
public func SecCopyLastErrorExplanation() -> CFString? {
  LastExplanation.current
}

extension SecurityError {
  /// Stores the explanation as that of the last call of the current thread.
  func recordExplanation() { LastExplanation.current = NSString(string: explanation) }

  /// Apple's message, the status and the detail.
  private var explanation: String { "\(errorMessage(for: status)) (\(status): \(detail))" }

  /// Writes the explanation to standard error, in one line with the name of the function, if the environment variable
  /// `COFFER_EXPLAIN` is 1.
  func explain(_ function: String) {
    guard Self.isExplaining else { return }
    let name = function.prefix { $0 != "(" }
    let line = "\(name): \(explanation)".sanitizedForTerminal(limit: .max, foldsWhiteSpace: true)
    FileHandle.standardError.write(Data("\(line)\n".utf8))
  }

  /// Programs with elevated privileges have no variables.
  private static let isExplaining = CurrentProcess.variable("COFFER_EXPLAIN") == "1"
}

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
