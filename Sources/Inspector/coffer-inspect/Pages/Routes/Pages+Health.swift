internal import CofferCrypto
internal import CofferInspection
internal import CofferSystem
internal import CofferVault
internal import HTTPTypes
internal import Hummingbird

/// How good the passwords are, and new ones: generated, and judged while they are typed.
extension Pages {
  func addHealth(to routes: PageRoutes) {
    routes.page("health") { vault, visit in
      HealthPage(health: try vault.passwordHealth(), names: visit.names).page
    }
    routes.router.post("generate") { request, context in
      guard request.headers[.accept] == "application/json" else { throw Self.malformed }
      return ValueMessage.response(with: ItemValue(generated: try Self.recipe(Visit(request, context)).secret()))
    }
    routes.router.post("strength") { request, context in
      guard request.headers[.accept] == "application/json" else { throw Self.malformed }
      let visit = try Visit(request, context)
      return try await inspector.withVault { vault in try Self.strength(vault, visit) }
    }
  }

  /// Answers with the grade of a password and a sentence about it. The answer does not have the password.
  private static func strength(_ vault: InspectedVault, _ visit: Visit) throws -> Response {
    guard let password = visit.form.filledSecret("value", hasUnixLines: true) else { throw malformed }
    let parts = (visit.form["item"] ?? "").split(separator: "/").map(String.init)
    let item = parts.count == 2 ? ItemReference(code: parts[0], text: parts[1]) : nil
    let strength = PasswordStrength(password)
    var words = strength.words
    if let count = try vault.countItems(withPassword: password, except: item), count > 0 {
      words += count == 1 ? " Another item has this password." : " \(count.grouped) other items have this password."
    }
    return .json(["grade": strength.grade.rawValue, "bits": String(strength.bits), "words": words], status: .ok)
  }

  /// The new value of a form: typed, or generated because the form asks for it; nil for none.
  static func value(in visit: Visit) throws(PageFailure) -> SecretText? {
    if visit.form[NewValueField.generation] == "1" { return try recipe(visit).secret() }
    return visit.form.filledSecret("value", hasUnixLines: true)
  }

  /// How a form wants a value to be generated.
  private static func recipe(_ visit: Visit) throws(PageFailure) -> SecretRecipe {
    guard let kind = visit.form["characters"], let count = visit.form["length"].flatMap({ Int($0) }),
      let recipe = SecretRecipe(kind, count: count)
    else {
      throw PageFailure(
        .unprocessableContent, "This did not work", "no such value can be generated",
        suggestion: "choose \(NewValueField.numbers)")
    }
    return recipe
  }
}
