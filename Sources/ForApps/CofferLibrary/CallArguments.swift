internal import Coffer
internal import CofferCrypto
internal import CofferPlatform

/// A handle of the library, which C frees.
public typealias Handle = UnsafeMutableRawPointer
/// Where a function stores a handle.
public typealias HandleResult = UnsafeMutablePointer<UnsafeMutableRawPointer?>
/// The bytes of a text in UTF-8.
public typealias Text = UnsafePointer<CChar>

/// Runs the body of a function that C calls, and returns its status.
func status(_ error: HandleResult?, _ body: () throws(VaultError) -> Void) -> Int32 {
  if let error = unsafe error { unsafe error.pointee = nil }
  do throws(VaultError) {
    try body()
    return 0
  } catch let failure {
    if let error = unsafe error { unsafe error.pointee = CallError(failure).retained() }
    return failure.code.status
  }
}

extension VaultError {
  /// What a read, or the deletion of an item, reports if no group has it.
  static var missing: VaultError {
    VaultError(
      .itemNotFound, "the item does not exist in the groups of the search",
      recoverySuggestion: "store it first, or search another access group")
  }

  static func argument(_ message: String) -> VaultError {
    VaultError(.invalidArgument, message, recoverySuggestion: "see coffer.h")
  }
}

extension VaultError.Code {
  /// Its number in coffer.h, which never changes.
  fileprivate var status: Int32 {
    switch self {
    case .itemNotFound: 1
    case .duplicateItem: 2
    case .itemChanged: 3
    case .noVault: 4
    case .vaultExists: 5
    case .notEntitled: 6
    case .locked: 7
    case .authenticationFailed: 8
    case .authenticationCancelled: 9
    case .cancelled: 10
    case .invalidArgument: 11
    case .integrity: 12
    case .upgradeNeeded: 13
    case .network: 14
    case .busy: 15
    case .diskFull: 16
    case .readOnly: 17
    default: 18
    }
  }
}

/// Returns the bytes of an argument, or nil for NULL. The length is checked before any byte is read.
func bytes(
  _ start: UnsafeRawPointer?, _ count: Int, _ name: String, upTo limit: Int
) throws(VaultError) -> [UInt8]? {
  guard let start = unsafe start else {
    guard count == 0 else { throw .argument("the \(name) is NULL, and its length is not 0") }
    return nil
  }
  guard (0...limit).contains(count) else {
    throw .argument("the length of the \(name) is not between 0 and \(limit)")
  }
  return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
}

/// Returns a text, or nil for NULL.
func text(_ start: Text?, _ count: Int, _ name: String, upTo limit: Int = 1 << 20) throws(VaultError) -> String? {
  guard let bytes = try unsafe bytes(start, count, name, upTo: limit) else { return nil }
  guard let text = String(validating: bytes, as: UTF8.self) else { throw .argument("the \(name) is not UTF-8 text") }
  return text
}

/// Returns the item that two texts name.
func item(
  _ service: Text?, _ serviceCount: Int, _ account: Text?, _ accountCount: Int
) throws(VaultError) -> GenericPassword {
  guard let service = try unsafe text(service, serviceCount, "service"),
    let account = try unsafe text(account, accountCount, "account")
  else { throw .argument("an item needs a service and an account") }
  return GenericPassword(service: service, account: account)
}

/// Returns where a function stores a result.
func place<Value>(
  _ result: UnsafeMutablePointer<Value>?, _ name: String
) throws(VaultError) -> UnsafeMutablePointer<Value> {
  guard let result = unsafe result else { throw .argument("there is no place for the \(name)") }
  return unsafe result
}

/// Stores a value in memory that `coffer_value_free` wipes, and wipes `value`. Throws `itemNotFound` if it is nil.
func store(
  _ value: inout [UInt8]?, _ start: UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?,
  _ count: UnsafeMutablePointer<Int>?
) throws(VaultError) {
  defer { value?.wipe() }
  guard let byteCount = value?.count else { throw .missing }
  let start = try unsafe place(start, "value")
  let count = try unsafe place(count, "length of the value")
  guard let memory = unsafe malloc(byteCount + 1) else {
    throw VaultError(.io, "no memory is left", recoverySuggestion: "close what is not needed, and try again")
  }
  unsafe value?.withUnsafeBytes { bytes in
    if let bytes = bytes.baseAddress { unsafe memory.copyMemory(from: bytes, byteCount: byteCount) }
  }
  unsafe memory.storeBytes(of: 0, toByteOffset: byteCount, as: UInt8.self)
  unsafe start.pointee = memory.assumingMemoryBound(to: UInt8.self)
  unsafe count.pointee = byteCount
}
