/// A command of `security -i`.
enum SecurityLine {
  /// Returns the words of a line: white space separates them, quotes of both kinds keep it, and a backslash takes the next
  /// character as it is.
  static func words(_ line: String) -> [String] {
    var words: [String] = []
    var word: String.UnicodeScalarView?
    var quote: Unicode.Scalar?
    var isEscaped = false
    for scalar in line.unicodeScalars {
      if isEscaped {
        word = (word ?? .init()) + [scalar]
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else if let open = quote {
        if scalar == open { quote = nil } else { word = (word ?? .init()) + [scalar] }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
        word = word ?? .init()
      } else if scalar == " " || scalar == "\t" {
        if let complete = word { words.append(String(complete)) }
        word = nil
      } else {
        word = (word ?? .init()) + [scalar]
      }
    }
    if let complete = word { words.append(String(complete)) }
    return words
  }
}
