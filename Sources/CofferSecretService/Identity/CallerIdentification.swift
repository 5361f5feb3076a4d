/// Finds out which app of the vault a caller is.
package struct CallerIdentification: Sendable {
  package init() {}

  /// Returns the identity of a caller. It may read files, and runs on a thread that may wait.
  package func identity(of credentials: CallerCredentials) -> CallerIdentity { .common }
}
