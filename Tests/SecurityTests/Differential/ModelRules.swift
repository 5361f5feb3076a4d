/// The rules of the model that can be altered, to see that a comparison notices.
struct ModelRules {
  /// Text and bytes that are the same bytes are the same.
  var comparesTextByBytes = true
  /// Text is as its bytes are, however its characters may be composed otherwise.
  var tellsComposedTextApart = true
  /// A number is never the text of its digits.
  var tellsNumbersFromDigits = true
  /// Text that spells a number is the number, where the attribute is one.
  var readsNumericText = true
  /// Empty and zero are as absent.
  var takesEmptyForAbsent = true
  /// Results have the attributes of the primary key that were not given.
  var returnsAbsentPrimaryKey = true
  /// An item may be there twice, with and without synchronization.
  var keepsTwins = true
  /// The group tells items apart.
  var keepsGroupsApart = true
  /// A label does not tell items apart.
  var ignoresLabelInPrimaryKey = true
  /// A search without synchronizability finds what is not synchronized only.
  var searchesUnsynchronizedOnly = true
  /// A search returns one item unless it says otherwise.
  var limitsToOne = true
  /// An update that fails has changed nothing.
  var updatesAllOrNothing = true
  /// A persistent reference is the item's also in another group.
  var keepsReferenceOnMove = true
  /// Accessibility narrows a search.
  var filtersByProtection = true
  /// Certificates may always be read unless said otherwise.
  var opensCertificates = true
  /// Deleting heeds no limit.
  var deletesAllMatches = true
  /// Updates and deletions pass over what the caller may only read.
  var sparesReadOnlyGroups = true
  /// `NSNull` takes an attribute away.
  var clearsWithNull = true
}
