/// The reason why bytes are not an acceptable property list.
struct PropertyListFlaw: Error {
  /// The problem, as the end of a sentence whose subject is the list.
  let what: String

  init(_ what: String) { self.what = what }
}
