internal import CofferInspection
internal import CofferSystem

/// What a key is, and what belongs to it.
struct KeyCards {
  let key: KeyDetails
  let names: TeamNames

  var html: HTML {
    card("Key", id: "key") {
      facts(
        [
          (Term.keyKind.html, text(key.summary.kind)), (Term.algorithm.html, text(key.summary.algorithm)),
          (Term.sizeInBits.html, key.summary.sizeInBits.map { text("\($0)") }),
        ] + ItemFactList(facts: key.facts, names: names).rows)
    }
  }
}
