internal import CGit2

/// The library libgit2, which is initialised once per process and never shut down.
enum LibGit2 {
  /// The error of the initialisation, or nil if it succeeded.
  private static let failure: GitError? = {
    guard git_libgit2_init() > 0, coffer_git_limit_allocations() == 0 else {
      return .libgit2(-1, context: "libgit2")
    }
    // The user's git configuration must not redirect or weaken transfers (url.insteadOf, proxies, templates).
    for level in [
      GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_PROGRAMDATA,
    ] {
      guard unsafe coffer_git_set_search_path(level.rawValue, "") == 0 else { return .libgit2(-1, context: "libgit2") }
    }
    // These are the defaults, but an application that uses libgit2 itself may have changed them. The number of objects
    // is read from the header of a pack, and memory is allocated for it before any callback can refuse.
    guard coffer_git_set_strict_object_creation(1) == 0, coffer_git_set_strict_hash_verification(1) == 0,
      coffer_git_set_owner_validation(1) == 0,
      coffer_git_set_pack_max_objects(TransferLimits().maximumObjectCount) == 0,
      coffer_git_set_cache_max_size(cacheByteCount) == 0
    else { return .libgit2(-1, context: "libgit2") }
    return nil
  }()

  /// The size of the commits and directories that are kept in memory. Each is read about once, so most of them are of
  /// no use there, and the default of 256 MiB is filled by a history that an attacker with push access has made.
  private static let cacheByteCount = 16 << 20

  /// Initialises libgit2, unless it has been.
  static func start() throws(GitError) {
    if let failure { throw failure }
  }
}

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
