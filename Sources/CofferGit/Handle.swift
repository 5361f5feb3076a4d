internal import CGit2

/// A libgit2 object, freed when its owner goes.
///
/// Safe as such: only what is done with `pointer` is not. Pointers into it live as long as it does: keep it alive past their last use with `extendLifetime`.
@safe struct Handle: ~Copyable {
  @unsafe let pointer: OpaquePointer
  private let release: (OpaquePointer?) -> Void

  /// Takes what `make` stores.
  init(
    context: String, _ release: @escaping (OpaquePointer?) -> Void, make: (inout OpaquePointer?) -> Int32
  ) throws(GitError) {
    var made: OpaquePointer?
    let result = unsafe make(&made)
    guard result == 0, let made = unsafe made else { throw .libgit2(result, context: context) }
    unsafe pointer = made
    unsafe self.release = release
  }

  deinit { unsafe release(pointer) }
}

/// Throws what libgit2 says about a call that failed.
func check(_ result: Int32, context: String) throws(GitError) {
  guard result >= 0 else { throw .libgit2(result, context: context) }
}
