internal import CPlatform

/// A terminal that shows nothing of what is typed. If a signal ends the process meanwhile, for example because it was started
/// with a time limit (`timeout`), the terminal shows again what is typed.
package enum HiddenInput {
  /// Makes a terminal show nothing, and pass on each key at once, Ctrl-C as a character. The descriptor must stay open
  /// until ``end()``. Only one terminal can be hidden at a time.
  package static func begin(on terminal: Int32) throws(SystemError) {
    let number = coffer_hide_input(terminal)
    guard number == 0 else { throw SystemError(number, "cannot set the terminal") }
  }

  /// Makes the terminal show again what is typed.
  package static func end() { coffer_show_input() }
}
