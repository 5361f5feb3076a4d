internal import CPlatform
internal import CofferPlatform

/// Runs a program whose output passes through this process, which masks values in it.
///
/// If standard input and output are the terminal, and this process is in its foreground, the program gets a terminal of
/// its own with the same window, and job control. Otherwise its outputs are pipes, and it stays in the process group of
/// this process.
///
/// After the program's end, what it has left running goes on writing to pipes until it closes them, and signals end
/// this process as they end any other.
package struct ObservedProgram: ~Copyable {
  private let process: pid_t
  /// The connection with the process that leads the session of the program; -1 if it is a child of this process.
  private let control: Int32
  /// The end of the program's terminal that this process has; -1 if it has none of its own.
  private let terminal: Int32
  private let signals: Int32
  private var outputs: [ObservedOutput]
  private var input: [UInt8] = []
  private var readsInput: Bool
  private var exit: ChildProcess.Exit?

  /// Runs a program to its end. `held` are the variables of the environment with files in memory, by their names; they
  /// get the paths of the program's process. Returns how it ended.
  package static func run(
    _ command: GivenCommand, holding held: Set<String>, masking values: [[UInt8]]
  ) throws(SystemError) -> ChildProcess.Exit {
    var program = try start(command, held, values)
    return program.observe()
  }

  private static func start(
    _ command: GivenCommand, _ held: Set<String>, _ values: [[UInt8]]
  ) throws(SystemError) -> ObservedProgram {
    let action = "cannot start \(command.program.sanitizedForTerminal())"
    let signals = try SystemError.opened(coffer_open_signals(), action)
    var ours: Int32 = -1
    var theirs: Int32 = -1
    if hasTerminal {
      ours = try unsafe SystemError.opened(coffer_open_terminal_pair(STDIN_FILENO, &theirs), "cannot open a terminal")
    }
    defer { if theirs >= 0 { close(theirs) } }
    var outputs: [ObservedOutput] = []
    var streams = (theirs >= 0 ? theirs : STDIN_FILENO, theirs, theirs)
    if theirs >= 0 { outputs.append(ObservedOutput(from: ours, to: STDOUT_FILENO, values, isTerminal: true)) }
    var ends: [Int32] = []
    defer { for end in ends { close(end) } }
    func openPipe(to target: Int32) throws(SystemError) -> Int32 {
      var pipe: [Int32] = [-1, -1]
      try unsafe SystemError.check(coffer_open_pipe(&pipe), "cannot open a pipe")
      ends.append(pipe[1])
      // Of this end only: the program waits as it would without an observer.
      _ = fcntl(pipe[0], F_SETFL, O_NONBLOCK)
      outputs.append(ObservedOutput(from: pipe[0], to: target, values, isTerminal: false))
      return pipe[1]
    }
    if theirs < 0 { streams.1 = try openPipe(to: STDOUT_FILENO) }
    if theirs < 0 || isatty(STDERR_FILENO) != 1 {
      // One pipe for `2>&1`, which keeps the order.
      let output = FileIdentity(of: STDOUT_FILENO)
      let isSame = theirs < 0 && output != nil && output == FileIdentity(of: STDERR_FILENO)
      streams.2 = isSame ? streams.1 : try openPipe(to: STDERR_FILENO)
    }
    if ours >= 0 {
      try SystemError.check(coffer_begin_raw(STDIN_FILENO), "cannot set the terminal")
    }
    var process: pid_t = 0
    var control: Int32 = -1
    let secrets = secretsToWipe(values)
    let bytes = secrets.flatMap(\.self)
    let sizes = secrets.map(\.count)
    let number = unsafe heldEntries(held).withUnsafeBufferPointer { entries in
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe sizes.withUnsafeBufferPointer { sizes in
          var program = unsafe coffer_observed_program(
            arguments: command.words, environment: coffer_environment(), streams: streams, terminal: theirs,
            held_entries: entries.baseAddress, held_count: Int32(entries.count), secrets: bytes.baseAddress,
            secret_sizes: sizes.baseAddress, secret_count: Int32(sizes.count))
          return unsafe coffer_start_observed(&program, &process, &control)
        }
      }
    }
    guard number == 0 else {
      if ours >= 0 { coffer_end_raw(STDIN_FILENO) }
      throw SystemError(number, action)
    }
    return ObservedProgram(
      process: process, control: control, terminal: ours, signals: signals, outputs: outputs, readsInput: ours >= 0)
  }

  /// Returns the positions of variables with paths of files in memory in the environment.
  private static func heldEntries(_ names: Set<String>) -> [Int32] {
    guard let environment = unsafe coffer_environment() else { return [] }
    var found: [Int32] = []
    var position = 0
    while let entry = unsafe environment[position] {
      let text = unsafe String(cString: entry)
      let name = text.prefix { $0 != "=" }
      if names.contains(String(name)), text.dropFirst(name.count).hasPrefix("=\(MemoryFile.unnamedPathPrefix)") {
        found.append(Int32(position))
      }
      position += 1
    }
    return found
  }

  /// Returns the values that are masked, and their forms on a terminal, the longest first. Few bytes of which one is 0
  /// could be anything in the memory of a process.
  private static func secretsToWipe(_ values: [[UInt8]]) -> [[UInt8]] {
    Set(ObservedOutput.terminalForms(of: values))
      .filter { $0.count >= OutputMask.minimumByteCount && ($0.count >= 8 || !$0.contains(0)) }
      .sorted { $0.count > $1.count }
  }

  /// Whether standard input and output are the terminal of this process, and it is in the foreground there. Otherwise,
  /// other processes need the terminal's keys and settings: the shell, or a pager after this process.
  private static var hasTerminal: Bool {
    tcgetpgrp(STDIN_FILENO) == getpgrp() && tcgetpgrp(STDOUT_FILENO) == getpgrp()
  }

  // MARK: Observing

  private mutating func observe() -> ChildProcess.Exit {
    while exit == nil { step() }
    if terminal >= 0 {
      // What the program has written before its end, in the form of its terminal. That hangs up now, and nothing can
      // follow.
      while outputs[0].pass() {}
      outputs[0].finish()
      coffer_end_raw(STDIN_FILENO)
    }
    coffer_close_signals(signals)
    while outputs.contains(where: \.isOpen) { step() }
    for index in outputs.indices { outputs[index].finish() }
    return exit ?? .unknown
  }

  /// Waits until something happens, and handles it. After the program's end, only its outputs matter.
  private mutating func step() {
    let runs = exit == nil
    // A negative descriptor is ignored.
    var waits = [pollfd(fd: runs ? signals : -1, events: Int16(POLLIN), revents: 0)]
    waits.append(pollfd(fd: runs ? control : -1, events: Int16(POLLIN), revents: 0))
    waits.append(
      pollfd(fd: runs && readsInput && input.isEmpty ? STDIN_FILENO : -1, events: Int16(POLLIN), revents: 0))
    waits.append(pollfd(fd: !runs || input.isEmpty ? -1 : terminal, events: Int16(POLLOUT), revents: 0))
    waits += outputs.map { pollfd(fd: $0.isOpen ? $0.source : -1, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&waits, nfds_t(waits.count), -1) > 0 else { return }
    for (index, wait) in waits.dropFirst(4).enumerated() where wait.revents != 0 { _ = outputs[index].pass() }
    if waits[2].revents != 0 { readInput() }
    if waits[3].revents != 0 { writeInput() }
    if waits[0].revents != 0 { takeSignals() }
    if waits[1].revents != 0 { readReport() }
  }

  private mutating func readInput() {
    var chunk = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(STDIN_FILENO, &chunk, chunk.count)
    if count > 0 {
      input = Array(chunk[..<count])
    } else if count == 0 || errno != EINTR {
      readsInput = false
    }
  }

  private mutating func writeInput() {
    let count = unsafe write(terminal, input, input.count)
    if count > 0 {
      input.removeFirst(count)
    } else if count < 0, errno != EAGAIN, errno != EINTR {
      input = []
      readsInput = false
    }
  }

  private mutating func takeSignals() {
    var isFromProgram: Int32 = 0
    // What comes after the program's end stays for this process.
    while exit == nil {
      let number = unsafe coffer_next_signal(signals, &isFromProgram)
      switch number {
      case 0: return
      case SIGCHLD: if control < 0 { reap() }
      case SIGWINCH: if terminal >= 0 { coffer_copy_window(STDIN_FILENO, terminal) }
      // What this process's terminal sends, the program gets too if it has the same.
      default: if terminal >= 0 || isFromProgram != 0 { _ = kill(process, number) }
      }
    }
  }

  private mutating func reap() {
    var status: Int32 = 0
    if unsafe waitpid(process, &status, WNOHANG) == process { exit = ChildProcess.Exit(status: status) }
  }

  private mutating func readReport() {
    var status: Int32 = 0
    guard unsafe read(control, &status, MemoryLayout<Int32>.size) == MemoryLayout<Int32>.size else {
      exit = .unknown
      return
    }
    guard status & 0xff == 0x7f else {
      exit = ChildProcess.Exit(status: status)
      return
    }
    suspend()
  }

  /// Stops with the program, as it would have stopped alone, until both go on.
  private func suspend() {
    coffer_end_raw(STDIN_FILENO)
    _ = kill(0, SIGTSTP)
    // In the background, this stops the process again.
    coffer_continue_raw(STDIN_FILENO)
    coffer_copy_window(STDIN_FILENO, terminal)
    var order: UInt8 = 1
    _ = unsafe write(control, &order, 1)
  }
}

/// Replaces secret values in the output of a program, also a value that arrives in several pieces.
///
/// A value is masked byte for byte. Another form of it, such as Base64 or a part, is not.
package struct OutputMask: Sendable {
  /// What takes the place of a value.
  package static let replacement = Array("[masked]".utf8)
  /// The size in bytes from which a value is masked: shorter ones occur in any text.
  package static let minimumByteCount = 4

  /// The values by their first byte.
  private let values: [[[UInt8]]]
  /// What may be the beginning of a value, and is not shown yet.
  private var pending: [UInt8] = []
  /// How many of the pending bytes, from the first, belong to a value that was found.
  private var maskedCount = 0

  /// Takes the values. Those that are shorter than ``minimumByteCount`` are left out.
  package init(_ values: some Collection<[UInt8]>) {
    var table = [[[UInt8]]](repeating: [], count: 256)
    for value in Set(values) where value.count >= Self.minimumByteCount { table[Int(value[0])].append(value) }
    self.values = table
  }

  /// Takes more output, and returns what can be shown of it and of the output before.
  package mutating func mask(_ bytes: some Sequence<UInt8>) -> [UInt8] {
    pending += bytes
    return show(isEnd: false)
  }

  /// Returns the rest, at the end of the output.
  package mutating func finish() -> [UInt8] { show(isEnd: true) }

  private mutating func show(isEnd: Bool) -> [UInt8] {
    var shown: [UInt8] = []
    shown.reserveCapacity(pending.count)
    var position = 0
    // Each position is looked at, also in a value that was found: another one may begin there, and end later.
    while position < pending.count, let found = match(at: position, isEnd: isEnd) {
      if found > maskedCount {
        if maskedCount == 0 { shown += Self.replacement }
        maskedCount = found
      }
      if maskedCount > 0 {
        maskedCount -= 1
      } else {
        shown.append(pending[position])
      }
      position += 1
    }
    pending.removeFirst(position)
    return shown
  }

  /// Returns the size of the largest value at a position, 0 if there is none, and nil if that depends on what follows.
  private func match(at position: Int, isEnd: Bool) -> Int? {
    var longest = 0
    for value in values[Int(pending[position])] {
      let rest = pending[position...]
      if rest.count >= value.count {
        if value.count > longest, rest.starts(with: value) { longest = value.count }
      } else if !isEnd, value.starts(with: rest) {
        return nil
      }
    }
    return longest
  }
}

/// An output of an observed program, and where it is shown.
struct ObservedOutput {
  /// Where this process reads it.
  let source: Int32
  private let target: Int32
  private var mask: OutputMask
  private(set) var isOpen = true

  /// Takes the values to mask. A terminal shows a value of several lines with a carriage return in each.
  init(from source: Int32, to target: Int32, _ values: [[UInt8]], isTerminal: Bool) {
    self.source = source
    self.target = target
    mask = OutputMask(isTerminal ? Self.terminalForms(of: values) : values)
  }

  /// Returns the values, and how a terminal shows them.
  static func terminalForms(of values: [[UInt8]]) -> [[UInt8]] { values + values.map(asTerminalShows) }

  private static func asTerminalShows(_ value: [UInt8]) -> [UInt8] {
    Array(value.split(separator: 10, omittingEmptySubsequences: false).joined(separator: [13, 10]))
  }

  /// Passes on what can be read. Returns false if there is nothing now, or nothing any more.
  mutating func pass() -> Bool {
    guard isOpen else { return false }
    var chunk = [UInt8](repeating: 0, count: 65_536)
    let count = unsafe read(source, &chunk, chunk.count)
    if count < 0, errno == EAGAIN || errno == EINTR { return false }
    guard count > 0, Descriptor.writeAll(mask.mask(chunk[..<count]), to: target) else {
      end()
      return false
    }
    return true
  }

  /// Passes on the rest.
  mutating func finish() {
    _ = Descriptor.writeAll(mask.finish(), to: target)
    if isOpen { end() }
  }

  /// The program gets an error if it goes on writing.
  private mutating func end() {
    close(source)
    isOpen = false
  }
}
