extension ItemAttributes {
  /// True if the item's value is, or may be, protected by an application password. An access control that cannot be
  /// read counts as one with a password.
  package var isPasswordProtected: Bool {
    guard let stored = self[.accessControl] else { return false }
    return (try? AccessControl(bytes: stored.matchBytes))?.requiresApplicationPassword ?? true
  }
}
