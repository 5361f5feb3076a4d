extension String {
  /// The width of the text in a sans-serif font, estimated from wide fonts, so that text fits whatever font a viewer
  /// has. It is in the unit of `size`, which is ``AccessDrawing/boldSize`` for bold text.
  func estimatedWidth(size: Double) -> Double {
    unicodeScalars.reduce(0) { $0 + $1.estimatedWidth } * size
  }

  /// Returns the text, or its beginning and end with "…" between them if it is wider than `width`. Names of apps and groups
  /// differ at the end more often than at the beginning, so more of the end is kept.
  func fitting(_ width: Double, size: Double) -> String {
    guard estimatedWidth(size: size) > width else { return self }
    let scalars = Array(unicodeScalars)
    let available = width / size - Unicode.Scalar("…").estimatedWidth
    var start = 0
    var end = scalars.count
    var used = 0.0
    var usedAtStart = 0.0
    while start < end {
      let isStart = usedAtStart < used * 0.4
      let next = isStart ? scalars[start] : scalars[end - 1]
      guard used + next.estimatedWidth <= available else { break }
      used += next.estimatedWidth
      if isStart {
        usedAtStart += next.estimatedWidth
        start += 1
      } else {
        end -= 1
      }
    }
    var result = String.UnicodeScalarView()
    result.append(contentsOf: scalars[..<start])
    result.append("…")
    result.append(contentsOf: scalars[end...])
    return String(result)
  }
}

extension Unicode.Scalar {
  /// The width in parts of the font's size.
  fileprivate var estimatedWidth: Double {
    switch self {
    case "i", "j", "l", "I", ".", ",", ":", ";", "'", "|", "!", " ": 0.36
    case "f", "r", "t", "-", "(", ")", "/": 0.44
    case "m", "w", "M", "W", "@", "%": 0.98
    case "A"..."Z", "…": 0.74
    default: value < 0x1100 ? 0.64 : 1.05
    }
  }
}
