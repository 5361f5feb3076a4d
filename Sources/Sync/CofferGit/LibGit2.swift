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
