internal import CPlatform
internal import CofferPlatform

/// The options of a command line as POSIX has them, read by the system's `getopt`: letters, alone or together, with a value in
/// the same word or the next. They end before the first word that is none.
package struct ShortOptions: Equatable, Sendable {
  /// An option, and its value if it takes one.
  package struct Option: Equatable, Sendable {
    package let letter: Character
    package let value: String?
  }

  /// The options in their order.
  package private(set) var options: [Option] = []
  /// The letter of the last option if its value is missing.
  package private(set) var incomplete: Character?
  /// The words after the options.
  package private(set) var operands: [String] = []

  /// Reads the words after the first one, which is the name of the command. `known` has the letters of all options, each
  /// with a colon if it takes a value. Nil if an option is unknown.
  package init?(_ words: [String], known: String) {
    #if canImport(Darwin)
      let form = ":" + known
    #else
      // Without the sign, words that are no options would be passed over.
      let form = "+:" + known
    #endif
    let isKnown = unsafe withCStrings(words) { pointers in
      var value: UnsafePointer<CChar>?
      var next: Int32 = 1
      var isFirst: Int32 = 1
      while true {
        let found = unsafe coffer_next_option(Int32(words.count), pointers, form, isFirst, &value, &next)
        isFirst = 0
        if found == -1 { break }
        if found == Int32(UInt8(ascii: "?")) { return false }
        let letter = Character(Unicode.Scalar(UInt8(truncatingIfNeeded: abs(found))))
        if found < 0 {
          incomplete = letter
        } else {
          options.append(Option(letter: letter, value: unsafe value.map { unsafe String(cString: $0) }))
        }
      }
      operands = Array(words.dropFirst(Int(next)))
      return true
    }
    guard isKnown else { return nil }
  }
}
