internal import CGit2
internal import CofferSystem

extension Repository {
  /// Returns the object that a reference names, or nil if the reference does not exist.
  package func reference(_ name: String) throws(GitError) -> ObjectID? {
    try Self.requireReferenceName(name)
    if let referencesInMemory { return referencesInMemory[name] }
    var id = git_oid()
    let result = unsafe git_reference_name_to_id(&id, object.pointer, name)
    if result == GIT_ENOTFOUND.rawValue {
      git_error_clear()
      return nil
    }
    try check(result, context: name)
    return ObjectID(id)
  }

  /// Creates a reference or moves it to `target`, whatever it named before; nil deletes it.
  package func setReference(_ name: String, to target: ObjectID?) throws(GitError) {
    try Self.requireReferenceName(name)
    if referencesInMemory != nil {
      referencesInMemory?[name] = target
      return
    }
    guard let target else {
      let result = unsafe git_reference_remove(object.pointer, name)
      if result != GIT_ENOTFOUND.rawValue { try check(result, context: name) }
      git_error_clear()
      return
    }
    var id = target.raw
    _ = unsafe try LibGit2Object.create(context: name, git_reference_free) { [repository = object.pointer] in
      unsafe git_reference_create(&$0, repository, name, &id, 1, nil)
    }
  }

  /// Whether the repository has any reference.
  func hasReferences() throws(GitError) -> Bool { try !referenceNames().isEmpty }

  func referenceNames() throws(GitError) -> [String] {
    if let referencesInMemory { return referencesInMemory.keys.sorted() }
    var names = unsafe git_strarray()
    try check(unsafe git_reference_list(&names, object.pointer), context: path)
    defer { unsafe git_strarray_dispose(&names) }
    return unsafe (0..<names.count).compactMap { unsafe names.strings[$0].map { unsafe String(cString: $0) } }
  }

  /// Throws `.rejected` unless git accepts the name and it is a full one: `refs/...`.
  static func requireReferenceName(_ name: String) throws(GitError) {
    var isValid: Int32 = 0
    guard name.hasPrefix("refs/"), !name.utf8.contains(0),
      unsafe git_reference_name_is_valid(&isValid, name) == 0, isValid == 1
    else {
      throw GitError(.rejected, "not the full name of a reference", context: name.sanitizedForTerminal())
    }
  }
}
