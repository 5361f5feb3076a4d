internal import CPlatform
internal import CofferPlatform

/// The process that this code runs in.
package enum CurrentProcess {
  /// Whether this process gained privileges when its program was started (setuid, setgid, capabilities). Its
  /// environment variables then come from a user with fewer rights and must not be trusted.
  package static var hasElevatedPrivileges: Bool { coffer_is_secure_execution() != 0 }

  /// The group that this process has beyond its user's own one, as a setgid program has; nil for none.
  package static var additionalGroup: UInt32? { getegid() == getgid() ? nil : getegid() }

  /// All groups of this process: its user's own one, that of a setgid program, and those that the user is a member of.
  package static var groups: Set<UInt32> {
    var found: Set<UInt32> = [getgid(), getegid()]
    let count = getgroups(0, nil)
    guard count > 0 else { return found }
    var others = [gid_t](repeating: 0, count: Int(count))
    let filled = unsafe getgroups(count, &others)
    if filled > 0 { found.formUnion(others[..<Int(filled)]) }
    return found
  }

  /// The environment variables of this process. Empty if the process has elevated privileges, because the variables
  /// come from a user with fewer rights. All code reads variables here. Of several with one name, the last one counts.
  ///
  /// Not with `ProcessInfo`, which takes an eighth of the instructions of `coffer get` for the same.
  package static var environment: [String: String] {
    var variables: [String: String] = [:]
    unsafe forEachVariable { variable in
      let text = unsafe String(cString: variable)
      guard let end = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return }
      variables[String(text[..<end])] = String(text[text.utf8.index(after: end)...])
    }
    return variables
  }

  /// Returns one of the ``environment`` variables, in a fraction of the time of reading all; nil if it is not set.
  package static func variable(_ name: String) -> String? {
    var value: String?
    unsafe forEachVariable { variable in
      let length = name.utf8.count
      guard unsafe strncmp(variable, name, length) == 0, unsafe variable[length] == UInt8(ascii: "=") else { return }
      value = unsafe String(cString: variable + length + 1)
    }
    return value
  }

  /// Passes each environment variable on, as the system keeps it: name, `=` and value. None if the process has elevated
  /// privileges.
  fileprivate static func forEachVariable(_ body: (UnsafeMutablePointer<CChar>) -> Void) {
    guard !hasElevatedPrivileges, var entry = unsafe coffer_environment() else { return }
    while let variable = unsafe entry.pointee {
      unsafe body(variable)
      unsafe entry += 1
    }
  }

  /// The path of the running program, without symbolic links.
  package static var executablePath: String {
    #if os(Linux)
      if let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") { return path }
      return CommandLine.arguments[0]
    #else
      let path = Bundle.main.executablePath ?? CommandLine.arguments[0]
      return URL(fileURLWithPath: path).resolvingSymlinksInPath().path(percentEncoded: false)
    #endif
  }

  /// The path of the working directory; nil if it does not exist any more, or its path is not UTF-8.
  package static var workingDirectory: String? {
    guard let path = unsafe getcwd(nil, 0) else { return nil }
    defer { unsafe free(path) }
    return unsafe String(validatingCString: path)
  }

  /// Turns off core dumps and the attachment of debuggers, and restores the default action of fatal signals, so that
  /// Swift's backtracer never prints registers that point at keys. If the operating system refuses one of these
  /// settings, it throws, and the ones before remain in effect. With `beforeReplacement`, a program that takes the
  /// place of this one by ``GivenCommand/replaceProcess()`` gets the limits of this process back.
  package static func harden(beforeReplacement: Bool = false) throws(SystemError) {
    if beforeReplacement { coffer_remember_inherited() }
    try SystemError.check(coffer_harden_process(beforeReplacement ? 1 : 0), "cannot harden the process")
  }

  /// Lets this process have 4096 descriptors, or as many as the system permits, if it could have fewer.
  package static func raiseDescriptorLimit() throws(SystemError) {
    try SystemError.check(coffer_raise_descriptor_limit(), "cannot raise the limit of descriptors")
  }

  /// Whether `coffer run --deny-reads` has started the process tree of this process: see ``denyReads()``.
  package static var deniesReads: Bool { coffer_has_tree_mark() != 0 }

  /// Marks this process, the program that takes its place, and everything that they start: they show no values of a
  /// vault unless a person allows it. Without the rights of root, no process takes the mark off. It is a limit that the
  /// kernel does not use, so it is inherited whatever a process does with its parents, its session and its environment.
  package static func denyReads() throws(SystemError) {
    try SystemError.check(coffer_mark_tree(), "cannot mark the process tree")
  }

  /// Keeps from the programs that this thread starts from now on what this process has inherited: descriptors other
  /// than the standard streams, and the keys of its session in the kernel.
  package static func withholdInherited() throws(SystemError) {
    try SystemError.check(coffer_withhold_inherited(), "cannot keep open files and keys from other programs")
  }

  /// Overwrites a secret in the arguments of this process, which every user of the machine can read, as far as the
  /// system permits it. Swift's copy of the arguments stays, which only this process can read.
  package static func hideInArguments(_ secret: String) {
    let bytes = Array(secret.utf8)
    unsafe bytes.withUnsafeBytes { unsafe coffer_hide_in_arguments($0.baseAddress, $0.count) }
  }

  /// Ends this process as a signal ended another one.
  package static func end(bySignal number: Int32) -> Never {
    signal(number, SIG_DFL)
    var set = sigset_t()
    unsafe sigemptyset(&set)
    unsafe sigaddset(&set, number)
    unsafe pthread_sigmask(SIG_UNBLOCK, &set, nil)
    raise(number)
    // A signal that does not end this process.
    exit(128 + number)
  }

  /// Sets a variable of the environment of the programs that this process starts, and of the one that replaces it. The
  /// value has no NUL. It becomes the only value, also if the environment had several by this name.
  package static func setVariable(_ name: String, to value: some Collection<UInt8>) {
    let bytes = value.map { CChar(bitPattern: $0) } + [0]
    // setenv replaces the first one only, and some programs take the last.
    unsafe unsetenv(name)
    unsafe _ = setenv(name, bytes, 1)
  }

  /// Replaces this program by another one, which keeps the process identifier, the environment and all descriptors that
  /// are not close-on-exec. `PATH` is not searched. Returns only by throwing.
  package static func replace(with path: String, arguments: [String]) throws(SystemError) {
    unsafe withCStrings([path] + arguments) { unsafe _ = execv(path, $0) }
    throw SystemError(errno, "cannot start \(path)")
  }
}

/// Goes on in a process without a terminal, as a service that a person has started.
package struct BackgroundProcess {
  private let report: Int32

  /// Begins a child that runs the rest of the program. The process that was started waits for the report of the child,
  /// and ends with its code. Call this before any other thread begins.
  package static func enter() throws(SystemError) -> BackgroundProcess {
    var report: Int32 = -1
    let number = unsafe coffer_enter_background(&report)
    try SystemError.check(-number, "cannot start a background process")
    return BackgroundProcess(report: report)
  }

  /// Reports an exit code, and gives up the standard streams and the working directory. Once.
  package func report(_ code: Int32) { coffer_report_background(report, code) }
}

/// A program and its arguments at the end of the arguments of this process, with their bytes as they were given.
package struct GivenCommand: Sendable {
  private let position: Int

  /// Takes the last arguments. There must be as many.
  package init(wordCount: Int) {
    precondition((1..<Int(CommandLine.argc)).contains(wordCount), "this process has no such arguments")
    position = Int(CommandLine.argc) - wordCount
  }

  /// Returns the position of the first argument after the first `--`, in `CommandLine.arguments`; nil if there is none.
  package static func position(in arguments: [String]) -> Int? { arguments.firstIndex(of: "--").map { $0 + 1 } }

  /// The words, with a null pointer at their end.
  var words: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> { unsafe CommandLine.unsafeArgv.advanced(by: position) }

  /// The program, to show.
  package var program: String { CommandLine.arguments[position] }

  /// Replaces this program by the given one, which is looked up in `PATH` and inherits what this process has inherited,
  /// apart from the variables that were set. Returns only by throwing.
  package func replaceProcess() throws(SystemError) {
    coffer_restore_inherited()
    if let name = unsafe words[0] { unsafe _ = execvp(name, words) }
    throw SystemError(errno, "cannot start \(program.sanitizedForTerminal())")
  }
}

/// The arguments and environment variables of this process, as bytes. Swift replaces what is not UTF-8 in them by one
/// character, which would make two different names the same.
package enum GivenText {
  /// The error for the first argument, or else for the first variable of Coffer's, that is not UTF-8; nil if all are. A
  /// program prints it and exits with 2 before it reads its arguments. It does not repeat the text, which may be
  /// secret.
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

  /// The names of the environment variables whose values are not UTF-8. Empty if the process has elevated privileges,
  /// as ``CurrentProcess/environment`` is.
  package static var malformedVariables: Set<String> {
    var names: Set<String> = []
    unsafe CurrentProcess.forEachVariable { variable in
      guard unsafe String(validatingCString: variable) == nil else { return }
      let text = unsafe String(cString: variable)
      names.insert(String(text.prefix { $0 != "=" }))
    }
    return names
  }
}
