internal import CofferPlatform
internal import CofferSystem

/// Memory that was freed, and what it still says.
///
/// A page is made of hundreds of strings: names of items, the markup around them, the request that asked for them. Swift
/// frees them without overwriting them, so that a lock would leave names in memory that belongs to nothing. glibc can
/// overwrite memory when it is freed. It reads that setting before a program begins, and keeps small pieces in caches of
/// threads which the setting does not reach unless they are switched off, too.
///
/// The alternative was to replace the process at each lock. It would have to hand its sockets and sessions over, and to
/// give up the requests and the sync that are running.
enum FreedMemory {
  private static let variable = "GLIBC_TUNABLES"
  private static let settings = "glibc.malloc.perturb=165:glibc.malloc.tcache_count=0"

  /// Starts this program again with the settings, unless they are in effect. To be called first, before there is anything to
  /// be overwritten. Other C libraries ignore the settings.
  static func overwrite() {
    #if canImport(Glibc)
      let given = CurrentProcess.environment[variable]
      guard let given, given == settings || given.hasSuffix(":" + settings) else {
        unsafe _ = setenv(variable, given.map { "\($0):\(settings)" } ?? settings, 1)
        // Without the settings, pages work as well. By its path, and not as /proc/self/exe: the kernel names a process after
        // the file that it was started from, and advice to the user repeats the program's name.
        try? CurrentProcess.replace(
          with: CurrentProcess.executablePath, arguments: Array(CommandLine.arguments.dropFirst()))
        return
      }
      // Not for the browser, and the other programs that this one starts.
      if given == settings {
        unsafe _ = unsetenv(variable)
      } else {
        unsafe _ = setenv(variable, String(given.dropLast(settings.utf8.count + 1)), 1)
      }
    #endif
  }
}
