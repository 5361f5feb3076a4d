/// The arguments of a command, if they can be read in one way only: words that begin with no hyphen, options with their
/// value as the next word, and flags.
///
/// ArgumentParser builds the definitions of all commands before it reads the first word, which takes longer than most
/// commands. The programs read the command lines of frequent commands with this type, and everything else with
/// ArgumentParser: abbreviations of any kind, repeated options, mistakes, and requests for help.
package struct PlainArguments: Equatable, Sendable {
  /// The words that are neither an option, its value nor a flag, in their order.
  package private(set) var words: [String] = []
  private var values: [String: String] = [:]
  private var flags: Set<String> = []

  /// Reads arguments, or returns nil if one of them is anything else than such a word, option or flag: an option or a
  /// flag of another name or in another form, one that is given twice, an option without a value, an empty word, or a
  /// word or value that begins with a hyphen. The names of options and flags have their hyphens.
  package init?(_ arguments: some Sequence<String>, options: Set<String> = [], flags: Set<String> = []) {
    var option: String?
    for argument in arguments {
      if argument.utf8.first != UInt8(ascii: "-") {
        guard !argument.isEmpty else { return nil }
        if let name = option {
          guard values.updateValue(argument, forKey: name) == nil else { return nil }
          option = nil
        } else {
          words.append(argument)
        }
      } else if option != nil {
        return nil
      } else if options.contains(argument) {
        option = argument
      } else {
        guard flags.contains(argument), self.flags.insert(argument).inserted else { return nil }
      }
    }
    guard option == nil else { return nil }
  }

  /// The value of an option; nil if it is not given.
  package subscript(_ option: String) -> String? { values[option] }

  package func has(_ flag: String) -> Bool { flags.contains(flag) }
}
