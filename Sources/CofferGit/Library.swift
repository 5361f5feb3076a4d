internal import CGit2

/// libgit2 itself, started once per process and never stopped.
enum Library {
  /// `nil` when libgit2 has started.
  private static let failure: GitError? = {
    guard git_libgit2_init() > 0 else { return .libgit2(-1, context: "libgit2") }
    // What the user configured for git must not redirect or weaken us (url.insteadOf, proxies, templates).
    for level in [
      GIT_CONFIG_LEVEL_SYSTEM, GIT_CONFIG_LEVEL_XDG, GIT_CONFIG_LEVEL_GLOBAL, GIT_CONFIG_LEVEL_PROGRAMDATA,
    ] {
      guard unsafe coffer_git_set_search_path(level.rawValue, "") == 0 else { return .libgit2(-1, context: "libgit2") }
    }
    // All are the defaults, but an application that uses libgit2 itself may have started it otherwise. The
    // number of objects is read from a pack's header and allocated for before any callback can object.
    guard coffer_git_set_strict_object_creation(1) == 0, coffer_git_set_strict_hash_verification(1) == 0,
      coffer_git_set_owner_validation(1) == 0,
      coffer_git_set_pack_max_objects(TransferLimits().maximumObjectCount) == 0
    else { return .libgit2(-1, context: "libgit2") }
    return nil
  }()

  static func start() throws(GitError) {
    if let failure { throw failure }
  }
}
