internal import CofferPlatform

/// Calls `body` with an array of C strings that ends with a null pointer, as `execv` and `posix_spawn` expect it.
func withCStrings<Result>(
  _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
  var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
  defer { unsafe pointers.forEach { unsafe free($0) } }
  return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
    guard let start = buffer.baseAddress else { preconditionFailure("an array with a null pointer is not empty") }
    return unsafe body(start)
  }
}
