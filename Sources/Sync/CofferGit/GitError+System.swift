internal import CGit2
internal import CofferPlatform
internal import CofferSystem

extension GitError {
  /// Describes a failed system call.
  init(_ error: SystemError, context: String) {
    self = .system(error.number, error.action, context: context)
  }

  /// Reads an error of `coffer-transport`: code, message and recovery suggestion, separated by zero bytes.
  init(transportFailure bytes: [UInt8], context: String) {
    let fields = String(decoding: bytes, as: UTF8.self).split(separator: "\0", omittingEmptySubsequences: false)
    let name = fields.first.map(String.init) ?? ""
    let message = fields.dropFirst().first.map { String($0).asTerminalLine } ?? ""
    let suggestion = fields.dropFirst(2).first.map { String($0).asTerminalLine } ?? ""
    self.init(
      Code(description: name), message.isEmpty ? "the transfer failed" : message, context: context,
      recoverySuggestion: suggestion.isEmpty ? nil : suggestion)
  }

  /// Returns the error for a failed system call with an `errno`. `action` is the failed action as the beginning of a
  /// sentence, for example "cannot lock", and `context` the path or remote concerned.
  static func system(_ number: Int32, _ action: String, context: String) -> GitError {
    let text = "\(action): \(systemMessage(number))"
    return GitError(code(ofSystemError: number), text, context: context)
  }

  /// Returns the error for a failed call of libgit2, which has returned `result`. libgit2 keeps the text of an error
  /// per thread and only until its next error, so this must be called directly after the call. `context` is the path,
  /// reference, object or remote concerned. With `isOfRemote`, an error for which libgit2 has no text is one of what a
  /// remote has sent.
  static func libgit2(_ result: Int32, context: String, isOfRemote: Bool = false) -> GitError {
    let systemError = errno
    var text = isOfRemote ? "what the remote sent is malformed" : "libgit2 returned \(result)"
    let unexplained: Code = isOfRemote ? .protocolError : .io
    var category: UInt32 = 0
    // A transfer looks up settings that nobody has made, and leaves the text of that for errors that record none.
    if let last = unsafe git_error_last(),
      unsafe !isOfRemote || last.pointee.klass != Int32(GIT_ERROR_CONFIG.rawValue)
    {
      if let message = unsafe last.pointee.message { text = unsafe String(cString: message).asTerminalLine }
      category = UInt32(bitPattern: unsafe last.pointee.klass)
    }
    git_error_clear()
    switch git_error_code(result) {
    case GIT_ELOCKED:
      return GitError(.locked, text, context: context)
    case GIT_EOWNER:
      return GitError(
        .permissionDenied, "\(text). The folder belongs to another user", context: context,
        recoverySuggestion: "run as its owner, or delete it")
    case GIT_EMISMATCH, GIT_EUNCOMMITTED:
      return GitError(.corrupt, text, context: context)
    case GIT_EINVALIDSPEC:
      return GitError(.rejected, text, context: context)
    default: break
    }
    for number in [ENOSPC, EDQUOT, EACCES, EPERM, EROFS] where text.contains(systemMessage(number)) {
      return GitError(code(ofSystemError: number), text, context: context)
    }
    switch git_error_t(category) {
    case GIT_ERROR_ZLIB, GIT_ERROR_ODB, GIT_ERROR_OBJECT, GIT_ERROR_TREE, GIT_ERROR_REFERENCE, GIT_ERROR_REPOSITORY,
      GIT_ERROR_CONFIG, GIT_ERROR_SHA:
      return GitError(.corrupt, text, context: context)
    case GIT_ERROR_INVALID where text.hasPrefix("failed to apply delta"):
      return GitError(.corrupt, text, context: context)
    case GIT_ERROR_NOMEMORY:
      return GitError(.tooLarge, "an object is larger than this machine reads", context: context)
    case GIT_ERROR_NET, GIT_ERROR_INDEXER, GIT_ERROR_SSH, GIT_ERROR_HTTP:
      return GitError(.protocolError, text, context: context)
    case GIT_ERROR_NONE where [ENOSPC, EDQUOT].contains(systemError):
      // libgit2 records no text if a loose object does not fit on the disk.
      return .system(systemError, "cannot write", context: context)
    case GIT_ERROR_NONE where result != GIT_ENOTFOUND.rawValue:
      return GitError(unexplained, text, context: context)
    default:
      return GitError(result == GIT_ENOTFOUND.rawValue ? .corrupt : .io, text, context: context)
    }
  }

  private static func code(ofSystemError number: Int32) -> Code {
    switch number {
    case ENOSPC, EDQUOT: .diskFull
    case EACCES, EPERM, EROFS: .permissionDenied
    case ENOENT: .notFound
    default: .io
    }
  }

  private static func systemMessage(_ number: Int32) -> String {
    unsafe String(cString: strerror(number))
  }
}

extension String {
  /// Text from git, ssh or a server as one line that cannot control a terminal, at most 8,192 scalars of it.
  var asTerminalLine: String { sanitizedForTerminal(limit: 8_192, foldsWhiteSpace: true) }
}
