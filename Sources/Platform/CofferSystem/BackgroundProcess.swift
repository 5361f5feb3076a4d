internal import CPlatform

/// Goes on in a process without a terminal, as a service that a person has started.
package struct BackgroundProcess {
  private let report: Int32

  /// Begins a child that runs the rest of the program. The process that was started waits for the report of the child, and
  /// ends with its code. Call this before any other thread begins.
  package static func enter() throws(SystemError) -> BackgroundProcess {
    var report: Int32 = -1
    let number = unsafe coffer_enter_background(&report)
    guard number == 0 else { throw SystemError(-number, "cannot start a background process") }
    return BackgroundProcess(report: report)
  }

  /// Reports an exit code, and gives up the standard streams and the working directory. Once.
  package func report(_ code: Int32) { coffer_report_background(report, code) }
}
