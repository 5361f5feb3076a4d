internal import CGit2

/// An object of libgit2 (a repository, a commit, a remote, …), which is freed when its owner is destroyed.
///
/// Owning it is safe; only using `pointer` is not. Pointers into the object are valid as long as the object exists:
/// keep it alive past their last use with `extendLifetime`.
@safe struct LibGit2Object: ~Copyable {
  @unsafe let pointer: OpaquePointer
  private let release: (OpaquePointer?) -> Void

  private init(owning pointer: OpaquePointer, release: @escaping (OpaquePointer?) -> Void) {
    unsafe self.pointer = unsafe pointer
    unsafe self.release = release
  }

  deinit { unsafe release(pointer) }

  /// Calls a libgit2 function that creates an object: `body` stores the object and returns the function's result, and
  /// `release` frees the object later. `context` is the path, reference or object concerned, for errors.
  static func create(
    context: String, _ release: @escaping (OpaquePointer?) -> Void, _ body: (inout OpaquePointer?) -> Int32
  ) throws(GitError) -> LibGit2Object {
    var pointer: OpaquePointer?
    let result = unsafe body(&pointer)
    guard result == 0, let pointer = unsafe pointer else { throw .libgit2(result, context: context) }
    return unsafe LibGit2Object(owning: pointer, release: release)
  }
}

/// Throws the error that libgit2 recorded if `result`, which one of its functions returned, is negative.
func check(_ result: Int32, context: String) throws(GitError) {
  guard result >= 0 else { throw .libgit2(result, context: context) }
}
