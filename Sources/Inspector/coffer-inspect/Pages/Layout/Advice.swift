internal import CofferInspection
internal import CofferSystem

/// A sentence of the model or of an error, in which commands are set as code: those in backticks, and the one after a
/// colon that ends it.
func advice(_ sentence: String) -> HTML {
  guard let start = sentence.commandStart else { return withCode(sentence[...]) }
  return joined {
    withCode(sentence[..<start])
    code { text(String(sentence[start...])) }
  }
}

/// Text in which the parts between backticks are set as code.
private func withCode(_ sentence: Substring) -> HTML {
  let parts = sentence.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
  // A backtick without another one is text.
  guard !parts.count.isMultiple(of: 2) else { return text(String(sentence)) }
  return joined {
    for (index, part) in parts.enumerated() {
      if index.isMultiple(of: 2) { text(part) } else { code { text(part) } }
    }
  }
}
