internal import CPlatform
internal import CofferPlatform

/// Passes signals that would end this process on to a child, which does the work: SIGINT, SIGTERM, SIGHUP and SIGQUIT. The
/// terminal sends Ctrl-C to both, but another program may know this process only.
struct PassedSignals: ~Copyable {
  private init() {}

  /// Takes the signals. A signal that comes before the child is known is passed on by ``pass(to:)``.
  static func begin() -> PassedSignals {
    coffer_begin_passing_signals()
    return PassedSignals()
  }

  func pass(to process: pid_t) { coffer_pass_signals(process) }

  /// Ends it. The identifier of the child must not have become free before. Returns the number of the last signal that
  /// came.
  consuming func end() -> Int32? {
    let number = coffer_end_passing_signals()
    discard self
    return number == 0 ? nil : number
  }

  deinit { _ = coffer_end_passing_signals() }
}
