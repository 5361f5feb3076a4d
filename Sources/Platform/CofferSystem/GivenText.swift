internal import CPlatform
internal import CofferPlatform

/// The arguments and environment variables of this process, as bytes. Swift replaces what is not UTF-8 in them by one
/// character, which would make two different names the same.
package enum GivenText {
  /// The error for the first argument, or else for the first variable of Coffer's, that is not UTF-8; nil if all are. A
  /// program prints it and exits with 2 before it reads its arguments. It does not repeat the text, which may be secret.
  package static var complaint: String? { complaint(before: .max) }

  /// Returns the same as ``complaint``, for arguments whose end is for another program, from position `end` on: it may
  /// have any bytes.
  package static func complaint(before end: Int = .max) -> String? {
    if let position = malformedArgument, position < end {
      return "argument \(position) is not UTF-8; \(recoverySuggestion)"
    }
    let variable = malformedVariables.filter { $0.hasPrefix("COFFER_") }.min()
    return variable.map { "the variable \($0) is not UTF-8; \(recoverySuggestion)" }
  }

  /// What to do about text that is not UTF-8.
  package static let recoverySuggestion =
    "type names in a terminal that uses UTF-8, and rename files of other encodings"

  /// The position of the first argument that is not UTF-8, from 1; nil if all are UTF-8.
  private static var malformedArgument: Int? {
    let words = unsafe CommandLine.unsafeArgv
    return (1..<max(1, Int(CommandLine.argc))).first { index in
      unsafe words[index].map { unsafe String(validatingCString: $0) == nil } ?? false
    }
  }

  /// The names of the environment variables whose values are not UTF-8. Empty if the process has elevated privileges, as
  /// ``CurrentProcess/environment`` is.
  package static var malformedVariables: Set<String> {
    guard !CurrentProcess.hasElevatedPrivileges, var entry = unsafe coffer_environment() else { return [] }
    var names: Set<String> = []
    while let variable = unsafe entry.pointee {
      if unsafe String(validatingCString: variable) == nil {
        let text = unsafe String(cString: variable)
        names.insert(String(text.prefix { $0 != "=" }))
      }
      unsafe entry += 1
    }
    return names
  }
}
