internal import CPlatform
internal import CofferPlatform

/// A file that has no name until its content is complete, so that nothing of it is left if this process is ended before.
package struct UnnamedFile: ~Copyable {
  /// Where the content is written.
  package let descriptor: Int32
  private let temporary: String
  private let isNamed: Bool

  private init(descriptor: Int32, temporary: String, isNamed: Bool) {
    self.descriptor = descriptor
    self.temporary = temporary
    self.isNamed = isNamed
  }

  deinit {
    // After an error, it may still have its temporary name.
    if isNamed { unsafe _ = unlink(temporary) }
    _ = close(descriptor)
  }

  /// Creates a file with mode 0600 in the folder of a temporary name. On a file system without files that have no name, it
  /// has the temporary one from the beginning.
  package static func create(temporary: String) throws(SystemError) -> UnnamedFile {
    let unnamed = unsafe coffer_create_unnamed_file(temporary.parentFolder)
    if unnamed >= 0 { return UnnamedFile(descriptor: unnamed, temporary: temporary, isNamed: false) }
    let named = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard named >= 0 else { throw SystemError(errno, "cannot create \(temporary)") }
    return UnnamedFile(descriptor: named, temporary: temporary, isNamed: true)
  }

  /// Gives the file its name, in one step and in place of the file that has it.
  package func replace(_ path: String) throws(SystemError) {
    let number = unsafe coffer_replace_file(path, temporary, isNamed ? -1 : descriptor)
    guard number == 0 else { throw SystemError(number, "cannot write \(path)") }
  }
}
