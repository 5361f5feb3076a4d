/// Joins the markup of a block, in order.
@resultBuilder
enum HTMLBuilder {
  static func buildExpression(_ markup: HTML) -> HTML { markup }
  static func buildExpression(_ markup: HTML?) -> HTML { markup ?? HTML() }
  static func buildBlock(_ parts: HTML...) -> HTML { joined(parts) }
  static func buildArray(_ parts: [HTML]) -> HTML { joined(parts) }
  static func buildOptional(_ part: HTML?) -> HTML { part ?? HTML() }
  static func buildEither(first: HTML) -> HTML { first }
  static func buildEither(second: HTML) -> HTML { second }

  private static func joined(_ parts: [HTML]) -> HTML {
    var result = HTML()
    for part in parts { result.append(part) }
    return result
  }
}
