extension StringProtocol {
  /// The text without white space at both ends.
  package var trimmedSpace: String {
    guard let start = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace }) else {
      return ""
    }
    return String(self[start...last])
  }
}
