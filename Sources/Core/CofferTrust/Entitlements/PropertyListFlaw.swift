/// The reason why bytes are not an acceptable property list.
package struct PropertyListFlaw: Error, Hashable, Sendable {
  /// The problem, as the end of a sentence whose subject is the list.
  package let what: String

  init(_ what: String) { self.what = what }
}
