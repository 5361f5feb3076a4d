internal import CofferInspection

/// The content of a page, without the menu around it.
struct Page: Sendable {
  /// The heading and, with the name of the program after it, the title of the window.
  var title: String
  /// What the menu shows as the current place.
  var place: Place
  /// The pages above this one, beginning with the widest.
  var path: [Step] = []
  /// A sentence about what the page shows.
  var lead: HTML?
  /// Links and forms beside the heading.
  var actions = HTML()
  /// What has just been done, or why it was not.
  var notice: Notice?
  var content = HTML()

  /// A page above.
  struct Step: Sendable {
    let name: String
    let address: PageAddress

    /// An access group.
    static func group(_ name: String, _ names: TeamNames) -> Step {
      Step(name: names.short(name), address: PageAddress("groups", name))
    }
  }

  /// Where the menu leads.
  enum Place: Sendable, Equatable {
    case overview, items, certificates, keys, conflicts, deleted, replacements, refused, apps, machines, access, log,
      sync
    case group(String)
    /// A page that the menu does not list.
    case none
  }
}
